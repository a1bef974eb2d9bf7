#pragma once

#include <cstdint>
#include <span>

#include "core/store/trace/column_view.h"

namespace jitterscope::store {

// Vectorised checks of every row of a column: the cost of opening a store, paid by every rank.

/// Whether every reference is below `rows`, or is kNone where that is allowed.
bool all_inside(const ColumnView& references, std::size_t rows, bool none_allowed);

/// Whether every value is in [0, maximum], or is kMissingDuration where that is allowed. Escaped values are
/// not checked.
bool all_durations(const ColumnView& durations, std::int64_t maximum, bool may_miss);

bool is_ascending(std::span<const std::int64_t> values);

/// Maximum of the values; 0 if there are none.
std::uint8_t largest(std::span<const std::uint8_t> values);

} // namespace jitterscope::store
