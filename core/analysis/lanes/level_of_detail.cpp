#include "core/analysis/lanes/level_of_detail.h"

#include <algorithm>

#include "core/analysis/lanes/lane_walk.h"

namespace jitterscope::analysis {

TileCursor::TileCursor(const store::Series& series, const ColumnBins& bins)
    : bins_(&bins), names_(series.names()) {
  if (!bins.dyadic() || series.levels.empty()) return;
  for (int wide = 0; wide < 2; ++wide)
    places_[static_cast<std::size_t>(wide)] = place_of(series, bins.shift() + wide, bins.borders().front());
}

TileCursor::Place TileCursor::place_of(const store::Series& series, int shift, std::int64_t from) {
  Place place;
  place.level = series.tiles(shift);
  if (const auto& top = series.levels.back(); shift > top.shift) {
    place.level = &top;
    place.coarser = shift - top.shift;
  }
  if (!place.level) return place;
  const auto& at = place.level->at;
  const auto first = std::partition_point(
      at.begin(), at.end(), [&](std::int64_t of) { return of >> place.coarser < from >> shift; });
  place.at = static_cast<std::size_t>(first - at.begin());
  return place;
}

std::size_t TileCursor::next_bin(std::size_t minimum) {
  if (!places_[0].level && !places_[1].level) return SIZE_MAX;
  for (auto bin = minimum; bin < bins_->bins(); ++bin) {
    const auto shift = bins_->shift_of(bin);
    const std::size_t which = shift > bins_->shift() ? 1 : 0;
    auto& place = places_[which];
    if (!place.level) continue;
    const auto at = bins_->borders()[bin] >> shift;
    while (place.at < place.level->size() && place.level->at[place.at] >> place.coarser < at) ++place.at;
    if (place.at == place.level->size() || place.level->at[place.at] >> place.coarser != at) continue;
    current_ = which;
    return bin;
  }
  return SIZE_MAX;
}

BinSum TileCursor::take() {
  const auto& level = *current().level;
  const auto at = places_[current_].at++;
  BinSum sum;
  sum.starts = level.count[at];
  sum.open = level.open[at];
  sum.name = level.name[at] < names_ ? level.name[at] : kNone;
  sum.name_busy = static_cast<std::uint64_t>(level.name_busy[at]);
  sum.busy = static_cast<std::uint64_t>(level.busy[at]);
  sum.covered = static_cast<std::uint64_t>(level.covered[at]);
  sum.selected = sum.busy;
  sum.selected_events = sum.starts + sum.open;
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
  const auto bin = bins.bin_of(column);
  const BinSum& of = sums[bin];
  sum.count = of.starts + std::uint64_t{of.open};
  if (sum.count == 0) return sum;
  const auto width = std::max(static_cast<double>(bins.borders()[bin + 1] - bins.borders()[bin]), 1.0);
  const auto share = [&](std::uint64_t time) { return static_cast<double>(time) / width; };
  sum.busy = share(of.busy);
  sum.covered = std::min(share(of.covered), 1.0);
  sum.name = of.name;
  sum.name_busy = of.name == kNone ? 0 : share(of.name_busy);
  sum.selected = of.busy > 0 ? static_cast<double>(of.selected) / static_cast<double>(of.busy)
                             : static_cast<double>(of.selected_events) / static_cast<double>(sum.count);
  return sum;
}

} // namespace jitterscope::analysis
