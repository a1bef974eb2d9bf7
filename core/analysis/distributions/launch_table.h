#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

/// Part of a table of launches that may be too long for the memory: rows [first, first + count) of all
/// selected launches, sorted by one column.
struct LaunchTableOptions {
  std::string sort = "start";              ///< any column of launches; texts sort alphabetically
  bool descending = false;                 ///< missing values are last either way; ties in session order
  std::int64_t first = 0;                  ///< index of the first row of the part, ≥ 0
  std::int64_t count = 200;                ///< maximum number of rows of the part, 0 … kMaxTableRows
  std::vector<std::string> columns = {};   ///< columns whose values are returned
  std::optional<std::int64_t> locate = {}; ///< session row whose position is returned
};
inline constexpr std::int64_t kMaxTableRows = 10'000;

struct LaunchTable {
  std::int64_t rows = 0;             ///< number of selected launches
  std::int64_t first = 0;            ///< index of numbers[0] in the sorted table
  std::vector<std::int64_t> numbers; ///< session rows, in sorted order
  std::vector<std::vector<double>>
      values; ///< per requested column, NaN where missing; texts as indices (columns.texts)
  std::optional<std::int64_t> located; ///< position of the row `locate`; empty if it is not selected
};

/// Never sorts or stores all rows: the keys at both ends of the part are found by counting passes over the
/// leading bits of all keys, then the rows between them are collected. Two counting passes usually suffice,
/// more if very many keys are close together. Collective; complete on rank 0. Errors: BadUse, Cancelled.
Expected<LaunchTable> launch_table(const Session& session, const LaunchColumns& columns,
                                   const Selection& selection, const LaunchTableOptions& options,
                                   Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
