#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/store/format/store.h"

namespace jitterscope::store {

/// What the rows of table "launches" are. Everything that analyses launches (bins, ranking, distributions,
/// parallel coordinates, kernels, causal answers) analyses these rows, whatever they are.
enum class AnalysisRows : std::uint8_t {
  Launches, ///< kernels on devices
  Bursts,   ///< useful computation of host threads between MPI calls
  Ranges,   ///< ranges of the program
  Calls     ///< calls of MPI, of a GPU's runtime and of other libraries
};
/// "launches", "bursts", "ranges", "calls".
std::string_view to_string(AnalysisRows rows);
std::optional<AnalysisRows> analysis_rows_from(std::string_view text);

/// Table with one row and the column "kind" u8 (AnalysisRows); stores whose rows are launches have none. Rows
/// of other kinds have a thread where launches have a stream, and the name of their kernel is what they are
/// called.
inline constexpr std::string_view kAnalysisRowsTable = "analysis_rows";
AnalysisRows analysis_rows(const Store& store);

/// Whether the name of a state means that the thread computes (Paraver's state 1).
bool is_running_state(std::string_view name);

} // namespace jitterscope::store
