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
    4; ///< of stores with tables of very many columns (wide_columns.h)

/// Where one column lies, as HDF5 tells it. `offset` is valid when `mappable`; otherwise `copy` holds the
/// data.
struct ColumnPlace {
  std::string name, unit, description;
  ElementType type = ElementType::Int64;   ///< of the values
  ElementType stored = ElementType::Int64; ///< as they lie
  Escapes escapes;
  std::vector<std::uint32_t> distinct; ///< of columns that name strings or resources
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

/// Escapes of column C of table T lie in datasets T.C.rows and T.C.values of the group "escapes".
inline constexpr const char* kEscapedRows = ".rows";
inline constexpr const char* kEscapedValues = ".values";

/// What column C of table T names, each once, lies in dataset T.C of the group "distinct".
/// The table that holds sums of every configuration, written with every store (see Store::open).
inline constexpr std::string_view kTotalsTable = "configuration_totals";

/// Tables whose rows have a start and a duration and are sorted by start.
inline constexpr const char* kTimedTables[] = {"launches", "transfers", "calls", "ranges", "messages"};
/// These and the samples: tables that grow with the trace, whose columns lie as narrow as they can.
bool is_event_table(std::string_view name);

} // namespace jitterscope::store
