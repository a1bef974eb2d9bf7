#pragma once

#include <string_view>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/trace/trace_data.h"
#include "core/store/tracks/series_kind.h"

namespace jitterscope::store {

/// Whether a kernel of this name communicates between devices (models.md 5.2): it contains "nccl", "rccl" or
/// "nvshmem", in letters of any case.
bool is_collective(std::string_view kernel);

/// messages.kind of a transmission from its thread to its peer.
inline constexpr std::uint8_t kTransmission = 4;

/// The tables of the track index, in the order in which they are written. Unsigned 64-bit numbers are stored
/// as int64, 128 bits in two columns.
///
/// "series": one row per level of a track: kind u8 (SeriesKind), level u8 (lane, depth or kind), resource
///   u32; rows_in_order u8 (1: the rows are `first_row` … of the event table, 0: of "series_rows"); overlaps
///   u8 (1 when an event begins before another has ended); first_row, events i64; longest, busy i64 [ns] (Σ
///   length), begin, end i64 [ns]; first_block, first_group, first_level i64 (rows of the tables below),
///   levels u8. Series of the same events share all of these.
/// "series_rows": row u32 of the event table, in start order
/// "series_blocks" and "series_groups": see range_blocks.h
/// "tile_levels": shift u8, first i64, tiles i64 (rows of "tiles"); the finest level of a series first
/// "tiles": see tiles.h
/// "counter_blocks" and "counter_groups": for every 64 samples of a counter, then for 64 of these …: minimum,
///   maximum, sum f64 and numbers u32, NaN left out; counters follow each other as in "samples"
///
/// Lengths are durations; in tables without time every launch stands for one place and has length 1.
inline constexpr const char* kTrackIndexTables[] = {"series",         "series_rows",   "series_blocks",
                                                    "series_groups",  "tile_levels",   "tiles",
                                                    "counter_blocks", "counter_groups"};

/// The track index of the data of an import, of which it reads only what it needs. Every event table must be
/// sorted by start, the samples by counter. Uses all processors. Errors: Cancelled.
Expected<std::vector<Table>> track_index_tables(const TraceData& data, const Job& job);

/// Makes these tables the track index of the data (replacing one that is there).
void set_track_index(TraceData& data, std::vector<Table>&& tables);

/// Builds the track index and adds it to the data.
Expected<void> add_track_index(TraceData& data, const Job& job);

} // namespace jitterscope::store
