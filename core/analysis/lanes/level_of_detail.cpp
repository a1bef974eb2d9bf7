#include "core/analysis/lanes/level_of_detail.h"

#include <algorithm>
#include <bit>

#include "core/analysis/lanes/lane_walk.h"

namespace jitterscope::analysis {
namespace {

constexpr int kWidestShift = 60; // limit, so that no border overflows

// Borders between pixel columns; the last one is the end of the window.
std::vector<std::int64_t> pixel_borders(Interval window, int columns) {
  std::vector<std::int64_t> borders;
  borders.reserve(static_cast<std::size_t>(columns) + 1);
  // begin + length · i / columns without 128-bit division: integer steps and a running remainder.
  const auto step = window.length().count / columns, rest = window.length().count % columns;
  std::int64_t at = window.begin.count, over = 0;
  for (int i = 0; i <= columns; ++i) {
    borders.push_back(at);
    at += step;
    over += rest;
    if (over >= columns) {
      over -= columns;
      ++at;
    }
  }
  return borders;
}

} // namespace

ColumnBins::ColumnBins(Interval window, int columns, std::size_t events) {
  columns = std::max(columns, 1);
  if (window.empty()) window.end = window.begin + Nanoseconds{1};
  auto pixels = pixel_borders(window, columns);
  if (events <= kEventsPerColumn * static_cast<std::size_t>(columns)) {
    borders_ = std::move(pixels);
    for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
      first_bin_.push_back(c);
      last_bin_.push_back(c + 1);
    }
    return;
  }
  const auto wide = static_cast<std::uint64_t>(window.length().count / columns);
  shift_ = wide > 0 ? static_cast<int>(std::bit_width(wide)) - 1 : 0;
  if (events <= 2 * std::size_t{store::kTileEvents} * static_cast<std::size_t>(columns)) ++shift_;
  shift_ = std::min(shift_, kWidestShift);
  first_at_ = window.begin.count >> shift_;
  const auto last_at = (window.end.count - 1) >> shift_;
  borders_.reserve(static_cast<std::size_t>(last_at - first_at_) + 2);
  for (auto at = first_at_; at <= last_at + 1; ++at) borders_.push_back(at * (std::int64_t{1} << shift_));
  assign_columns(pixels);
}

void ColumnBins::assign_columns(const std::vector<std::int64_t>& pixels) {
  const auto columns = pixels.size() - 1;
  const auto half = shift_ > 0 ? std::int64_t{1} << (shift_ - 1) : 0;
  const bool bins_are_wider =
      std::int64_t{1} << shift_ > (pixels.back() - pixels.front()) / static_cast<std::int64_t>(columns);
  std::size_t bin = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    if (bins_are_wider) {
      const auto middle = pixels[c] + (pixels[c + 1] - pixels[c]) / 2;
      first_bin_.push_back(std::min(static_cast<std::size_t>((middle >> shift_) - first_at_), bins() - 1));
      last_bin_.push_back(first_bin_.back() + 1);
    } else {
      first_bin_.push_back(bin);
      while (bin < bins() && borders_[bin] + half < pixels[c + 1]) ++bin;
      last_bin_.push_back(bin);
    }
  }
  first_bin_.front() = 0;
  last_bin_.back() = bins();
}

TileCursor::TileCursor(const store::Series& series, const ColumnBins& bins) : names_(series.names()) {
  if (!bins.dyadic() || series.levels.empty()) return;
  level_ = series.tiles(bins.shift());
  if (const auto& top = series.levels.back(); bins.shift() > top.shift) {
    level_ = &top;
    coarser_ = bins.shift() - top.shift;
  }
  if (!level_) return;
  at_ = static_cast<std::size_t>(
      std::partition_point(level_->at.begin(), level_->at.end(),
                           [&](std::int64_t at) { return at >> coarser_ < bins.first_at(); }) -
      level_->at.begin());
  first_at_ = bins.first_at();
  bins_ = bins.bins();
}

std::size_t TileCursor::next_bin(std::size_t minimum) {
  while (level_ && at_ < level_->size()) {
    const auto at = level_->at[at_] >> coarser_;
    if (at >= first_at_ + static_cast<std::int64_t>(bins_)) break;
    if (at >= first_at_ + static_cast<std::int64_t>(minimum)) return static_cast<std::size_t>(at - first_at_);
    ++at_;
  }
  return SIZE_MAX;
}

BinSum TileCursor::take() {
  BinSum sum;
  sum.starts = level_->count[at_];
  sum.open = level_->open[at_];
  sum.name = level_->name[at_] < names_ ? level_->name[at_] : kNone;
  sum.name_busy = static_cast<std::uint64_t>(level_->name_busy[at_]);
  sum.busy = static_cast<std::uint64_t>(level_->busy[at_]);
  sum.covered = static_cast<std::uint64_t>(level_->covered[at_]);
  sum.selected = sum.busy;
  sum.selected_events = sum.starts + sum.open;
  ++at_;
  return sum;
}

std::span<const BinSum> sum_bins(const store::Series& series, const ColumnBins& bins, SumBuffers& room,
                                 const RowSelected& selected, bool use_tiles) {
  if (!series.overlaps && !selected) return LaneWalk(series, bins, room.lane, use_tiles).finish();
  auto& coverage = room.coverage;
  const auto borders = bins.borders();
  const auto chosen = [&](std::size_t position) { return !selected || selected(series.row(position)); };
  const auto add = [&](std::size_t position, const store::Event& event) {
    coverage.add(event, chosen(position));
    return true;
  };
  coverage.allow(series.names());
  coverage.start(borders);
  auto position = series.position_of(borders.front());
  const auto last = std::max(series.position_of(borders.back()), position);
  store::Event events[store::kBlockEvents];
  series.reaching(0, position, borders.front(), add);
  TileCursor tiles(series, bins);
  std::size_t bin = 0; // first bin without sums
  while (bin < bins.bins()) {
    const auto tile = use_tiles && !selected ? tiles.next_bin(bin) : SIZE_MAX;
    const auto end = tile == SIZE_MAX ? last : std::clamp(tiles.first_event(), position, last);
    // Reads in pieces: the rows of a series are scattered, and independent loads overlap their cache misses.
    while (position < end) {
      const auto count = std::min(end - position, store::kBlockEvents);
      series.read(position, position + count, events);
      for (std::size_t i = 0; i < count; ++i) coverage.add(events[i], chosen(position + i));
      position += count;
    }
    if (tile == SIZE_MAX) break;
    // In a run of tiles only events that begin in it and extend beyond it matter.
    const auto run = position;
    bin = tile;
    do {
      coverage.advance(bin++);
      position = std::clamp(tiles.first_event() + tiles.events(), position, last);
      coverage.give(tiles.take());
    } while (bin < bins.bins() && tiles.next_bin(bin) == bin);
    if (bin == bins.bins()) break;
    coverage.advance(bin);
    series.reaching(run, position, borders[bin], add);
  }
  return coverage.finish();
}

ColumnSum column_sum(const ColumnBins& bins, std::span<const BinSum> sums, int column) {
  ColumnSum sum;
  std::uint64_t busy = 0, covered = 0, selected = 0, events = 0, selected_events = 0, name_busy = 0;
  const auto first = bins.first_bin(column), last = bins.last_bin(column);
  for (auto bin = first; bin < last; ++bin) {
    const BinSum& of = sums[bin];
    sum.count += of.starts + (bin == first ? of.open : 0u);
    busy += of.busy;
    covered += of.covered;
    selected += of.selected;
    events += of.starts + std::uint64_t{of.open};
    selected_events += of.selected_events;
    if (of.name == kNone) continue;
    if (of.name == sum.name)
      name_busy += of.name_busy;
    else if (sum.name == kNone || of.name_busy > name_busy ||
             (of.name_busy == name_busy && of.name < sum.name)) {
      sum.name = of.name;
      name_busy = of.name_busy;
    }
  }
  if (first >= last || events == 0) return sum;
  const auto width = static_cast<double>(bins.borders()[last] - bins.borders()[first]);
  sum.busy = static_cast<double>(busy) / std::max(width, 1.0);
  sum.covered = std::min(static_cast<double>(covered) / std::max(width, 1.0), 1.0);
  sum.name_busy = static_cast<double>(name_busy) / std::max(width, 1.0);
  sum.selected = busy > 0 ? static_cast<double>(selected) / static_cast<double>(busy)
                          : static_cast<double>(selected_events) / static_cast<double>(events);
  return sum;
}

} // namespace jitterscope::analysis
