#include "core/store/tracks/series_columns.h"

#include <utility>

#include "core/base/spill_vector.h"

namespace jitterscope::store {
namespace {

template <class Row, class T>
SpillVector<T> member(const std::vector<Row>& rows, T Row::*field) {
  SpillVector<T> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(row.*field);
  return values;
}

} // namespace

void fill_series(Table& table, const std::vector<SeriesRow>& series) {
  SpillVector<std::uint8_t> kinds, in_order, overlaps;
  for (const auto& row : series) {
    kinds.push_back(static_cast<std::uint8_t>(row.kind));
    in_order.push_back(row.in_order);
    overlaps.push_back(row.overlaps);
  }
  table.add("kind", "", "Kind of the events (SeriesKind)", std::move(kinds));
  table.add("level", "", "Lane or depth inside its track", member(series, &SeriesRow::level));
  table.add("resource", "", "Stream, device or thread", member(series, &SeriesRow::resource));
  table.add("rows_in_order", "",
            "1: rows are consecutive in the event table, 0: they are listed in series_rows",
            std::move(in_order));
  table.add("overlaps", "", "1 when an event begins before another has ended", std::move(overlaps));
  table.add("first_row", "", "First row of the event table or of series_rows",
            member(series, &SeriesRow::first_row));
  table.add("events", "", "Number of rows", member(series, &SeriesRow::events));
  table.add("longest", "ns", "Length of the longest event", member(series, &SeriesRow::longest));
  table.add("busy", "ns", "Sum of the lengths", member(series, &SeriesRow::busy));
  table.add("begin", "ns", "Start of the first event", member(series, &SeriesRow::begin));
  table.add("end", "ns", "Latest end", member(series, &SeriesRow::end));
  table.add("first_block", "", "First row of series_blocks", member(series, &SeriesRow::first_block));
  table.add("first_group", "", "First row of series_groups", member(series, &SeriesRow::first_group));
  table.add("first_level", "", "First row of tile_levels", member(series, &SeriesRow::first_level));
  table.add("levels", "", "Number of rows of tile_levels", member(series, &SeriesRow::levels));
}

void fill_blocks(Table& table, BlockColumns&& blocks) {
  table.add("begin", "ns", "Start of the first of 64 events", std::move(blocks.begin));
  table.add("sum_before", "ns", "Sum of the lengths of all previous events of the series",
            std::move(blocks.sum_before));
  table.add("squares_before_low", "",
            "Sum of the squared lengths of all previous events of the series, low 64 bits",
            std::move(blocks.squares_before_low));
  table.add("squares_before_high", "",
            "Sum of the squared lengths of all previous events of the series, high 64 bits",
            std::move(blocks.squares_before_high));
  table.add("minimum", "ns", "Length of the shortest of the 64 events", std::move(blocks.minimum));
  table.add("maximum", "ns", "Length of the longest of the 64 events", std::move(blocks.maximum));
  table.add("last_end", "ns", "Latest end of the 64 events", std::move(blocks.last_end));
}

} // namespace jitterscope::store
