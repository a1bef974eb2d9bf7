#include "views/causal/causal_painter.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/causal/causal_layout.h"

namespace jitterscope::views::causal {

namespace {

constexpr double kPanelWidth = 340;
constexpr double kLegendRow = 18;

void drawShape(QPainter& painter, const SceneShape& shape) {
  painter.setPen(shape.stroke.isValid() ? QPen(shape.stroke, shape.width) : QPen(Qt::NoPen));
  painter.setBrush(shape.fill.isValid() ? QBrush(shape.fill) : QBrush(Qt::NoBrush));
  painter.drawPolygon(shape.outline);
}

// Formats the interval of a share: one decimal if the upper end is below 10, else none. Empty if both ends
// round to the share.
QString interval(double percent, double low, double high) {
  const int digits = high < 9.95 ? 1 : 0;
  const QString from = formatFixed(low, digits), to = formatFixed(high, digits);
  if (!(high > low) || (from == to && from == formatFixed(percent, digits))) return {};
  return QStringLiteral(" (%1–%2)").arg(from, to);
}

/// Draws the panel from top to bottom.
class Panel {
public:
  Panel(QPainter& painter, const QRectF& rect, const ViewStyle& style)
      : painter_(painter), rect_(rect), style_(style), y_(rect.top()) {}

  double y() const { return y_; }
  void space(double height) { y_ += height; }

  void paragraph(const QString& text, FontRole role, const QColor& colour, double indent = 0) {
    painter_.setFont(style_.font(role));
    painter_.setPen(colour);
    const QRectF box(rect_.left() + indent, y_, rect_.width() - indent, 4000);
    QRectF used;
    painter_.drawText(box, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, forLines(text), &used);
    y_ += std::ceil(used.height());
  }

  void heading(const QString& text) {
    space(14);
    paragraph(text, FontRole::Small, style_.mutedText);
    drawHairline(painter_, {rect_.left(), y_ + 3}, {rect_.right(), y_ + 3}, style_.border);
    space(9);
  }

  void warning(const CausalWarning& warning) {
    painter_.setRenderHint(QPainter::Antialiasing, true);
    painter_.setPen(QPen(style_.warning, 1.4));
    painter_.setBrush(Qt::NoBrush);
    const QPointF o(rect_.left() + 6, y_ + 8);
    painter_.drawPolygon(QPolygonF({o + QPointF(0, -6), o + QPointF(6, 5), o + QPointF(-6, 5)}));
    painter_.drawLine(o + QPointF(0, -2.2), o + QPointF(0, 1.4));
    painter_.drawPoint(o + QPointF(0, 3.2));
    painter_.setRenderHint(QPainter::Antialiasing, false);
    paragraph(warning.text, FontRole::Normal, style_.text, 20);
    space(6);
  }

  /// One cause of the ranked list: its share with the interval, and on how many launches it acts. Returns the
  /// place of the link to an example, empty without one.
  QRectF ranked(const CausalContribution& c, bool link) {
    name(c);
    const bool launches = c.attributable >= 0;
    const double share = launches ? c.attributable : c.percent, low = launches ? c.attributableLow : c.low,
                 high = launches ? c.attributableHigh : c.high;
    bar(share, low, high, c.cause ? style_.accent : style_.quiet,
        launches ? QString() : Text::tr("of the variance"), share >= 99.5 || share < 9.95 ? 1 : 0);
    QStringList facts;
    if (!c.cause) facts << Text::tr("associated, not shown to be a cause");
    if (launches && c.affected > 0)
      facts << Text::tr("%1 of %2 launches")
                   .arg(formatCount(static_cast<std::uint64_t>(c.affected)),
                        formatCount(static_cast<std::uint64_t>(c.ofRows)));
    QRectF place;
    if (!facts.isEmpty()) paragraph(facts.join(QStringLiteral(" · ")), FontRole::Small, style_.mutedText);
    if (link && launches && c.affected > 0 && !c.key.isEmpty()) {
      const double top = y_;
      paragraph(Text::tr("Show an example"), FontRole::Small, style_.accent);
      place = {rect_.left(), top,
               metricsOf(style_.font(FontRole::Small)).horizontalAdvance(Text::tr("Show an example")),
               y_ - top};
    }
    space(7);
    return place;
  }

  /// The last row of the ranked list: what no cause accounts for.
  void withoutCause(double percent, bool launches) {
    CausalContribution c;
    c.feature = Text::tr("no identified cause");
    name(c);
    bar(percent, percent, percent, style_.quiet, launches ? QString() : Text::tr("of the variance"),
        percent >= 99.5 || percent < 9.95 ? 1 : 0);
    space(7);
  }

  void contribution(const CausalContribution& c) {
    const bool rest = c.node < 0;
    name(c);
    if (c.attributable >= 0) {
      bar(c.attributable, c.attributableLow, c.attributableHigh, c.cause ? style_.accent : style_.quiet,
          Text::tr("attributable"));
    }
    const QColor own = rest ? style_.quiet : c.sign < 0 ? style_.negative : style_.positive;
    bar(c.percent, c.low, c.high, own, Text::tr("of variance"));
    space(7);
  }

private:
  // Long names take several lines.
  void name(const CausalContribution& c) {
    const bool muted = c.node < 0 || c.folded;
    const FontRole role = muted ? FontRole::Normal : FontRole::Emphasis;
    const QColor& colour = muted ? style_.mutedText : style_.text;
    const QString sign = c.folded     ? Text::tr("same cause: ")
                         : c.sign > 0 ? QStringLiteral("+ ")
                         : c.sign < 0 ? QStringLiteral("− ")
                                      : QString();
    const QString text = sign + c.feature;
    if (metricsOf(style_.font(role)).horizontalAdvance(text) > rect_.width()) {
      paragraph(text, role, colour);
      return space(2);
    }
    painter_.setFont(style_.font(role));
    painter_.setPen(colour);
    drawElided(painter_, QRectF(rect_.left(), y_, rect_.width(), 18), text);
    space(19);
  }

  void bar(double percent, double low, double high, const QColor& colour, const QString& what,
           int digits = 1) {
    painter_.setFont(style_.font(FontRole::Small));
    const QFontMetricsF metrics = metricsOf(painter_.font());
    const QString text = formatFixed(percent, digits) + QStringLiteral(" %") +
                         (what.isEmpty() ? QString() : QStringLiteral(" ") + what) +
                         interval(percent, low, high);
    const double column =
        std::min(rect_.width() * 0.62,
                 metrics.horizontalAdvance(QStringLiteral("100.0 % attributable (100–100)")) + 4);
    const QRectF track(rect_.left(), y_ + 4, rect_.width() - column - 10, 7);
    const auto xAt = [&](double p) { return track.left() + std::clamp(p, 0.0, 100.0) / 100 * track.width(); };
    painter_.fillRect(track, style_.grid);
    painter_.fillRect(QRectF(track.left(), track.top(),
                             std::max(percent > 0 ? 1.0 : 0.0, xAt(percent) - track.left()), track.height()),
                      colour);
    if (high > low) {
      const double middle = std::floor(track.center().y());
      // At least one pixel of the picture, however small it is drawn.
      const double line = std::max(1.0, 1.02 / std::max(1e-3, painter_.deviceTransform().m11()));
      const QColor ink = mix(colour, style_.isDark() ? QColor(Qt::black) : QColor(Qt::white), 0.45);
      // The whisker's part on the bar is lightened, the part beyond it drawn in the bar's colour.
      painter_.fillRect(
          QRectF(xAt(low), middle, std::max(0.0, xAt(std::min(percent, high)) - xAt(low)), line), ink);
      painter_.fillRect(QRectF(xAt(low), track.top() + 1, line, track.height() - 2), ink);
      painter_.fillRect(QRectF(xAt(percent), middle, xAt(high) - xAt(percent), line), colour);
      painter_.fillRect(QRectF(xAt(high) - line, track.top() - 1, 1.5 * line, track.height() + 2), colour);
    }
    painter_.setPen(style_.text);
    drawElided(painter_, QRectF(rect_.right() - column, y_, column, 15), text);
    space(16);
  }

  QPainter& painter_;
  QRectF rect_;
  const ViewStyle& style_;
  double y_;
};

} // namespace

QTransform fit(const QSizeF& scene, const QRectF& rect) {
  if (scene.isEmpty()) return {};
  const double scale = std::min({1.25, rect.width() / scene.width(), rect.height() / scene.height()});
  QTransform transform;
  transform.translate(rect.center().x() - scene.width() * scale / 2,
                      rect.center().y() - scene.height() * scale / 2);
  transform.scale(scale, scale);
  return transform;
}

void paintScene(QPainter& painter, const QTransform& transform, const CausalScene& scene,
                const ViewStyle& style) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setTransform(transform, true);
  for (const SceneShape& shape : scene.underlay) drawShape(painter, shape);
  painter.setBrush(Qt::NoBrush);
  for (const SceneLine& line : scene.lines) {
    painter.setPen(QPen(line.colour, line.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.drawPolyline(line.points);
  }
  for (const SceneShape& shape : scene.shapes) drawShape(painter, shape);
  for (const SceneText& text : scene.texts) {
    painter.setFont(style.font(text.font));
    painter.setPen(text.colour);
    if (text.elided)
      drawElided(painter, text.rect, text.text, text.alignment, Qt::ElideMiddle);
    else
      painter.drawText(text.rect.adjusted(-20, 0, 20, 0), text.alignment, text.text);
  }
  painter.restore();
}

void paintGraph(QPainter& painter, const QRectF& rect, const CausalScene& scene, const ViewStyle& style) {
  paintScene(painter, fit(scene.size, rect), scene, style);
}

namespace {

struct LegendEntry {
  QString text;
  int sign = 0;
  bool directed = false;
  double stability = 1;
  bool sample = true; ///< true: text next to a line; false: only text
  bool stated = false;
};

struct PlacedEntry {
  LegendEntry entry;
  QPointF place; ///< left end, middle of its row, from the legend's upper left corner
};

// Uses as many rows as needed, because every meaning must be explained.
std::vector<PlacedEntry> legendEntries(double width, const ViewStyle& style, const CausalGraph& graph) {
  const QFontMetricsF metrics = metricsOf(style.font(FontRole::Small));
  std::vector<LegendEntry> entries = {
      {style.isDark() ? Text::tr("white: increases") : Text::tr("black: increases"), 1, true, 1},
      {Text::tr("red: decreases"), -1, true, 1},
      {Text::tr("dashed: unstable (< 50 %)"), 1, true, 0.3},
      {Text::tr("no arrow: direction not identified"), 0, false, 1},
      {Text::tr("hollow, grey: sign not certain"), 0, true, 1},
      {Text::tr("width, %: shares; they overlap"), 0, false, 1, false}};
  if (std::any_of(graph.edges.begin(), graph.edges.end(), [](const CausalEdge& edge) { return edge.stated; }))
    entries.push_back({Text::tr("ring: from background knowledge"), 1, true, 1, true, true});
  const auto weaker = weakerEdges(graph);
  if (const auto count = std::count(weaker.begin(), weaker.end(), true); count > 0)
    entries.push_back(
        {Text::tr("%1 weaker edges hidden: select a node to see its edges").arg(count), 0, false, 1, false});
  std::vector<PlacedEntry> placed;
  double x = 12, y = kLegendRow / 2 + 4;
  for (const LegendEntry& entry : entries) {
    const double preferred = (entry.sample ? 34 : 0) + metrics.horizontalAdvance(entry.text);
    if (x > 12 && x + preferred > width - 4) x = 12, y += kLegendRow;
    placed.push_back({entry, {x, y}});
    x += preferred + 14;
  }
  return placed;
}

} // namespace

double legendHeight(double width, const ViewStyle& style, const CausalGraph& graph) {
  return legendEntries(width, style, graph).back().place.y() + kLegendRow / 2 + 4;
}

QStringList legendWords(const CausalGraph& graph, const ViewStyle& style) {
  QStringList words;
  for (const PlacedEntry& placed : legendEntries(1e6, style, graph)) words << placed.entry.text;
  return words;
}

void paintLegend(QPainter& painter, const QRectF& rect, const ViewStyle& style, const CausalGraph& graph) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setFont(style.font(FontRole::Small));
  for (const auto& [entry, place] : legendEntries(rect.width(), style, graph)) {
    const QPointF from = rect.topLeft() + place;
    CausalEdge edge;
    edge.sign = entry.sign;
    edge.percent = 8;
    const QColor colour = edgeColour(edge, style);
    const QPointF tip = from + QPointF(26, 0);
    QPolygonF line({from, entry.directed ? tip - QPointF(entry.sign < 0 ? 5 : 8, 0) : tip});
    painter.setPen(QPen(colour, 2, Qt::SolidLine, Qt::FlatCap));
    if (entry.sample)
      for (const QPolygonF& piece : entry.stability < 0.5 ? dashes(line, 5, 4) : std::vector<QPolygonF>{line})
        painter.drawPolyline(piece);
    if (entry.stated) {
      painter.setBrush(style.background);
      painter.drawEllipse(from + QPointF(7, 0), 4, 4);
    }
    if (entry.directed) drawShape(painter, arrowHead(edge, tip, {1, 0}, colour, style.background));
    painter.setPen(style.mutedText);
    painter.drawText(
        QRectF(from.x() + (entry.sample ? 33 : 0), from.y() - kLegendRow / 2, rect.width(), kLegendRow),
        Qt::AlignLeft | Qt::AlignVCenter, entry.text);
  }
  painter.restore();
}

QFont scaledFont(QFont font, double scale) {
  constexpr int kSmallest = 7; // smaller boxes hold fewer letters instead
  font.setPixelSize(std::max(kSmallest, static_cast<int>(std::floor(font.pixelSize() * scale))));
  return font;
}

HiddenNodes hiddenNodes(const CausalLayout& layout, const QTransform& placement, const QRectF& room) {
  HiddenNodes hidden;
  for (const PlacedNode& node : layout.nodes) {
    const QRectF rect = placement.mapRect(node.rect);
    hidden.above += rect.center().y() < room.top();
    hidden.below += rect.center().y() > room.bottom();
  }
  return hidden;
}

void paintScrolled(QPainter& painter, const QRectF& room, const CausalLayout& layout,
                   const QTransform& placement, const ViewStyle& style) {
  painter.setFont(style.font(FontRole::Small));
  const double line = std::ceil(metricsOf(painter.font()).height()) + 4;
  constexpr double kMargin = 10;
  const QRectF names(0, room.top() - kMargin, room.right() + kMargin, line);
  if (placement.mapRect(QRectF({}, layout.size)).top() < room.top() - 0.5) {
    painter.fillRect(names, style.surface);
    drawHairline(painter, names.bottomLeft(), names.bottomRight(), style.grid);
    painter.setPen(style.mutedText);
    painter.setFont(scaledFont(painter.font(), std::min(1.0, placement.m11()))); // the columns are as wide
    for (const PlacedTier& tier : layout.tiers) {
      const QRectF column = placement.mapRect(tier.column);
      drawElided(painter, {column.left(), names.top(), column.width(), line}, tier.name, Qt::AlignCenter);
    }
    painter.setFont(style.font(FontRole::Small));
  }
  const HiddenNodes hidden = hiddenNodes(layout, placement, room);
  const auto hint = [&](int nodes, const QString& one, const QString& many, double top) {
    if (nodes == 0) return;
    const QString text = nodes == 1 ? one : many.arg(nodes);
    const double width = metricsOf(painter.font()).horizontalAdvance(text) + 16;
    const QRectF rect(room.center().x() - width / 2, top, width, line);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(style.border, 1));
    painter.setBrush(style.cardBackground());
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), line / 2, line / 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(style.text);
    drawLine(painter, rect, Qt::AlignCenter, text);
  };
  hint(hidden.above, Text::tr("▴ 1 node above"), Text::tr("▴ %1 nodes above"), names.bottom() + 4);
  hint(hidden.below, Text::tr("▾ 1 node below"), Text::tr("▾ %1 nodes below"), room.bottom() - line - 2);
}

namespace {

// Whether shares are attributable shares of the variability of launches; else they are shares of the
// variance.
bool measuresLaunches(const CausalGraph& graph) {
  return std::any_of(graph.contributions.begin(), graph.contributions.end(),
                     [](const CausalContribution& c) { return c.attributable >= 0; });
}

void paintDetails(Panel& panel, const CausalGraph& graph, const ViewStyle& style) {
  const bool launches = measuresLaunches(graph);
  if (const auto rest = graph.sentences.mid(graph.nothingFound.isEmpty() ? 1 : 0); !rest.isEmpty()) {
    panel.heading(Text::tr("In detail"));
    for (const QString& sentence : rest) {
      panel.paragraph(sentence, FontRole::Normal, style.text);
      panel.space(6);
    }
  }
  if (graph.contributions.empty()) return;
  panel.heading(Text::tr("Shares, with 95 % intervals"));
  if (launches) {
    panel.paragraph(
        Text::tr("Attributable: the part of the variability that would vanish without the cause, for any "
                 "form of its effect; this is the share above. Of variance: the part of the variance that "
                 "the graph's linear effects explain; rare or stepwise effects have a small share."),
        FontRole::Small, style.mutedText);
    panel.space(8);
  }
  for (const CausalContribution& c : graph.contributions) panel.contribution(c);
}

} // namespace

PanelPlaces paintPanel(QPainter& painter, const QRectF& rect, const CausalGraph& graph,
                       const ViewStyle& style, bool links) {
  PanelPlaces places;
  Panel panel(painter, rect, style);
  panel.paragraph(Text::tr("What drives %1").arg(graph.target), FontRole::Small, style.mutedText);
  panel.paragraph(QStringLiteral("n = %1 · %2").arg(formatCount(graph.n), graph.method), FontRole::Small,
                  style.mutedText);
  panel.space(8);
  places.momentTop = panel.y() - rect.top();
  for (const QString& sentence : graph.moment) {
    panel.paragraph(sentence, &sentence == &graph.moment.front() ? FontRole::Emphasis : FontRole::Normal,
                    style.text);
    panel.space(6);
  }
  places.momentBottom = panel.y() - rect.top();
  // A heading separates the comparison with other launches from the answer about differences among these.
  if (!graph.moment.isEmpty())
    panel.heading(graph.remark.isEmpty() ? Text::tr("Inside the selection") : Text::tr("Why durations vary"));
  if (!graph.remark.isEmpty()) {
    panel.paragraph(graph.remark, FontRole::Normal, style.text);
    panel.space(6);
  }
  const QString headline = !graph.nothingFound.isEmpty() ? graph.nothingFound : graph.sentences.value(0);
  panel.paragraph(headline, graph.moment.isEmpty() ? FontRole::Emphasis : FontRole::Normal, style.text);
  places.listTop = panel.y() - rect.top();
  constexpr double kMinPercent = 0.5; // smaller shares would be rounded to zero
  const auto listed = [](const CausalContribution& c) {
    return c.node >= 0 && !c.folded && (c.attributable >= 0 ? c.attributable : c.percent) >= kMinPercent;
  };
  if (std::any_of(graph.contributions.begin(), graph.contributions.end(), listed)) {
    const bool launches = measuresLaunches(graph);
    panel.heading(launches ? Text::tr("Share of Σ |duration − median|") : Text::tr("Share of the variance"));
    for (const CausalContribution& c : graph.contributions) {
      if (!listed(c)) continue;
      const QRectF place = panel.ranked(c, links);
      if (!place.isEmpty()) places.examples.push_back({place, c.key});
    }
    if (graph.withoutCause >= kMinPercent) panel.withoutCause(graph.withoutCause, launches);
  } else if (hasDetails(graph)) {
    panel.heading(graph.advice.isEmpty() ? Text::tr("Factors") : Text::tr("Next steps"));
  }
  for (const QString& advice : graph.advice) {
    panel.paragraph(advice, FontRole::Normal, style.text);
    panel.space(6);
  }
  if (!graph.brief) paintDetails(panel, graph, style);
  if (!graph.warnings.empty()) {
    panel.heading(Text::tr("Notes"));
    for (const CausalWarning& warning : graph.warnings) panel.warning(warning);
  }
  places.height = panel.y() - rect.top();
  return places;
}

PanelPlaces panelPlaces(double width, const CausalGraph& graph, const ViewStyle& style, bool links) {
  QImage scratch(1, 1, QImage::Format_ARGB32_Premultiplied);
  QPainter painter(&scratch);
  return paintPanel(painter, {0, 0, width, 1e5}, graph, style, links);
}

bool hasDetails(const CausalGraph& graph) {
  return !graph.contributions.empty() || graph.sentences.size() > (graph.nothingFound.isEmpty() ? 1 : 0);
}

int pictureHeight(int width, const CausalGraph& graph, const ViewStyle& style, int minimum) {
  if (graph.empty() || width <= kPanelFrom) return minimum;
  constexpr double kSmallest = 0.8; // minimum scale at which text is readable in print
  return std::max(
      minimum, static_cast<int>(
                   std::ceil(kSmallest * panelPlaces((kPanelWidth - 16) / kSmallest, graph, style).height)) +
                   29);
}

// A picture cannot scroll, so a panel that is too tall is scaled down.
static void paintPanelFitted(QPainter& painter, const QRectF& rect, const CausalGraph& graph,
                             const ViewStyle& style) {
  double scale = 1;
  while (scale > 0.4 && panelPlaces(rect.width() / scale, graph, style).height * scale > rect.height())
    scale -= 0.05;
  painter.save();
  painter.translate(rect.topLeft());
  painter.scale(scale, scale);
  paintPanel(painter, QRectF(QPointF(0, 0), rect.size() / scale), graph, style);
  painter.restore();
}

namespace {

// A known layout was measured with screen fonts: texts keep these and are scaled with their boxes.
struct Laid {
  CausalLayout layout;
  ViewStyle style;
};

Expected<Laid> laid(const CausalGraph& graph, const ViewStyle& style, const CausalLayout* known) {
  ViewStyle own = style;
  if (known && known->nodes.size() == graph.nodes.size()) {
    const ViewStyle screen;
    own.smallPixels = screen.smallPixels, own.normalPixels = screen.normalPixels,
    own.titlePixels = screen.titlePixels;
    return Laid{*known, own};
  }
  auto layout = layoutCausal(graph, causalMeasure(own));
  if (!layout) return forward(layout.error());
  return Laid{std::move(*layout), own};
}

QRectF graphRoom(const QRectF& area, double legend) {
  return area.adjusted(10, 10, -10, -legend - 4);
}

// Scale limited so that texts are at most as large as in the style.
double scaleIn(const QRectF& room, const QSizeF& scene, const Laid& of, const ViewStyle& style) {
  return std::min(fit(scene, room).m11(), static_cast<double>(style.normalPixels) / of.style.normalPixels);
}

QRectF areaNextToPanel(const QRectF& rect) {
  return rect.width() > kPanelFrom ? rect.adjusted(0, 0, -kPanelWidth - 16, 0) : rect;
}

} // namespace

double textScale(QSizeF size, const CausalGraph& graph, const ViewStyle& style, const CausalLayout* known) {
  const auto of = graph.empty() ? Expected<Laid>(Laid{}) : laid(graph, style, known);
  if (graph.empty() || !of) return 1;
  const QRectF area = areaNextToPanel({{}, size});
  const double scale =
      scaleIn(graphRoom(area, legendHeight(area.width(), style, graph)), of->layout.size, *of, style);
  return scale * of->style.normalPixels / style.normalPixels;
}

void paint(QPainter& painter, const QRectF& rect, const CausalGraph& graph, const ViewStyle& style,
           const CausalLayout* known) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  if (graph.empty()) {
    drawMessage(painter, rect,
                graph.nothingFound.isEmpty() ? Text::tr("Nothing to explain yet") : graph.nothingFound,
                style);
    painter.restore();
    return;
  }
  const QRectF area = areaNextToPanel(rect);
  if (area != rect) {
    const QRectF panel(rect.right() - kPanelWidth, rect.top() + 14, kPanelWidth - 16, rect.height() - 28);
    paintPanelFitted(painter, panel, graph, style);
    drawHairline(painter, {area.right(), rect.top()}, {area.right(), rect.bottom()}, style.border);
  }
  const auto of = laid(graph, style, known);
  if (!of) {
    drawMessage(painter, area, QString::fromStdString(describe(of.error())), style);
    painter.restore();
    return;
  }
  const CausalScene scene = buildScene(graph, of->layout, of->style);
  // The legend must not be more prominent than the graph.
  constexpr double kSmallestLegend = 0.75;
  const double full = legendHeight(area.width(), style, graph);
  const double scale = std::clamp(scaleIn(graphRoom(area, full), scene.size, *of, style) *
                                      of->style.normalPixels / style.normalPixels,
                                  kSmallestLegend, 1.0);
  const double below = scale * legendHeight(area.width() / scale, style, graph);
  painter.save();
  painter.translate(area.left(), area.bottom() - below);
  painter.scale(scale, scale);
  paintLegend(painter, QRectF(0, 0, area.width() / scale, below / scale), style, graph);
  painter.restore();
  const QRectF room = graphRoom(area, below);
  QRectF place({}, scene.size * scaleIn(room, scene.size, *of, style));
  place.moveCenter(room.center());
  paintGraph(painter, place, scene, of->style);
  painter.restore();
}

} // namespace jitterscope::views::causal
