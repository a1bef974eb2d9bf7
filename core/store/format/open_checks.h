#pragma once

#include <cstdint>
#include <span>

#include "core/store/trace/column_view.h"

namespace jitterscope::store {

// Looks at every row of a column, many at a time: what opening a store costs every rank.

/// Every reference leads into a table of `rows` rows, or is kNone where that is allowed.
bool all_inside(const ColumnView& references, std::size_t rows, bool none_allowed);

/// Every value lies in [0, most], or is kMissingDuration where that is allowed. Escaped values are not looked
/// at.
bool all_durations(const ColumnView& durations, std::int64_t most, bool may_miss);

bool is_ascending(std::span<const std::int64_t> values);

/// 0 for no value.
std::uint8_t largest(std::span<const std::uint8_t> values);

} // namespace jitterscope::store
