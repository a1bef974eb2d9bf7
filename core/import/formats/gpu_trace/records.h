#pragma once

#include <memory>
#include <string>
#include <variant>

#include "core/import/formats/gpu_trace/activity_rows.h"
#include "core/import/formats/gpu_trace/host_rows.h"
#include "core/import/formats/gpu_trace/kinds.h"

namespace jitterscope::import::gpu_trace {

/// Interprets the records of a file with timeline tables one after the other: headers, units, status
/// lines, rows.
class Records {
public:
  /// `name`: name of the input, for messages.
  Records(Tables& tables, std::string name, char separator)
      : tables_(tables), name_(std::move(name)), separator_(separator) {}

  /// Determines the number format from part of the text.
  void judge_numbers(std::string_view head);
  bool has_decimal_commas() const { return decimal_comma_; }

  /// Reads the current record. The result holds for other records of equal text() until process() or plan()
  /// change.
  Repeated read(const CsvReader& csv);
  void finish_rows();

  /// How rows can be read in bulk while the header stays the same; null where they cannot.
  const std::shared_ptr<const RecordPlan>& plan() const { return plan_; }
  std::int64_t process() const { return tables_.process_number; }
  /// The rows that the plan is for.
  ActivityRows& activities() { return std::get<ActivityRows>(rows_); }
  HostRows& host() { return std::get<HostRows>(rows_); }

private:
  Repeated add(const CsvReader& csv);
  bool begin_table(const CsvReader& csv);
  void begin_rows(Kind kind, Titles titles);
  void begin_activities(Titles titles, bool of_nvprof);
  void begin_host_rows(Titles titles, HostRows::Kind kind);
  void set_plan(const std::optional<RecordPlan>& plan);

  Tables& tables_;
  std::string name_;
  char separator_;
  bool decimal_comma_ = false, expects_units_ = false;
  std::variant<std::monostate, ActivityRows, HostRows> rows_;
  std::shared_ptr<const RecordPlan> plan_;
  Titles nvprof_titles_;
  std::size_t titles_ = 0;
};

} // namespace jitterscope::import::gpu_trace
