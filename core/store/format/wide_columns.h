#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hdf5.h>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/columns/narrow.h"
#include "core/store/format/places.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::store {

// A dataset for every column is easiest to read for other tools, but the time that HDF5 takes for each grows
// with their number: minutes for tens of thousands. In tables with more than kMaxDatasets columns, those
// without escapes are stored in matrices. For table T, group "wide" of the file holds
//
//   T.columns   JSON: [[name, unit, description, type, stored, index, distinct], …]; types are numbers of
//               ElementType; `distinct` is the number of entries in T.distinct that belong to the column, or
//               −1 if unknown
//   T.STORED    for each stored type a matrix with one row for each column that is stored in this type,
//               in the order of T.columns, and one column for each row of the table
//   T.distinct  distinct references of the columns, one column after the other
//
// Stores with such tables have format version kWideFormatVersion.

inline constexpr std::size_t kMaxDatasets = 1'000;

inline bool is_wide(const Table& table) {
  return table.columns.size() > kMaxDatasets && table.rows() > 0;
}

/// A column to be stored in a matrix.
struct WideColumn {
  const Column* column;
  std::size_t index; ///< index of the column in its table
  ElementType stored;
  const std::vector<std::uint32_t>* distinct; ///< distinct references of the column; null: unknown
};

/// Writes the columns of a table into the group `wide`. Errors: Io, Cancelled.
Expected<void> write_wide_columns(hid_t wide, const std::string& table, std::span<const WideColumn> columns,
                                  const Job& job);

/// Appends the columns of `table` that are stored in matrices, if any. With `whole` their values are read as
/// well. Errors: BadInput.
Expected<void> read_wide_columns(hid_t wide, TablePlace& table, bool whole, std::size_t file_bytes);

} // namespace jitterscope::store
