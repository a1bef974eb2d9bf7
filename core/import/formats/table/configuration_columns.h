#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/import/records/draft.h"

namespace jitterscope::import::table {

using ConfigurationField = std::uint32_t Configuration::*;

/// Which part of a launch's configuration a column with this title holds, however profilers and people write
/// it ("gridDim.x", "Grid X", "GrdX"); null for none. Titles that may mean a product of extents or a number
/// of work items ("grid_size", "Grid_Size_X") are none.
ConfigurationField configuration_field(std::string_view title);

/// The three parts that a column of extents holds ("grid", "block_size", "launch__grid_dim", "GridXYZ"),
/// whose cells are such as parse_extents() reads; nulls for none.
using ConfigurationFields = std::array<ConfigurationField, 3>;
ConfigurationFields configuration_fields(std::string_view title);

/// "(4, 2, 1)", "[4, 2]", "4x2x1", "dim3(4,2,1)", "{4 2 1}": one to three extents, those not there are 1. A
/// number alone, outside brackets, is none of these: it may be a product.
std::optional<std::array<std::uint32_t, 3>> parse_extents(std::string_view text);

} // namespace jitterscope::import::table
