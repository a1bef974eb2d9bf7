#include "core/analysis/lanes/lane_walk.h"

#include <algorithm>

namespace jitterscope::analysis {

LaneWalk::LaneWalk(const store::Series& series, const ColumnBins& bins, LaneSums& sums, bool use_tiles)
    : series_(series), bins_(bins), sums_(sums), tiles_(series, bins), use_tiles_(use_tiles) {
  const auto borders = bins.borders();
  sums_.allow(series.names());
  sums_.start(borders);
  position_ = series.position_of(borders.front());
  last_ = std::max(series.position_of(borders.back()), position_);
  if (position_ > 0) sums_.add_open(series.at(position_ - 1), 0);
  find_next_tile();
}

void LaneWalk::find_next_tile() {
  bin_ = use_tiles_ && bin_ < bins_.bins() ? tiles_.next_bin(bin_) : SIZE_MAX;
  end_ = bin_ == SIZE_MAX ? last_ : std::clamp(tiles_.first_event(), position_, last_);
}

// The tiles of a run supply its sums. Only its last event is read, because it may extend beyond the run.
void LaneWalk::add_tiles() {
  const auto run = position_;
  do {
    position_ = std::clamp(tiles_.first_event() + tiles_.events(), position_, last_);
    sums_.give(bin_++, tiles_.take());
  } while (bin_ < bins_.bins() && tiles_.next_bin(bin_) == bin_);
  if (position_ > run) sums_.add_open(series_.at(position_ - 1), bin_);
  if (bin_ >= bins_.bins()) position_ = last_;
  find_next_tile();
}

void LaneWalk::walk_to(std::size_t row) {
  store::Event events[store::kBlockEvents];
  for (;;) {
    while (position_ < end_) {
      if (series_.row(position_) >= row) return;
      const auto count = std::min(end_ - position_, store::kBlockEvents);
      series_.read(position_, position_ + count, events);
      sums_.add({events, count});
      position_ += count;
    }
    if (bin_ == SIZE_MAX) return;
    add_tiles();
  }
}

std::optional<std::size_t> LaneWalk::next_row() const {
  return position_ < end_ ? std::optional(series_.row(position_)) : std::nullopt;
}

std::span<const BinSum> LaneWalk::finish() {
  walk_to(SIZE_MAX);
  return sums_.finish();
}

void walk_together(std::span<LaneWalk* const> walks) {
  constexpr std::size_t kRows = std::size_t{1} << 15; // half a megabyte of start, duration, name, order
  for (;;) {
    std::size_t first = SIZE_MAX; // all walks have read the rows before `first`
    for (auto* walk : walks) {
      walk->walk_to(0);
      first = std::min(first, walk->next_row().value_or(SIZE_MAX));
    }
    if (first == SIZE_MAX) return;
    for (auto* walk : walks) walk->walk_to(first + kRows);
  }
}

} // namespace jitterscope::analysis
