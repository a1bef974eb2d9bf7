#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jitterscope::import::table {

/// A table of launches that `export --to csv` wrote: its first column names the kernels, its rows are
/// launches regardless of names, and some of its columns are derived from others.
bool is_own_export(const std::vector<std::string>& titles);

/// True for a column of an export that is computed again: as an attribute it would seem to explain
/// variability. `title`: without unit.
bool is_derived_again(std::string_view title);

} // namespace jitterscope::import::table
