#pragma once

#include <span>

#include "core/store/trace/column_view.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::store {

/// How a column is going to lie in the file.
struct Lying {
  ElementType stored = ElementType::Int64;
  Escapes escapes;
};

/// Escapes are worth it while at most one row in this many needs one.
inline constexpr std::size_t kRowsPerEscape = 256;

/// The narrowest way for these values to lie that loses nothing (codes: column_view.h).
Lying narrowest(const ColumnValues& values);

/// The same of numbers, which need no escapes.
ElementType narrowest(std::span<const double> values);

/// The type that the values have in memory: the way that is never narrower.
ElementType type_of(const ColumnValues& values);

/// Writes rows [first, last) to `out` as they are going to lie: (last - first) * size_of(lying.stored) bytes.
void encode(const ColumnValues& values, ElementType stored, std::size_t first, std::size_t last,
            std::byte* out);
void encode(std::span<const double> values, ElementType stored, std::byte* out);

} // namespace jitterscope::store
