#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "core/import/formats/rocm/json/json_tables.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"

namespace jitterscope::import::rocm {

/// The rows of one process of a rocprofv3 JSON, interpreted with its tables.
class JsonEvents {
public:
  JsonEvents(Draft& draft, RowIssues& issues, const JsonTables& tables, std::uint32_t host);

  /// Reads the object "buffer_records".
  Expected<void> read_buffers(json::Cursor& cursor, JsonRecords& records);
  /// Reads the object "callback_records": counters of dispatches. Call it after read_buffers(). timeless()
  /// states whether rows without time were made (counters recorded without a trace).
  Expected<void> read_callbacks(json::Cursor& cursor, JsonRecords& records);
  bool timeless() const { return timeless_; }

private:
  struct Place {
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
  };
  std::optional<Times> times_of(const JsonRecord& record, const std::string& table);
  std::uint32_t stream_of(std::optional<std::uint64_t> agent, std::optional<std::uint64_t> queue);
  const std::string* operation(const JsonRecord& record, std::string* kind = nullptr);
  Configuration configuration_of(const JsonRecord& record, const std::string& prefix);
  const KernelNames::Known& kernel_of(std::optional<std::int64_t> id);
  void add_dispatch(const JsonRecord& record);
  void add_copy(const JsonRecord& record);
  void add_call(const JsonRecord& record, const std::string& table);
  void add_marker(const JsonRecord& record);
  void add_allocation(const JsonRecord& record, const std::string& table, const char* domain);
  void leave_out(const std::string& table);
  void add_counters(const JsonRecord& record);
  std::uint32_t thread_of(const JsonRecord& record);
  void set_registers(const JsonRecord& record, std::optional<std::int64_t> kernel, std::size_t launch);
  std::size_t launch_of_counters(const JsonRecord& record);

  Draft& draft_;
  RowIssues& issues_;
  const JsonTables& tables_;
  Places places_;
  KernelNames kernels_;
  std::uint32_t process_;
  std::map<std::uint64_t, std::int64_t>
      unlisted_; ///< agent handle → device number, where the file lists no agents
  std::unordered_map<std::int64_t, std::size_t> launches_; ///< dispatch_id → row of the launch
  bool timeless_ = false;
  std::int64_t records_ = 0;
};

} // namespace jitterscope::import::rocm
