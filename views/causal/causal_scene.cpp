#include "views/causal/causal_scene.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "views/base/painting.h"

namespace jitterscope::views {

namespace {

constexpr double kPi = 3.14159265358979323846;

QPolygonF roundedRect(const QRectF& r, double radius) {
  QPolygonF outline;
  const auto corner = [&](QPointF centre, double from) {
    for (int i = 0; i <= 6; ++i) {
      const double angle = from + kPi / 2 * i / 6;
      outline << centre + QPointF(std::cos(angle), std::sin(angle)) * radius;
    }
  };
  corner({r.left() + radius, r.top() + radius}, kPi);
  corner({r.right() - radius, r.top() + radius}, 1.5 * kPi);
  corner({r.right() - radius, r.bottom() - radius}, 0);
  corner({r.left() + radius, r.bottom() - radius}, 0.5 * kPi);
  outline << outline.first();
  return outline;
}

double lengthOf(QPointF v) {
  return std::hypot(v.x(), v.y());
}

QPointF unit(QPointF v) {
  const double length = lengthOf(v);
  return length > 0 ? v / length : QPointF(1, 0);
}

// Removes the last `by` of the line, so that it stops where the arrow head begins.
QPolygonF shortened(QPolygonF line, double by) {
  while (line.size() >= 2 && by > 0) {
    const QPointF last = line[line.size() - 1];
    const QPointF before = line[line.size() - 2];
    const double length = lengthOf(last - before);
    if (length > by) {
      line[line.size() - 1] = last + unit(before - last) * by;
      return line;
    }
    by -= length;
    line.removeLast();
  }
  return line;
}

void addNode(CausalScene& scene, const CausalNode& node, int index, const QStringList& lines,
             const QRectF& rect, bool selected, const ViewStyle& style) {
  const bool target = node.role == NodeRole::Target;
  const QColor fill = target ? style.text : style.background;
  const QColor stroke = selected ? style.focus : target ? style.text : style.mutedText;
  if (node.role == NodeRole::Family) {
    scene.shapes.push_back({roundedRect(rect.translated(3, 3), 5), style.surface, style.border, 1});
  }
  scene.shapes.push_back({roundedRect(rect, 5), fill, stroke, selected ? 2.5 : 1.0});
  const QStringList members = openMembers(node);
  SceneText text;
  text.rect = rect.adjusted(8, 0, -8, -kMemberHeight * static_cast<double>(members.size()));
  text.node = index;
  text.colour = target ? style.background : style.text;
  text.font = node.role == NodeRole::Feature ? FontRole::Normal : FontRole::Emphasis;
  const double height = metricsOf(style.font(text.font)).height();
  for (int i = 0; i < lines.size(); ++i) {
    SceneText line = text;
    line.text = lines[i];
    const double middle = text.rect.center().y() + (i - (lines.size() - 1) / 2.0) * height;
    line.rect = QRectF(text.rect.left(), middle - height / 2 - 1, text.rect.width(), height + 2);
    scene.texts.push_back(line);
  }
  for (int i = 0; i < members.size(); ++i) {
    SceneText line;
    line.node = index;
    line.rect = QRectF(text.rect.left(), text.rect.bottom() - 4 + kMemberHeight * i, text.rect.width(),
                       kMemberHeight);
    line.text = members[i];
    line.colour = style.mutedText;
    line.font = FontRole::Small;
    scene.texts.push_back(line);
  }
}

// An edge that background knowledge requires starts with a ring.
void addBead(CausalScene& scene, const QPolygonF& line, const QColor& colour, const ViewStyle& style) {
  const QPointF centre = line.first() + unit(line[1] - line.first()) * 7;
  QPolygonF ring;
  for (int i = 0; i <= 16; ++i) {
    const double angle = 2 * kPi * i / 16;
    ring << centre + QPointF(std::cos(angle), std::sin(angle)) * 5;
  }
  scene.shapes.push_back({ring, style.background, colour, 2});
}

void addEdge(CausalScene& scene, const CausalEdge& edge, const PlacedEdge& placed, bool selected,
             const ViewStyle& style) {
  const QColor colour = edgeColour(edge, style);
  const double width = edgeWidth(edge);
  const QPointF tip = placed.line.last();
  QPolygonF line = placed.line;
  if (edge.directed) line = shortened(line, edge.sign < 0 ? 5 : 8);
  if (selected) {
    QColor halo = style.focus;
    halo.setAlpha(120);
    scene.lines.push_back({line, halo, width + 7});
  }
  if (edge.stability < 0.5) {
    for (const QPolygonF& piece : dashes(line, 7, 5)) scene.lines.push_back({piece, colour, width});
  } else {
    scene.lines.push_back({line, colour, width});
  }
  if (edge.stated && line.size() >= 2) addBead(scene, line, colour, style);
  if (edge.directed && line.size() >= 1) {
    const QPointF direction = unit(tip - line.last());
    scene.shapes.push_back(arrowHead(edge, tip, direction, colour, style.background));
  }
  const QString label = edgeLabel(edge);
  if (label.isEmpty()) return;
  SceneText text;
  text.rect = QRectF(placed.label.x() - placed.labelSize.width() / 2,
                     placed.label.y() - placed.labelSize.height() / 2, placed.labelSize.width(),
                     placed.labelSize.height());
  text.text = label;
  text.colour = colour;
  text.font = FontRole::Emphasis;
  text.elided = false;
  scene.shapes.push_back({roundedRect(text.rect, 4), style.background, {}, 0});
  scene.texts.push_back(text);
}

} // namespace

QColor edgeColour(const CausalEdge& edge, const ViewStyle& style) {
  if (edge.sign < 0) return style.negative;
  return edge.sign > 0 ? style.positive : style.mutedText;
}

double edgeWidth(const CausalEdge& edge) {
  if (edge.percent < 0) return 1.2;
  return 1.2 + 4.8 * std::sqrt(std::clamp(edge.percent, 0.0, 100.0) / 100.0);
}

static QPolygonF scaledHead(QPointF tip, QPointF d, double length, double half) {
  const QPointF side(-d.y(), d.x());
  return QPolygonF({tip, tip - d * length + side * half, tip - d * length - side * half, tip});
}

SceneShape arrowHead(const CausalEdge& edge, QPointF tip, QPointF direction, const QColor& colour,
                     const QColor& ground) {
  const double half = 4 + edgeWidth(edge) * 0.7;
  const QPointF side(-direction.y(), direction.x());
  if (edge.sign < 0) {
    // Moved off the node, so that the node's border does not hide the bar.
    const QPointF front = tip - direction * 2.5;
    const QPointF back = tip - direction * 6;
    const double reach = half + 2;
    return {QPolygonF({front + side * reach, front - side * reach, back - side * reach, back + side * reach,
                       front + side * reach}),
            colour, colour, 0.5};
  }
  return {scaledHead(tip, direction, 10 + edgeWidth(edge) * 0.5, half), edge.sign > 0 ? colour : ground,
          colour, 1};
}

std::vector<QPolygonF> dashes(const QPolygonF& line, double on, double off) {
  std::vector<QPolygonF> pieces;
  QPolygonF piece;
  bool drawing = true;
  double left = on;
  for (int i = 0; i + 1 < line.size(); ++i) {
    QPointF at = line[i];
    const QPointF end = line[i + 1];
    if (drawing && piece.isEmpty()) piece << at;
    double rest = lengthOf(end - at);
    while (rest > left) {
      at += unit(end - at) * left;
      rest -= left;
      if (drawing) {
        piece << at;
        pieces.push_back(piece);
        piece.clear();
      } else {
        piece << at;
      }
      drawing = !drawing;
      left = drawing ? on : off;
    }
    left -= rest;
    if (drawing) piece << end;
  }
  if (drawing && piece.size() >= 2) pieces.push_back(piece);
  return pieces;
}

CausalScene buildScene(const CausalGraph& graph, const CausalLayout& layout, const ViewStyle& style,
                       CausalHit selected) {
  CausalScene scene;
  scene.size = layout.size;
  for (const PlacedTier& tier : layout.tiers) {
    scene.underlay.push_back(
        {roundedRect(tier.column.adjusted(0, 1, 0, -1), 6), style.surface, style.grid, 1});
    SceneText name;
    name.rect = QRectF(tier.column.left(), 4, tier.column.width(), 20);
    name.text = tier.name;
    name.colour = style.mutedText;
    name.font = FontRole::Small;
    scene.texts.push_back(name);
  }
  // Strong edges are drawn last, on top.
  std::vector<const PlacedEdge*> order;
  const auto idOf = [&](int node) { return node >= 0 ? graph.nodes[static_cast<std::size_t>(node)].id : -1; };
  for (const PlacedEdge& edge : layout.edges) {
    const CausalEdge& of = graph.edges[static_cast<std::size_t>(edge.edge)];
    // The selected node shows all of its edges.
    const bool chosen =
        selected.edge == edge.edge ||
        (selected.node >= 0 && (of.from == idOf(selected.node) || of.to == idOf(selected.node)));
    if (!edge.hidden || chosen) order.push_back(&edge);
  }
  std::stable_sort(order.begin(), order.end(), [&](const PlacedEdge* a, const PlacedEdge* b) {
    return graph.edges[static_cast<std::size_t>(a->edge)].percent <
           graph.edges[static_cast<std::size_t>(b->edge)].percent;
  });
  for (const PlacedEdge* edge : order) {
    addEdge(scene, graph.edges[static_cast<std::size_t>(edge->edge)], *edge, selected.edge == edge->edge,
            style);
  }
  const auto lines = nodeLines(graph, style);
  for (const PlacedNode& node : layout.nodes) {
    const auto index = static_cast<std::size_t>(node.node);
    addNode(scene, graph.nodes[index], node.node, lines[index], node.rect, selected.node == node.node, style);
  }
  return scene;
}

} // namespace jitterscope::views
