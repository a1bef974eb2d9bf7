#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/table/parsed_rows.h"
#include "core/import/formats/table/time_columns.h"
#include "core/import/records/draft.h"
#include "core/import/records/events.h"
#include "core/import/records/row_issues.h"
#include "core/import/records/rows_by_text.h"

namespace jitterscope::import::table {

/// Appends the rows of a table to a draft: strings, configurations, streams, attributes and issues are added
/// in the order of rows and columns, however the rows were parsed.
class RowAppender {
public:
  /// `plan` must outlive this object; its device and stream columns, and its attributes, are determined
  /// here.
  RowAppender(RowPlan& plan, Draft& draft, RowIssues& issues, std::string table_name);

  /// `lines_before`: number of lines before the first line of `rows`.
  void add(const ParsedRows& rows, std::int64_t lines_before);
  /// Adds columns without any value as attributes, too. If times count from 1970, shifts them so that the
  /// first start is zero.
  void finish();

  /// Line of the first header in another order; 0: none.
  std::int64_t reordered_titles() const { return reordered_titles_; }
  bool any() const { return draft_.launches.start.size() > first_ || moved_ > 0; }
  /// Absolute time of zero, -1 when unknown; after finish().
  std::int64_t utc_ns() const { return utc_ns_; }

private:
  void add_untimed();
  void add_timed();
  bool add_timed_at_once();
  bool add_launch(std::uint32_t row);
  void report_missing_time(std::uint32_t row, std::size_t column);
  void find_memory_operations();
  void add_memory_operation(std::uint32_t row, const Times& times, store::TransferKind kind);
  std::uint32_t stream_of(std::uint32_t row);
  static bool contradict(std::int64_t duration, std::int64_t written);
  void compare(std::int64_t duration, std::int64_t written, std::int64_t line);
  void report_row(const RowEvent& event);
  void report_cell_event(const RowEvent& event, std::uint32_t launch);
  void make_missed(std::uint32_t row, std::size_t column);
  void append_columns();
  struct FieldColumn {
    std::size_t column;
    ConfigurationField field;
    SpillVector<double> room;       ///< buffer for the values where rows were left out
    std::span<const double> values; ///< by launch; values after the last are unknown
  };
  void add_extents(std::size_t column, std::vector<FieldColumn>& fields);
  void set_fields(std::span<const FieldColumn> columns);
  static void complete_dimensions(Configuration& configuration, std::span<const FieldColumn> columns);
  std::uint32_t extent(std::size_t column, std::size_t launch, double value);
  void note_bad_extent(std::size_t column, std::size_t launch, const std::string& value);
  std::uint32_t configuration_of(std::uint32_t row);
  std::uint32_t make_configuration(std::string_view kernel, std::string_view parts);
  std::string parts_of(std::uint32_t row) const;
  std::uint32_t string_of(std::size_t column, std::uint32_t number);
  std::string place(std::int64_t line) const;
  std::string readable(std::string_view text) const;

  RowPlan& plan_;
  Draft& draft_;
  RowIssues& issues_;
  std::string name_;
  std::optional<TablePlaces> places_; // only for tables with times
  TableClock clock_;
  std::size_t first_ = 0, first_transfer_ = 0;
  std::int64_t utc_ns_ = -1;
  std::uint32_t stream_ = kNone; // stream of tables without times
  RowsByText kernel_rows_;       // results of configuration_of() by kernel text
  // Kernel, configuration and fields of the last launch with fields.
  std::uint32_t last_kernel_ = kNone, last_configuration_ = kNone;
  SpillVector<double> last_fields_;
  std::int64_t bad_extents_ = 0;
  std::string first_bad_extent_;
  std::int64_t moved_ = 0;   // number of memory operations
  std::size_t bytes_column_; // column with the bytes of memory operations, the number of columns for none
  bool has_fields_ = false;  // columns are parts of configurations: until these are made, launches hold
                             // kernels in their place

  // State for the current rows.
  const ParsedRows* rows_ = nullptr;
  std::int64_t lines_before_ = 0;
  std::size_t first_launch_ = 0;
  std::int64_t reordered_titles_ = 0;
  SpillVector<std::uint32_t> configurations_; // by number of the kernel's text, kNone: not made
  std::vector<std::optional<store::TransferKind>>
      memory_operations_;                           // by number of the kernel's text; empty for none
  std::vector<SpillVector<std::uint32_t>> strings_; // by column and number of the text; kNone: not made
  SpillVector<std::uint32_t> streams_;              // by numbers of device, stream, rank; kNone: not made
  SpillVector<std::uint32_t> kept_;                 // rows that became launches; not used if all_kept_
  bool all_kept_ = true;
  SpillVector<std::int64_t> starts_, durations_;
  SpillVector<std::uint32_t> of_rows_; // stream of each row
  SpillVector<std::uint32_t> values_;  // buffer for the values of a column
  SpillVector<double> numbers_;
};

} // namespace jitterscope::import::table
