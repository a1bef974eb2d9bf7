#pragma once

#include "core/import/formats/ncu/header.h"
#include "core/import/formats/ncu/launches.h"
#include "core/import/records/attribute_column.h"
#include "core/import/records/reader.h"

namespace jitterscope::import::ncu {

/// Tables of Nsight Compute: the long form (one row per launch and metric, --page details) and the wide one
/// (one row per launch, --page raw), behind whatever the profiled program wrote before them. The launches
/// have an order, but no times: the profiler runs them one by one and several times.
bool recognises(const Input& input);

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

/// Reports of one folder are read together: one report is often written twice.
std::string group(const Input& input);

inline constexpr Reader kReader = {"Nsight Compute CSV", recognises, read, group};

/// One table being read; the record at hand is its titles.
struct Table {
  CsvReader& csv;
  Draft& draft;
  RowIssues& issues;
  Launches& launches;
  const Progress& progress;
  std::int64_t bytes; ///< of the input on disk
  /// Numbers are written as in "1.234,5".
  bool decimal_comma = false;
  std::string scratch = {};

  /// The text of a value with a point for its fraction; valid until the next call.
  std::string_view value(std::string_view text);
};

Expected<void> read_long(Table& table);
Expected<void> read_wide(Table& table);

/// Ends a column of the table: it is there without any value, too, and told where it became two.
void end_column(Table& table, AttributeColumn& column);

/// Progress of a table; Cancelled when it is not wanted any more.
Expected<void> tick(const Table& table);

} // namespace jitterscope::import::ncu
