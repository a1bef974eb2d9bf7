#include "core/import/records/clock_offset.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "core/base/spill_vector.h"

namespace jitterscope::import {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Assumption: fewer than one in this number of links is wrong.
constexpr std::size_t kWrongLinks = 100;
constexpr std::size_t kMaxDelays = std::size_t{1} << 20;

struct Extent {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(),
               last = std::numeric_limits<std::int64_t>::min();
  void widen(std::int64_t start, std::int64_t duration) {
    first = std::min(first, start);
    last = std::max(last, start + duration);
  }
};

// Collects the delays of rows after their calls. They cannot overflow: readers keep timestamps below 2^61.
template <class Rows>
void collect(const Rows& rows, const CallRows& calls, std::size_t from, std::size_t to, Extent& extent,
             SpillVector<std::int64_t>& delays) {
  const auto step = (to - from) / kMaxDelays + 1;
  for (auto row = from; row < to; ++row) {
    extent.widen(rows.start[row], rows.duration[row]);
    if ((row - from) % step == 0 && rows.call[row] != kNone)
      delays.push_back(rows.start[row] - calls.start[rows.call[row]]);
  }
}

template <class Column>
void shift(Column& times, std::size_t from, std::size_t to, std::int64_t by) {
  for (auto row = from; row < to; ++row) times[row] += by;
}

std::int64_t first_of(const Draft& draft, const DraftSizes& from, const DraftSizes& to) {
  auto first = std::numeric_limits<std::int64_t>::max();
  const auto each = [&](const auto& times, std::size_t begin, std::size_t end) {
    for (auto row = begin; row < end; ++row) first = std::min(first, times[row]);
  };
  each(draft.launches.start, from.launches, to.launches);
  each(draft.transfers.start, from.transfers, to.transfers);
  each(draft.calls.start, from.calls, to.calls);
  each(draft.ranges.start, from.ranges, to.ranges);
  each(draft.samples.time, from.samples, to.samples);
  each(draft.messages.start, from.messages, to.messages);
  return first;
}

} // namespace

std::optional<std::int64_t> clock_offset(SpillVector<std::int64_t> delays, std::int64_t busy) {
  if (delays.empty()) return {};
  const auto at = [&](std::size_t place) {
    std::nth_element(delays.begin(), delays.begin() + static_cast<std::ptrdiff_t>(place), delays.end());
    return delays[place];
  };
  const auto minimum = at(delays.size() / kWrongLinks);
  if (minimum > std::max(kSecond, busy)) return minimum;
  if (at(delays.size() / 2) < 0) return minimum;
  return {};
}

namespace {

template <class Rows>
void check(Rows& rows, const CallRows& calls, std::size_t from, RowIssues& issues) {
  const auto& known =
      std::as_const(rows); // const access keeps columns that follow from their first value in compact form
  for (auto row = from; row < known.start.size(); ++row) {
    const auto call = known.call[row];
    const auto start = known.start[row];
    if (call == kNone || calls.start[call] <= start) continue;
    const auto early = calls.start[call] - start;
    const bool ended = early > known.duration[row];
    if (ended) rows.call[row] = kNone;
    issues.count(store::Severity::Doubt, ended ? "call-after-launch" : "launch-before-call", [&] {
      return ended ? fmt::format("the activity at {} ns ended before the call with its correlation number "
                                 "was entered: they are not linked",
                                 start)
                   : fmt::format(
                         "the activity at {} ns starts {} ns before its call was entered: the clocks of host "
                         "and device differ",
                         start, early);
    });
  }
}

} // namespace

void check_calls(Draft& draft, const DraftSizes& from, RowIssues& issues) {
  Extent extent;
  SpillVector<std::int64_t> delays;
  collect(draft.launches, draft.calls, from.launches, draft.launches.start.size(), extent, delays);
  collect(draft.transfers, draft.calls, from.transfers, draft.transfers.start.size(), extent, delays);
  if (delays.empty() || clock_offset(std::move(delays), extent.last - extent.first)) return;
  check(draft.launches, draft.calls, from.launches, issues);
  check(draft.transfers, draft.calls, from.transfers, issues);
}

void join_clocks(Draft& draft, const DraftSizes& from, const DraftSizes& to, store::Source& source) {
  Extent extent;
  SpillVector<std::int64_t> delays;
  collect(draft.launches, draft.calls, from.launches, to.launches, extent, delays);
  collect(draft.transfers, draft.calls, from.transfers, to.transfers, extent, delays);
  if (delays.empty()) return;
  const auto offset = clock_offset(std::move(delays), extent.last - extent.first);
  if (!offset) return;
  const auto first = first_of(draft, from, to);
  shift(draft.launches.start, from.launches, to.launches, -*offset);
  shift(draft.transfers.start, from.transfers, to.transfers, -*offset);
  const auto moved = first_of(draft, from, to) - first;
  if (moved != 0) {
    shift(draft.launches.start, from.launches, to.launches, -moved);
    shift(draft.transfers.start, from.transfers, to.transfers, -moved);
    shift(draft.calls.start, from.calls, to.calls, -moved);
    shift(draft.ranges.start, from.ranges, to.ranges, -moved);
    shift(draft.samples.time, from.samples, to.samples, -moved);
    shift(draft.messages.start, from.messages, to.messages, -moved);
    if (source.utc_ns >= 0) source.utc_ns += moved;
  }
  draft.report.add(store::Severity::Repair, "clock-offset",
                   fmt::format("launches and memory operations are {} ns {} their calls: the clocks of "
                               "device and host differ. The offset was removed, assuming that the shortest "
                               "delay is zero, so queue delays are lower bounds",
                               *offset > 0 ? *offset : -*offset, *offset > 0 ? "behind" : "before"),
                   static_cast<std::int64_t>(to.launches - from.launches + to.transfers - from.transfers));
}

} // namespace jitterscope::import
