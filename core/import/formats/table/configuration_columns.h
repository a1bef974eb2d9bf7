#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/import/records/draft.h"

namespace jitterscope::import::table {

using ConfigurationField = std::uint32_t Configuration::*;

/// The part of a launch's configuration in a column with this name, in all spellings of profilers and people
/// ("gridDim.x", "Grid X", "GrdX"); null for none. Names that may mean a product of extents or a number
/// of work items ("grid_size", "Grid_Size_X") are excluded.
ConfigurationField configuration_field(std::string_view title);

/// The three parts in a column of extents ("grid", "block_size", "launch__grid_dim", "GridXYZ"),
/// whose cells parse_extents() reads; null pointers for none.
using ConfigurationFields = std::array<ConfigurationField, 3>;
ConfigurationFields configuration_fields(std::string_view title);

/// The dimensions of a grid and of a block. Where a table states some dimensions of one of them, the others
/// are 1, as in a launch.
std::span<const ConfigurationFields> dimensions();

/// "(4, 2, 1)", "[4, 2]", "4x2x1", "dim3(4,2,1)", "{4 2 1}": one to three extents, absent ones are 1. A
/// single number without brackets is rejected: it may be a product.
std::optional<std::array<std::uint32_t, 3>> parse_extents(std::string_view text);

} // namespace jitterscope::import::table
