#pragma once

#include <cstdint>
#include <string_view>

#include "core/import/draft.h"

namespace jitterscope::import::table {

using ConfigurationField = std::uint32_t Configuration::*;

/// Which part of a launch's configuration a column with this title holds, however profilers and people write
/// it ("gridDim.x", "Grid X", "GrdX"); null for none. Titles that may mean a product of extents or a number
/// of work items ("grid_size", "Grid_Size_X") are none.
ConfigurationField configuration_field(std::string_view title);

} // namespace jitterscope::import::table
