#include "views/parallel/parallel_model.h"

#include <algorithm>
#include <cmath>

#include "views/base/format.h"

namespace jitterscope::views {

namespace {

constexpr double kTitleHeight = 40;
constexpr double kBottom = 24;
constexpr double kSide = 64;
constexpr double kAxisReach = 14;
constexpr double kEdgeReach = 4;

bool touches(const ValueRange& a, const ValueRange& b) {
  return a.low <= b.high && b.low <= a.high;
}

} // namespace

void ParallelModel::setData(ParallelData data) {
  data_ = std::move(data);
  setOrder(order_);
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
  order_ = result;
}

void ParallelModel::moveAxis(int from, int to) {
  const int last = static_cast<int>(order_.size()) - 1;
  if (from < 0 || from > last) return;
  order_.move(from, std::clamp(to, 0, last));
}

void ParallelModel::setInverted(const QString& key, bool inverted) {
  if (inverted) {
    inverted_.insert(key);
  } else {
    inverted_.remove(key);
  }
}

void ParallelModel::setBrushes(AxisBrushes brushes) {
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

QRectF ParallelModel::plotRect() const {
  return {kSide, kTitleHeight + 6, std::max(1.0, size_.width() - 2 * kSide),
          std::max(1.0, size_.height() - kTitleHeight - 6 - kBottom)};
}

double ParallelModel::axisX(int position) const {
  const QRectF plot = plotRect();
  const auto gaps = std::max<double>(1, static_cast<double>(order_.size()) - 1);
  return order_.size() == 1 ? plot.center().x() : plot.left() + plot.width() * position / gaps;
}

QRectF ParallelModel::titleRect(int position) const {
  const double gap = order_.size() > 1 ? axisX(1) - axisX(0) : 2 * kSide;
  const double half = std::max(
      12.0, std::min(gap / 2 - 3, position == 0 || position + 1 == order_.size() ? kSide - 2 : gap / 2));
  return {axisX(position) - half, 2, 2 * half, kTitleHeight - 2};
}

double ParallelModel::fraction(const ParallelAxis& axis, double value) {
  if (!axis.categories.isEmpty()) return (value + 0.5) / static_cast<double>(axis.categories.size());
  if (axis.scale == AxisScale::Log && axis.minimum > 0) {
    return (std::log(value) - std::log(axis.minimum)) / (std::log(axis.maximum) - std::log(axis.minimum));
  }
  return axis.maximum > axis.minimum ? (value - axis.minimum) / (axis.maximum - axis.minimum) : 0.5;
}

double ParallelModel::valueAt(const ParallelAxis& axis, double fraction) {
  if (!axis.categories.isEmpty()) return fraction * static_cast<double>(axis.categories.size()) - 0.5;
  if (axis.scale == AxisScale::Log && axis.minimum > 0) {
    return axis.minimum * std::pow(axis.maximum / axis.minimum, fraction);
  }
  return axis.minimum + fraction * (axis.maximum - axis.minimum);
}

double ParallelModel::yAt(int position, double value) const {
  const QRectF plot = plotRect();
  const double t = std::clamp(fraction(axis(position), value), 0.0, 1.0);
  return inverted(order_[position]) ? plot.top() + t * plot.height() : plot.bottom() - t * plot.height();
}

double ParallelModel::valueAtY(int position, double y) const {
  const QRectF plot = plotRect();
  const double t = std::clamp((plot.bottom() - y) / plot.height(), 0.0, 1.0);
  return valueAt(axis(position), inverted(order_[position]) ? 1 - t : t);
}

double ParallelModel::binEdgeY(int position, int bin, int bins) const {
  const QRectF plot = plotRect();
  const double t = static_cast<double>(bin) / std::max(bins, 1);
  return inverted(order_[position]) ? plot.top() + t * plot.height() : plot.bottom() - t * plot.height();
}

ParallelHit ParallelModel::hitTest(QPointF point) const {
  ParallelHit hit;
  const QRectF plot = plotRect();
  for (int i = 0; i < order_.size(); ++i) {
    if (titleRect(i).contains(point)) {
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
    hit.value = valueAtY(i, point.y());
    const auto found = brushes_.find(order_[i]);
    if (found == brushes_.end()) return hit;
    for (std::size_t b = 0; b < found->second.size(); ++b) {
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
  const int wanted = std::max(2, static_cast<int>(plotRect().height() / 44));
  std::vector<Tick> result;
  if (!a.categories.isEmpty()) {
    for (int c = 0; c < a.categories.size(); ++c) {
      result.push_back({static_cast<double>(c), fraction(a, c), a.categories[c], true});
    }
  } else if (a.scale == AxisScale::Log && a.minimum > 0) {
    result = logTicks(a.minimum, a.maximum, wanted, a.unit);
    std::erase_if(result, [](const Tick& t) { return !t.major; });
  } else {
    result = niceTicks(a.minimum, a.maximum, wanted, a.unit);
  }
  if (inverted(a.key)) {
    for (Tick& tick : result) tick.position = 1 - tick.position;
  }
  return result;
}

double ParallelModel::selectedShare() const {
  return data_.rows > 0 ? static_cast<double>(data_.selectedRows) / static_cast<double>(data_.rows) : 0;
}

} // namespace jitterscope::views
