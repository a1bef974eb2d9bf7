#pragma once

#include <string>

#include "core/analysis/filter/filter_node.h"
#include "core/analysis/filter/value_set.h"

namespace jitterscope::analysis {

/// The only column that a condition asks about; empty when it asks about several.
std::string only_column(const FilterNode& node);

/// The values for which a condition on one column holds.
ValueSet accepted_values(const FilterNode& node);

} // namespace jitterscope::analysis
