#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/columns/narrow.h"
#include "core/store/trace/column_view.h"

namespace jitterscope::store {

inline constexpr std::int64_t kFormatVersion = 3;
inline constexpr std::int64_t kWideFormatVersion =
    4; ///< version of stores with matrices of columns (wide_columns.h)

/// Where HDF5 stores a column. `offset` is valid if `mappable` is set; otherwise `copy` holds the
/// data.
struct ColumnPlace {
  std::string name, unit, description;
  ElementType type = ElementType::Int64;   ///< type of the column's values
  ElementType stored = ElementType::Int64; ///< type of their codes in the file
  Escapes escapes;
  std::vector<std::uint32_t> distinct; ///< of references to strings or resources: the values that occur
  std::int64_t index = 0;
  std::size_t rows = 0;
  bool mappable = false;
  std::uint64_t offset = 0;
  std::vector<std::byte> copy;
};

struct TablePlace {
  std::string name;
  std::size_t rows = 0;
  std::int64_t begin = 0, end = 0; ///< of event tables: first start and last end
  std::vector<ColumnPlace> columns;
};

/// Escapes of column C of table T are in the datasets T.C.rows and T.C.values of the group "escapes".
inline constexpr const char* kEscapedRows = ".rows";
inline constexpr const char* kEscapedValues = ".values";

// Values of reference column C of table T, each once, are in dataset T.C of the group "distinct".

/// The table with sums per configuration, written with every store (see Store::Totals).
inline constexpr std::string_view kTotalsTable = "configuration_totals";

/// Tables whose rows have a start and a duration and are sorted by start.
inline constexpr const char* kTimedTables[] = {"launches", "transfers", "calls", "ranges", "messages"};
/// The timed tables and the samples: tables that grow with the trace and are stored as narrow as possible.
bool is_event_table(std::string_view name);

} // namespace jitterscope::store
