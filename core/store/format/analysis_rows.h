#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/store/format/store.h"

namespace jitterscope::store {

/// The kind of the rows of table "launches". All analyses of launches (bins, ranking, distributions, parallel
/// coordinates, kernels, causal answers) analyse these rows, for every kind.
enum class AnalysisRows : std::uint8_t {
  Launches, ///< kernels on devices
  Bursts,   ///< useful computation of host threads between MPI calls
  Ranges,   ///< ranges of the program
  Calls     ///< calls of MPI, a GPU runtime and other libraries
};
/// "launches", "bursts", "ranges", "calls".
std::string_view to_string(AnalysisRows rows);
std::optional<AnalysisRows> analysis_rows_from(std::string_view text);

/// Name of a table with one row and the column "kind" u8 (AnalysisRows); absent in stores whose rows are
/// launches. Rows of other kinds have a thread in place of a stream, and their own name in place of a kernel
/// name.
inline constexpr std::string_view kAnalysisRowsTable = "analysis_rows";
AnalysisRows analysis_rows(const Store& store);

/// Whether the name of a state means that the thread computes (Paraver's state 1).
bool is_running_state(std::string_view name);

} // namespace jitterscope::store
