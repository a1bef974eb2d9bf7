#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>

#include "core/import/formats/gpu_trace/parsed_records.h"
#include "core/import/formats/gpu_trace/tables.h"
#include "core/import/records/rows_by_text.h"

namespace jitterscope::import::gpu_trace {

/// Tables of nsys stats with ranges (NVTX), calls, MPI, and launches together with their calls.
class HostRows {
public:
  enum class Kind { Range, Call, Message, LaunchAndExecution };
  HostRows(Tables& tables, Titles titles, Kind kind);
  /// Reads the current record. The result is valid until the process or the header changes.
  Repeated read(const CsvReader& csv);
  /// How records can be read in bulk; empty where they cannot.
  std::optional<RecordPlan> plan(char separator, bool decimal_comma) const;
  /// Adds calls or ranges whose texts were seen before; `of_rests`: meaning of each text in
  /// ParsedRecords::rests().
  void repeat_calls(std::span<const ParsedRecords::Record> records, std::span<const Repeated> of_rests);
  void repeat_ranges(std::span<const ParsedRecords::Record> records, std::span<const Repeated> of_rests);

private:
  void append_calls(std::span<const ParsedRecords::Record> records, std::span<const Repeated> of_rests);
  std::uint32_t thread_of(const CsvReader& csv);
  Repeated read_range(const CsvReader& csv);
  std::uint32_t read_call(const CsvReader& csv, const Times& times, std::string_view name);
  void read_message(const CsvReader& csv);
  void read_launch(const CsvReader& csv);

  Tables& tables_;
  Titles titles_;
  Kind kind_;
  std::size_t start_, duration_, name_, process_, thread_, correlation_, result_, style_, level_;
  std::size_t kernel_start_, kernel_duration_, kernel_name_, device_, context_, stream_, grid_, block_,
      around_;
  std::size_t event_, rank_, peer_, root_, tag_, size_, sent_; ///< columns of tables of messages
  RowsByText call_names_, threads_;
  std::set<std::array<std::int64_t, 4>> launches_; ///< for tables with one row for each range around a launch
};

} // namespace jitterscope::import::gpu_trace
