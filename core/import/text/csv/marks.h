#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace jitterscope::import {

/// Number of bytes that csv_marks() examines.
inline constexpr std::size_t kMarkBlock = 64;

/// A bit for every byte of the block that is a separator, a quote or a line break.
[[gnu::always_inline]] inline std::uint64_t csv_marks(const char* block, char separator) {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i separators = _mm_set1_epi8(separator), quotes = _mm_set1_epi8('"'),
                feeds = _mm_set1_epi8('\n'), returns = _mm_set1_epi8('\r');
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
    const __m128i breaks = _mm_or_si128(_mm_cmpeq_epi8(bytes, feeds), _mm_cmpeq_epi8(bytes, returns));
    const __m128i others = _mm_or_si128(_mm_cmpeq_epi8(bytes, separators), _mm_cmpeq_epi8(bytes, quotes));
    const auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(breaks, others)));
    mask |= std::uint64_t{found} << (16 * i);
  }
#else
  for (std::size_t i = 0; i < kMarkBlock; ++i) {
    const char c = block[i];
    if (c == separator || c == '"' || c == '\n' || c == '\r') mask |= std::uint64_t{1} << i;
  }
#endif
  return mask;
}

} // namespace jitterscope::import
