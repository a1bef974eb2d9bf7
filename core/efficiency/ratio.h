#pragma once

#include <cstdint>

#include "core/base/time.h"

namespace jitterscope::efficiency {

/// An efficiency as the exact quotient of two sums of time [ns]: factors multiply to their parent without
/// rounding.
struct Ratio {
  Int128 part = 0, whole = 0; ///< whole ≤ 0: unknown

  bool known() const { return whole > 0; }
  double value() const { return static_cast<double>(part) / static_cast<double>(whole); }
  /// In lowest terms; an unknown ratio becomes 0/0.
  Ratio reduced() const;
  bool operator==(const Ratio& other) const;
};

inline Ratio Ratio::reduced() const {
  if (!known()) return {};
  Int128 a = part < 0 ? -part : part, b = whole;
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return {part / a, whole / a};
}

inline bool Ratio::operator==(const Ratio& other) const {
  const auto a = reduced(), b = other.reduced();
  return a.part == b.part && a.whole == b.whole;
}

} // namespace jitterscope::efficiency
