#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

/// Part of a table of launches that may be far too long to hold: rows [first, first + count) of all selected
/// launches in the order of one column.
struct LaunchTableOptions {
  std::string sort = "start";            ///< any column of launches; texts sort by alphabet
  bool descending = false;               ///< missing values come last either way, equal ones in session order
  std::int64_t first = 0;                ///< ≥ 0
  std::int64_t count = 200;              ///< 0 … kMostTableRows
  std::vector<std::string> columns = {}; ///< whose values are wanted
  std::optional<std::int64_t> locate = {}; ///< a session row: where does it stand?
};
inline constexpr std::int64_t kMostTableRows = 10'000;

struct LaunchTable {
  std::int64_t rows = 0;             ///< selected launches
  std::int64_t first = 0;            ///< place of numbers[0] in the order
  std::vector<std::int64_t> numbers; ///< session rows, in order
  std::vector<std::vector<double>>
      values; ///< per wanted column, NaN where missing; texts as numbers (columns.texts)
  std::optional<std::int64_t> located; ///< place of the row `locate`; nothing when it is not selected
};

/// Never sorts nor holds all rows: the keys at both ends of the part are found by counting passes over the
/// leading bits of all keys, then the rows between them are collected. Two passes do unless very many keys
/// are close. Collective; complete on rank 0. Errors: BadUse, Cancelled.
Expected<LaunchTable> launch_table(const Session& session, const LaunchColumns& columns,
                                   const Selection& selection, const LaunchTableOptions& options,
                                   Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
