#pragma once

#include <bit>
#include <cstdint>

namespace jitterscope {

/// An int64 with the same order as the double it encodes (NaN excluded; −0 becomes 0), so that
/// Communicator::minimum can find minima of doubles.
inline std::int64_t ordered_integer(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value + 0.0);
  return bits ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 63) >> 1);
}
inline double from_ordered_integer(std::int64_t integer) {
  return std::bit_cast<double>(integer ^
                               static_cast<std::int64_t>(static_cast<std::uint64_t>(integer >> 63) >> 1));
}

/// ordered_integer() as an unsigned integer; its leading bits are a coarse scale of all doubles.
inline std::uint64_t ordered_key(double value) {
  return static_cast<std::uint64_t>(ordered_integer(value)) ^ (std::uint64_t{1} << 63);
}
inline double from_ordered_key(std::uint64_t key) {
  return from_ordered_integer(static_cast<std::int64_t>(key ^ (std::uint64_t{1} << 63)));
}

} // namespace jitterscope
