#include "core/store/tiles/range_blocks.h"

#include <algorithm>
#include <atomic>
#include <cassert>

#include "core/base/parallel.h"
#include "core/base/spill_memory.h"
#include "core/base/spill_vector.h"

namespace jitterscope::store {
namespace {

constexpr std::size_t kBlocksPerTask = 1024;

UInt128 joined(std::int64_t low, std::int64_t high) {
  return static_cast<UInt128>(static_cast<std::uint64_t>(high)) << 64 | static_cast<std::uint64_t>(low);
}

std::int64_t low_half(UInt128 value) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
}
std::int64_t high_half(UInt128 value) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value >> 64));
}

/// Writes the blocks of one task; sums are those of each block alone until all blocks are known. Returns
/// whether events of one block overlap.
bool fill_blocks(const EventSource& source, std::size_t first, std::size_t last, std::size_t at,
                 BlockColumns& blocks) {
  SpillVector<Event> buffer;
  bool overlaps = false;
  for (auto block = first; block < last; ++block) {
    const auto from = block * kBlockEvents, to = std::min(from + kBlockEvents, source.events);
    const auto events = source.events_at(from, to, buffer);
    std::uint64_t sum = 0;
    UInt128 squares = 0;
    std::int64_t minimum = INT64_MAX, maximum = INT64_MIN, last_end = INT64_MIN;
    for (const auto& event : events) {
      const auto length = event.end - event.begin;
      const auto positive = static_cast<std::uint64_t>(length);
      sum += positive;
      squares += static_cast<UInt128>(positive) * positive;
      minimum = std::min(minimum, length);
      maximum = std::max(maximum, length);
      overlaps |= event.begin < last_end;
      last_end = std::max(last_end, event.end);
    }
    const auto row = at + block;
    blocks.begin[row] = events[0].begin;
    blocks.sum_before[row] = static_cast<std::int64_t>(sum);
    blocks.squares_before_low[row] = low_half(squares);
    blocks.squares_before_high[row] = high_half(squares);
    blocks.minimum[row] = minimum;
    blocks.maximum[row] = maximum;
    blocks.last_end[row] = last_end;
  }
  return overlaps;
}

// Turns the sums into running sums. Returns whether events of different blocks overlap.
bool make_sums_run(BlockColumns& blocks, std::size_t at) {
  std::uint64_t sum = 0;
  UInt128 squares = 0;
  std::int64_t end = INT64_MIN;
  bool overlaps = false;
  for (auto row = at; row < blocks.begin.size(); ++row) {
    overlaps |= blocks.begin[row] < end;
    end = std::max(end, blocks.last_end[row]);
    const auto own = static_cast<std::uint64_t>(blocks.sum_before[row]);
    const auto own_squares = joined(blocks.squares_before_low[row], blocks.squares_before_high[row]);
    blocks.sum_before[row] = static_cast<std::int64_t>(sum);
    blocks.squares_before_low[row] = low_half(squares);
    blocks.squares_before_high[row] = high_half(squares);
    sum += own;
    squares += own_squares;
  }
  return overlaps;
}

// Appends a level of groups: each aggregates kGroupSize of the rows [first, first + count) of the finer
// level.
void add_level(const SpillVector<std::int64_t>& minimum, const SpillVector<std::int64_t>& maximum,
               const SpillVector<std::int64_t>& last_end, std::size_t first, std::size_t count,
               GroupColumns& groups) {
  for (std::size_t from = 0; from < count; from += kGroupSize) {
    std::int64_t smallest = INT64_MAX, largest = INT64_MIN, end = INT64_MIN;
    for (auto i = first + from; i < first + std::min(from + kGroupSize, count); ++i) {
      smallest = std::min(smallest, minimum[i]);
      largest = std::max(largest, maximum[i]);
      end = std::max(end, last_end[i]);
    }
    groups.minimum.push_back(smallest);
    groups.maximum.push_back(largest);
    groups.last_end.push_back(end);
  }
}

} // namespace

std::size_t blocks_of(std::size_t events) {
  return events / kBlockEvents + (events % kBlockEvents != 0);
}

std::vector<std::size_t> group_levels(std::size_t blocks) {
  std::vector<std::size_t> levels;
  while (blocks > kGroupSize) {
    blocks = blocks / kGroupSize + (blocks % kGroupSize != 0);
    levels.push_back(blocks);
  }
  return levels;
}

std::optional<bool> build_blocks(const EventSource& source, BlockColumns& blocks, GroupColumns& groups,
                                 int threads, const std::function<bool()>& stop_requested) {
  const auto count = blocks_of(source.events);
  const auto at = blocks.begin.size();
  for (auto* column : {&blocks.begin, &blocks.sum_before, &blocks.squares_before_low,
                       &blocks.squares_before_high, &blocks.minimum, &blocks.maximum, &blocks.last_end})
    column->resize(at + count);
  const auto tasks = count / kBlocksPerTask + (count % kBlocksPerTask != 0);
  std::atomic<bool> overlaps{false};
  const auto task = [&](std::size_t i) {
    SpillMemory::relieve();
    if (fill_blocks(source, i * kBlocksPerTask, std::min((i + 1) * kBlocksPerTask, count), at, blocks))
      overlaps = true;
  };
  if (!parallel_for(tasks, threads, task, stop_requested)) return std::nullopt;
  if (make_sums_run(blocks, at)) overlaps = true;
  std::size_t below = at;
  std::size_t rows = count;
  bool first = true;
  for (const auto size : group_levels(count)) {
    const auto next = groups.minimum.size();
    if (first)
      add_level(blocks.minimum, blocks.maximum, blocks.last_end, below, rows, groups);
    else
      add_level(groups.minimum, groups.maximum, groups.last_end, below, rows, groups);
    first = false;
    below = next;
    rows = size;
  }
  return overlaps.load();
}

Blocks::Blocks(const View& view, std::size_t events) : view_(view), events_(events) {
  assert(view.begin.size() == blocks_of(events));
  std::size_t first = 0;
  for (const auto size : group_levels(view.begin.size())) {
    levels_.push_back({first, size});
    first += size;
  }
}

std::uint64_t Blocks::sum_before(std::size_t block) const {
  return static_cast<std::uint64_t>(view_.sum_before[block]);
}

UInt128 Blocks::squares_before(std::size_t block) const {
  return joined(view_.squares_before_low[block], view_.squares_before_high[block]);
}

std::size_t Blocks::block_before(std::int64_t time) const {
  const auto found = std::lower_bound(view_.begin.begin(), view_.begin.end(), time) - view_.begin.begin();
  return found > 0 ? static_cast<std::size_t>(found) - 1 : 0;
}

// Covers blocks [first, last) with as few rows as possible. visit(level, row, whole) returns 1 if the row's
// aggregate suffices for all its blocks (the walk continues after them), 0 if its parts must be visited, 2 to
// stop; `whole`: the range contains all its blocks. requested(level, row): whether the row is visited at all.
// False when stopped.
template <class Part, class Visit>
bool Blocks::walk(std::size_t first, std::size_t last, Part&& requested, Visit&& visit) const {
  std::size_t width = 1; // blocks under one row of the level
  for (std::size_t i = 0; i < levels_.size(); ++i) width *= kGroupSize;
  const auto down = [&](const auto& self, std::size_t level, std::size_t row, std::size_t wide) -> bool {
    const auto from = row * wide;
    if (from >= last || from + wide <= first || !requested(level, row)) return true;
    const bool whole = from >= first && (from + wide <= last || last == count());
    if (level == 0) return visit(level, row, whole) != 2;
    const int answer = visit(level, row, whole);
    if (answer == 2) return false;
    if (answer == 1) return true;
    const auto rows = level == 1 ? count() : levels_[level - 2].count;
    for (auto child = row * kGroupSize; child < std::min((row + 1) * kGroupSize, rows); ++child)
      if (!self(self, level - 1, child, wide / kGroupSize)) return false;
    return true;
  };
  const auto top = levels_.size();
  const auto rows = top == 0 ? count() : levels_.back().count;
  for (auto row = first / width; row < rows && row * width < last; ++row)
    if (!down(down, top, row, width)) return false;
  return true;
}

Blocks::Extremes Blocks::extremes(std::size_t first, std::size_t last) const {
  Extremes found;
  if (first >= last) return found;
  walk(
      first, last, [](std::size_t, std::size_t) { return true; },
      [&](std::size_t level, std::size_t row, bool whole) {
        if (!whole) return 0;
        const auto at = level == 0 ? row : levels_[level - 1].first + row;
        found.minimum = std::min(found.minimum, level == 0 ? view_.minimum[at] : view_.group_minimum[at]);
        found.maximum = std::max(found.maximum, level == 0 ? view_.maximum[at] : view_.group_maximum[at]);
        return 1;
      });
  return found;
}

void Blocks::ending_after(std::size_t first, std::size_t last, std::int64_t time,
                          const std::function<bool(std::size_t)>& visit) const {
  if (first >= last) return;
  walk(
      first, last,
      [&](std::size_t level, std::size_t row) {
        return (level == 0 ? view_.last_end[row] : view_.group_last_end[levels_[level - 1].first + row]) >
               time;
      },
      [&](std::size_t level, std::size_t row, bool) { return level > 0    ? 0
                                                             : visit(row) ? 1
                                                                          : 2; });
}

std::int64_t Blocks::last_end() const {
  std::int64_t end = INT64_MIN;
  const auto& ends = levels_.empty() ? view_.last_end : view_.group_last_end;
  for (auto i = levels_.empty() ? 0 : levels_.back().first; i < ends.size(); ++i)
    end = std::max(end, ends[i]);
  return end;
}

} // namespace jitterscope::store
