#include "views/causal/causal_layout.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/causal/causal_scene.h"
#include "views/causal/causal_settle.h"
#include "views/causal/dot_graph.h"

namespace jitterscope::views {

namespace {

constexpr double kHeaderHeight = 26;
constexpr double kColumnMargin = 12;
constexpr double kDockSpacing = 19; // distance of neighbouring edges where they arrive at the target

QString tierName(const CausalGraph& graph, int rank, int tier) {
  if (rank > tier) return Text::tr("target");
  return tier < graph.tierNames.size() ? graph.tierNames[tier] : Text::tr("tier %1").arg(tier);
}

// The target is tall enough for all edges to arrive side by side.
std::vector<QSizeF> nodeSizes(const CausalGraph& graph, const CausalMeasure& measure) {
  std::vector<QSizeF> sizes;
  for (const CausalNode& node : graph.nodes) {
    QSizeF size = measure.node(node);
    if (node.role == NodeRole::Target) {
      const auto incoming = std::count_if(graph.edges.begin(), graph.edges.end(),
                                          [&](const CausalEdge& edge) { return edge.to == node.id; });
      size.setHeight(std::max(size.height(), kDockSpacing * static_cast<double>(incoming) + 8));
    }
    sizes.push_back(size);
  }
  return sizes;
}

// A lane with many nodes uses smaller gaps: the graph is then drawn larger, with readable names.
bool isCrowded(const std::vector<int>& ranks) {
  constexpr std::ptrdiff_t kMany = 7;
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](int rank) { return std::count(ranks.begin(), ranks.end(), rank) >= kMany; });
}

constexpr std::ptrdiff_t kMaxPerColumn = 12;
constexpr int kNoWay = 1'000'000; // number of steps if there is no path

// Steps from every node to the target, by index; kNoWay if there is no path.
std::vector<int> stepsToTarget(const CausalGraph& graph, const std::map<int, std::size_t>& byId) {
  std::vector<int> steps(graph.nodes.size(), kNoWay);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].role == NodeRole::Target) steps[i] = 0;
  const auto reach = [&](int from, int to) {
    if (byId.count(from) == 0 || byId.count(to) == 0 || steps[byId.at(to)] + 1 >= steps[byId.at(from)])
      return false;
    steps[byId.at(from)] = steps[byId.at(to)] + 1;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const CausalEdge& edge : graph.edges) {
      changed = reach(edge.from, edge.to) || changed;
      if (!edge.directed) changed = reach(edge.to, edge.from) || changed;
    }
  }
  return steps;
}

std::map<int, std::size_t> indicesById(const CausalGraph& graph) {
  std::map<int, std::size_t> byId;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) byId[graph.nodes[i].id] = i;
  return byId;
}

// Columns for dot from left to right: a lane with too many nodes has several columns, those nearest to the
// target at its right end. Their number makes the lane about as wide as it is high.
std::vector<int> columnsOf(const CausalGraph& graph, const std::vector<int>& ranks) {
  constexpr int kMaxColumns = 1000; // maximum number of columns of a lane
  constexpr double kShape = 3.2;    // ratio of width to height of a node, including the gaps around it
  constexpr std::size_t kFew = 4;   // minimum nodes before nodes with more steps start a new column
  const auto steps = stepsToTarget(graph, indicesById(graph));
  std::map<int, std::vector<std::size_t>> lanes;
  for (std::size_t i = 0; i < ranks.size(); ++i) lanes[ranks[i]].push_back(i);
  std::vector<int> columns(ranks.size());
  for (auto& [rank, lane] : lanes) {
    const auto count = static_cast<double>(lane.size());
    const bool split = std::ssize(lane) > kMaxPerColumn;
    const auto maximum = split ? static_cast<std::size_t>(std::ceil(std::sqrt(count * kShape))) : lane.size();
    std::stable_sort(lane.begin(), lane.end(),
                     [&](std::size_t a, std::size_t b) { return steps[a] < steps[b]; });
    int column = (rank + 1) * kMaxColumns;
    std::size_t held = 0;
    for (std::size_t k = 0; k < lane.size(); ++k) {
      const bool farther = k > 0 && steps[lane[k]] != steps[lane[k - 1]] && held >= kFew;
      if (split && (held == maximum || farther)) --column, held = 0;
      columns[lane[k]] = column;
      ++held;
    }
  }
  return columns;
}

struct Build {
  DotGraph dot;
  std::vector<Agnode_t*> nodes;
  std::vector<Agedge_t*> edges;
  std::map<int, Agnode_t*> anchors; // by column
  std::map<int, QString> names;     // by rank
  std::vector<QSizeF> sizes;
};

void addNodes(Build& build, const CausalGraph& graph, const CausalMeasure& measure,
              const std::vector<int>& ranks, const std::vector<int>& columns) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Agnode_t* node = build.dot.node("n" + std::to_string(i));
    const QSizeF size = build.sizes[i];
    setAttribute(node, "width", inches(size.width()));
    setAttribute(node, "height", inches(size.height()));
    build.nodes.push_back(node);
    const int rank = ranks[i];
    const int column = columns[i];
    build.names[rank] = tierName(graph, rank, graph.nodes[i].tier);
    if (build.anchors.count(column) == 0) {
      Agnode_t* anchor = build.dot.node("t" + std::to_string(column));
      setAttribute(anchor, "width", inches(measure.tierName(build.names[rank])));
      setAttribute(anchor, "height", "0.01");
      setAttribute(anchor, "style", "invis");
      build.anchors[column] = anchor;
    }
    std::string name = "rank" + std::to_string(column);
    Agraph_t* same = agsubg(build.dot.get(), name.data(), 1);
    setAttribute(same, "rank", "same");
    agsubnode(same, build.anchors[column], 1);
    agsubnode(same, node, 1);
  }
  Agnode_t* previous = nullptr;
  for (const auto& [column, anchor] : build.anchors) {
    if (previous != nullptr) {
      Agedge_t* edge = agedge(build.dot.get(), previous, anchor, nullptr, 1);
      setAttribute(edge, "style", "invis");
      setAttribute(edge, "weight", "0");
    }
    previous = anchor;
  }
}

void addEdges(Build& build, const CausalGraph& graph, const CausalMeasure& measure,
              const std::vector<int>& columns, const std::vector<bool>& hidden) {
  auto byId = indicesById(graph);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const CausalEdge& edge = graph.edges[e];
    build.edges.push_back(nullptr);
    if (hidden[e] || byId.count(edge.from) == 0 || byId.count(edge.to) == 0) continue;
    const std::size_t from = byId[edge.from];
    const std::size_t to = byId[edge.to];
    std::string name = "e" + std::to_string(e);
    Agedge_t* made = agedge(build.dot.get(), build.nodes[from], build.nodes[to], name.data(), 1);
    if (columns[from] > columns[to]) setAttribute(made, "constraint", "false");
    if (edge.percent > 0)
      setAttribute(made, "weight", std::to_string(1 + static_cast<int>(edge.percent / 10)));
    const QSizeF label = measure.edgeLabel(edge);
    if (!label.isEmpty()) {
      const std::string html = "<TABLE BORDER=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"" +
                               std::to_string(std::lround(label.width())) + "\" HEIGHT=\"" +
                               std::to_string(std::lround(label.height())) + "\"><TR><TD></TD></TR></TABLE>";
      char* text = agstrdup_html(build.dot.get(), const_cast<char*>(html.c_str()));
      agsafeset(made, const_cast<char*>("label"), text, const_cast<char*>(""));
      agstrfree(build.dot.get(), text);
    }
    build.edges[e] = made;
  }
}

// Index of the last point of the curve left of x; 0 if there is none.
int lastPointBefore(const QPolygonF& line, double x) {
  for (int i = static_cast<int>(line.size()) - 2; i > 0; --i) {
    if (line[i].x() < x) return i;
  }
  return 0;
}

// dot aims all edges at the middle of the target, where arrow heads would overlap. Each edge is rerouted to
// its own position on the target's left side, in vertical order of the edges.
void dockAtTarget(CausalLayout& layout, const CausalGraph& graph) {
  constexpr double stretch = 110;
  for (const PlacedNode& target : layout.nodes) {
    const CausalNode& node = graph.nodes[static_cast<std::size_t>(target.node)];
    if (node.role != NodeRole::Target) continue;
    const double left = target.rect.left();
    std::vector<PlacedEdge*> incoming;
    for (PlacedEdge& edge : layout.edges) {
      const bool arrives = graph.edges[static_cast<std::size_t>(edge.edge)].to == node.id;
      if (arrives && !edge.hidden && edge.line.first().x() < left - 20) incoming.push_back(&edge);
    }
    const auto heightAtDock = [&](const PlacedEdge* e) {
      return e->line[lastPointBefore(e->line, left - stretch)].y();
    };
    std::stable_sort(incoming.begin(), incoming.end(), [&](const PlacedEdge* a, const PlacedEdge* b) {
      return heightAtDock(a) < heightAtDock(b);
    });
    const auto count = static_cast<double>(incoming.size());
    for (std::size_t i = 0; i < incoming.size(); ++i) {
      QPolygonF& line = incoming[i]->line;
      const int cut = lastPointBefore(line, left - stretch);
      const QPointF end(left,
                        target.rect.top() + target.rect.height() * (static_cast<double>(i) + 0.5) / count);
      const QPointF from = line[cut];
      QPointF direction = cut > 0 ? from - line[cut - 1] : line[cut + 1] - from;
      direction /= std::max(1e-9, std::hypot(direction.x(), direction.y()));
      const double reach = (left - from.x()) * 0.45;
      line.resize(cut + 1);
      line += flattened({from, from + direction * reach, end - QPointF(reach, 0), end}).mid(1);
    }
  }
}

// Moves the label to the point of the curve at the x that dot planned, so that it is on its own line.
void putLabelOnLine(PlacedEdge& edge) {
  if (edge.labelSize.isEmpty()) return;
  const QPointF preferred = edge.label;
  edge.label = *std::min_element(edge.line.begin(), edge.line.end(), [&](QPointF a, QPointF b) {
    return std::abs(a.x() - preferred.x()) < std::abs(b.x() - preferred.x());
  });
}

CausalLayout readBack(Build& build, const CausalGraph& graph, const CausalMeasure& measure,
                      const std::vector<int>& ranks, const std::vector<bool>& hidden) {
  CausalLayout layout;
  const boxf box = GD_bb(build.dot.get());
  const double side = kColumnMargin + 4;
  const auto place = [&](pointf p) {
    return QPointF(p.x - box.LL.x + side, box.UR.y - p.y + kHeaderHeight + 4);
  };
  layout.size = QSizeF(box.UR.x - box.LL.x + 2 * side, box.UR.y - box.LL.y + kHeaderHeight + 16);
  std::map<int, QRectF> columns;
  for (std::size_t i = 0; i < build.nodes.size(); ++i) {
    const QSizeF size = build.sizes[i];
    const QPointF centre = place(ND_coord(build.nodes[i]));
    const QRectF rect(centre.x() - size.width() / 2, centre.y() - size.height() / 2, size.width(),
                      size.height());
    layout.nodes.push_back({static_cast<int>(i), rect});
    columns[ranks[i]] = columns[ranks[i]].united(rect);
  }
  for (const auto& [rank, rect] : columns) {
    const double half = std::max(rect.width(), measure.tierName(build.names[rank])) / 2 + kColumnMargin;
    const QRectF column(rect.center().x() - half, 0, 2 * half, layout.size.height());
    layout.tiers.push_back(
        {build.names[rank] == Text::tr("target") ? -1 : rank, build.names[rank], column, rank});
  }
  const auto byId = indicesById(graph);
  for (std::size_t e = 0; e < build.edges.size(); ++e) {
    PlacedEdge edge;
    edge.edge = static_cast<int>(e);
    if (hidden[e]) {
      const auto from = byId.find(graph.edges[e].from), to = byId.find(graph.edges[e].to);
      if (from == byId.end() || to == byId.end()) continue;
      edge.hidden = true;
      edge.line = plainCurve(layout.nodes[from->second].rect, layout.nodes[to->second].rect);
      edge.label = edge.line[edge.line.size() / 2];
      layout.edges.push_back(std::move(edge));
      continue;
    }
    if (build.edges[e] == nullptr) continue;
    edge.line = flattened(controlPoints(build.edges[e], place));
    if (edge.line.isEmpty()) continue;
    edge.labelSize = measure.edgeLabel(graph.edges[e]);
    const auto* label = ED_label(build.edges[e]);
    edge.label = label != nullptr ? place(label->pos) : edge.line[edge.line.size() / 2];
    layout.edges.push_back(std::move(edge));
  }
  return layout;
}

void finish(CausalLayout& layout, const CausalGraph& graph) {
  dockAtTarget(layout, graph);
  for (PlacedEdge& edge : layout.edges) putLabelOnLine(edge);
  spreadLabels(layout);
}

// True if the layout with known positions is as readable as the new one.
bool isAsGood(const CausalLayout& settled, const CausalLayout& fresh, const QSizeF& room) {
  if (collisions(settled) > collisions(fresh)) return false;
  if (room.isEmpty()) return true;
  const auto scale = [&](const CausalLayout& layout) {
    return std::min(room.width() / layout.size.width(), room.height() / layout.size.height());
  };
  return scale(settled) >= kReadableScale || scale(settled) >= 0.98 * scale(fresh);
}

} // namespace

CausalMeasure causalMeasure(const ViewStyle& style) {
  const QFontMetricsF normal = metricsOf(style.font());
  const QFontMetricsF bold = metricsOf(style.font(FontRole::Emphasis));
  CausalMeasure measure;
  const QFontMetricsF small = metricsOf(style.font(FontRole::Small));
  measure.node = [normal, bold, small, style](const CausalNode& node) {
    const QFontMetricsF& used = node.role == NodeRole::Feature ? normal : bold;
    const QStringList lines = nodeLines(node, style);
    double width = 0;
    for (const QString& line : lines) width = std::max(width, used.horizontalAdvance(line) + 20);
    const QStringList members = openMembers(node);
    for (const QString& member : members) width = std::max(width, small.horizontalAdvance(member) + 26);
    return QSizeF(std::ceil(std::clamp(width, 60.0, 240.0)),
                  std::ceil(used.height() * static_cast<double>(lines.size())) + 14 +
                      kMemberHeight * static_cast<double>(members.size()));
  };
  measure.edgeLabel = [bold](const CausalEdge& edge) {
    const QString text = edgeLabel(edge);
    return text.isEmpty() ? QSizeF()
                          : QSizeF(std::ceil(bold.horizontalAdvance(text)) + 8, std::ceil(bold.height()) + 2);
  };
  measure.tierName = [small](const QString& name) { return std::ceil(small.horizontalAdvance(name)) + 4; };
  return measure;
}

Expected<CausalLayout> layoutCausal(const CausalGraph& graph, const CausalMeasure& measure,
                                    const LayoutMemory& before) {
  if (graph.nodes.empty()) return CausalLayout{};
  const CNumbers numbers;
  Build build;
  if (build.dot.get() == nullptr)
    return failure(ErrorKind::Internal, "the graph layout could not be started");
  setAttribute(build.dot.get(), "rankdir", "LR");
  agattr(build.dot.get(), AGNODE, const_cast<char*>("shape"), const_cast<char*>("box"));
  agattr(build.dot.get(), AGNODE, const_cast<char*>("fixedsize"), const_cast<char*>("true"));
  agattr(build.dot.get(), AGNODE, const_cast<char*>("label"), const_cast<char*>(""));
  agattr(build.dot.get(), AGEDGE, const_cast<char*>("arrowhead"), const_cast<char*>("none"));
  const std::vector<int> ranks = ranksOf(graph);
  const std::vector<int> columns = columnsOf(graph, ranks);
  const std::vector<bool> hidden = weakerEdges(graph);
  const bool many = isCrowded(ranks);
  setAttribute(build.dot.get(), "ranksep", many ? "0.45" : "0.75");
  setAttribute(build.dot.get(), "nodesep", many ? "0.14" : "0.28");
  build.sizes = nodeSizes(graph, measure);
  addNodes(build, graph, measure, ranks, columns);
  addEdges(build, graph, measure, columns, hidden);
  if (!build.dot.layout("dot")) {
    return failure(ErrorKind::Internal, "the graph could not be laid out", {}, {},
                   "Check that Graphviz's layout plugin is installed.");
  }
  CausalLayout fresh = readBack(build, graph, measure, ranks, hidden);
  CausalLayout settled = fresh;
  finish(fresh, graph);
  if (!settleNodes(settled, graph, before)) return fresh;
  leadEdges(settled, graph);
  finish(settled, graph);
  return isAsGood(settled, fresh, before.room) ? settled : fresh;
}

std::vector<bool> weakerEdges(const CausalGraph& graph) {
  constexpr std::size_t kMaxEdges = 24;
  std::vector<bool> hidden(graph.edges.size(), false);
  if (graph.edges.size() <= kMaxEdges) return hidden;
  const auto byId = indicesById(graph);
  const auto steps = stepsToTarget(graph, byId);
  std::vector<int> best(graph.nodes.size(), -1); // for each node: the edge that stays visible
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const CausalEdge& edge = graph.edges[e];
    const auto from = byId.find(edge.from), to = byId.find(edge.to);
    if (from == byId.end() || to == byId.end()) continue;
    if (edge.stated || steps[to->second] == 0 || steps[from->second] == 0) continue;
    hidden[e] = true;
    // An undirected edge may be on the path of either end.
    for (const auto& [start, end] :
         {std::pair{from->second, to->second}, std::pair{to->second, from->second}}) {
      const bool noWay = steps[start] == kNoWay; // any edge is informative then
      if (!noWay && (steps[start] <= steps[end] || (start == to->second && edge.directed))) continue;
      int& chosen = best[start];
      if (chosen < 0 || graph.edges[static_cast<std::size_t>(chosen)].stability < edge.stability)
        chosen = static_cast<int>(e);
    }
  }
  for (std::size_t i = 0; i < best.size(); ++i)
    if (best[i] >= 0 && steps[i] != 1) hidden[static_cast<std::size_t>(best[i])] = false;
  return hidden;
}

namespace {

double distanceTo(const QPolygonF& line, QPointF p) {
  double best = 1e18;
  for (int i = 0; i + 1 < line.size(); ++i) {
    const QPointF a = line[i];
    const QPointF d = line[i + 1] - a;
    const double length = QPointF::dotProduct(d, d);
    const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length, 0.0, 1.0) : 0;
    const QPointF off = p - (a + d * t);
    best = std::min(best, std::hypot(off.x(), off.y()));
  }
  return best;
}

} // namespace

CausalHit hitTest(const CausalLayout& layout, QPointF point, double tolerance) {
  CausalHit hit;
  for (const PlacedNode& node : layout.nodes) {
    if (node.rect.contains(point)) {
      hit.node = node.node;
      return hit;
    }
  }
  double best = tolerance;
  for (const PlacedEdge& edge : layout.edges) {
    if (edge.hidden) continue;
    const QRectF label(edge.label.x() - edge.labelSize.width() / 2,
                       edge.label.y() - edge.labelSize.height() / 2, edge.labelSize.width(),
                       edge.labelSize.height());
    const double distance = label.contains(point) ? 0 : distanceTo(edge.line, point);
    if (distance <= best) {
      best = distance;
      hit.edge = edge.edge;
    }
  }
  return hit;
}

} // namespace jitterscope::views
