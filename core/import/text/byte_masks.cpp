#include "core/import/text/byte_masks.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace jitterscope::import {
namespace {

#if defined(__x86_64__)

template <std::size_t N>
[[gnu::target("avx512f,avx512bw")]] void
find_by_64(const char* text, std::size_t blocks, const std::array<char, N>& requested, ByteMasks<N>* masks) {
  __m512i sought[N];
  for (std::size_t k = 0; k < N; ++k) sought[k] = _mm512_set1_epi8(requested[k]);
  for (std::size_t i = 0; i < blocks; ++i) {
    const __m512i bytes = _mm512_loadu_si512(text + kMaskBlock * i);
    for (std::size_t k = 0; k < N; ++k) masks[i][k] = _mm512_cmpeq_epi8_mask(bytes, sought[k]);
  }
}

template <std::size_t N>
[[gnu::target("avx2")]] void find_by_32(const char* text, std::size_t blocks,
                                        const std::array<char, N>& requested, ByteMasks<N>* masks) {
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto* at = reinterpret_cast<const __m256i*>(text + kMaskBlock * i);
    const __m256i low = _mm256_loadu_si256(at), high = _mm256_loadu_si256(at + 1);
    for (std::size_t k = 0; k < N; ++k) {
      const __m256i sought = _mm256_set1_epi8(requested[k]);
      const auto in_low = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, sought)));
      const auto in_high = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, sought)));
      masks[i][k] = std::uint64_t{in_high} << 32 | in_low;
    }
  }
}

template <std::size_t N>
void find_by_16(const char* text, std::size_t blocks, const std::array<char, N>& requested,
                ByteMasks<N>* masks) {
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t k = 0; k < N; ++k) {
      const __m128i sought = _mm_set1_epi8(requested[k]);
      std::uint64_t mask = 0;
      for (std::size_t part = 0; part < 4; ++part) {
        const auto* at = reinterpret_cast<const __m128i*>(text + kMaskBlock * i + 16 * part);
        const auto found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at), sought));
        mask |= std::uint64_t{static_cast<std::uint32_t>(found)} << (16 * part);
      }
      masks[i][k] = mask;
    }
}

#else

template <std::size_t N>
void find_by_1(const char* text, std::size_t blocks, const std::array<char, N>& requested,
               ByteMasks<N>* masks) {
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t k = 0; k < N; ++k) {
      std::uint64_t mask = 0;
      for (std::size_t at = 0; at < kMaskBlock; ++at)
        mask |= std::uint64_t{text[kMaskBlock * i + at] == requested[k]} << at;
      masks[i][k] = mask;
    }
}

#endif

} // namespace

template <std::size_t N>
void find_bytes(const char* text, std::size_t blocks, const std::array<char, N>& requested,
                ByteMasks<N>* masks) {
#if defined(__x86_64__)
  static const bool by_64 = __builtin_cpu_supports("avx512bw"), by_32 = __builtin_cpu_supports("avx2");
  if (by_64) return find_by_64(text, blocks, requested, masks);
  if (by_32) return find_by_32(text, blocks, requested, masks);
  find_by_16(text, blocks, requested, masks);
#else
  find_by_1(text, blocks, requested, masks);
#endif
}

template void find_bytes<4>(const char*, std::size_t, const std::array<char, 4>&, ByteMasks<4>*);
template void find_bytes<7>(const char*, std::size_t, const std::array<char, 7>&, ByteMasks<7>*);

} // namespace jitterscope::import
