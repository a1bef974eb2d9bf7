#include "core/import/nesting.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

#include "core/base/ids.h"
#include "core/import/draft.h"

namespace jitterscope::import {
namespace {

// Ranges by thread, then start, then the longer first: the order in which a stack meets them.
std::vector<std::uint32_t> stack_order(std::span<const std::int64_t> start,
                                       std::span<const std::int64_t> duration,
                                       std::span<const std::uint32_t> thread, Stop& stop) {
  std::vector<std::uint32_t> order(start.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::make_tuple(thread[a], start[a], -duration[a]) <
           std::make_tuple(thread[b], start[b], -duration[b]);
  };
  sort_stably(order, before, stop);
  return order;
}

} // namespace

std::vector<std::uint8_t> nesting_depth(std::span<const std::int64_t> start,
                                        std::span<const std::int64_t> duration,
                                        std::span<const std::uint32_t> thread,
                                        std::span<const std::uint8_t> kind, Stop& stop) {
  std::vector<std::uint8_t> depth(start.size());
  // Ranges of different domains may cross, so the one that ends first is not always the one opened last.
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> open_ends;
  std::uint32_t current = kNone;
  std::size_t seen = 0;
  for (const auto row : stack_order(start, duration, thread, stop)) {
    if (stop.at(seen++)) break;
    if (thread[row] != current) open_ends = {};
    current = thread[row];
    while (!open_ends.empty() && open_ends.top() <= start[row]) open_ends.pop();
    depth[row] = static_cast<std::uint8_t>(std::min<std::size_t>(open_ends.size(), 255));
    if (kind[row] == kPushPopRange) open_ends.push(start[row] + duration[row]);
  }
  return depth;
}

std::vector<std::uint32_t> innermost_range(std::span<const std::int64_t> start,
                                           std::span<const std::int64_t> duration,
                                           std::span<const std::uint32_t> thread,
                                           std::span<const std::uint8_t> kind,
                                           std::span<const Moment> moments, Stop& stop) {
  std::vector<std::uint32_t> asked(moments.size());
  std::iota(asked.begin(), asked.end(), 0u);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(moments[a].thread, moments[a].time) < std::tie(moments[b].thread, moments[b].time);
  };
  sort_stably(asked, before, stop);
  std::vector<std::uint32_t> result(moments.size(), kNone), stack;
  const auto order = stack_order(start, duration, thread, stop);
  std::size_t next = 0;
  std::uint32_t current = kNone;
  std::size_t answered = 0;
  for (const auto question : asked) {
    if (stop.at(answered++)) break;
    const auto& moment = moments[question];
    if (moment.thread != current) stack.clear();
    current = moment.thread;
    for (; next < order.size(); ++next) {
      const auto row = order[next];
      if (std::tie(thread[row], start[row]) > std::tie(moment.thread, moment.time)) break;
      const bool encloses = kind[row] != kMark && kind[row] != kStateRange;
      if (thread[row] == moment.thread && encloses) stack.push_back(row);
    }
    // Whatever has ended stays ended for all later moments.
    while (!stack.empty() && start[stack.back()] + duration[stack.back()] <= moment.time) stack.pop_back();
    if (!stack.empty()) result[question] = stack.back();
  }
  return result;
}

} // namespace jitterscope::import
