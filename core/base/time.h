#pragma once

#include <compare>
#include <cstdint>

namespace jitterscope {

/// 128-bit integers for products of two int64 and sums of such products.
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// A time on the session's axis or a duration: int64 ns, never a double.
struct Nanoseconds {
  std::int64_t count = 0;
  auto operator<=>(const Nanoseconds&) const = default;
  constexpr Nanoseconds operator+(Nanoseconds other) const { return {count + other.count}; }
  constexpr Nanoseconds operator-(Nanoseconds other) const { return {count - other.count}; }
};

/// Half-open interval [begin, end).
struct Interval {
  Nanoseconds begin;
  Nanoseconds end;
  auto operator<=>(const Interval&) const = default;
  constexpr Nanoseconds length() const { return end - begin; }
  constexpr bool empty() const { return end <= begin; }
  constexpr bool contains(Nanoseconds t) const { return begin <= t && t < end; }
};

/// Length of the intersection, 0 when the intervals are disjoint.
constexpr Nanoseconds overlap(Interval a, Interval b) {
  const auto begin = a.begin > b.begin ? a.begin : b.begin;
  const auto end = a.end < b.end ? a.end : b.end;
  return end > begin ? end - begin : Nanoseconds{0};
}

} // namespace jitterscope
