#pragma once

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/trace/trace_data.h"
#include "core/store/tracks/series_kind.h"

namespace jitterscope::store {

/// The tables of the track index, in the order of writing. Unsigned 64-bit integers are stored as int64,
/// 128-bit integers in two columns.
///
/// "series": one row per level of a track: kind u8 (SeriesKind), level u8 (lane, depth or kind), resource
///   u32; rows_in_order u8 (1: the rows start at `first_row` of the event table, 0: of "series_rows");
///   overlaps u8 (1 when an event begins before another has ended); first_row, events i64; longest, busy i64
///   [ns] (Σ length), begin, end i64 [ns]; first_block, first_group, first_level i64 (rows of the tables
///   below), levels u8. Series with the same events share all of these.
/// "series_rows": row u32 of the event table, in start order
/// "series_blocks" and "series_groups": see range_blocks.h
/// "tile_levels": shift u8, first i64, tiles i64 (rows of "tiles"); finest level of a series first
/// "tiles": see tiles.h
/// "counter_blocks" and "counter_groups": per 64 samples of a counter, then per 64 of these, and so on:
///   minimum, maximum, sum f64 and numbers u32, ignoring NaN; counters in the same order as in "samples"
///
/// Lengths are durations; in tables without times every launch takes one place and has length 1.
inline constexpr const char* kTrackIndexTables[] = {"series",         "series_rows",   "series_blocks",
                                                    "series_groups",  "tile_levels",   "tiles",
                                                    "counter_blocks", "counter_groups"};

/// Builds the track index of imported data, of which it reads only the necessary columns. Every event table
/// must be sorted by start, the samples by counter. Uses all processors. Errors: Cancelled.
Expected<std::vector<Table>> track_index_tables(const TraceData& data, const Job& job);

/// Sets these tables as the track index of the data, replacing an existing one.
void set_track_index(TraceData& data, std::vector<Table>&& tables);

Expected<void> add_track_index(TraceData& data, const Job& job);

} // namespace jitterscope::store
