#include "core/import/records/events.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/records/call_index.h"
#include "core/import/records/clock_offset.h"

namespace jitterscope::import {
namespace {

using store::Severity;

std::uint32_t process_of_stream(const Draft& draft, std::uint32_t stream) {
  const auto parent = [&](std::uint32_t row) { return draft.resources[row].parent; };
  return parent(parent(stream));
}

class Linker {
public:
  Linker(Draft& draft, RowIssues& issues) : draft_(draft), issues_(issues) {}

  Expected<void> index(std::size_t from, const Job& job) {
    const auto& calls = draft_.calls;
    Stop stop(job);
    for (auto row = from; row < calls.start.size() && !stop.at(row); ++row)
      if (calls.correlation[row] != 0)
        index_.add(draft_.resources[calls.thread[row]].parent, calls.correlation[row], calls.start[row],
                   static_cast<std::uint32_t>(row));
    index_.finish(stop);
    if (stop.requested()) return Job::cancelled_error();
    return {};
  }

  /// Finds the offset of clocks that differ by a constant, so that calls are looked up on their own clock.
  void compare_clocks(const DraftSizes& from) {
    SpillVector<std::int64_t> delays;
    std::int64_t first = std::numeric_limits<std::int64_t>::max(),
                 last = std::numeric_limits<std::int64_t>::min();
    const auto each = [&](const auto& rows, std::size_t begin) {
      constexpr std::size_t kMax = std::size_t{1} << 16;
      const auto step = (rows.start.size() - begin) / kMax + 1;
      for (auto row = begin; row < rows.start.size(); ++row) {
        SpillMemory::relieve_at(row);
        first = std::min(first, rows.start[row]);
        last = std::max(last, rows.start[row] + rows.duration[row]);
        if ((row - begin) % step != 0) continue;
        const auto found =
            index_.find(process_of_stream(draft_, rows.stream[row]), rows.correlation[row], rows.start[row]);
        if (found.call != kNone) delays.push_back(rows.start[row] - found.call_start);
      }
    };
    each(draft_.launches, from.launches);
    each(draft_.transfers, from.transfers);
    if (!delays.empty()) offset_ = clock_offset(std::move(delays), last - first).value_or(0);
  }

  std::uint32_t call_of(std::uint32_t stream, std::uint32_t correlation, std::int64_t start,
                        std::int64_t duration) {
    start -= offset_;
    const auto found = index_.find(process_of_stream(draft_, stream), correlation, start);
    if (found.call == kNone) return kNone;
    if (found.call_start > start + duration) {
      issues_.count(Severity::Doubt, "call-after-launch", [&] {
        return fmt::format("the activity at {} ns ended before the call with its correlation number ({}) was "
                           "entered: they are not linked",
                           start, correlation);
      });
      return kNone;
    }
    if (found.call_start > start)
      issues_.count(Severity::Doubt, "launch-before-call", [&] {
        return fmt::format("the activity at {} ns starts {} ns before its call was entered: the clocks of "
                           "host and device differ",
                           start, found.call_start - start);
      });
    return found.call;
  }

private:
  Draft& draft_;
  RowIssues& issues_;
  nsys::CallIndex index_;
  std::int64_t offset_ = 0; ///< offset of the activities' clock relative to the calls' clock
};

std::uint32_t blocks(std::int64_t items, std::int64_t group, bool& good) {
  constexpr std::int64_t kMax = 0xFFFFFFFFll;
  if (items < 0 || items > kMax || group < 0 || group > kMax) {
    good = false;
    return 0;
  }
  if (group == 0) return static_cast<std::uint32_t>(items);
  if (items % group != 0) good = false;
  return static_cast<std::uint32_t>((items + group - 1) / group);
}

} // namespace

bool set_work_size(Configuration& c, const WorkSize& size) {
  bool good = true;
  c.grid_x = blocks(size.grid[0], size.group[0], good);
  c.grid_y = blocks(size.grid[1], size.group[1], good);
  c.grid_z = blocks(size.grid[2], size.group[2], good);
  c.block_x = count_or_zero(size.group[0]);
  c.block_y = count_or_zero(size.group[1]);
  c.block_z = count_or_zero(size.group[2]);
  return good;
}

std::uint32_t low_bits(std::int64_t number) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(number) & 0xFFFFFFFFu);
}

std::uint32_t count_or_zero(std::optional<std::int64_t> number) {
  return number && *number >= 0 && *number < std::int64_t{kNone} ? static_cast<std::uint32_t>(*number) : 0;
}

namespace {

// Appends a row, whose values are in the order of Rows::columns().
template <class Rows, class... Values>
void push(Rows& rows, Values... values) {
  std::apply([&](auto&... columns) { (columns.push_back(values), ...); }, rows.columns());
}

} // namespace

void push_launch(Draft& draft, const Times& times, std::uint32_t configuration, std::uint32_t stream,
                 std::uint32_t correlation, std::uint32_t call, std::uint8_t flags) {
  push(draft.launches, times.start, times.duration, configuration, stream, call, correlation, flags);
}

void push_transfer(Draft& draft, const Times& times, store::TransferKind kind, std::int64_t bytes,
                   std::uint32_t stream, std::uint32_t correlation, std::uint32_t call,
                   store::MigrationCause cause) {
  push(draft.transfers, times.start, times.duration, bytes, static_cast<std::uint8_t>(kind),
       static_cast<std::uint8_t>(cause), stream, call, correlation);
}

void push_call(Draft& draft, const Times& times, std::uint32_t name, std::uint32_t thread,
               std::uint32_t correlation, std::uint32_t result) {
  push(draft.calls, times.start, times.duration, name, thread, correlation, result);
}

void push_range(Draft& draft, const Times& times, std::uint32_t name, std::uint32_t domain,
                std::uint32_t thread, std::uint8_t kind) {
  push(draft.ranges, times.start, times.duration, name, domain, thread, kind);
}

void EndedRanges::turn(Draft& draft, Together& together) {
  auto& [start, duration, rows] = together;
  auto& ranges = draft.ranges;
  for (std::size_t i = 0, j = rows.size(); i + 1 < j; ++i) {
    const auto inner = rows[i], outer = rows[--j];
    std::swap(ranges.name[inner], ranges.name[outer]);
    if (std::as_const(ranges.domain)[inner] != std::as_const(ranges.domain)[outer])
      std::swap(ranges.domain[inner], ranges.domain[outer]);
  }
  rows.clear();
}

void EndedRanges::add(Draft& draft) {
  const auto& ranges = draft.ranges;
  const auto row = ranges.start.size() - 1;
  const auto thread = ranges.thread[row];
  if (threads_.size() <= thread) threads_.resize(thread + std::size_t{1});
  auto& last = threads_[thread];
  if (last.start != ranges.start[row] || last.duration != ranges.duration[row]) turn(draft, last);
  last.start = ranges.start[row];
  last.duration = ranges.duration[row];
  if (last.duration > 0) last.rows.push_back(row); // ranges without duration may follow each other
}

void EndedRanges::finish(Draft& draft) {
  for (auto& thread : threads_) turn(draft, thread);
}

void push_sample(Draft& draft, std::int64_t time, std::uint32_t counter, double value) {
  push(draft.samples, time, counter, value);
}

void push_message(Draft& draft, const Times& times, std::uint8_t kind, std::int64_t bytes,
                  std::uint32_t thread, std::uint32_t name, std::uint32_t peer, std::uint32_t tag,
                  Transmission transmission) {
  push(draft.messages, times.start, times.duration, bytes, kind, thread, name, peer, tag,
       transmission.sent_before, transmission.received_after, transmission.peer_thread);
}

store::TransferKind copy_kind(std::string_view name) {
  using enum store::TransferKind;
  std::string letters;
  for (const char c : name)
    if (std::isalpha(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto has = [&](std::string_view part) { return letters.find(part) != std::string::npos; };
  if (has("hosttodevice") || has("htod")) return HostToDevice;
  if (has("devicetohost") || has("dtoh")) return DeviceToHost;
  if (has("devicetodevice") || has("dtod")) return DeviceToDevice;
  if (has("hosttohost") || has("htoh")) return HostToHost;
  if (has("peertopeer") || has("ptop")) return PeerToPeer;
  if (has("fillbuffer") || has("memset")) return Memset;
  return Unknown;
}

Expected<void> link_calls(Draft& draft, const DraftSizes& from, RowIssues& issues, const Job& job) {
  if (draft.calls.start.size() == from.calls) return {};
  Linker linker(draft, issues);
  if (auto done = linker.index(from.calls, job); !done) return done;
  linker.compare_clocks(from);
  const auto graph = draft.strings.intern("hipGraphLaunch").value;
  auto& l = draft.launches;
  for (auto row = from.launches; row < l.start.size(); ++row) {
    SpillMemory::relieve_at(row);
    if (l.call[row] == kNone)
      l.call[row] = linker.call_of(l.stream[row], l.correlation[row], l.start[row], l.duration[row]);
    if (l.call[row] != kNone && draft.calls.name[l.call[row]] == graph) l.flags[row] |= store::kLaunchGraph;
    if (l.call[row] == kNone)
      issues.count(Severity::Info, "unmatched-launches", [&] {
        return fmt::format(
            "the launch at {} ns has no launch call in the file: its queue delay and range are "
            "unknown",
            l.start[row]);
      });
  }
  auto& t = draft.transfers;
  for (auto row = from.transfers; row < t.start.size(); ++row) {
    SpillMemory::relieve_at(row);
    if (t.call[row] == kNone)
      t.call[row] = linker.call_of(t.stream[row], t.correlation[row], t.start[row], t.duration[row]);
  }
  return {};
}

} // namespace jitterscope::import
