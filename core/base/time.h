#pragma once

#include <compare>
#include <cstdint>
#include <string>

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

/// "6.082352213s" for a time in ns: exact, and in a form that the options of the command line accept.
std::string exact_time(std::int64_t ns);
/// "1.5s to 2s"
std::string exact_range(const Interval& range);

} // namespace jitterscope
