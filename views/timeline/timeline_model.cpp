#include "views/timeline/timeline_model.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::views {

namespace {

struct RowHeight {
  double row = 0;
  double level = 0;
};

RowHeight heightOf(const TimelineTrack& track) {
  constexpr double padding = 4;
  const int levels = std::max(track.levels, 1);
  double level = 22;
  switch (track.kind) {
  case TrackKind::Host:
  case TrackKind::Process:
    level = 18;
    break;
  case TrackKind::Device:
    level = 20;
    break;
  case TrackKind::Stream:
    level = 22;
    break;
  case TrackKind::Copies:
  case TrackKind::Migrations:
    level = 16;
    break;
  case TrackKind::Calls:
  case TrackKind::Ranges:
    level = 15;
    break;
  case TrackKind::Counter:
    level = 34;
    break;
  }
  return {level * levels + padding, level};
}

} // namespace

void TimelineModel::setTracks(std::vector<TimelineTrack> tracks) {
  tracks_ = std::move(tracks);
  data_ = {};
  contentByTrack_.clear();
  collapsed_.clear();
  scroll_ = 0;
  layoutRows();
}

void TimelineModel::setData(TimelineData data) {
  data_ = std::move(data);
  contentByTrack_.clear();
  for (std::size_t i = 0; i < data_.tracks.size(); ++i) contentByTrack_[data_.tracks[i].trackId] = i;
}

const TrackContent* TimelineModel::content(std::uint32_t trackId) const {
  const auto found = contentByTrack_.find(trackId);
  return found == contentByTrack_.end() ? nullptr : &data_.tracks[found->second];
}

int TimelineModel::trackIndex(std::uint32_t trackId) const {
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].id == trackId) return static_cast<int>(i);
  }
  return -1;
}

bool TimelineModel::hasChildren(int track) const {
  const auto next = static_cast<std::size_t>(track) + 1;
  return next < tracks_.size() && tracks_[next].parent == track;
}

void TimelineModel::setCollapsed(std::uint32_t trackId, bool collapsed) {
  if (collapsed) {
    collapsed_.insert(trackId);
  } else {
    collapsed_.erase(trackId);
  }
  layoutRows();
  setScroll(scroll_);
}

void TimelineModel::layoutRows() {
  rows_.clear();
  std::vector<char> hidden(tracks_.size(), 0);
  double y = 0;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const int parent = tracks_[i].parent;
    if (parent >= 0 && parent < static_cast<int>(i)) {
      const auto p = static_cast<std::size_t>(parent);
      hidden[i] = hidden[p] != 0 || collapsed(tracks_[p].id);
    }
    if (hidden[i] != 0) continue;
    const RowHeight height = heightOf(tracks_[i]);
    rows_.push_back({static_cast<int>(i), y, height.row, height.level});
    y += height.row;
  }
}

double TimelineModel::contentHeight() const {
  return rows_.empty() ? 0 : rows_.back().y + rows_.back().height;
}

void TimelineModel::setSize(QSizeF size) {
  size_ = size;
  viewport.setWidth(std::max(1.0, size.width() - geometry.headerWidth));
  setScroll(scroll_);
}

void TimelineModel::setScroll(double y) {
  const double most = std::max(0.0, contentHeight() - lanesRect().height());
  scroll_ = std::clamp(y, 0.0, most);
}

QRectF TimelineModel::overviewRect() const {
  return {geometry.headerWidth, 0, viewport.width(), geometry.overviewHeight};
}

QRectF TimelineModel::axisRect() const {
  return {geometry.headerWidth, geometry.overviewHeight, viewport.width(), geometry.axisHeight};
}

QRectF TimelineModel::lanesRect() const {
  return {geometry.headerWidth, geometry.top(), viewport.width(),
          std::max(0.0, size_.height() - geometry.top())};
}

QRectF TimelineModel::headerRect() const {
  return {0, geometry.top(), geometry.headerWidth, std::max(0.0, size_.height() - geometry.top())};
}

QRectF TimelineModel::rowRect(const TrackRow& row) const {
  return {geometry.headerWidth, geometry.top() + row.y - scroll_, viewport.width(), row.height};
}

double TimelineModel::xAt(Nanoseconds time) const {
  return geometry.headerWidth + viewport.pixelAt(time);
}

Nanoseconds TimelineModel::timeAtX(double x) const {
  return viewport.timeAt(x - geometry.headerWidth);
}

Nanoseconds TimelineModel::overviewTimeAt(double x) const {
  const double share = std::clamp((x - geometry.headerWidth) / viewport.width(), 0.0, 1.0);
  const Interval span = viewport.span();
  return {span.begin.count + std::llround(share * static_cast<double>(span.length().count))};
}

QString TimelineModel::name(std::uint32_t id) const {
  if (id == kNoName || !names) return {};
  return names(id);
}

namespace {

// The shortest bar within reach: a 1-pixel launch on top of a long one can still be clicked.
const TimelineBar* barAt(const TrackContent& content, int level, Nanoseconds time, Nanoseconds reach) {
  const TimelineBar* best = nullptr;
  std::int64_t bestDistance = 0;
  for (const TimelineBar& bar : content.bars) {
    if (bar.level != level) continue;
    const std::int64_t before = bar.begin.count - time.count;
    const std::int64_t after = time.count - std::max(bar.end.count - 1, bar.begin.count);
    const std::int64_t distance = std::max<std::int64_t>({before, after, 0});
    if (distance > reach.count) continue;
    const bool closer = best == nullptr || distance < bestDistance ||
                        (distance == bestDistance && bar.end - bar.begin < best->end - best->begin);
    if (closer) {
      best = &bar;
      bestDistance = distance;
    }
  }
  return best;
}

void findCell(const TimelineData& data, const TrackContent& content, TimelineHit& hit) {
  if (data.columns <= 0 || !data.window.contains(hit.time)) return;
  const auto length = static_cast<double>(data.window.length().count);
  const double share = static_cast<double>((hit.time - data.window.begin).count) / length;
  const int column = std::min(static_cast<int>(share * data.columns), data.columns - 1);
  const auto at = static_cast<std::size_t>(hit.level) * static_cast<std::size_t>(data.columns) +
                  static_cast<std::size_t>(column);
  if (at >= content.cells.size() || content.cells[at].count == 0) return;
  hit.cell = &content.cells[at];
  const auto edge = [&](int c) {
    return Nanoseconds{data.window.begin.count +
                       static_cast<std::int64_t>(std::floor(length * c / data.columns))};
  };
  hit.cellInterval = {edge(column), edge(column + 1)};
}

} // namespace

TimelineHit TimelineModel::hitTest(QPointF point) const {
  TimelineHit hit;
  if (point.x() >= geometry.headerWidth) hit.time = timeAtX(point.x());
  if (overviewRect().contains(point)) {
    hit.area = TimelineArea::Overview;
    hit.time = overviewTimeAt(point.x());
    return hit;
  }
  if (axisRect().contains(point)) {
    hit.area = TimelineArea::Axis;
    return hit;
  }
  if (point.y() < geometry.top() || point.y() >= size_.height()) return hit;
  for (const TrackRow& row : rows_) {
    const QRectF rect = rowRect(row);
    if (point.y() < rect.top() || point.y() >= rect.bottom()) continue;
    const auto& track = tracks_[static_cast<std::size_t>(row.track)];
    hit.track = row.track;
    if (point.x() < geometry.headerWidth) {
      const double toggleEnd = 10 + 12.0 * track.depth + 12;
      const bool toggle = hasChildren(row.track) && point.x() < toggleEnd;
      hit.area = toggle ? TimelineArea::Toggle : TimelineArea::Header;
      return hit;
    }
    hit.area = TimelineArea::Lane;
    hit.level = std::clamp(static_cast<int>((point.y() - rect.top() - 2) / row.levelHeight), 0,
                           std::max(track.levels, 1) - 1);
    if (const TrackContent* found = content(track.id)) {
      hit.bar = barAt(*found, hit.level, hit.time, {viewport.perPixel().count * 2});
      if (hit.bar == nullptr) findCell(data_, *found, hit);
    }
    return hit;
  }
  return hit;
}

} // namespace jitterscope::views
