#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/import/formats/nsys/devices.h"
#include "core/import/formats/nsys/names.h"
#include "core/import/records/draft.h"
#include "core/import/records/events.h"
#include "core/import/records/reader.h"
#include "core/import/records/row_issues.h"
#include "core/import/sqlite/table_walk.h"

namespace jitterscope::import::nsys {

/// Meaning of NULL in the end column of a table.
enum class OpenEnd { Refused, StaysOpen };

/// One file being read: its content so far, its resources and the issues of its rows.
class Session : public sqlite::TableWalk {
public:
  Session(sqlite::Database& database, Draft& target, const Progress& file_progress)
      : TableWalk(database, file_progress), draft(target) {}

  Draft& draft;
  Names names;
  Devices devices;
  RowIssues issues;
  std::uint32_t host = 0;
  std::int64_t last_event = 0; ///< end of the latest activity so far: where open ranges end

  // Resources by the ids of the file, created on first use.
  std::uint32_t process(std::optional<std::int64_t> global_pid) {
    const auto key = global_pid.value_or(kUnknownProcess);
    auto& known = known_processes_.of(key);
    return known.is(key, 0) ? known.row : (known = {key, 0, find_process(global_pid)}).row;
  }
  std::uint32_t thread(std::optional<std::int64_t> global_tid) {
    const auto key = global_tid.value_or(kUnknownProcess);
    auto& known = known_threads_.of(key);
    return known.is(key, 0) ? known.row : (known = {key, 0, find_thread(global_tid)}).row;
  }
  std::uint32_t device(std::uint32_t process_row, std::int64_t cuda_device) {
    auto& known = known_devices_.of(process_row, cuda_device);
    if (!known.is(process_row, cuda_device))
      known = {process_row, cuda_device, find_device(process_row, cuda_device)};
    return known.row;
  }
  std::uint32_t stream(std::uint32_t device_row, std::int64_t context, std::int64_t number) {
    auto& known = known_streams_.of(context, number);
    if (!known.is(context, number) || draft.resources[known.row].parent != device_row)
      known = {context, number, find_stream(device_row, context, number)};
    return known.row;
  }
  /// The device with the profiler's own number `gpu_id`; made under the first process when not yet used.
  std::uint32_t device_of_gpu(std::int64_t gpu_id);

  const std::unordered_map<std::int64_t, std::uint32_t>& processes() const { return processes_; }
  const std::unordered_map<std::int64_t, std::uint32_t>& threads() const { return threads_; }

  /// The interned text of a name id; a placeholder text when the id is not in the file.
  std::uint32_t name(std::int64_t id, const std::string& table);

  /// Start and duration of the current row. If they are unusable, counts an issue and returns nothing.
  std::optional<Times> times(const sqlite::Rows& rows, int start_column, int end_column,
                             const std::string& table, OpenEnd open_end = OpenEnd::Refused);

private:
  static constexpr std::int64_t kUnknownProcess = -1;
  std::uint32_t find_process(std::optional<std::int64_t> global_pid);
  std::uint32_t find_thread(std::optional<std::int64_t> global_tid);
  std::uint32_t find_device(std::uint32_t process_row, std::int64_t cuda_device);
  std::uint32_t find_stream(std::uint32_t device_row, std::int64_t context, std::int64_t number);
  std::uint32_t physical_of(std::uint32_t device_row, std::uint32_t process_row, std::int64_t cuda_device);
  void describe(std::uint32_t device_row, const Gpu& gpu);

  struct PairHash {
    std::size_t operator()(const std::pair<std::uint32_t, std::int64_t>& p) const {
      return (p.first * 0x9E3779B97F4A7C15ull) ^
             (static_cast<std::uint64_t>(p.second) * 0xC2B2AE3D27D4EB4Full);
    }
  };
  using ByParentAndNumber =
      std::unordered_map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t, PairHash>;

  /// Cache of recent resources: rows repeat a few of them a million times.
  struct Known {
    std::int64_t first = 0, second = 0; ///< ids of the resource in the file
    std::uint32_t row = kNone;
    bool is(std::int64_t a, std::int64_t b) const { return row != kNone && first == a && second == b; }
  };
  class KnownRows {
  public:
    Known& of(std::int64_t a, std::int64_t b = 0) {
      const auto mixed = static_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15ull +
                         static_cast<std::uint64_t>(b) * 0xC2B2AE3D27D4EB4Full;
      return rows_[mixed >> 58];
    }

  private:
    std::array<Known, 64> rows_;
  };
  KnownRows known_processes_, known_threads_, known_devices_, known_streams_;

  std::unordered_map<std::int64_t, std::uint32_t> processes_, threads_; // by globalPid and globalTid
  ByParentAndNumber devices_, contexts_, streams_;
  std::unordered_map<const Gpu*, std::uint32_t> first_device_of_gpu_;
  std::unordered_map<std::int64_t, std::uint32_t> first_device_of_number_;
};

using sqlite::integer;
using sqlite::place_of;

// The steps of the import, in the order in which read() calls them.
class CallIndex;
Expected<void> read_calls(Session& session, CallIndex& index);
Expected<void> read_kernels(Session& session, const CallIndex& index);
/// Graphs whose kernels were not traced (the default of Nsight Systems) are launches themselves.
Expected<void> read_graphs(Session& session, const CallIndex& index);
Expected<void> read_memory_operations(Session& session, const CallIndex& index);
Expected<void> read_nvtx(Session& session);
Expected<void> read_mpi(Session& session);
Expected<void> read_process_names(Session& session);
Expected<void> read_metrics(Session& session);
/// Counts the rows of event tables that no function above reads.
Expected<void> report_left_out(Session& session);

/// True when MPI calls have separate tables with rows.
bool has_mpi_tables(Session& session);

/// The kind of an MPI function in the table "messages".
std::uint8_t message_kind(std::string_view function);

} // namespace jitterscope::import::nsys
