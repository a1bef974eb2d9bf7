#pragma once

#include <cstdint>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/store/tiles/range_blocks.h"
#include "core/store/tiles/tiles.h"
#include "core/store/trace/trace_data.h"
#include "core/store/tracks/series_kind.h"

namespace jitterscope::store {

/// A row of "series".
struct SeriesRow {
  SeriesKind kind = SeriesKind::AllLaunches;
  std::uint8_t level = 0;
  std::uint32_t resource = 0;
  bool in_order = false, overlaps = false;
  std::int64_t first_row = 0, events = 0, longest = 0, busy = 0, begin = 0, end = 0;
  std::int64_t first_block = 0, first_group = 0, first_level = 0;
  std::uint8_t levels = 0;
};

/// The columns of "tiles" during the build.
struct TileColumns {
  SpillVector<std::int64_t> at, name_busy, busy, covered, sum, squares_low, squares_high;
  SpillVector<std::uint32_t> first, count, open, minimum, maximum, name;

  void add(const Tile& tile) {
    at.push_back(tile.at);
    first.push_back(tile.first);
    count.push_back(tile.count);
    open.push_back(tile.open);
    minimum.push_back(tile.minimum);
    maximum.push_back(tile.maximum);
    name.push_back(tile.name);
    name_busy.push_back(static_cast<std::int64_t>(tile.name_busy));
    busy.push_back(static_cast<std::int64_t>(tile.busy));
    covered.push_back(static_cast<std::int64_t>(tile.covered));
    sum.push_back(static_cast<std::int64_t>(tile.sum));
    squares_low.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(tile.squares)));
    squares_high.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(tile.squares >> 64)));
  }

  void move_to(Table& table) {
    table.add("at", "", "Number of the bin, whose start is this number · 2^shift ns", std::move(at));
    table.add("first", "", "Position in the series of the first event that begins in the bin",
              std::move(first));
    table.add("count", "", "Number of events that begin in the bin", std::move(count));
    table.add("open", "", "Number of events that begin before the bin and end after its start",
              std::move(open));
    table.add("minimum", "ns", "Length of the shortest event that begins in the bin, at most 4294967295",
              std::move(minimum));
    table.add("maximum", "ns", "Length of the longest event that begins in the bin, at most 4294967295",
              std::move(maximum));
    table.add("name", "", "Name with the largest total time in the bin", std::move(name));
    table.add("name_busy", "ns", "Total time in the bin of the name in column name", std::move(name_busy));
    table.add("busy", "ns", "Sum of the lengths of all events, clipped to the bin", std::move(busy));
    table.add("covered", "ns", "Length of the union of all events, clipped to the bin", std::move(covered));
    table.add("sum", "ns", "Sum of the lengths of the events that begin in the bin", std::move(sum));
    table.add("squares_low", "",
              "Sum of the squared lengths of the events that begin in the bin, low 64 bits",
              std::move(squares_low));
    table.add("squares_high", "",
              "Sum of the squared lengths of the events that begin in the bin, high 64 bits",
              std::move(squares_high));
  }
};

void fill_series(Table& table, const std::vector<SeriesRow>& series);
/// Moves the columns into the table "series_blocks".
void fill_blocks(Table& table, BlockColumns&& blocks);

} // namespace jitterscope::store
