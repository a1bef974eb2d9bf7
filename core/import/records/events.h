#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/records/draft.h"
#include "core/import/records/reader.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import {

/// Durations longer than this (36 years) are invalid; with kLatestTime the bound keeps all sums of a start, a
/// duration and a shift within int64.
inline constexpr std::int64_t kMaxTime = std::int64_t{1} << 60;
/// Maximum timestamp; above kMaxTime, as timestamps may count from 1970 (until 2043).
inline constexpr std::int64_t kLatestTime = 2 * kMaxTime;

/// Maximum size of one copy or message (1 PiB); larger sizes are invalid and treated as unknown.
inline constexpr std::int64_t kMaxOperationBytes = std::int64_t{1} << 50;

struct Times {
  std::int64_t start = 0, duration = 0;
};

/// Start and duration of a row. If they are unusable, counts an issue and returns nothing. `place()`
/// describes the row.
template <class Place>
std::optional<Times> checked_times(RowIssues& issues, std::optional<std::int64_t> start,
                                   std::optional<std::int64_t> end, Place&& place) {
  if (!start || !end) {
    issues.count(store::Severity::Drop, "missing-time",
                 [&] { return place() + " has a start or end that is not a number"; });
    return {};
  }
  if (*start > kLatestTime || *end > kLatestTime || *start < -kMaxTime || *end < -kMaxTime ||
      *end - *start > kMaxTime) {
    issues.count(store::Severity::Drop, "impossible-time", [&] {
      return place() + " has the time " + std::to_string(*start) + " to " + std::to_string(*end) +
             " ns, which is out of range";
    });
    return {};
  }
  if (*end < *start) {
    issues.count(store::Severity::Drop, "negative-duration",
                 [&] { return place() + " ends " + std::to_string(*start - *end) + " ns before it starts"; });
    return {};
  }
  return Times{*start, *end - *start};
}

/// The size of a row's operation; unusable sizes are counted as an issue and unknown. `place()` describes the
/// row.
template <class Place>
std::int64_t checked_bytes(RowIssues& issues, std::optional<std::int64_t> bytes, Place&& place) {
  if (bytes && *bytes >= 0 && *bytes <= kMaxOperationBytes) return *bytes;
  issues.count(store::Severity::Repair, "bad-bytes",
               [&] { return place() + " has no size between 0 and 1 PiB: its size is treated as unknown"; });
  return store::kUnknownBytes;
}

/// Grid in work-items and work-group, as counted by AMD's tools.
struct WorkSize {
  std::int64_t grid[3] = {1, 1, 1}, group[3] = {1, 1, 1};
};

/// Fills grid (in blocks) and block of a configuration. False when a number does not fit 32 bits, or when the
/// grid is not a multiple of the group: then the last block is partial and counted.
bool set_work_size(Configuration& configuration, const WorkSize& size);

std::uint32_t low_bits(std::int64_t number);

/// A count that fits 32 bits, 0 for all other values.
std::uint32_t count_or_zero(std::optional<std::int64_t> number);

void push_launch(Draft& draft, const Times& times, std::uint32_t configuration, std::uint32_t stream,
                 std::uint32_t correlation, std::uint32_t call = kNone, std::uint8_t flags = 0);
void push_transfer(Draft& draft, const Times& times, store::TransferKind kind, std::int64_t bytes,
                   std::uint32_t stream, std::uint32_t correlation, std::uint32_t call = kNone,
                   store::MigrationCause cause = store::MigrationCause::None);
void push_call(Draft& draft, const Times& times, std::uint32_t name, std::uint32_t thread,
               std::uint32_t correlation, std::uint32_t result = 0);
void push_range(Draft& draft, const Times& times, std::uint32_t name, std::uint32_t domain,
                std::uint32_t thread, std::uint8_t kind);
/// Orders ranges that a format writes when they end, so inner ones first: of ranges of a thread that begin
/// and end together, the outer one gets the earlier row, as in formats that write ranges when they begin.
class EndedRanges {
public:
  /// Call after the range in the last row ended.
  void add(Draft& draft);
  /// Call after the last range.
  void finish(Draft& draft);

private:
  struct Together {
    std::int64_t start = 0, duration = 0;
    std::vector<std::size_t> rows; ///< of `ranges`, inner ones first
  };
  static void turn(Draft& draft, Together& together);
  std::vector<Together> threads_; ///< by thread: its last ranges
};
void push_sample(Draft& draft, std::int64_t time, std::uint32_t counter, double value);
/// `bytes`: -1 unknown; `peer` and `tag`: kNone unknown.
/// Of a message that a trace records twice: when the program called MPI, and when the message was in transit.
struct Transmission {
  std::int64_t sent_before = 0;    ///< from the logical send to the start of the transmission [ns]
  std::int64_t received_after = 0; ///< from the end of the transmission to the logical receive [ns]
  std::uint32_t peer_thread = 0;   ///< number of the receiver among the host threads of the peer, from 0
};
void push_message(Draft& draft, const Times& times, std::uint8_t kind, std::int64_t bytes,
                  std::uint32_t thread, std::uint32_t name, std::uint32_t peer = kNone,
                  std::uint32_t tag = kNone, Transmission transmission = {});

/// The direction of a copy from its name: "MEMORY_COPY_HOST_TO_DEVICE", "CopyDeviceToHost", "hipMemcpyHtoD".
/// Unknown when the name contains none.
store::TransferKind copy_kind(std::string_view name);

/// Links launches and transfers from `from` on to the calls from `from` on with the same correlation
/// number in the same process. Launches without call are counted. Errors: Cancelled.
Expected<void> link_calls(Draft& draft, const DraftSizes& from, RowIssues& issues, const Job& job);

} // namespace jitterscope::import
