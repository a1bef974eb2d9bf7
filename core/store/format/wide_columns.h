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

// A dataset for every column is what other tools read most easily, but HDF5 takes longer for each the more
// there are: minutes for tens of thousands. Of tables with more than kMostDatasets columns, those without
// escapes lie in matrices. Group "wide" of the file holds of table T
//
//   T.columns   JSON: [[name, unit, description, type, stored, index, distinct], …], the types as numbers of
//               ElementType, `distinct` how many of T.distinct are the column's, −1 when nothing is known of
//               it
//   T.STORED    for each type in which columns lie, a matrix with a row for each column that does, in the
//   order of
//               T.columns, and a column for each row of the table
//   T.distinct  what the columns name, one column behind the other
//
// Stores with such tables have format version kWideFormatVersion.

inline constexpr std::size_t kMostDatasets = 1'000;

inline bool is_wide(const Table& table) {
  return table.columns.size() > kMostDatasets && table.rows() > 0;
}

/// A column that is to lie in a matrix.
struct WideColumn {
  const Column* column;
  std::size_t index; ///< in its table
  ElementType stored;
  const std::vector<std::uint32_t>* distinct; ///< null: unknown
};

/// Writes the columns of a table into group `wide`. Errors: Io, Cancelled.
Expected<void> write_wide_columns(hid_t wide, const std::string& table, std::span<const WideColumn> columns,
                                  const Job& job);

/// Appends the columns of `table` that lie in matrices, if there are any. With `whole` their values are read
/// as well. Errors: BadInput.
Expected<void> read_wide_columns(hid_t wide, TablePlace& table, bool whole, std::size_t file_bytes);

} // namespace jitterscope::store
