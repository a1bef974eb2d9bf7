#pragma once

#include <span>

#include "core/store/trace/column_view.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::store {

/// How a column is stored in the file.
struct Encoding {
  ElementType stored = ElementType::Int64;
  Escapes escapes;
};

/// Escapes are used if at most one row in this many needs one.
inline constexpr std::size_t kRowsPerEscape = 256;

/// Returns the narrowest lossless encoding of these values (codes: column_view.h).
Encoding narrowest(const ColumnValues& values);

/// narrowest() for numbers, which need no escapes.
ElementType narrowest(std::span<const double> values);

/// The type of the values in memory, the widest in which they are stored.
ElementType type_of(const ColumnValues& values);

/// Writes rows [first, last) to `out` as stored: (last - first) * size_of(stored) bytes.
void encode(const ColumnValues& values, ElementType stored, std::size_t first, std::size_t last,
            std::byte* out);
void encode(std::span<const double> values, ElementType stored, std::byte* out);

} // namespace jitterscope::store
