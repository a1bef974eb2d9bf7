#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace jitterscope::import {

// Most texts are some dozens of bytes. These functions compare them with as few branches on their length as
// possible; some bytes are read twice.

inline std::uint64_t eight_bytes(const char* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, 8);
  return value;
}

/// A number for fewer than eight bytes; it differs for different texts of the same length.
[[gnu::always_inline]] inline std::uint64_t few_bytes(const char* at, std::size_t count) {
  if (count >= 4) {
    std::uint32_t first = 0, last = 0;
    std::memcpy(&first, at, 4);
    std::memcpy(&last, at + count - 4, 4);
    return std::uint64_t{first} << 32 | last;
  }
  if (count == 0) return 0;
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
  return byte(0) << 16 | byte(count / 2) << 8 | byte(count - 1);
}

/// Words that together contain each of 8 to 32 bytes at least once.
struct FourWords {
  std::uint64_t a, b, c, d;
};
[[gnu::always_inline]] inline FourWords four_words(const char* at, std::size_t count) {
  const auto second = std::min<std::size_t>(8, count - 8);
  return {eight_bytes(at), eight_bytes(at + second), eight_bytes(at + count - 8 - second),
          eight_bytes(at + count - 8)};
}

[[gnu::always_inline]] inline bool same_bytes(const char* a, const char* b, std::size_t count) {
  if (count == 1) return *a == *b; // such as numbers of devices and streams
  if (count < 8) return few_bytes(a, count) == few_bytes(b, count);
  const auto differ = [&](std::size_t at) __attribute__((always_inline)) {
    return eight_bytes(a + at) ^ eight_bytes(b + at);
  };
  if (count < 16) return (differ(0) | differ(count - 8)) == 0;
  std::size_t at = 0;
  for (; count - at > 32; at += 32)
    if ((differ(at) | differ(at + 8) | differ(at + 16) | differ(at + 24)) != 0) return false;
  at = std::min(at, count - 16); // one to 32 are left
  return (differ(at) | differ(at + 8) | differ(count - 16) | differ(count - 8)) == 0;
}

} // namespace jitterscope::import
