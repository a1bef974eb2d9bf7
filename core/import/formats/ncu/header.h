#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/import/text/csv/csv_reader.h"

namespace jitterscope::import::ncu {

/// The columns of a table of Nsight Compute. Five headers are known; columns are looked up by
/// name, so that other headers are read as well.
struct Header {
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

  std::size_t id = kAbsent, process_id = kAbsent, process_name = kAbsent, kernel = kAbsent, context = kAbsent,
              stream = kAbsent, block = kAbsent, grid = kAbsent, device = kAbsent,
              compute_capability = kAbsent, section = kAbsent, metric = kAbsent, unit = kAbsent,
              value = kAbsent, invocations = kAbsent, minimum = kAbsent, maximum = kAbsent;
  /// Columns that identify neither the launch nor its process, device or stream: the metrics of a wide table.
  std::vector<std::size_t> others;
  /// Columns with the NVTX ranges that contain the launch, also part of `others`.
  std::vector<std::size_t> ranges;

  bool is_long() const { return metric != kAbsent && value != kAbsent; }
  /// --print-summary: the mean of a metric over the launches of a kernel in place of a value.
  bool is_summary() const { return id == kAbsent; }
};

/// True for the header line: it has "Kernel Name" and "ID", or "Invocations" and "Average" of a summary. A
/// truncated line is accepted.
bool is_header(std::string_view line);

/// The separator of a header line: a comma, or a tab or semicolon if a spreadsheet saved the table.
char separator_of(std::string_view line);

/// True for a record that repeats the header, as in concatenated reports.
bool is_header(std::span<const std::string_view> fields);

Header header_of(std::span<const std::string_view> titles);

/// "thread Domain:Push/Pop_Range:PL_Type:…" → "NVTX push/pop ranges"; other names unchanged.
std::string_view readable_title(std::string_view title);

/// A field of a record, empty where the record or the header has none.
inline std::string_view field(const CsvReader& csv, std::size_t column) {
  return column < csv.fields().size() ? csv.fields()[column] : std::string_view();
}

} // namespace jitterscope::import::ncu
