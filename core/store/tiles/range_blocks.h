#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/base/time.h"

namespace jitterscope::store {

/// One event of a series; a series is the events of one level of a track, in start order.
struct Event {
  std::int64_t begin = 0;
  std::int64_t end = 0;   ///< not before `begin`
  std::uint32_t name = 0; ///< id in the store: row of "kernels", kind of transfer, StringId
};

/// Input of the index builders. `read` and `begin_at` may be called from several threads at once.
struct EventSource {
  std::size_t events = 0;
  std::function<std::int64_t(std::size_t position)> begin_at;
  std::function<void(std::size_t first, std::size_t last, Event* out)>
      read;                         ///< reads the events at positions [first, last)
  const Event* in_memory = nullptr; ///< all events where they are in memory; else null

  /// The events at positions [first, last), read into `buffer` unless they are in memory.
  template <class Buffer>
  std::span<const Event> events_at(std::size_t first, std::size_t last, Buffer& buffer) const {
    if (in_memory) return {in_memory + first, last - first};
    buffer.resize(last - first);
    read(first, last, buffer.data());
    return {buffer.data(), last - first};
  }
};

inline constexpr std::size_t kBlockEvents = 64; ///< events per block
inline constexpr std::size_t kGroupSize = 64;   ///< blocks per group, and groups per group of the next level

/// The index blocks of a series. For each kBlockEvents events: the start of the first, the sums of length and
/// length² of all events before (modulo 2⁶⁴ and 2¹²⁸), and the extremes in the block.
struct BlockColumns {
  SpillVector<std::int64_t> begin;
  SpillVector<std::int64_t> sum_before, squares_before_low,
      squares_before_high;                    ///< bits of unsigned integers
  SpillVector<std::int64_t> minimum, maximum; ///< extremes of the event lengths
  SpillVector<std::int64_t> last_end;         ///< maximum end of the events
};

/// The extremes of groups of kGroupSize blocks, then of groups of these, and so on until a level has at most
/// kGroupSize groups; the levels are stored one after the other.
struct GroupColumns {
  SpillVector<std::int64_t> minimum, maximum, last_end;
};

std::size_t blocks_of(std::size_t events);
/// Number of groups on each level for this number of blocks, finest level first.
std::vector<std::size_t> group_levels(std::size_t blocks);

/// Appends the blocks and groups of the series. Parallel over blocks. Returns whether any event begins before
/// an earlier one has ended; nothing when `stop_requested` returned true.
std::optional<bool> build_blocks(const EventSource& source, BlockColumns& blocks, GroupColumns& groups,
                                 int threads, const std::function<bool()>& stop_requested);

/// The blocks of one series, in the store or in memory. Values are not checked: a damaged file gives wrong
/// answers, but every index stays in range.
class Blocks {
public:
  struct View {
    std::span<const std::int64_t> begin, sum_before, squares_before_low, squares_before_high, minimum,
        maximum, last_end;
    std::span<const std::int64_t> group_minimum, group_maximum, group_last_end;
  };
  Blocks() = default;
  /// All spans have the same size; those of the groups have the size given by group_levels().
  Blocks(const View& view, std::size_t events);

  std::size_t events() const { return events_; }
  std::size_t count() const { return view_.begin.size(); }
  std::int64_t begin(std::size_t block) const { return view_.begin[block]; }
  std::uint64_t sum_before(std::size_t block) const;
  UInt128 squares_before(std::size_t block) const;
  /// The last block that begins before `time` (0 if none does): the first event at or after `time` is in it
  /// or is the first of the next block.
  std::size_t block_before(std::int64_t time) const;

  struct Extremes {
    std::int64_t minimum = INT64_MAX, maximum = INT64_MIN;
  };
  /// Extremes of the event lengths in blocks [first, last).
  Extremes extremes(std::size_t first, std::size_t last) const;
  /// Calls visit(block) for each block of [first, last) that holds an event ending after `time`, in order;
  /// stops when it returns false.
  void ending_after(std::size_t first, std::size_t last, std::int64_t time,
                    const std::function<bool(std::size_t)>& visit) const;
  /// Maximum end of all events; INT64_MIN if there are none.
  std::int64_t last_end() const;

private:
  template <class Part, class Visit>
  bool walk(std::size_t first, std::size_t last, Part&& requested, Visit&& visit) const;

  View view_;
  std::size_t events_ = 0;
  struct Level {
    std::size_t first = 0, count = 0;
  };
  std::vector<Level> levels_; ///< position of each level of groups, finest first
};

} // namespace jitterscope::store
