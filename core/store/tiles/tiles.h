#pragma once

#include <array>
#include <cstdint>

#include "core/base/spill_vector.h"
#include "core/base/time.h"

namespace jitterscope::store {

/// A tile is stored for every dyadic bin [at · 2^shift, (at + 1) · 2^shift) ns in which more than kTileEvents
/// events of the series begin; shift 0 … 62, aligned to time 0 of the trace. So a bin without a tile holds at
/// most this many events, empty time costs nothing, and a view reads at most this many rows for each bin it
/// draws. The finest level depends on the events, not on the track.
inline constexpr std::uint32_t kTileEvents = 32;
inline constexpr int kTileLevels = 63;

/// Aggregates of one bin. Exact except that minimum and maximum saturate; sums are modulo 2⁶⁴ and
/// 2¹²⁸.
struct Tile {
  std::int64_t at = 0;     ///< index of the bin
  std::uint32_t first = 0; ///< index in the series of the first event that begins in the bin
  std::uint32_t count = 0; ///< number of events that begin in the bin
  std::uint32_t open = 0;  ///< number of events that begin before the bin and end after its start
  std::uint32_t minimum = 0; ///< extremes of the lengths of the events that begin in the bin, at most 2³² − 1
  std::uint32_t maximum = 0;
  std::uint32_t name = 0;      ///< name with the largest total time in the bin; ties: smallest id
  std::uint64_t name_busy = 0; ///< time of `name` in the bin [ns]
  std::uint64_t busy = 0;      ///< Σ length of all events, clipped to the bin [ns]
  std::uint64_t covered = 0;   ///< length of the union of all events in the bin [ns]
  std::uint64_t sum = 0;       ///< Σ length of the events that begin in the bin, unclipped [ns]
  UInt128 squares = 0;         ///< Σ length² of the events that begin in the bin [ns²]
  bool operator==(const Tile&) const = default;
};

/// Tiles of a series by shift; at each level ascending.
using TileTree = std::array<SpillVector<Tile>, kTileLevels>;

} // namespace jitterscope::store
