#pragma once

#include <cstddef>
#include <cstdint>

#include "core/store/trace/column_view.h"

namespace jitterscope::store {

/// Reads `count` values at scattered rows; the loads are independent, so their cache misses overlap.
template <class T>
void gather(const Values<T>& values, const std::uint32_t* rows, std::size_t count, T* out) {
  const auto read = [&]<class Stored>(const Stored* codes) {
    // Special codes are rare: they are resolved only where there are any.
    bool odd = false;
    for (std::size_t i = 0; i < count; ++i) {
      const auto code = codes[rows[i]];
      out[i] = static_cast<T>(code);
      if constexpr (!std::is_same_v<T, Stored>) odd |= code >= kTopCode<Stored> - 1;
    }
    if (odd)
      for (std::size_t i = 0; i < count; ++i) out[i] = values[rows[i]];
  };
  const auto stored = values.stored();
  if (stored == ElementTypeOf<T>::value) return read(values.template as<T>());
  if (stored == ElementType::UInt8) return read(values.template as<std::uint8_t>());
  if (stored == ElementType::UInt16) return read(values.template as<std::uint16_t>());
  if (stored == ElementType::UInt32) return read(values.template as<std::uint32_t>());
}

} // namespace jitterscope::store
