#include "views/timeline/timeline_model.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/time_bins/column_bins.h"

namespace jitterscope::views {

void TimelineModel::setTracks(std::vector<TimelineTrack> tracks) {
  layout_.setTracks(std::move(tracks));
  setData({});
  setMerged({});
  setMap({});
  setWhy(std::nullopt);
  brushTracks.clear();
  trackCursor.reset();
  measure.reset();
  scroll_ = 0;
}

void TimelineModel::setData(TimelineData data) {
  data_ = std::move(data);
  busiestKnown_ = false;
  contentByTrack_.clear();
  for (std::size_t i = 0; i < data_.tracks.size(); ++i) contentByTrack_[data_.tracks[i].trackId] = i;
}

void TimelineModel::setWhy(std::optional<WhyData> data) {
  why = std::move(data);
  placeWhy();
  placeMap();
  setScroll(scroll_);
}

// The lanes keep three quarters of the height; a strip that would be too small to read is omitted.
void TimelineModel::placeWhy() {
  constexpr double kMin = 24;
  const double room = size_.height() - geometry.overviewHeight - geometry.axisHeight - geometry.legendHeight;
  const double height = std::floor(std::min(timeline::kWhyHeight, room / 4));
  geometry.whyHeight = why && height >= kMin ? height : 0;
}

Interval shownInterval(const TimelineData& data, const TrackContent& content, int level, int column) {
  const auto at = static_cast<std::size_t>(level);
  const bool dyadic = at < content.dyadic.size() && content.dyadic[at] != 0;
  const Nanoseconds origin = content.binOrigin;
  const Interval window{data.window.begin - origin, data.window.end - origin};
  const Interval shown = ColumnBins(window, data.columns, dyadic).interval(column);
  return {shown.begin + origin, shown.end + origin};
}

const TrackContent* TimelineModel::content(std::uint32_t trackId) const {
  const auto found = contentByTrack_.find(trackId);
  return found == contentByTrack_.end() ? nullptr : &data_.tracks[found->second];
}

void TimelineModel::setCollapsed(std::uint32_t trackId, bool collapsed) {
  const int track = trackIndex(trackId);
  if (track < 0) return;
  arrange([&](TrackLayout& layout) { layout.setCollapsed(track, collapsed); });
}

QRectF TimelineModel::laneOf(std::uint32_t trackId) const {
  const int track = trackIndex(trackId);
  const TrackRow* row = track < 0 ? nullptr : layout_.rowOf(track);
  return row == nullptr ? QRectF() : rowRect(*row);
}

void TimelineModel::setSize(QSizeF size) {
  size_ = size;
  placeWhy();
  placeMap();
  setScroll(scroll_);
}

double TimelineModel::longestScroll() const {
  return std::max(0.0, layout_.scrolledHeight() - scrolledRect().height());
}

void TimelineModel::setScroll(double y) {
  scroll_ = std::clamp(y, 0.0, longestScroll());
}

void TimelineModel::scrollTo(int track) {
  for (const TrackRow& row : rows()) {
    if (row.track != track || row.pinned) continue;
    if (row.y < scroll_) setScroll(row.y);
    if (row.y + row.height > scroll_ + scrolledRect().height())
      setScroll(row.y + row.height - scrolledRect().height());
  }
}

QRectF TimelineModel::overviewRect() const {
  return {geometry.headerWidth, 0, viewport.width(), geometry.overviewHeight};
}

QRectF TimelineModel::axisRect() const {
  return {geometry.headerWidth, geometry.overviewHeight, viewport.width(), geometry.axisHeight};
}

QRectF TimelineModel::whyRect() const {
  return {geometry.headerWidth, axisRect().bottom(), viewport.width(), geometry.whyHeight};
}

QRectF TimelineModel::lanesRect() const {
  return {geometry.headerWidth, geometry.top(), viewport.width(),
          std::max(0.0, size_.height() - geometry.top() - geometry.legendHeight)};
}

// Pinned rows leave at least a third of the lanes for the other rows.
QRectF TimelineModel::scrolledRect() const {
  const QRectF lanes = lanesRect();
  return lanes.adjusted(0, std::min(layout_.pinnedHeight(), lanes.height() * 2 / 3), 0, 0);
}

QRectF TimelineModel::headerRect() const {
  const QRectF lanes = lanesRect();
  return {0, lanes.top(), geometry.headerWidth, lanes.height()};
}

QRectF TimelineModel::legendRect() const {
  return {0, lanesRect().bottom(), size_.width(), geometry.legendHeight};
}

QRectF TimelineModel::rowRect(const TrackRow& row) const {
  const double top = row.pinned ? geometry.top() + row.y : scrolledRect().top() + row.y - scroll_;
  return {geometry.headerWidth, top, viewport.width(), row.height};
}

QRectF TimelineModel::areaOf(const TrackRow& row) const {
  const QRectF scrolled = scrolledRect();
  if (!row.pinned) return scrolled;
  QRectF pinned = lanesRect();
  pinned.setBottom(scrolled.top());
  return pinned;
}

bool TimelineModel::visible(const TrackRow& row) const {
  const QRectF rect = rowRect(row), area = areaOf(row);
  return rect.bottom() > area.top() && rect.top() < area.bottom();
}

std::vector<std::uint32_t> TimelineModel::requestedTracks(double margin) const {
  const double around = scrolledRect().height() * margin;
  std::vector<std::uint32_t> requested;
  std::unordered_set<std::uint32_t> seen;
  const auto add = [&](const TrackRow& row) {
    for (const auto id : row.strips)
      if (seen.insert(id).second) requested.push_back(id);
  };
  const auto all = layout_.scrolledRows();
  for (std::size_t i = 0; i < rows().size() - all.size(); ++i) add(rows()[i]);
  if (merges()) return requested;
  const double room = scrolledRect().height();
  auto row = std::partition_point(
      all.begin(), all.end(), [&](const TrackRow& each) { return each.y + each.height < scroll_ - around; });
  for (; row != all.end() && row->y <= scroll_ + room + around; ++row) add(*row);
  return requested;
}

std::vector<std::uint32_t> TimelineModel::tracksBetween(double y0, double y1) const {
  std::vector<std::uint32_t> found;
  for (const TrackRow* row : visibleRows()) {
    const QRectF rect = rowRect(*row);
    if (rect.bottom() > std::min(y0, y1) && rect.top() <= std::max(y0, y1))
      found.push_back(tracks()[static_cast<std::size_t>(row->track)].id);
  }
  return found;
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

// The nearest bar within reach; of equally near ones, the shortest: a 1-pixel launch on top of a long one can
// be clicked.
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
  if (const auto c = static_cast<std::size_t>(column); c < content.counter.size()) {
    if (!content.counter[c].present) return;
    hit.counter = &content.counter[c];
    hit.cellInterval = shownInterval(data, content, 0, column);
    return;
  }
  const auto at = static_cast<std::size_t>(hit.level) * static_cast<std::size_t>(data.columns) +
                  static_cast<std::size_t>(column);
  if (at >= content.cells.size() || content.cells[at].count == 0) return;
  hit.cell = &content.cells[at];
  hit.columnInterval = ColumnBins(data.window, data.columns, false).interval(column);
  hit.cellInterval = shownInterval(data, content, hit.level, column);
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
  if (whyRect().contains(point)) {
    hit.area = TimelineArea::Why;
    return hit;
  }
  if (legendRect().contains(point)) {
    hit.area = TimelineArea::Legend;
    return hit;
  }
  if (point.y() < geometry.top() || point.y() >= size_.height()) return hit;
  if (mapRect().contains(point)) {
    hit.area = TimelineArea::Map;
    return hit;
  }
  for (const TrackRow* row : drawnRows()) {
    const QRectF rect = rowRect(*row);
    if (point.y() < rect.top() || point.y() >= rect.bottom()) continue;
    if (point.y() < areaOf(*row).top() || point.y() >= areaOf(*row).bottom()) continue;
    hitRow(static_cast<int>(row - rows().data()), rect, point, hit);
    if (row->shared && hit.area == TimelineArea::Lane) findMerged(point, hit);
    return hit;
  }
  if (const TrackRow* row = rowAt(point.y()); row != nullptr && merges()) {
    hit.row = static_cast<int>(row - rows().data());
    hit.track = row->track;
    hit.area = point.x() < geometry.headerWidth ? TimelineArea::Header : TimelineArea::Lane;
    if (hit.area == TimelineArea::Lane) findMerged(point, hit);
  }
  return hit;
}

void TimelineModel::hitRow(int index, const QRectF& rect, QPointF point, TimelineHit& hit) const {
  const TrackRow& row = rows()[static_cast<std::size_t>(index)];
  const auto& track = tracks()[static_cast<std::size_t>(row.track)];
  hit.row = index;
  hit.track = row.track;
  if (point.x() < geometry.headerWidth) {
    const double toggleEnd = 10 + 12.0 * track.depth + 12;
    const bool toggle = hasChildren(row.track) && point.x() < toggleEnd;
    const bool border = point.y() >= rect.bottom() - 3;
    hit.area = border ? TimelineArea::Border : toggle ? TimelineArea::Toggle : TimelineArea::Header;
    return;
  }
  hit.area = TimelineArea::Lane;
  const auto strips = row.strips.size();
  const bool group = strips != 1 || row.strips.front() != track.id;
  const int levels = group ? std::max(1, static_cast<int>(strips)) : std::max(track.levels, 1);
  hit.level =
      std::clamp(static_cast<int>((point.y() - rect.top() - row.inset) / row.levelHeight), 0, levels - 1);
  if (strips == 0) return;
  hit.contentTrack = row.strips[group ? static_cast<std::size_t>(hit.level) : 0];
  if (group) hit.level = 0;
  if (const TrackContent* found = content(hit.contentTrack)) {
    hit.bar = barAt(*found, hit.level, hit.time, {viewport.perPixel().count * 2});
    if (hit.bar == nullptr) findCell(data_, *found, hit);
  }
}

SnappedTime TimelineModel::snap(QPointF point, double reach) const {
  const Nanoseconds at = timeAtX(point.x());
  const TimelineHit hit = hitTest(point);
  const auto limit = static_cast<std::int64_t>(reach * static_cast<double>(viewport.window().length().count) /
                                               viewport.width());
  SnappedTime best{at, false};
  std::int64_t distance = limit + 1;
  const auto consider = [&](Nanoseconds edge) {
    const auto away = std::abs(edge.count - at.count);
    if (away >= distance) return;
    distance = away;
    best = {edge, true};
  };
  const auto edges_of = [&](std::uint32_t id) {
    const TrackContent* found = content(id);
    if (found == nullptr) return;
    for (const TimelineBar& bar : found->bars) {
      consider(bar.begin);
      consider(bar.end);
    }
  };
  if (hit.contentTrack != kNoName) edges_of(hit.contentTrack);
  if (best.snapped) return best;
  for (const TrackRow* row : drawnRows())
    for (const auto id : row->strips) edges_of(id);
  return best;
}

template <class Use>
void TimelineModel::eachBarOfKeys(Use&& use) const {
  bool any = false;
  const auto all_of = [&](const TrackRow& row) {
    for (const auto id : row.strips)
      if (const TrackContent* found = content(id))
        for (const TimelineBar& bar : found->bars) any = true, use(id, bar);
  };
  if (trackCursor)
    if (const TrackRow* row = layout().rowOf(trackIndex(*trackCursor))) all_of(*row);
  if (any) return;
  for (const TrackRow* row : drawnRows()) all_of(*row);
}

std::optional<Nanoseconds> TimelineModel::adjacentEdge(Nanoseconds time, int direction) const {
  std::optional<Nanoseconds> best;
  const Interval window = viewport.window();
  eachBarOfKeys([&](std::uint32_t, const TimelineBar& bar) {
    for (const Nanoseconds edge : {bar.begin, bar.end}) {
      if (edge < window.begin || edge > window.end || (direction > 0 ? edge <= time : edge >= time)) continue;
      if (!best || (direction > 0 ? edge < *best : edge > *best)) best = edge;
    }
  });
  return best;
}

std::optional<std::pair<std::uint32_t, TimelineBar>> TimelineModel::visibleLaunch(int direction) const {
  std::optional<std::pair<std::uint32_t, TimelineBar>> best;
  const Interval window = viewport.window();
  eachBarOfKeys([&](std::uint32_t id, const TimelineBar& bar) {
    const int track = trackIndex(id);
    if (track < 0 || !showsLaunches(tracks()[static_cast<std::size_t>(track)].kind) || bar.row == kNoRow)
      return;
    if (bar.end <= window.begin || bar.begin >= window.end) return;
    if (!best || (direction > 0 ? bar.begin < best->second.begin : bar.begin > best->second.begin))
      best = {id, bar};
  });
  return best;
}

std::vector<std::uint32_t> TimelineModel::busiestNames(std::size_t limit) const {
  if (!busiestKnown_) {
    std::vector<double> busy; // total time by name id; −1: absent
    const auto add = [&busy](std::uint32_t id, double time) {
      if (id == kNoName) return;
      if (id >= busy.size()) busy.resize(id + std::size_t{1}, -1);
      busy[id] = std::max(busy[id], 0.0) + time;
    };
    const double column = static_cast<double>(data_.window.length().count) / std::max(data_.columns, 1);
    const auto kind_of = [&](const TrackContent& content) {
      const int track = trackIndex(content.trackId);
      return track < 0 ? TrackKind::Host : tracks()[static_cast<std::size_t>(track)].kind;
    };
    // Launches if there are any, else thread activity.
    const bool launches =
        std::any_of(data_.tracks.begin(), data_.tracks.end(),
                    [&](const TrackContent& content) { return showsLaunches(kind_of(content)); });
    for (const auto& found : data_.tracks) {
      const TrackKind kind = kind_of(found);
      const bool counts =
          launches ? kind == TrackKind::Stream || kind == TrackKind::Device
                   : kind == TrackKind::MpiCalls || kind == TrackKind::Ranges || kind == TrackKind::Calls;
      if (!counts) continue;
      for (const auto& cell : found.cells)
        if (cell.count > 0) add(cell.nameId, static_cast<double>(cell.busy) * column);
      for (const auto& bar : found.bars)
        add(bar.nameId, static_cast<double>(overlap({bar.begin, bar.end}, data_.window).count));
    }
    for (std::size_t i = 0; i < merged_.names.size(); ++i) {
      const double width =
          static_cast<double>(merged_.query.window.length().count) / std::max(merged_.query.columns, 1);
      add(merged_.names[i], merged_.shares[i] / 255.0 * width);
    }
    busiest_.clear();
    for (std::uint32_t id = 0; id < busy.size(); ++id)
      if (busy[id] >= 0) busiest_.push_back(id);
    std::sort(busiest_.begin(), busiest_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return busy[a] != busy[b] ? busy[a] > busy[b] : a < b;
    });
    busiestKnown_ = true;
  }
  return {busiest_.begin(), busiest_.begin() + static_cast<std::ptrdiff_t>(std::min(limit, busiest_.size()))};
}

} // namespace jitterscope::views
