#pragma once

#include <string>

#include "core/analysis/filter/filter_node.h"
#include "core/analysis/filter/value_set.h"

namespace jitterscope::analysis {

/// The only column of a condition; empty if the condition uses several columns.
std::string only_column(const FilterNode& node);

/// The set of values that fulfil a condition on one column.
ValueSet accepted_values(const FilterNode& node);

} // namespace jitterscope::analysis
