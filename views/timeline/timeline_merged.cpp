// Tracks that share rows of pixels, and the overview of all tracks.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/time_bins/column_bins.h"
#include "views/timeline/timeline_model.h"

namespace jitterscope::views {

namespace {

constexpr double kMapWidth = 64, kMapColumns = 64;
/// The overview is shown if all tracks are higher than this multiple of their area.
constexpr double kMapBeyond = 1.5;
constexpr int kMaxMapRows = 2'000;

} // namespace

namespace {

/// Kinds of tracks in the order in which they represent rows of pixels, as in folded groups: devices and
/// their streams, then the states or ranges of threads, then calls, then bursts, then others. Metrics and
/// counters of the whole session are first.
int precedenceOf(const std::vector<TimelineTrack>& tracks, int track) {
  const auto& of = tracks[static_cast<std::size_t>(track)];
  const bool ofDevice =
      of.parent >= 0 && tracks[static_cast<std::size_t>(of.parent)].kind == TrackKind::Device;
  switch (of.kind) {
  case TrackKind::Counter:
    return of.parent < 0 ? 0 : 8;
  case TrackKind::Device:
    return 1;
  case TrackKind::Stream:
    return ofDevice ? 2 : 6;
  case TrackKind::Ranges:
    return 3;
  case TrackKind::MpiCalls:
    return 4;
  case TrackKind::Calls:
    return 5;
  case TrackKind::Idle:
    return 9;
  default:
    return 7;
  }
}

/// The tracks of a block's rows of pixels. A row shows tracks of one kind only: otherwise neighbouring rows
/// would alternate between kinds, depending on how many tracks of each they have.
class Members {
public:
  Members(const TrackLayout& layout, MergedBlock& block)
      : layout_(layout), block_(block), kinds_(block.rows.size(), std::numeric_limits<int>::max()) {}

  void add(const TrackRow& row, double top, double height);

private:
  void put(std::ptrdiff_t pixel, std::uint32_t id, int kind) {
    const auto at = static_cast<std::size_t>(pixel);
    if (kind > kinds_[at]) return;
    if (kind < kinds_[at]) block_.rows[at].clear();
    kinds_[at] = kind;
    block_.rows[at].push_back(id);
  }

  const TrackLayout& layout_;
  MergedBlock& block_;
  std::vector<int> kinds_; ///< by row of pixels: precedence of its tracks
};

// Adds the tracks of a row with this extent to the rows of pixels of the block.
void Members::add(const TrackRow& row, double top, double height) {
  if (row.members == 0) return;
  auto& block = block_;
  const int kind = precedenceOf(layout_.tracks(), layout_.indexOf(layout_.members()[row.firstMember]));
  const double high = (block.bottom - block.top) / static_cast<double>(block.rows.size());
  const auto place = [&](double y) {
    return static_cast<std::ptrdiff_t>(std::floor((y - block.top) / high));
  };
  const auto last = static_cast<std::ptrdiff_t>(block.rows.size()) - 1;
  const double strip = height / std::max<double>(row.members, 1);
  for (std::uint32_t i = 0; i < row.members; ++i) {
    const auto id = layout_.members()[row.firstMember + i];
    const double from = top + strip * i;
    const auto middle = place(from + strip / 2);
    // Rows whose middle is in the strip; if there is none, the row that contains the strip's middle.
    const auto first = place(from + high / 2), behind = place(from + strip + high / 2);
    for (auto at = std::max<std::ptrdiff_t>(first, 0); at < std::min(behind, last + 1); ++at)
      put(at, id, kind);
    if (first >= behind && middle >= 0 && middle <= last) put(middle, id, kind);
  }
}

} // namespace

namespace timeline {

MergedBlock mergeRows(const TrackLayout& layout, double top, double bottom, int rows) {
  MergedBlock block{top, bottom, {}};
  block.rows.resize(static_cast<std::size_t>(std::max(rows, 1)));
  Members members(layout, block);
  const double scale = layout.scale();
  const auto all = layout.scrolledRows();
  auto row = std::partition_point(
      all.begin(), all.end(), [&](const TrackRow& each) { return (each.y + each.height) / scale <= top; });
  for (; row != all.end() && row->y / scale < bottom; ++row)
    members.add(*row, row->y / scale, row->height / scale);
  return block;
}

} // namespace timeline

void TimelineModel::placeMap() {
  const double room = scrolledRect().height(), all = layout_.scrolledHeight() / layout_.scale();
  if (heights_.fit && all > 0) layout_.setScale(std::min(1.0, room / all));
  if (!heights_.fit) layout_.setScale(heights_.scale);
  const bool map =
      heights_.overview && geometry.filterBox && layout_.scrolledHeight() > kMapBeyond * room && room > 60;
  geometry.mapWidth = map ? kMapWidth : 0;
  viewport.setWidth(std::max(1.0, size_.width() - geometry.headerWidth - geometry.mapWidth));
}

void TimelineModel::setHeights(const TrackHeights& heights) {
  heights_ = heights;
  heights_.scale = std::clamp(heights.scale, TrackLayout::kMinScale, TrackLayout::kMaxScale);
  placeMap();
  setScroll(scroll_);
}

void TimelineModel::scaleHeights(double factor, double y) {
  const double room = std::max(scrolledRect().height(), 1.0);
  const double all = layout_.scrolledHeight() / layout_.scale(); // at scale 1
  const double minimum = std::min(1.0, all > 0 ? room / all : 1.0);
  const double before = layout_.scale(), offset = std::clamp(y - scrolledRect().top(), 0.0, room);
  const double at = (scroll_ + offset) / before;
  heights_.fit = false;
  heights_.scale = std::clamp(before * factor, minimum, TrackLayout::kMaxScale);
  placeMap();
  setScroll(at * layout_.scale() - offset);
}

const TrackRow* TimelineModel::rowAt(double y) const {
  const QRectF area = scrolledRect();
  if (y < area.top() || y >= area.bottom()) return nullptr;
  const double at = y - area.top() + scroll_;
  const auto all = layout_.scrolledRows();
  const auto row = std::partition_point(all.begin(), all.end(),
                                        [&](const TrackRow& each) { return each.y + each.height <= at; });
  return row != all.end() && row->y <= at ? &*row : nullptr;
}

std::vector<const TrackRow*> TimelineModel::visibleRows() const {
  std::vector<const TrackRow*> rows;
  const auto all = layout_.scrolledRows();
  for (std::size_t i = 0; i < layout_.rows().size() - all.size(); ++i)
    if (visible(layout_.rows()[i])) rows.push_back(&layout_.rows()[i]);
  const double room = scrolledRect().height();
  auto row = std::partition_point(all.begin(), all.end(),
                                  [&](const TrackRow& each) { return each.y + each.height <= scroll_; });
  for (; row != all.end() && row->y < scroll_ + room; ++row) rows.push_back(&*row);
  return rows;
}

std::vector<const TrackRow*> TimelineModel::drawnRows() const {
  if (!merges()) return visibleRows();
  std::vector<const TrackRow*> rows;
  for (std::size_t i = 0; i < layout_.rows().size() - layout_.scrolledRows().size(); ++i)
    if (visible(layout_.rows()[i])) rows.push_back(&layout_.rows()[i]);
  return rows;
}

// Blocks for folded groups with more tracks than strips; if all scrolled rows share pixels, for the pinned
// ones.
std::vector<MergedBlock> TimelineModel::sharedRows(double pixelsPerPoint) const {
  std::vector<MergedBlock> blocks;
  for (const TrackRow* row : drawnRows()) {
    if (!row->shared) continue;
    const int pixels = static_cast<int>(std::lround(row->height * pixelsPerPoint));
    if (row->pinned) {
      MergedBlock& block = blocks.emplace_back(MergedBlock{row->y, row->y + row->height, {}, true});
      block.rows.resize(static_cast<std::size_t>(std::max(pixels, 1)));
      Members(layout_, block).add(*row, row->y, row->height);
      continue;
    }
    blocks.push_back(timeline::mergeRows(layout_, row->y / layout_.scale(),
                                         (row->y + row->height) / layout_.scale(), pixels));
  }
  return blocks;
}

MergedQuery TimelineModel::mergedQuery(double pixelsPerPoint) const {
  MergedQuery query;
  query.window = viewport.window();
  query.columns = std::max(1, static_cast<int>(std::lround(viewport.width() * pixelsPerPoint)));
  query.merging = heights_.merging;
  query.value = colour.value();
  query.generation = layout_.generation();
  if (!merges()) {
    query.blocks = sharedRows(pixelsPerPoint);
    return query;
  }
  const double room = scrolledRect().height(), scale = layout_.scale();
  const double top = std::max(0.0, std::floor(scroll_ - room / 2));
  const double bottom = std::min(layout_.scrolledHeight(), std::ceil(scroll_ + 1.5 * room));
  const int rows = static_cast<int>(std::lround((bottom - top) * pixelsPerPoint));
  if (rows > 0) query.blocks.push_back(timeline::mergeRows(layout_, top / scale, bottom / scale, rows));
  std::ranges::move(sharedRows(pixelsPerPoint), std::back_inserter(query.blocks));
  return query;
}

MergedQuery TimelineModel::mapQuery(double pixelsPerPoint) const {
  MergedQuery query;
  query.window = viewport.span();
  query.columns = static_cast<int>(kMapColumns);
  query.merging = heights_.merging;
  query.value = colour.value();
  query.generation = layout_.generation();
  if (geometry.mapWidth <= 0) return query;
  const int rows = std::min(kMaxMapRows, static_cast<int>(std::lround(mapRect().height() * pixelsPerPoint)));
  query.blocks.push_back(timeline::mergeRows(layout_, 0, layout_.scrolledHeight() / layout_.scale(), rows));
  return query;
}

void TimelineModel::setMerged(MergedCells cells) {
  merged_ = std::move(cells);
  busiestKnown_ = false;
}

QRectF TimelineModel::mapRect() const {
  const QRectF area = scrolledRect();
  return {area.right(), area.top(), geometry.mapWidth, area.height()};
}

QRectF TimelineModel::mapFrame() const {
  const QRectF map = mapRect();
  const double all = std::max(layout_.scrolledHeight(), 1.0);
  const double high = std::min(map.height(), std::max(4.0, map.height() * scrolledRect().height() / all));
  const double maximum = longestScroll();
  return {map.left(), map.top() + (maximum > 0 ? scroll_ / maximum * (map.height() - high) : 0), map.width(),
          high};
}

void TimelineModel::scrollMapTo(double y) {
  const QRectF map = mapRect(), frame = mapFrame();
  const double room = map.height() - frame.height();
  if (room > 0) setScroll((y - frame.height() / 2 - map.top()) / room * longestScroll());
}

void TimelineModel::findMerged(QPointF point, TimelineHit& hit) const {
  const MergedQuery& query = merged_.query;
  if (query.generation != layout_.generation() || query.columns <= 0 || !query.window.contains(hit.time))
    return;
  const bool pinned = hit.row >= 0 && rows()[static_cast<std::size_t>(hit.row)].pinned;
  const double at =
      pinned ? point.y() - geometry.top() : (point.y() - scrolledRect().top() + scroll_) / layout_.scale();
  std::size_t before = 0;
  for (const MergedBlock& block : query.blocks) {
    if (block.pinned == pinned && at >= block.top && at < block.bottom) {
      const auto rows = static_cast<double>(block.rows.size());
      const auto row =
          std::min(static_cast<std::size_t>((at - block.top) / (block.bottom - block.top) * rows),
                   block.rows.size() - 1);
      const auto length = static_cast<double>(query.window.length().count);
      const double share = static_cast<double>((hit.time - query.window.begin).count) / length;
      const auto column =
          std::min(static_cast<std::int64_t>(share * query.columns), std::int64_t{query.columns} - 1);
      const auto cell =
          (before + row) * static_cast<std::size_t>(query.columns) + static_cast<std::size_t>(column);
      if (cell >= merged_.shares.size() || block.rows[row].empty()) return;
      hit.mergedRow = static_cast<int>(before + row);
      hit.merged = cell;
      hit.cellInterval = ColumnBins(query.window, query.columns, false).interval(static_cast<int>(column));
      return;
    }
    before += block.rows.size();
  }
}

} // namespace jitterscope::views
