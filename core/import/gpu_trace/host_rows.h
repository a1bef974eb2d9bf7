#pragma once

#include "core/import/gpu_trace/activity_rows.h"

namespace jitterscope::import::gpu_trace {

/// What nsys stats writes of ranges (NVTX), of calls, of MPI, and of launches together with their calls.
class HostRows {
public:
  enum class Kind { Range, Call, Message, LaunchAndExecution };
  HostRows(Tables& tables, Titles titles, Kind kind);
  void read(const CsvReader& csv);

private:
  std::uint32_t thread_of(const CsvReader& csv);
  void read_range(const CsvReader& csv);
  std::uint32_t read_call(const CsvReader& csv, const Times& times, std::string_view name);
  void read_message(const CsvReader& csv);
  void read_launch(const CsvReader& csv);

  Tables& tables_;
  Titles titles_;
  Kind kind_;
  std::size_t start_, duration_, name_, process_, thread_, correlation_, result_, style_, level_;
  std::size_t kernel_start_, kernel_duration_, kernel_name_, device_, grid_, block_;
  std::size_t event_, rank_, peer_, root_, tag_, size_, sent_; ///< of messages
  RowsByText call_names_, threads_;
  std::int64_t threads_process_ = 0; ///< of which threads_ are
};

} // namespace jitterscope::import::gpu_trace
