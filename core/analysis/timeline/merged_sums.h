#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.h"

namespace jitterscope::analysis {

/// Time by name in a block of pixel columns of several rows, each of which represents some tracks. Integer
/// nanoseconds: the sums do not depend on the order of the events.
class MergedSums {
public:
  /// `row_of_track`: the row of each track, numbered from 0; must outlive the object. Names are less than
  /// `names`, or kNone. `peaks`: also the largest shares of single tracks.
  MergedSums(std::span<const std::uint32_t> row_of_track, std::size_t rows, std::size_t names, bool peaks);

  /// Begins a block of columns with these borders (columns + 1, ascending), which must stay valid until the
  /// next call. Clears all sums.
  void start(std::span<const std::int64_t> borders);
  /// Adds an event of a track, clipped to the block; zero length counts as 1 ns. A track's events are sorted.
  void add(std::uint32_t track, std::uint32_t name, std::int64_t begin, std::int64_t end);
  /// Adds `time` ns of a name in one column of a track.
  void add_time(std::uint32_t track, std::uint32_t name, std::size_t column, std::int64_t time);

  struct Cell {
    std::uint32_t name = kNone;
    double share = 0; ///< covered share of the column, 0 … 1: mean over the tracks of the row, or, with
                      ///< `peaks`, the largest of a single track; 0: nothing happened
  };
  /// Computes all columns of a row. Call once per row after all events of the block were added.
  void cells(std::uint32_t row, std::span<Cell> out);

private:
  static constexpr std::size_t kNamesOfTrack = 4;
  struct Track { ///< contents of the column in which the last event of the track ended
    std::int32_t column = -1;
    std::array<std::uint32_t, kNamesOfTrack> slots{};
    std::array<std::int64_t, kNamesOfTrack> times{};
    std::int64_t covered = 0;
  };
  struct Slot {
    std::uint32_t number = 0, name = 0;
  };

  std::uint32_t slot_of(std::uint32_t row, std::uint32_t name) {
    const auto local = local_[std::min<std::size_t>(name, local_.size() - 1)];
    if (const auto& of = by_local_[row]; local < of.size() && of[local] != kNone) return of[local];
    return make_slot(row, name);
  }
  std::uint32_t make_slot(std::uint32_t row, std::uint32_t name);
  std::size_t column_of(std::int64_t time) const;
  void add_to(std::uint32_t track, std::uint32_t slot, std::size_t column, std::int64_t time);
  void add_peak(std::uint32_t track, std::uint32_t slot, std::size_t column, std::int64_t time);
  void flush(std::uint32_t track);

  std::span<const std::uint32_t> row_of_track_;
  bool peaks_;
  std::vector<std::int64_t> tracks_in_row_;
  std::span<const std::int64_t> borders_;
  std::size_t columns_ = 0;
  double columns_per_ns_ = 0;
  std::vector<std::uint32_t>
      local_; ///< by name: number in the order of first use; the last entry is for kNone
  std::uint32_t locals_ = 0;
  std::vector<std::vector<std::uint32_t>> by_local_; ///< by row and local name: slot, kNone if there is none
  std::vector<std::vector<Slot>> slots_;             ///< by row: slots of its names
  std::uint32_t count_ = 0;                          ///< number of slots of all rows
  // By slot and column.
  std::vector<std::int64_t> part_; ///< time of events that do not fill the column [ns]
  /// Change of the number of events that fill the column; one extra column.
  std::vector<std::int32_t> full_;
  std::vector<std::int64_t>
      peak_; ///< maximum over the tracks of the time of the slot's name in the column [ns]
  std::vector<std::int64_t>
      covered_peak_; ///< by row and column: maximum over the tracks of the covered time [ns]
  std::vector<Track> tracks_;
};

} // namespace jitterscope::analysis
