#pragma once

#include <cstdint>

namespace jitterscope::store {

/// A dyadic bin: [at · 2^shift, (at + 1) · 2^shift) ns.
struct Bin {
  int shift = 0;
  std::int64_t at = 0;
  std::int64_t begin() const { return at * (std::int64_t{1} << shift); }
  /// The last ns of the bin; does not overflow at shift 62.
  std::int64_t last() const { return begin() + ((std::int64_t{1} << shift) - 1); }
  std::int64_t middle() const { return begin() + (std::int64_t{1} << (shift - 1)); }
  std::uint64_t width() const { return std::uint64_t{1} << shift; }
  Bin left() const { return {shift - 1, at * 2}; }
  Bin right() const { return {shift - 1, at * 2 + 1}; }
};

} // namespace jitterscope::store
