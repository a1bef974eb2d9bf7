#pragma once

#include "core/import/formats/ncu/header.h"
#include "core/import/formats/ncu/launches.h"
#include "core/import/records/attribute_column.h"
#include "core/import/records/reader.h"

namespace jitterscope::import::ncu {

/// Tables of Nsight Compute: the long form (one row per launch and metric, --page details) and the wide one
/// (one row per launch, --page raw), after any output of the profiled program. The launches
/// have an order, but no times: the profiler runs them one by one and several times.
bool recognises(const Input& input);

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

/// Groups the reports of one folder: one report is often exported twice.
std::string group(const Input& input);

inline constexpr Reader kReader = {"Nsight Compute CSV", recognises, read, group};

/// One table being read; the current record is its header.
struct Table {
  CsvReader& csv;
  Draft& draft;
  RowIssues& issues;
  Launches& launches;
  const Progress& progress;
  std::int64_t bytes; ///< size of the input on disk
  /// Numbers are written as in "1.234,5".
  bool decimal_comma = false;
  std::string scratch = {};

  /// The text of a value with a decimal point; valid until the next call.
  std::string_view value(std::string_view text);
};

Expected<void> read_long(Table& table);
Expected<void> read_wide(Table& table);

/// Ends a column of the table: adds it even if it has no values, and reports if it was split in two.
void end_column(Table& table, AttributeColumn& column);

/// Reports progress of a table; returns Cancelled after cancellation.
Expected<void> tick(const Table& table);

} // namespace jitterscope::import::ncu
