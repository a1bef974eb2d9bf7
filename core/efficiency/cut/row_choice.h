#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/base/spill_vector.h"
#include "core/efficiency/cut/reduction_options.h"
#include "core/store/trace/event_kinds.h"

namespace jitterscope::efficiency {

/// Reason why a row is not in the reduced trace; the first that applies.
enum class Reason : std::uint8_t { Kept, Range, Track, Kind, Short, Where };
inline constexpr int kReasons = 6;

/// The tables whose rows are chosen, in the order that all of core/efficiency/cut uses.
inline constexpr std::array<const char*, 6> kChosenTables = {"launches", "transfers", "calls",
                                                             "ranges",   "messages",  "samples"};
inline constexpr std::size_t kLaunchesTable = 0, kTransfersTable = 1, kCallsTable = 2, kRangesTable = 3,
                             kMessagesTable = 4, kSamplesTable = 5;

/// Rows of one table of the store.
struct ChosenRows {
  SpillVector<std::uint8_t> reason;                ///< by row of the store: a Reason
  SpillVector<std::uint32_t> kept;                 ///< indices of the kept rows, ascending
  std::array<std::int64_t, kReasons> rows_of = {}; ///< number of rows by Reason
  std::int64_t over_border = 0;                    ///< kept rows that extend beyond a border of the range
};

/// The kept rows of all tables.
struct Choice {
  std::vector<std::uint8_t> resources; ///< by resource of the store: 1 if it is kept
  std::array<ChosenRows, kChosenTables.size()> tables;
  std::array<std::int64_t, kRowKinds> rows_of_kind = {}; ///< rows of each kind in the range, on kept tracks
  /// Of all rows: states, states of computation (bursts), and transmissions of messages.
  std::int64_t states = 0, burst_states = 0, transmissions = 0;
};

/// Reads every row of every event table once. If the analysis rows are bursts, ranges or calls, the condition
/// also applies to the rows of the other tables that they were made from. `store_range`:
/// ReductionOptions::range in times of the store. Errors: BadUse (no rank or device of that number),
/// Cancelled.
Expected<Choice> choose_rows(const analysis::Session& session, const analysis::LaunchColumns& columns,
                             const ReductionOptions& requested, const std::optional<Interval>& store_range,
                             const Job& job);

/// Row properties that both the choice and the counters need.
class RowFacts {
public:
  explicit RowFacts(const store::Store& store);
  /// Resource of a row's track: stream, thread or device.
  std::uint32_t track(std::size_t table, std::size_t row) const;
  std::int64_t start(std::size_t table, std::size_t row) const { return starts_[table][row]; }
  /// Length of a row [ns]: 0 for samples and unknown durations. In tables without times each launch has
  /// length 1.
  std::int64_t length(std::size_t table, std::size_t row) const;
  std::size_t rows(std::size_t table) const { return starts_[table].size(); }
  /// Bits of RowKind.
  unsigned kinds(std::size_t table, std::size_t row) const;
  bool is_transmission(std::size_t table, std::size_t row) const {
    return table == kMessagesTable && message_kinds_[row] == store::kTransmission;
  }
  /// Duration as recorded, -1 unknown.
  std::int64_t duration(std::size_t table, std::size_t row) const {
    return table == kSamplesTable ? 0 : durations_[table][row];
  }
  /// Name of the row: kernel, kind of memory operation, function, text of the range.
  std::string name(std::size_t table, std::size_t row) const;
  /// An index that rows of one table share if they have the same name.
  std::uint32_t name_number(std::size_t table, std::size_t row) const;

private:
  const store::Store* store_;
  bool launch_order_;
  std::array<std::span<const std::int64_t>, kChosenTables.size()> starts_;
  std::array<store::Values<std::int64_t>, kChosenTables.size()> durations_;
  std::array<store::Values<std::uint32_t>, kChosenTables.size()> tracks_, names_;
  store::Values<std::uint8_t> copy_kinds_, range_kinds_, message_kinds_;
  store::Values<std::uint32_t> kernel_of_, short_name_of_, counter_device_;
  std::vector<std::uint8_t> collective_; ///< by configuration: 1 for kernels that communicate
  std::vector<std::uint8_t> running_;    ///< by string: 1 for names of running states
  std::vector<std::uint8_t> thread_;     ///< by resource: 1 for threads
};

} // namespace jitterscope::efficiency
