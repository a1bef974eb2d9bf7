#include "views/parallel/parallel_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::views {

namespace {

constexpr double kBottom = 28;
constexpr double kLegendHeight = 17; ///< height of a legend row, equal to parallel::kLegendRow
constexpr double kSide = 64;
constexpr double kAxisReach = 14;
constexpr double kEdgeReach = 4;
constexpr double kMissingRoom = 26; ///< height below the values, if any axis has missing ones
constexpr double kMissingHeight = 12;

/// True for integers in a short range, as far as the histogram shows: no ticks between them.
bool countsOnly(const ParallelAxis& a) {
  constexpr double kMax = 20;
  const double range = a.maximum - a.minimum;
  if (!a.unit.isEmpty() || a.scale != AxisScale::Linear || !(range >= 1 && range <= kMax)) return false;
  if (a.minimum != std::floor(a.minimum) || a.maximum != std::floor(a.maximum)) return false;
  for (int bin = 0; bin < a.bins(); ++bin) {
    const double low = a.minimum + range * bin / a.bins(), high = a.minimum + range * (bin + 1) / a.bins();
    if (a.all[static_cast<std::size_t>(bin)] > 0 && std::floor(high + 1e-9) < low - 1e-9) return false;
  }
  return true;
}

/// True for scales whose bin edges are equidistant on the axis; positions in between are linear.
bool byEdges(const ParallelAxis& a) {
  return a.edges.size() > 1 &&
         (a.scale == AxisScale::Quantile || a.scale == AxisScale::Rank || a.scale == AxisScale::SymmetricLog);
}

/// 0 and powers of ten on both sides of it, as many as fit.
std::vector<Tick> symmetricLogTicks(const ParallelAxis& a, int preferred) {
  std::vector<Tick> ticks;
  const auto add = [&](double value) {
    if (value >= a.minimum && value <= a.maximum)
      ticks.push_back({value, ParallelModel::fraction(a, value),
                       value == 0 ? QStringLiteral("0") : formatValue(value, a.unit, 3), true});
  };
  const double largest = std::max(std::abs(a.minimum), std::abs(a.maximum));
  const int decades =
      std::max(1, static_cast<int>(std::floor(std::log10(largest / a.straightBelow) + 1e-9)) + 1);
  const int step = std::max(1, decades * (a.minimum < 0 && a.maximum > 0 ? 2 : 1) / std::max(1, preferred));
  add(0);
  for (int decade = 0; decade <= decades; decade += step)
    for (const double sign : {-1.0, 1.0}) add(sign * a.straightBelow * std::pow(10.0, decade));
  std::sort(ticks.begin(), ticks.end(), [](const Tick& x, const Tick& y) { return x.value < y.value; });
  return ticks;
}

/// Categories with at least one row. Others have no position on the axis, so that a filter leaves no gaps for
/// removed ones, while category numbers stay unchanged.
std::vector<int> shownCategories(const ParallelAxis& a) {
  std::vector<int> shown;
  const int count = static_cast<int>(a.categories.size());
  for (int c = 0; c < count; ++c)
    if (static_cast<std::size_t>(c) >= a.all.size() || a.all[static_cast<std::size_t>(c)] > 0)
      shown.push_back(c);
  if (shown.empty())
    for (int c = 0; c < count; ++c) shown.push_back(c);
  return shown;
}

double fractionOfCategory(const ParallelAxis& a, double value) {
  const auto shown = shownCategories(a);
  const int own =
      std::clamp(static_cast<int>(std::lround(value)), 0, static_cast<int>(a.categories.size()) - 1);
  const auto at = std::lower_bound(shown.begin(), shown.end(), own);
  const bool there = at != shown.end() && *at == own;
  const double place =
      static_cast<double>(at - shown.begin()) + (there ? value - own : -0.5); // between its neighbours
  return (place + 0.5) / static_cast<double>(shown.size());
}

double categoryAt(const ParallelAxis& a, double fraction) {
  const auto shown = shownCategories(a);
  const double place = fraction * static_cast<double>(shown.size()) - 0.5;
  const auto nearest =
      std::clamp<std::ptrdiff_t>(std::lround(place), 0, static_cast<std::ptrdiff_t>(shown.size()) - 1);
  return shown[static_cast<std::size_t>(nearest)] + (place - static_cast<double>(nearest));
}

/// Position where a bin begins (end = 0) or ends (1).
double edgeOfBin(const ParallelAxis& a, int bin, int end) {
  if (a.categories.isEmpty()) return static_cast<double>(bin + end) / std::max(1, a.bins());
  const auto shown = shownCategories(a);
  const double half =
      std::binary_search(shown.begin(), shown.end(), bin) ? 0.5 / static_cast<double>(shown.size()) : 0;
  return fractionOfCategory(a, bin) + (end == 0 ? -half : half);
}

bool touches(const ValueRange& a, const ValueRange& b) {
  return a.low <= b.high && b.low <= a.high;
}

} // namespace

void ParallelModel::setData(ParallelData data) {
  data_ = std::move(data);
  // The user's order is kept while the axes are the same; new axes have the order of the request.
  const bool same = static_cast<std::size_t>(order_.size()) == data_.axes.size() &&
                    std::all_of(data_.axes.begin(), data_.axes.end(),
                                [this](const ParallelAxis& a) { return order_.contains(a.key); });
  setOrder(same ? order_ : QStringList());
}

void ParallelModel::setOrder(const QStringList& order) {
  QStringList known;
  for (const ParallelAxis& axis : data_.axes) known << axis.key;
  QStringList result;
  for (const QString& key : order) {
    if (known.contains(key) && !result.contains(key)) result << key;
  }
  for (const QString& key : known) {
    if (!result.contains(key)) result << key;
  }
  if (result.contains(pinned_)) result.move(result.indexOf(pinned_), 0);
  order_ = result;
  settle();
}

void ParallelModel::forget() {
  const QSizeF size = size_;
  *this = {};
  setSize(size);
}

void ParallelModel::setPinned(const QString& key) {
  pinned_ = key;
  setOrder(order_);
}

void ParallelModel::moveAxis(int from, int to) {
  const int last = static_cast<int>(order_.size()) - 1;
  if (from < 0 || from > last) return;
  const bool held = order_.contains(pinned_);
  if (held && from == 0) return;
  order_.move(from, std::clamp(to, held ? 1 : 0, last));
  settle();
}

void ParallelModel::setInverted(const QString& key, bool inverted) {
  if (inverted) {
    inverted_.insert(key);
  } else {
    inverted_.remove(key);
  }
}

void ParallelModel::setBrushes(const AxisBrushes& brushes) {
  brushes_.clear();
  for (const auto& [key, ranges] : brushes) {
    for (const ValueRange& range : ranges) addBrush(key, range);
  }
}

int ParallelModel::addBrush(const QString& key, ValueRange range) {
  if (range.low > range.high) std::swap(range.low, range.high);
  auto& ranges = brushes_[key];
  for (auto it = ranges.begin(); it != ranges.end();) {
    if (!touches(*it, range)) {
      ++it;
      continue;
    }
    range = {std::min(range.low, it->low), std::max(range.high, it->high)};
    it = ranges.erase(it);
  }
  const auto place = std::upper_bound(ranges.begin(), ranges.end(), range,
                                      [](const ValueRange& a, const ValueRange& b) { return a.low < b.low; });
  const auto inserted = ranges.insert(place, range);
  return static_cast<int>(inserted - ranges.begin());
}

void ParallelModel::replaceBrush(const QString& key, int index, ValueRange range) {
  auto found = brushes_.find(key);
  if (found == brushes_.end() || index < 0 || index >= static_cast<int>(found->second.size())) return;
  found->second.erase(found->second.begin() + index);
  addBrush(key, range);
}

void ParallelModel::clearBrushes(const QString& key) {
  brushes_.erase(key);
}

bool ParallelModel::missingBrushed(const QString& key) const {
  const auto found = brushes_.find(key);
  return found != brushes_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                [](const ValueRange& r) { return r.isMissing(); });
}

void ParallelModel::brushMissing(const QString& key, bool on) {
  if (on) {
    addBrush(key, ValueRange::missing());
    return;
  }
  const auto found = brushes_.find(key);
  if (found == brushes_.end()) return;
  std::erase_if(found->second, [](const ValueRange& r) { return r.isMissing(); });
  if (found->second.empty()) brushes_.erase(found);
}

bool ParallelModel::passes(const QString& key, double value) const {
  const auto found = brushes_.find(key);
  if (found == brushes_.end() || found->second.empty()) return true;
  return std::any_of(found->second.begin(), found->second.end(),
                     [value](const ValueRange& r) { return r.low <= value && value <= r.high; });
}

const ParallelAxis& ParallelModel::axis(int position) const {
  const QString& key = order_[position];
  return *std::find_if(data_.axes.begin(), data_.axes.end(),
                       [&](const ParallelAxis& a) { return a.key == key; });
}

int ParallelModel::position(const QString& key) const {
  return static_cast<int>(order_.indexOf(key));
}

const PairHistogram* ParallelModel::pair(int leftPosition) const {
  if (leftPosition < 0 || leftPosition + 1 >= order_.size()) return nullptr;
  for (const PairHistogram& pair : data_.pairs) {
    const bool same = pair.left == order_[leftPosition] && pair.right == order_[leftPosition + 1];
    const bool turned = pair.right == order_[leftPosition] && pair.left == order_[leftPosition + 1];
    if (same || turned) return &pair;
  }
  return nullptr;
}

// Names at the left are shown in full if there is room; their width is estimated by kLetter pixels per
// letter.
void ParallelModel::settle() {
  constexpr double kLetter = 6.4, kWidest = 170;
  qsizetype longest = 0;
  if (!order_.isEmpty())
    for (const QString& name : axis(0).categories) longest = std::max(longest, name.size());
  const double maximum = std::clamp(size_.width() * 0.2, kSide, kWidest);
  leftSide_ = std::clamp(static_cast<double>(longest) * kLetter + 18, kSide, maximum);
}

void ParallelModel::setSize(QSizeF size) {
  size_ = size;
  settle();
}

QRectF ParallelModel::plotRect() const {
  const double left = frame_.left > 0 ? frame_.left : leftSide_;
  return {left, frame_.top, std::max(1.0, size_.width() - left - frame_.right),
          std::max(1.0, size_.height() - frame_.top - kBottom - kLegendHeight * legendRows_)};
}

bool ParallelModel::showsMissing() const {
  return std::any_of(order_.begin(), order_.end(),
                     [this](const QString& key) { return axis(position(key)).hasMissing; });
}

QRectF ParallelModel::valueRect() const {
  return showsMissing() ? plotRect().adjusted(0, 0, 0, -kMissingRoom) : plotRect();
}

double ParallelModel::axisX(int position) const {
  const QRectF plot = plotRect();
  const auto gaps = std::max<double>(1, static_cast<double>(order_.size()) - 1);
  return order_.size() == 1 ? plot.center().x() : plot.left() + plot.width() * position / gaps;
}

QRectF ParallelModel::titleRect(int position) const {
  const double gap = order_.size() > 1 ? axisX(1) - axisX(0) : 2 * kSide;
  constexpr double kFoot = 14, kAbove = 6; // height of a turned title's hit area; gap below it
  if (frame_.turned) return {axisX(position) - gap / 2, frame_.top - kAbove - kFoot, gap, kFoot};
  const double half = std::max(12.0, std::min(gap / 2 - 3, position == 0                   ? leftSide_ - 2
                                                           : position + 1 == order_.size() ? kSide - 2
                                                                                           : gap / 2));
  return {axisX(position) - half, 2, 2 * half, frame_.top - 8};
}

QPolygonF ParallelModel::titleShape(int position) const {
  const QRectF foot = titleRect(position);
  if (!frame_.turned) return foot;
  const QPointF lean(foot.bottom() / std::tan(frame_.angle), -foot.bottom());
  return QPolygonF(
      {foot.bottomLeft(), foot.bottomRight(), foot.bottomRight() + lean, foot.bottomLeft() + lean});
}

double ParallelModel::fraction(const ParallelAxis& axis, double value) {
  if (!axis.categories.isEmpty()) return fractionOfCategory(axis, value);
  if (byEdges(axis)) {
    const auto above = std::upper_bound(axis.edges.begin() + 1, axis.edges.end() - 1, value);
    const auto bin = static_cast<std::size_t>(above - axis.edges.begin()) - 1;
    const double inside = (value - axis.edges[bin]) / (axis.edges[bin + 1] - axis.edges[bin]);
    return (static_cast<double>(bin) + std::clamp(inside, 0.0, 1.0)) /
           static_cast<double>(axis.edges.size() - 1);
  }
  if (axis.scale == AxisScale::Log && axis.minimum > 0) {
    return (std::log(value) - std::log(axis.minimum)) / (std::log(axis.maximum) - std::log(axis.minimum));
  }
  return axis.maximum > axis.minimum ? (value - axis.minimum) / (axis.maximum - axis.minimum) : 0.5;
}

double ParallelModel::valueAt(const ParallelAxis& axis, double fraction) {
  if (!axis.categories.isEmpty()) return categoryAt(axis, fraction);
  if (byEdges(axis)) {
    const double at = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(axis.edges.size() - 1);
    const auto bin = std::min(static_cast<std::size_t>(at), axis.edges.size() - 2);
    return axis.edges[bin] + (at - static_cast<double>(bin)) * (axis.edges[bin + 1] - axis.edges[bin]);
  }
  if (axis.scale == AxisScale::Log && axis.minimum > 0) {
    return axis.minimum * std::pow(axis.maximum / axis.minimum, fraction);
  }
  return axis.minimum + fraction * (axis.maximum - axis.minimum);
}

bool ParallelModel::shows(int position, double value) const {
  const ParallelAxis& a = axis(position);
  if (a.categories.isEmpty()) {
    const double tolerance = 1e-9 * std::max(std::abs(a.minimum), std::abs(a.maximum)); // of rounding
    return value >= a.minimum - tolerance && value <= a.maximum + tolerance;
  }
  const auto shown = shownCategories(a);
  return std::binary_search(shown.begin(), shown.end(), static_cast<int>(std::lround(value)));
}

double ParallelModel::yAt(int position, double value) const {
  if (std::isnan(value) || (std::isinf(value) && value > 0)) return plotRect().bottom() - kMissingHeight / 2;
  const QRectF values = valueRect();
  const double t = std::clamp(fraction(axis(position), value), 0.0, 1.0);
  return inverted(order_[position]) ? values.top() + t * values.height()
                                    : values.bottom() - t * values.height();
}

double ParallelModel::valueAtY(int position, double y) const {
  const QRectF values = valueRect();
  const double t = std::clamp((values.bottom() - y) / values.height(), 0.0, 1.0);
  return valueAt(axis(position), inverted(order_[position]) ? 1 - t : t);
}

std::pair<double, double> ParallelModel::binSpan(int position, int bin) const {
  const ParallelAxis& a = axis(position);
  const int bins = std::max(1, a.bins());
  if (a.hasMissing && bin >= bins) return {plotRect().bottom(), plotRect().bottom() - kMissingHeight};
  const QRectF values = valueRect();
  const auto at = [&](int edge) {
    const double t = edgeOfBin(a, bin, edge - bin);
    return inverted(a.key) ? values.top() + t * values.height() : values.bottom() - t * values.height();
  };
  return {at(bin), at(bin + 1)};
}

namespace {

// Bin that contains a quantile, and the position in it, 0 … 1.
std::optional<std::pair<int, double>> placeOfQuantile(const ParallelAxis& axis, double share) {
  double all = 0, below = 0;
  for (int bin = 0; bin < axis.bins(); ++bin)
    all += static_cast<double>(axis.all[static_cast<std::size_t>(bin)]);
  for (int bin = 0; bin < axis.bins(); ++bin) {
    const auto count = static_cast<double>(axis.all[static_cast<std::size_t>(bin)]);
    if (count > 0 && below + count >= share * all)
      return std::pair(bin, std::clamp((share * all - below) / count, 0.0, 1.0));
    below += count;
  }
  return {};
}

} // namespace

double ParallelModel::quantile(int position, double share) const {
  const ParallelAxis& a = axis(position);
  const auto place = placeOfQuantile(a, share);
  return place ? valueAt(a, (place->first + place->second) / a.bins())
               : std::numeric_limits<double>::quiet_NaN();
}

ValueRange ParallelModel::quantileBin(int position, double share) const {
  const ParallelAxis& a = axis(position);
  const auto place = placeOfQuantile(a, share);
  if (!place) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  return {valueAt(a, static_cast<double>(place->first) / a.bins()),
          valueAt(a, (place->first + 1.0) / a.bins())};
}

ParallelHit ParallelModel::hitTest(QPointF point) const {
  ParallelHit hit;
  const QRectF plot = plotRect();
  for (int i = 0; i < order_.size(); ++i) {
    if (titleShape(i).containsPoint(point, Qt::OddEvenFill)) {
      hit.area = ParallelArea::Title;
      hit.axis = i;
      return hit;
    }
  }
  if (point.y() < plot.top() - 6 || point.y() > plot.bottom() + 6) return hit;
  hit.area = ParallelArea::Between;
  const double gap = order_.size() > 1 ? axisX(1) - axisX(0) : 4 * kAxisReach;
  const double reach = std::min(kAxisReach, gap / 3);
  for (int i = 0; i < order_.size(); ++i) {
    if (std::abs(point.x() - axisX(i)) > reach) continue;
    hit.area = ParallelArea::Axis;
    hit.axis = i;
    hit.missing = axis(i).hasMissing && point.y() > plot.bottom() - kMissingHeight - 5;
    hit.value = hit.missing ? ValueRange::missing().low : valueAtY(i, point.y());
    if (hit.missing) return hit;
    const auto found = brushes_.find(order_[i]);
    if (found == brushes_.end()) return hit;
    for (std::size_t b = 0; b < found->second.size(); ++b) {
      if (found->second[b].isMissing()) continue;
      const double low = yAt(i, found->second[b].low);
      const double high = yAt(i, found->second[b].high);
      if (point.y() < std::min(low, high) - kEdgeReach || point.y() > std::max(low, high) + kEdgeReach)
        continue;
      hit.brush = static_cast<int>(b);
      hit.edge = std::abs(point.y() - low) <= kEdgeReach    ? -1
                 : std::abs(point.y() - high) <= kEdgeReach ? 1
                                                            : 0;
    }
    return hit;
  }
  return hit;
}

int ParallelModel::dropPosition(double x) const {
  if (order_.size() < 2) return 0;
  const double gap = axisX(1) - axisX(0);
  const int at = static_cast<int>(std::lround((x - axisX(0)) / gap));
  return std::clamp(at, 0, static_cast<int>(order_.size()) - 1);
}

std::vector<Tick> ParallelModel::ticks(int position) const {
  const ParallelAxis& a = axis(position);
  const int preferred = std::max(2, static_cast<int>(valueRect().height() / 44));
  std::vector<Tick> result;
  if (!a.categories.isEmpty()) {
    for (const int c : shownCategories(a)) {
      result.push_back({static_cast<double>(c), fraction(a, c), a.categories[c], true});
    }
  } else if (a.edges.size() > 1 && (a.scale == AxisScale::Quantile || a.scale == AxisScale::Rank)) {
    for (int i = 0; i <= 4; ++i) { // minimum, quartiles, maximum
      const double value = valueAt(a, i / 4.0);
      result.push_back({value, i / 4.0, formatValue(value, a.unit, 3), true});
    }
  } else if (a.scale == AxisScale::SymmetricLog && a.straightBelow > 0 && byEdges(a)) {
    result = symmetricLogTicks(a, preferred);
  } else if (a.scale == AxisScale::Log && a.minimum > 0) {
    result = logTicks(a.minimum, a.maximum, preferred, a.unit);
    std::erase_if(result, [](const Tick& t) { return !t.major; });
  } else if (countsOnly(a)) {
    const double step = std::max(1.0, std::ceil((a.maximum - a.minimum) / preferred));
    const int last = static_cast<int>((a.maximum - a.minimum) / step);
    for (int i = 0; i <= last; ++i) {
      const double value = a.minimum + i * step;
      result.push_back({value, fraction(a, value), formatValue(value, a.unit), true});
    }
  } else {
    result = niceTicks(a.minimum, a.maximum, preferred, a.unit);
    for (Tick& tick : result)
      if (tick.value == 0 && a.unit.isEmpty()) tick.label = QStringLiteral("0");
  }
  if (inverted(a.key)) {
    for (Tick& tick : result) tick.position = 1 - tick.position;
  }
  return result;
}

QString ParallelModel::countText() const {
  QString rows = data_.rowsName;
  if (data_.sampled()) rows = Text::tr("%1 (preview: a sample of %2)").arg(rows, formatCount(data_.allRows));
  if (data_.keepsSome()) rows = Text::tr("%1 kept of %2").arg(rows, formatCount(data_.examined));
  if (brushes_.empty() && data_.selectedRows == data_.rows)
    return Text::tr("n = %1 %2").arg(formatCount(data_.rows), rows);
  const QString text = Text::tr("%1 of %2 %3 selected (%4)")
                           .arg(formatCount(data_.selectedRows), formatCount(data_.rows), rows,
                                formatPercent(selectedShare()));
  const bool inverted = logic_.inverted && !brushes_.empty();
  if (brushes_.size() < 2) return inverted ? Text::tr("%1, inverted").arg(text) : text;
  if (logic_.any)
    return (inverted ? Text::tr("%1: any brush, inverted") : Text::tr("%1: any brush")).arg(text);
  return (inverted ? Text::tr("%1: all brushes, inverted") : Text::tr("%1: all brushes")).arg(text);
}

QString ParallelModel::brushText(int position, int brush) const {
  const ParallelAxis& a = axis(position);
  const auto found = brushes_.find(a.key);
  if (found == brushes_.end() || brush < 0 || brush >= static_cast<int>(found->second.size())) return {};
  const ValueRange range = found->second[static_cast<std::size_t>(brush)];
  std::uint64_t inside = 0;
  if (range.isMissing()) {
    inside = a.hasMissing ? a.all.back() : 0;
  } else {
    const double low = fraction(a, range.low) * a.bins(), high = fraction(a, range.high) * a.bins();
    for (int bin = 0; bin < a.bins(); ++bin)
      if (a.categories.isEmpty() ? bin + 0.5 >= low && bin + 0.5 <= high
                                 : range.low <= bin && bin <= range.high)
        inside += a.all[static_cast<std::size_t>(bin)];
  }
  return Text::tr("%1 rows (%2)")
      .arg(formatCount(inside),
           formatPercent(data_.rows > 0 ? static_cast<double>(inside) / static_cast<double>(data_.rows) : 0));
}

double ParallelModel::selectedShare() const {
  return data_.rows > 0 ? static_cast<double>(data_.selectedRows) / static_cast<double>(data_.rows) : 0;
}

} // namespace jitterscope::views
