// Keeps the picture stable between refits: nodes keep their positions, only new ones are placed.

#include "views/causal/causal_settle.h"

#include <QLineF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "views/causal/dot_graph.h"

namespace jitterscope::views {

namespace {

constexpr double kGap = 14;          // minimum distance between nodes of a lane
constexpr double kTop = 30;          // minimum y of nodes, below the names of the lanes
constexpr double kSettleMargin = 12; // margin below the lowest node
constexpr double kSide = 16;

const CausalNode& nodeOf(const CausalGraph& graph, const PlacedNode& placed) {
  return graph.nodes[static_cast<std::size_t>(placed.node)];
}

bool overlaps(const QRectF& a, const QRectF& b) {
  return a.top() < b.bottom() + kGap && b.top() < a.bottom() + kGap;
}

bool isFree(const QRectF& rect, const std::vector<const QRectF*>& taken) {
  return rect.top() >= kTop - 0.5 && std::none_of(taken.begin(), taken.end(), [&](const QRectF* other) {
           return overlaps(rect, *other);
         });
}

// Moves a new node to the nearest free position: its own, or directly above or below another node.
void placeNewcomer(QRectF& rect, const std::vector<const QRectF*>& taken) {
  std::vector<double> tops = {rect.top()};
  for (const QRectF* other : taken) {
    tops.push_back(other->bottom() + kGap);
    tops.push_back(other->top() - kGap - rect.height());
  }
  const double preferred = rect.top();
  std::stable_sort(tops.begin(), tops.end(),
                   [&](double a, double b) { return std::abs(a - preferred) < std::abs(b - preferred); });
  for (const double top : tops) {
    rect.moveTop(top);
    if (isFree(rect, taken)) return;
  }
}

// An opened family is taller than before: the nodes below it move down.
void makeRoom(std::vector<QRectF*>& lane) {
  std::stable_sort(lane.begin(), lane.end(),
                   [](const QRectF* a, const QRectF* b) { return a->center().y() < b->center().y(); });
  double free = kTop;
  for (QRectF* rect : lane) {
    if (rect->top() < free) rect->moveTop(free);
    free = rect->bottom() + kGap;
  }
}

// Lanes keep their positions if all of them are known, none became wider, and their order is unchanged.
// The memory may contain lanes of other graphs, each placed where there was room.
bool lanesAreKnown(const CausalLayout& layout, const LayoutMemory& before) {
  std::map<int, std::pair<double, double>> known; // by rank: left and right end
  for (const PlacedTier& tier : layout.tiers) {
    const auto found = before.lanes.find(tier.rank);
    if (found == before.lanes.end() || tier.column.width() / 2 > found->second.second + 0.5) return false;
    known[tier.rank] = {found->second.first - found->second.second,
                        found->second.first + found->second.second};
  }
  double reached = -1e18;
  for (const auto& [rank, ends] : known) {
    if (ends.first < reached) return false;
    reached = ends.second;
  }
  return true;
}

void moveLanes(CausalLayout& layout, const std::vector<int>& ranks, const LayoutMemory& before) {
  for (PlacedTier& tier : layout.tiers) {
    const auto [centre, half] = before.lanes.at(tier.rank);
    tier.column = QRectF(centre - half, 0, 2 * half, tier.column.height());
  }
  for (PlacedNode& placed : layout.nodes) {
    const double centre = before.lanes.at(ranks[static_cast<std::size_t>(placed.node)]).first;
    placed.rect.moveCenter({centre, placed.rect.center().y()});
  }
}

void resize(CausalLayout& layout) {
  double bottom = 0, right = 0;
  for (const PlacedNode& placed : layout.nodes) bottom = std::max(bottom, placed.rect.bottom());
  for (const PlacedTier& tier : layout.tiers) right = std::max(right, tier.column.right());
  layout.size = QSizeF(right + kSide - 12, bottom + kSettleMargin);
  for (PlacedTier& tier : layout.tiers) tier.column.setHeight(layout.size.height());
}

QPointF pointAt(const QPolygonF& line, double share) {
  double length = 0;
  for (int i = 0; i + 1 < line.size(); ++i) length += QLineF(line[i], line[i + 1]).length();
  double left = length * share;
  for (int i = 0; i + 1 < line.size(); ++i) {
    const QLineF piece(line[i], line[i + 1]);
    if (left <= piece.length() && piece.length() > 0) return piece.pointAt(left / piece.length());
    left -= piece.length();
  }
  return line.last();
}

bool inOneLane(const QRectF& from, const QRectF& to) {
  return std::abs(from.center().x() - to.center().x()) < 20;
}

} // namespace

// Fallback if Graphviz has no route: straight across, bent aside within one lane. It bends left because
// the edges into the target with their labels are at the right.
QPolygonF plainCurve(const QRectF& from, const QRectF& to) {
  if (inOneLane(from, to)) {
    const double apart = std::abs(from.center().y() - to.center().y());
    const double aside = std::min(from.left(), to.left()) - std::clamp(apart / 4, 18.0, 60.0);
    const QPointF a(from.left(), from.center().y()), b(to.left(), to.center().y());
    return flattened({a, {aside, a.y()}, {aside, b.y()}, b});
  }
  const bool forth = from.center().x() < to.center().x();
  const QPointF a(forth ? from.right() : from.left(), from.center().y());
  const QPointF b(forth ? to.left() : to.right(), to.center().y());
  const QPointF reach((b.x() - a.x()) * 0.45, 0);
  return flattened({a, a + reach, b - reach, b});
}

void LayoutMemory::keep(const CausalGraph& graph, const CausalLayout& layout) {
  if (hasSeveralColumns(layout, ranksOf(graph))) {
    centres.clear();
    lanes.clear();
    return;
  }
  for (const PlacedNode& placed : layout.nodes)
    if (const QString& key = nodeOf(graph, placed).key; !key.isEmpty()) centres[key] = placed.rect.center();
  for (const PlacedTier& tier : layout.tiers)
    lanes[tier.rank] = {tier.column.center().x(), tier.column.width() / 2};
}

std::vector<int> ranksOf(const CausalGraph& graph) {
  constexpr int kTargetRank = 1000; // after every tier, whichever tiers a graph has
  std::vector<int> ranks;
  for (const CausalNode& node : graph.nodes)
    ranks.push_back(node.role == NodeRole::Target ? kTargetRank : node.tier);
  return ranks;
}

bool hasSeveralColumns(const CausalLayout& layout, const std::vector<int>& ranks) {
  std::map<int, double> centres;
  return std::any_of(layout.nodes.begin(), layout.nodes.end(), [&](const PlacedNode& placed) {
    const double x = placed.rect.center().x();
    return std::abs(centres.try_emplace(ranks[static_cast<std::size_t>(placed.node)], x).first->second - x) >
           20;
  });
}

static QRectF labelBox(const PlacedEdge& edge) {
  return {edge.label.x() - edge.labelSize.width() / 2, edge.label.y() - edge.labelSize.height() / 2,
          edge.labelSize.width(), edge.labelSize.height()};
}

// The arrow head with the part of the line that shows its direction.
static QPolygonF headOf(const PlacedEdge& edge) {
  constexpr double kHead = 18; // length of the longest head, plus a piece of the line before it
  const QPointF tip = edge.line.last();
  const QLineF last(tip, edge.line[edge.line.size() - 2]);
  return QPolygonF({tip, last.length() > 0 ? tip + (last.p2() - tip) * (kHead / last.length()) : tip});
}

int collisions(const CausalLayout& layout) {
  std::vector<QRectF> boxes;
  int count = 0;
  const auto put = [&](const QRectF& box) {
    for (const QRectF& other : boxes) count += other.intersects(box) ? 1 : 0;
    boxes.push_back(box);
  };
  for (const PlacedNode& node : layout.nodes) put(node.rect);
  std::vector<QRectF> labels;
  for (const PlacedEdge& edge : layout.edges) {
    if (edge.hidden || edge.labelSize.isEmpty()) continue;
    put(labelBox(edge));
    labels.push_back(labelBox(edge));
  }
  for (const PlacedEdge& edge : layout.edges) {
    if (edge.hidden || edge.line.size() < 2) continue;
    for (const QRectF& label : labels) count += crosses(headOf(edge), label) ? 1 : 0;
  }
  return count;
}

bool settleNodes(CausalLayout& layout, const CausalGraph& graph, const LayoutMemory& before) {
  if (before.empty()) return false;
  const std::vector<int> ranks = ranksOf(graph);
  if (hasSeveralColumns(layout, ranks)) return false;
  const std::vector<PlacedNode> fresh = layout.nodes;
  if (lanesAreKnown(layout, before)) moveLanes(layout, ranks, before);
  for (const PlacedTier& tier : layout.tiers) {
    std::vector<QRectF*> lane, newcomers;
    for (PlacedNode& placed : layout.nodes) {
      if (ranks[static_cast<std::size_t>(placed.node)] != tier.rank) continue;
      const auto known = before.centres.find(nodeOf(graph, placed).key);
      if (known == before.centres.end()) {
        newcomers.push_back(&placed.rect);
        continue;
      }
      placed.rect.moveCenter({placed.rect.center().x(), known->second.y()});
      lane.push_back(&placed.rect);
    }
    for (QRectF* rect : newcomers) {
      placeNewcomer(*rect, {lane.begin(), lane.end()});
      lane.push_back(rect);
    }
    makeRoom(lane);
  }
  resize(layout);
  for (std::size_t i = 0; i < fresh.size(); ++i)
    if ((fresh[i].rect.center() - layout.nodes[i].rect.center()).manhattanLength() > 0.5) return true;
  return false;
}

void leadEdges(CausalLayout& layout, const CausalGraph& graph) {
  DotGraph dot;
  std::vector<Agnode_t*> nodes(graph.nodes.size(), nullptr);
  std::map<int, std::size_t> byId;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) byId[graph.nodes[i].id] = i;
  setAttribute(dot.get(), "splines", "spline");
  for (const PlacedNode& placed : layout.nodes) {
    Agnode_t* node = dot.node("n" + std::to_string(placed.node));
    const QPointF centre = placed.rect.center();
    for (const auto& [name, value] :
         {std::pair{"shape", std::string("box")},
          {"fixedsize", std::string("true")},
          {"label", std::string()},
          {"width", inches(placed.rect.width())},
          {"height", inches(placed.rect.height())},
          {"pos", std::to_string(centre.x()) + "," + std::to_string(-centre.y())}})
      setAttribute(node, name, value);
    nodes[static_cast<std::size_t>(placed.node)] = node;
  }
  std::vector<Agedge_t*> edges;
  for (const PlacedEdge& placed : layout.edges) {
    const CausalEdge& edge = graph.edges[static_cast<std::size_t>(placed.edge)];
    std::string name = "e" + std::to_string(placed.edge);
    edges.push_back(agedge(dot.get(), nodes[byId[edge.from]], nodes[byId[edge.to]], name.data(), 1));
    setAttribute(edges.back(), "arrowhead", "none");
  }
  const bool led = !nodes.empty() && dot.layout("nop");
  QPointF moved; // offset, because Graphviz moves the whole picture to its own origin
  if (led) {
    const auto at = ND_coord(nodes[static_cast<std::size_t>(layout.nodes.front().node)]);
    moved = layout.nodes.front().rect.center() - QPointF(at.x, -at.y);
  }
  const auto rectOf = [&](int id) {
    for (const PlacedNode& placed : layout.nodes)
      if (nodeOf(graph, placed).id == id) return placed.rect;
    return QRectF();
  };
  for (std::size_t e = 0; e < layout.edges.size(); ++e) {
    PlacedEdge& placed = layout.edges[e];
    const CausalEdge& edge = graph.edges[static_cast<std::size_t>(placed.edge)];
    QPolygonF line;
    if (led) line = flattened(controlPoints(edges[e], [&](pointf p) { return QPointF(p.x, -p.y) + moved; }));
    if (line.size() < 2 || inOneLane(rectOf(edge.from), rectOf(edge.to)))
      line = plainCurve(rectOf(edge.from), rectOf(edge.to));
    placed.line = line;
    placed.label = pointAt(line, 0.5);
  }
}

bool crosses(const QPolygonF& line, const QRectF& box) {
  const QPointF corners[] = {box.topLeft(), box.topRight(), box.bottomRight(), box.bottomLeft()};
  for (int i = 0; i + 1 < line.size(); ++i) {
    if (box.contains(line[i])) return true;
    const QLineF piece(line[i], line[i + 1]);
    for (int c = 0; c < 4; ++c)
      if (piece.intersects(QLineF(corners[c], corners[(c + 1) % 4]), nullptr) == QLineF::BoundedIntersection)
        return true;
  }
  return false;
}

void spreadLabels(CausalLayout& layout) {
  constexpr double kHalfHead = 6;
  std::vector<QRectF> taken;
  for (const PlacedNode& node : layout.nodes) taken.push_back(node.rect);
  for (const PlacedEdge& edge : layout.edges)
    if (!edge.hidden && edge.line.size() > 1)
      taken.push_back(headOf(edge).boundingRect().adjusted(-1, -kHalfHead, 1, kHalfHead));
  for (PlacedEdge& edge : layout.edges) {
    if (edge.hidden || edge.labelSize.isEmpty()) continue;
    const auto box = [&](QPointF centre) {
      return QRectF(centre.x() - edge.labelSize.width() / 2, centre.y() - edge.labelSize.height() / 2,
                    edge.labelSize.width(), edge.labelSize.height());
    };
    // Number of overlaps: first with nodes, heads and other labels, then with lines.
    const auto covered = [&](QPointF centre) {
      const auto boxes = std::count_if(taken.begin(), taken.end(),
                                       [&](const QRectF& other) { return other.intersects(box(centre)); });
      const auto lines =
          std::count_if(layout.edges.begin(), layout.edges.end(), [&](const PlacedEdge& other) {
            return &other != &edge && !other.hidden && crosses(other.line, box(centre));
          });
      return std::pair(boxes, lines);
    };
    auto minimum = covered(edge.label);
    for (const double share : {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.46, 0.54, 0.38}) {
      if (minimum.first == 0 && minimum.second == 0) break;
      const QPointF candidate = pointAt(edge.line, share);
      if (const auto less = covered(candidate); less < minimum) minimum = less, edge.label = candidate;
    }
    taken.push_back(box(edge.label));
  }
}

} // namespace jitterscope::views
