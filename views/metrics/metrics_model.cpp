#include "views/metrics/metrics_model.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"

namespace jitterscope::views {

bool MetricPanel::allZero() const {
  return std::ranges::all_of(values.maximum, [](double value) { return std::isnan(value) || value == 0; }) &&
         std::ranges::all_of(values.minimum, [](double value) { return std::isnan(value) || value == 0; });
}

bool MetricPanel::varies() const {
  const auto other = [](double value) { return !std::isnan(value) && value != 0 && value != 1; };
  return std::ranges::any_of(values.maximum, other) || std::ranges::any_of(values.minimum, other);
}

} // namespace jitterscope::views

namespace jitterscope::views::metrics {

int histogramPanel(const std::vector<MetricPanel>& panels) {
  for (std::size_t panel = 0; panel < panels.size() && panels[panel].answered(); ++panel)
    if (panels[panel].varies()) return static_cast<int>(panel);
  return panels.empty() ? -1 : 0;
}

namespace {

constexpr double kSpace = 8;           // distance between panels
constexpr double kMaxBodyHeight = 280; // maximum height of the body of a panel with many objects
constexpr double kMinGutter = 90, kMaxGutter = 260;

double lane_height(int objects) {
  return objects <= 1 ? 64 : objects <= 4 ? 40 : objects <= 10 ? 26 : 13;
}

/// Width that names and, next to the first one, the ends of the scale need.
double width_of_names(const MetricPanel& panel, const ViewStyle& style) {
  const auto small = metricsOf(style.font(FontRole::Small));
  const auto& objects = panel.values.objects;
  double width = 0;
  for (int i = 0; i < std::min<int>(static_cast<int>(objects.size()), 200); ++i)
    width = std::max(width, small.horizontalAdvance(objects[i]) + 20);
  if (objects.empty() || !showsEnds(lane_height(static_cast<int>(objects.size())), style)) return width;
  return std::max(width, small.horizontalAdvance(objects.front()) + 20 + endsWidth(panel, style));
}

} // namespace

void Model::layout(const QRectF& rect, const ViewStyle& style) {
  const auto normal = metricsOf(style.font()), small = metricsOf(style.font(FontRole::Small));
  gutter = kMinGutter;
  for (const auto& panel : panels) gutter = std::max(gutter, width_of_names(panel, style));
  gutter = std::min({gutter, kMaxGutter, rect.width() * 0.35});
  axis = std::ceil(small.height()) + 9;
  places.clear();
  double top = 4;
  for (const auto& panel : panels) {
    PanelPlace place;
    place.top = top;
    place.header = std::ceil(normal.height()) + 8;
    const int objects = static_cast<int>(panel.values.objects.size());
    place.body = std::clamp(objects * lane_height(objects), 40.0, kMaxBodyHeight);
    place.lanes = objects * 2.0 <= place.body ? objects : static_cast<int>(place.body / 2);
    if (objects > 0 && place.lanes == objects && lane_height(objects) * objects > kMaxBodyHeight)
      place.body = std::floor(place.body / objects) * objects;
    top = place.bottom() + kSpace;
    places.push_back(place);
  }
  height = top;
  viewport.setWidth(std::max(rect.width() - gutter, 1.0));
  scroll = std::clamp(scroll, 0.0, std::max(0.0, height - (rect.height() - axis)));
}

double Model::scrollTo(int panel, double visible) const {
  const auto& place = places[static_cast<std::size_t>(panel)];
  const double room = visible - axis;
  return std::max(0.0, std::min(std::max(scroll, place.bottom() + kSpace - room), place.top - kSpace));
}

int Model::panelAt(double y) const {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (y + scroll >= places[i].top && y + scroll < places[i].bottom()) return static_cast<int>(i);
  return -1;
}

int Model::laneAt(int panel, double y) const {
  if (panel < 0) return -1;
  const auto& place = places[static_cast<std::size_t>(panel)];
  const double inside = y + scroll - place.top - place.header;
  if (inside < 0 || place.lanes == 0) return -1;
  return std::min(static_cast<int>(inside / place.lane()), place.lanes - 1);
}

LaneObjects Model::objectsOf(int panel, int lane) const {
  const auto p = static_cast<std::size_t>(panel);
  const auto objects = static_cast<std::int64_t>(panels[p].values.objects.size());
  const auto lanes = std::max(places[p].lanes, 1);
  return {static_cast<int>(objects * lane / lanes), static_cast<int>(objects * (lane + 1) / lanes)};
}

QString mergingText(const Model& model, int panel) {
  const auto p = static_cast<std::size_t>(panel);
  const auto objects = static_cast<int>(model.panels[p].values.objects.size());
  const int lanes = model.places[p].lanes;
  if (lanes < 1 || lanes >= objects) return {};
  const int most = (objects + lanes - 1) / lanes;
  return (model.panels[p].mergedMaximum ? Text::tr("rows: maximum of up to %1 objects")
                                        : Text::tr("rows: mean of up to %1 objects"))
      .arg(most);
}

std::vector<std::pair<double, double>> momentSpans(const Model& model) {
  std::vector<std::pair<double, double>> spans;
  const auto window = model.viewport.window();
  for (const auto& moment : model.moments) {
    if (moment.end <= window.begin || window.end <= moment.begin) continue;
    const double left = std::max(model.viewport.pixelAt(moment.begin), 0.0),
                 right = std::max(std::min(model.viewport.pixelAt(moment.end), model.viewport.width()),
                                  std::min(left + 1, model.viewport.width()));
    if (!spans.empty() && left < spans.back().second + 1)
      spans.back().second = std::max(spans.back().second, right);
    else
      spans.emplace_back(left, right);
  }
  return spans;
}

QString titleOf(const MetricPanel& panel) {
  if (!panel.title.isEmpty()) return panel.title;
  constexpr qsizetype kLongest = 80;
  const QString text = QString::fromStdString(panel.text).simplified();
  return text.size() <= kLongest ? text : text.first(kLongest - 1) + QChar(0x2026);
}

QString stateText(const MetricPanel& panel) {
  if (!panel.problem.isEmpty()) return panel.problem;
  if (!panel.nothing()) return Text::tr("Waiting for the engine …");
  if (panel.missing.isEmpty()) return Text::tr("Nothing in this trace has values of this metric.");
  auto text = panel.missing;
  text[0] = text[0].toUpper();
  return text + QLatin1Char('.');
}

MetricScale scaleOf(const MetricPanel& panel) {
  if (panel.scale) return *panel.scale;
  double low = 0, high = 0;
  const auto& shown =
      panel.maximum || panel.values.objects.size() <= 10 ? panel.values.maximum : panel.values.average;
  for (const double value : shown)
    if (std::isfinite(value)) high = std::max(high, value);
  for (const double value : panel.values.minimum)
    if (std::isfinite(value)) low = std::min(low, value);
  if (high <= low) high = low + 1;
  return {low, high};
}

bool showsEnds(double lane, const ViewStyle& style) {
  return lane >= std::max(kCurve, 2 * metricsOf(style.font(FontRole::Small)).height() - 4);
}

double endsWidth(const MetricPanel& panel, const ViewStyle& style) {
  const auto small = metricsOf(style.font(FontRole::Small));
  const auto scale = scaleOf(panel);
  return std::max(small.horizontalAdvance(formatValue(scale.first, panel.unit, 3)),
                  small.horizontalAdvance(formatValue(scale.second, panel.unit, 3))) +
         10;
}

LaneValue valueAt(const MetricPanel& panel, LaneObjects objects, int column) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  LaneValue value{kNothing, kNothing, kNothing};
  const auto& v = panel.values;
  double sum = 0;
  int counted = 0;
  for (int object = objects.first; object < objects.last; ++object) {
    const auto at = v.at(object, column);
    if (std::isnan(v.average[at])) continue;
    const double shown = panel.maximum ? v.maximum[at] : v.average[at];
    if (counted == 0) value = {shown, v.minimum[at], v.maximum[at]};
    value = {std::max(value.shown, shown), std::min(value.minimum, v.minimum[at]),
             std::max(value.maximum, v.maximum[at])};
    sum += shown;
    ++counted;
  }
  if (counted > 1 && !panel.mergedMaximum) value.shown = sum / counted;
  return value;
}

int columnAt(const MetricValues& values, Nanoseconds time) {
  if (values.empty() || !values.range.contains(time)) return -1;
  const auto length = values.range.length().count, at = (time - values.range.begin).count;
  // The last column that begins at or before the time: columns begin at length · c / n, rounded down.
  auto column =
      static_cast<int>(static_cast<long double>(at) * values.columns / static_cast<long double>(length));
  const auto begin = [&](int c) { return static_cast<std::int64_t>(Int128{length} * c / values.columns); };
  while (column + 1 < values.columns && begin(column + 1) <= at) ++column;
  while (column > 0 && begin(column) > at) --column;
  return column;
}

QString nameText(const Model& model, double y) {
  const int panel = model.panelAt(y), lane = model.laneAt(panel, y);
  if (lane < 0) return {};
  const auto& names = model.panels[static_cast<std::size_t>(panel)].values.objects;
  const auto objects = model.objectsOf(panel, lane);
  if (objects.first >= objects.last || objects.last > names.size()) return {};
  if (objects.last - objects.first == 1) return names[objects.first];
  return Text::tr("%1 – %2").arg(names[objects.first], names[objects.last - 1]);
}

QString hoverText(const Model& model, int panel, int lane, Nanoseconds time) {
  if (panel < 0 || lane < 0) return {};
  const auto& of = model.panels[static_cast<std::size_t>(panel)];
  const int column = columnAt(of.values, time);
  if (column < 0) return {};
  const auto objects = model.objectsOf(panel, lane);
  if (objects.first >= objects.last) return {};
  const auto value = valueAt(of, objects, column);
  const auto name = objects.last - objects.first == 1
                        ? of.values.objects[objects.first]
                        : (of.mergedMaximum ? Text::tr("%1 objects, maximum") : Text::tr("%1 objects, mean"))
                              .arg(objects.last - objects.first);
  const auto length = of.values.range.length().count / of.values.columns;
  const auto text = [&](double v) { return formatValue(v, of.unit); };
  return (of.maximum ? Text::tr("%1\n%2\ntime\t%3\nshown\t%4\nminimum\t%5\nmaximum\t%6\ninterval\t%7")
                     : Text::tr("%1\n%2\ntime\t%3\naverage\t%4\nminimum\t%5\nmaximum\t%6\ninterval\t%7"))
      .arg(titleOf(of), name, formatTime(time, model.viewport.perPixel()),
           text(valueAt(of, objects, column).shown), text(value.minimum), text(value.maximum),
           formatDuration(Nanoseconds{std::max<std::int64_t>(length, 1)}));
}

} // namespace jitterscope::views::metrics
