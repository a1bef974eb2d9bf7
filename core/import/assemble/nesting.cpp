#include "core/import/assemble/nesting.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "core/base/ids.h"
#include "core/base/spill_vector.h"
#include "core/import/records/draft.h"

namespace jitterscope::import {
namespace {

/// Rows of ranges in the order in which they are pushed on the stack of their thread: by start, the longer
/// one first if they begin together.
class StackOrder {
public:
  StackOrder(std::span<const std::int64_t> start, std::span<const std::int64_t> duration,
             std::span<const std::uint32_t> thread)
      : start_(start), duration_(duration), thread_(thread) {}

  /// Calls visit(row) for all unvisited ranges that begin at or before `time`.
  template <class Visit>
  void until(std::int64_t time, Visit&& visit) {
    while (next_ < start_.size() && start_[next_] <= time) {
      auto last = next_ + 1;
      while (last < start_.size() && start_[last] == start_[next_]) ++last;
      visit_together(last, visit);
    }
  }

private:
  template <class Visit>
  void visit_together(std::size_t last, Visit&& visit) {
    if (last - next_ == 1) {
      visit(next_++);
      return;
    }
    together_.clear();
    for (; next_ < last; ++next_) together_.push_back(next_);
    std::stable_sort(together_.begin(), together_.end(), [&](std::size_t a, std::size_t b) {
      return std::make_tuple(thread_[a], -duration_[a]) < std::make_tuple(thread_[b], -duration_[b]);
    });
    for (const auto row : together_) visit(row);
  }

  std::span<const std::int64_t> start_, duration_;
  std::span<const std::uint32_t> thread_;
  std::size_t next_ = 0;
  SpillVector<std::size_t> together_;
};

std::size_t threads_in(std::span<const std::uint32_t> thread) {
  return thread.empty() ? 0 : std::size_t{*std::max_element(thread.begin(), thread.end())} + 1;
}

} // namespace

SpillVector<std::uint8_t> nesting_depth(std::span<const std::int64_t> start,
                                        std::span<const std::int64_t> duration,
                                        std::span<const std::uint32_t> thread,
                                        std::span<const std::uint8_t> kind, Stop& stop) {
  SpillVector<std::uint8_t> depth(start.size());
  if (std::ranges::find(kind, kPushPopRange) == kind.end()) return depth;
  // Ranges of different domains may cross, so the one that ends first is not always the one opened last.
  using OpenEnds = std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>>;
  std::vector<OpenEnds> open_ends(threads_in(thread));
  StackOrder order(start, duration, thread);
  const auto visit = [&](std::size_t row) {
    auto& open = open_ends[thread[row]];
    while (!open.empty() && open.top() <= start[row]) open.pop();
    depth[row] = static_cast<std::uint8_t>(std::min<std::size_t>(open.size(), 255));
    if (kind[row] == kPushPopRange) open.push(start[row] + duration[row]);
  };
  for (std::size_t row = 0; row < start.size() && !stop.at(row); ++row) order.until(start[row], visit);
  return depth;
}

SpillVector<std::uint32_t> innermost_range(std::span<const std::int64_t> start,
                                           std::span<const std::int64_t> duration,
                                           std::span<const std::uint32_t> thread,
                                           std::span<const std::uint8_t> kind,
                                           std::span<const std::int64_t> time,
                                           std::span<const std::uint32_t> thread_of_time, Stop& stop) {
  SpillVector<std::uint32_t> result(time.size(), kNone);
  const auto opens = [](std::uint8_t of) { return of != kMark && of != kStateRange; };
  if (std::ranges::none_of(kind, opens)) return result;
  std::vector<std::vector<std::uint32_t>> stacks(std::max(threads_in(thread), threads_in(thread_of_time)));
  StackOrder order(start, duration, thread);
  const auto visit = [&](std::size_t row) {
    if (opens(kind[row])) stacks[thread[row]].push_back(static_cast<std::uint32_t>(row));
  };
  for (std::size_t moment = 0; moment < time.size() && !stop.at(moment); ++moment) {
    order.until(time[moment], visit);
    auto& stack = stacks[thread_of_time[moment]];
    // Ranges that have ended stay ended for all later moments.
    while (!stack.empty() && start[stack.back()] + duration[stack.back()] <= time[moment]) stack.pop_back();
    if (!stack.empty()) result[moment] = stack.back();
  }
  return result;
}

} // namespace jitterscope::import
