#include "views/causal/causal_multiples.h"

#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_painter.h"
#include "views/causal/causal_scene.h"

namespace jitterscope::views {

namespace {

constexpr double kTitle = 36;  // height for name and n above each graph
constexpr double kFooter = 40; // height for the list of sign changes below all panels
constexpr double kAround = 18; // margin around a graph in its panel

constexpr double kReadable = 0.8; // minimum scale at which texts are readable
/// One more column of graphs is used if at most this fraction of its readable width is missing.
constexpr double kSmaller = 0.35;

QString keyOf(const CausalGraph& graph, int id) {
  const CausalNode* node = graph.node(id);
  return node ? node->key : QString();
}

using Pair = std::pair<QString, QString>;

/// The point at this share of a curve's length.
QPointF pointAlong(const QPolygonF& line, double share) {
  double length = 0;
  for (qsizetype i = 1; i < line.size(); ++i) length += QLineF(line[i - 1], line[i]).length();
  double left = share * length;
  for (qsizetype i = 1; i < line.size(); ++i) {
    const QLineF piece(line[i - 1], line[i]);
    if (piece.length() >= left && piece.length() > 0) return piece.pointAt(left / piece.length());
    left -= piece.length();
  }
  return line.last();
}

// Keys of an edge; an undirected edge has the same pair from both ends.
Pair pairOf(const CausalGraph& graph, const CausalEdge& edge) {
  Pair pair{keyOf(graph, edge.from), keyOf(graph, edge.to)};
  if (!edge.directed && pair.second < pair.first) std::swap(pair.first, pair.second);
  return pair;
}

} // namespace

void CausalMultiplesModel::setGroups(std::vector<CausalGroup> groups, const CausalMeasure& measure) {
  groups_ = std::move(groups);
  joined_ = {};
  layout_ = {};
  flips_.clear();
  std::map<QString, int> ids;
  std::map<Pair, std::size_t> edges;
  std::map<Pair, std::pair<int, int>> signs;
  for (const CausalGroup& group : groups_) {
    if (joined_.tierNames.isEmpty()) joined_.tierNames = group.graph.tierNames;
    for (const CausalNode& node : group.graph.nodes) {
      const auto [place, added] = ids.emplace(node.key, static_cast<int>(ids.size()));
      if (!added) continue;
      CausalNode own = node;
      own.id = place->second;
      own.open = false;
      joined_.nodes.push_back(own);
    }
    for (const CausalEdge& edge : group.graph.edges) {
      const Pair pair = pairOf(group.graph, edge);
      auto& [positive, negative] = signs[pair];
      positive += edge.sign > 0;
      negative += edge.sign < 0;
      const auto [place, added] = edges.emplace(pair, joined_.edges.size());
      if (added) joined_.edges.emplace_back();
      CausalEdge& own = joined_.edges[place->second];
      if (!added && own.percent >= edge.percent)
        continue; // the strongest edge determines the label and its size
      own = edge;
      own.from = ids[pair.first];
      own.to = ids[pair.second];
    }
  }
  for (const auto& [pair, count] : signs) {
    if (count.first == 0 || count.second == 0) continue;
    flips_.push_back({joined_.node(ids[pair.first])->label,
                      joined_.node(ids[pair.second])->label.section(QLatin1Char(','), 0, 0), pair.first,
                      pair.second, count.first, count.second});
  }
  // Labels are unique in each graph, but the union may contain duplicates.
  std::map<QString, int> uses;
  for (const CausalNode& node : joined_.nodes) ++uses[node.label];
  for (CausalNode& node : joined_.nodes)
    if (uses[node.label] > 1 && !node.details.isEmpty())
      node.label = node.details.section(QLatin1Char('\n'), 0, 0);
  forgetLonely();
  if (joined_.nodes.empty()) return;
  if (auto layout = layoutCausal(joined_, measure)) layout_ = std::move(*layout);
}

// Removes nodes without edges in any group, which make all graphs smaller without adding information.
void CausalMultiplesModel::forgetLonely() {
  std::map<int, int> places; // old id → new id of the nodes that stay
  for (const CausalEdge& edge : joined_.edges) places[edge.from] = places[edge.to] = 0;
  if (places.empty()) return;
  std::erase_if(joined_.nodes, [&](const CausalNode& node) {
    return !places.contains(node.id) && node.role != NodeRole::Target;
  });
  for (std::size_t i = 0; i < joined_.nodes.size(); ++i) {
    places[joined_.nodes[i].id] = static_cast<int>(i);
    joined_.nodes[i].id = static_cast<int>(i);
  }
  for (CausalEdge& edge : joined_.edges) edge.from = places[edge.from], edge.to = places[edge.to];
}

const CausalEdge* CausalMultiplesModel::edgeOf(std::size_t group, int joinedEdge) const {
  const Pair requested = pairOf(joined_, joined_.edges[static_cast<std::size_t>(joinedEdge)]);
  for (const CausalEdge& edge : groups_[group].graph.edges)
    if (pairOf(groups_[group].graph, edge) == requested) return &edge;
  return nullptr;
}

bool CausalMultiplesModel::hasNode(std::size_t group, int joinedNode) const {
  const QString& key = joined_.nodes[static_cast<std::size_t>(joinedNode)].key;
  const auto& nodes = groups_[group].graph.nodes;
  return std::any_of(nodes.begin(), nodes.end(), [&](const CausalNode& node) { return node.key == key; });
}

bool CausalMultiplesModel::flips(int joinedEdge) const {
  const Pair pair = pairOf(joined_, joined_.edges[static_cast<std::size_t>(joinedEdge)]);
  return std::any_of(flips_.begin(), flips_.end(), [&](const CausalFlip& flip) {
    return flip.fromKey == pair.first && flip.toKey == pair.second;
  });
}

double CausalMultiplesModel::scaleAt(double width, double height, int columns) const {
  if (layout_.size.isEmpty()) return 1;
  const int rows = (static_cast<int>(groups_.size()) + columns - 1) / columns;
  return std::min((width / columns - kAround) / layout_.size.width(),
                  (height / rows - kTitle - kAround) / layout_.size.height());
}

std::vector<QRectF> CausalMultiplesModel::panels(const QRectF& rect) const {
  std::vector<QRectF> places;
  const int count = static_cast<int>(groups_.size());
  if (count == 0) return places;
  const QRectF area = rect.adjusted(0, 0, 0, -kFooter);
  int best = 1;
  for (int columns = 2; columns <= count; ++columns)
    if (scaleAt(area.width(), area.height(), columns) > scaleAt(area.width(), area.height(), best))
      best = columns;
  const int rows = (count + best - 1) / best;
  const double width = area.width() / best, height = area.height() / rows;
  for (int i = 0; i < count; ++i) {
    const int row = i / best;
    places.emplace_back(area.left() + (i % best) * width, area.top() + row * height, width, height);
  }
  return places;
}

double CausalMultiplesModel::readableHeight(double width) const {
  const int count = static_cast<int>(groups_.size());
  if (count == 0 || layout_.size.isEmpty()) return 0;
  const double own = layout_.size.width() * kReadable + kAround;
  const int columns = std::clamp(static_cast<int>(width / own + kSmaller), 1, count);
  const double scale =
      std::min(kReadable, (width / columns - kAround) / layout_.size.width()); // limited by a narrow view
  const int rows = (count + columns - 1) / columns;
  return rows * (layout_.size.height() * scale + kTitle + kAround) + kFooter;
}

namespace causal {

// Prefers points near the cause, where edges are far apart.
QPointF flipMarkPlace(const PlacedEdge& edge, const CausalLayout& layout) {
  const auto covered = [&](QPointF c) {
    const QRectF mark(c.x() - 9, c.y() - 9, 18, 18);
    double area = 0;
    const auto add = [&](const QRectF& other) {
      const QRectF common = mark.intersected(other);
      area += common.width() * common.height();
    };
    for (const PlacedNode& node : layout.nodes) add(node.rect);
    for (const PlacedEdge& other : layout.edges)
      if (!other.hidden && !other.labelSize.isEmpty())
        add(QRectF(other.label.x() - other.labelSize.width() / 2,
                   other.label.y() - other.labelSize.height() / 2, other.labelSize.width(),
                   other.labelSize.height()));
    return area;
  };
  QPointF best = edge.line[edge.line.size() / 3];
  double minimum = covered(best);
  for (const double share : {0.25, 0.4, 0.5, 0.18, 0.6, 0.12, 0.7, 0.8}) {
    if (minimum <= 0) break;
    const QPointF at = pointAlong(edge.line, share);
    if (const double area = covered(at); area < minimum) minimum = area, best = at;
  }
  return best;
}

namespace {

// The joined layout with this group's edges; nodes that the group lacks are faint.
CausalScene sceneOf(const CausalMultiplesModel& model, std::size_t group, const ViewStyle& style) {
  CausalGraph graph = model.joined();
  CausalLayout layout = model.layout();
  std::vector<PlacedEdge> edges;
  for (PlacedEdge& placed : layout.edges) {
    const CausalEdge* own = model.edgeOf(group, placed.edge);
    if (!own) continue;
    CausalEdge& shown = graph.edges[static_cast<std::size_t>(placed.edge)];
    const int from = shown.from, to = shown.to;
    shown = *own;
    shown.from = from;
    shown.to = to;
    edges.push_back(placed);
    if (model.flips(placed.edge)) edges.back().hidden = false; // visible because it is marked
  }
  layout.edges = std::move(edges);
  CausalScene scene = buildScene(graph, layout, style);
  // The names of nodes that the group lacks are faint.
  for (SceneText& text : scene.texts)
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      if (text.node == static_cast<int>(n) && !model.hasNode(group, static_cast<int>(n)))
        text.colour = style.faintText;
  for (const PlacedEdge& placed : layout.edges) {
    if (!model.flips(placed.edge)) continue;
    const QPointF c = flipMarkPlace(placed, layout);
    scene.shapes.push_back({QPolygonF({c + QPointF(0, -9), c + QPointF(9, 0), c + QPointF(0, 9),
                                       c + QPointF(-9, 0), c + QPointF(0, -9)}),
                            style.background, style.warning, 2});
    SceneText mark;
    mark.rect = QRectF(c.x() - 9, c.y() - 9, 18, 18);
    mark.text = QStringLiteral("±");
    mark.colour = style.warning;
    mark.font = FontRole::Emphasis;
    scene.texts.push_back(mark);
  }
  return scene;
}

/// True if any line is drawn: the joined layout hides weaker edges.
bool showsEdges(const CausalMultiplesModel& model, std::size_t group) {
  const auto& edges = model.layout().edges;
  return std::any_of(edges.begin(), edges.end(), [&](const PlacedEdge& edge) {
    return (!edge.hidden || model.flips(edge.edge)) && model.edgeOf(group, edge.edge);
  });
}

/// Text in place of a graph; never empty.
QString messageOf(const CausalGroup& group) {
  if (!group.message.isEmpty()) return group.message;
  if (!group.graph.nothingFound.isEmpty()) return group.graph.nothingFound;
  return group.graph.sentences.value(
      0, Text::tr("No cause was found among the recorded columns of these launches."));
}

QString flipText(const CausalMultiplesModel& model) {
  if (model.flips().empty()) return Text::tr("No edge changes its sign between these graphs.");
  QStringList parts;
  for (const CausalFlip& flip : model.flips())
    parts << Text::tr("%1 → %2 (+ in %3, − in %4)")
                 .arg(flip.from, flip.to)
                 .arg(flip.positive)
                 .arg(flip.negative);
  return Text::tr("Edges whose sign changes (±): %1").arg(parts.join(QStringLiteral("; ")));
}

} // namespace

void paintMultiples(QPainter& painter, const QRectF& rect, const CausalMultiplesModel& model,
                    const ViewStyle& style, int focused) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  const auto panels = model.panels(rect);
  for (std::size_t g = 0; g < panels.size(); ++g) {
    const CausalGroup& group = model.groups()[g];
    const QRectF panel = panels[g].adjusted(5, 5, -5, -3);
    painter.setPen(QPen(static_cast<int>(g) == focused ? style.focus : style.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(panel);
    painter.setFont(style.font(FontRole::Emphasis));
    painter.setPen(style.text);
    drawElided(painter, QRectF(panel.left() + 8, panel.top() + 2, panel.width() - 16, 18), group.title,
               Qt::AlignLeft | Qt::AlignVCenter, Qt::ElideMiddle);
    painter.setFont(style.font(FontRole::Small));
    painter.setPen(style.mutedText);
    QStringList facts{Text::tr("n = %1").arg(formatCount(group.graph.n))};
    if (!group.graph.contributions.empty())
      facts << Text::tr("%1 % of the variance unexplained")
                   .arg(formatFixed(group.graph.contributions.back().percent, 0));
    if (group.graph.n > 0)
      drawElided(painter, QRectF(panel.left() + 8, panel.top() + 18, panel.width() - 16, 16),
                 facts.join(QStringLiteral(" · ")));
    const QRectF inside = panel.adjusted(4, kTitle, -4, -4);
    if (group.graph.edges.empty() || !showsEdges(model, g))
      drawMessage(painter, inside, messageOf(group), style);
    else if (!model.layout().nodes.empty())
      paintGraph(painter, inside, sceneOf(model, g, style), style);
  }
  if (!panels.empty()) {
    painter.setFont(style.font());
    painter.setPen(model.flips().empty() ? style.mutedText : style.warning);
    painter.drawText(QRectF(rect.left() + 12, rect.bottom() - kFooter + 2, rect.width() - 24, kFooter - 4),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                     model.note().isEmpty() ? flipText(model)
                                            : model.note() + QStringLiteral(" · ") + flipText(model));
  }
  painter.restore();
}

} // namespace causal

CausalMultiples::CausalMultiples(QWidget* parent) : RasterView(parent) {
  setAccessibleName(tr("Causal graphs side by side"));
  setMouseTracking(true);
}

void CausalMultiples::setGroups(std::vector<CausalGroup> groups) {
  model_.setGroups(std::move(groups), causalMeasure(viewStyle()));
  focused_ = std::clamp(focused_, 0, std::max(0, static_cast<int>(model_.groups().size()) - 1));
  stretch();
  update();
}

void CausalMultiples::stretch() {
  setMinimumHeight(static_cast<int>(std::ceil(model_.readableHeight(width()))));
}

void CausalMultiples::resizeEvent(QResizeEvent* event) {
  RasterView::resizeEvent(event);
  stretch();
}

void CausalMultiples::styleChanged() {
  setGroups(model_.groups());
}

int CausalMultiples::panelAt(QPointF place) const {
  const auto panels = model_.panels(rect());
  for (std::size_t g = 0; g < panels.size(); ++g)
    if (panels[g].contains(place)) return static_cast<int>(g);
  return -1;
}

void CausalMultiples::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), viewStyle().background);
  if (model_.groups().empty()) return paintOverlays(painter, false);
  causal::paintMultiples(painter, rect(), model_, viewStyle(), showsFocus() ? focused_ : -1);
  paintOverlays(painter, true);
}

void CausalMultiples::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(model_.groups().size());
  const auto panels = model_.panels(rect());
  if (count == 0) return RasterView::keyPressEvent(event);
  const int columns = static_cast<int>(std::count_if(
      panels.begin(), panels.end(), [&](const QRectF& p) { return p.top() == panels.front().top(); }));
  const std::map<int, int> steps = {
      {Qt::Key_Left, -1}, {Qt::Key_Right, 1}, {Qt::Key_Up, -columns}, {Qt::Key_Down, columns}};
  if (const auto step = steps.find(event->key()); step != steps.end()) {
    focused_ = std::clamp(focused_ + step->second, 0, count - 1);
    emit focusMoved(panels[static_cast<std::size_t>(focused_)].toRect());
    update();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    emit groupActivated(focused_);
  } else {
    RasterView::keyPressEvent(event);
  }
}

void CausalMultiples::mouseMoveEvent(QMouseEvent* event) {
  const int panel = panelAt(event->position());
  if (panel < 0) return hideHoverCard();
  const CausalGroup& group = model_.groups()[static_cast<std::size_t>(panel)];
  QStringList lines = {group.title};
  lines << group.graph.sentences.mid(0, 3);
  lines << tr("Click to select only these launches");
  showHoverCard(event->position(), lines.join(QLatin1Char('\n')));
}

void CausalMultiples::mouseReleaseEvent(QMouseEvent* event) {
  const int panel = panelAt(event->position());
  if (event->button() == Qt::LeftButton && panel >= 0) emit groupActivated(panel);
}

} // namespace jitterscope::views
