#include "core/import/json/structure.h"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace jitterscope::import::json {
namespace {

constexpr std::size_t kBlock = 64;

// One bit per byte of a block.
struct Masks {
  std::uint64_t quote = 0, backslash = 0, open = 0, close = 0;
};

#if defined(__SSE2__)
[[gnu::always_inline]] inline std::uint64_t commas_of(const char* block) {
  std::uint64_t commas = 0;
  for (int part = 0; part < 4; ++part) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * part));
    const auto equal = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')));
    commas |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(equal)) << (16 * part);
  }
  return commas;
}

[[gnu::always_inline]] inline Masks masks_of(const char* block) {
  Masks masks;
  for (int part = 0; part < 4; ++part) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * part));
    const auto bits = [&](__m128i equal) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal))) << (16 * part);
    };
    // '[' | 0x20 is '{', ']' | 0x20 is '}'.
    const auto folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    masks.quote |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
    masks.backslash |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    masks.open |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')));
    masks.close |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
  }
  return masks;
}
#else
inline std::uint64_t commas_of(const char* block) {
  std::uint64_t commas = 0;
  for (std::size_t i = 0; i < kBlock; ++i) commas |= std::uint64_t{block[i] == ','} << i;
  return commas;
}

inline Masks masks_of(const char* block) {
  Masks masks;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const auto bit = std::uint64_t{1} << i;
    const char c = block[i];
    if (c == '"') masks.quote |= bit;
    if (c == '\\') masks.backslash |= bit;
    if (c == '{' || c == '[') masks.open |= bit;
    if (c == '}' || c == ']') masks.close |= bit;
  }
  return masks;
}
#endif

// Bits of bytes that a backslash before them escapes. Backslashes are rare: one after the other.
[[gnu::always_inline]] inline std::uint64_t escaped(std::uint64_t backslash, std::uint64_t& after_escape) {
  std::uint64_t result = after_escape;
  after_escape = 0;
  for (auto left = backslash & ~result; left != 0;) {
    const auto place = static_cast<unsigned>(std::countr_zero(left));
    if (place == kBlock - 1) {
      after_escape = 1;
      break;
    }
    result |= std::uint64_t{2} << place;
    left &= left - 1;
    left &= ~(std::uint64_t{2} << place);
  }
  return result;
}

// From a quote to the one before the next: the bytes of strings.
[[gnu::always_inline]] inline std::uint64_t between_pairs(std::uint64_t quotes) {
  for (const int step : {1, 2, 4, 8, 16, 32}) quotes ^= quotes << step;
  return quotes;
}

// The brackets and commas of one block in their order; true at the end.
[[gnu::always_inline]] inline bool walk(const char* block, std::size_t offset, std::uint64_t open,
                                        std::uint64_t close, std::uint64_t outside, std::int64_t& depth,
                                        Scan& found) {
  for (auto left = open | close | (commas_of(block) & outside); left != 0; left &= left - 1) {
    const auto bit = left & (~left + 1);
    const auto place = offset + static_cast<std::size_t>(std::countr_zero(left));
    if (open & bit) {
      ++depth;
    } else if (close & bit) {
      if (--depth < 0) {
        found.end = place;
        return true;
      }
    } else if (depth == 0) {
      found.last_comma = place;
    }
  }
  return false;
}

[[gnu::always_inline]] inline Scan scan_blocks(std::string_view text, ScanState& state) {
  Scan found;
  char tail[kBlock];
  for (std::size_t offset = 0; offset < text.size(); offset += kBlock) {
    const char* block = text.data() + offset;
    const auto left = text.size() - offset;
    if (left < kBlock) { // blanks mean nothing, except that an escape must not be used up by them
      std::memset(tail, ' ', kBlock);
      std::memcpy(tail, block, left);
      block = tail;
    }
    const auto masks = masks_of(block);
    auto quotes = masks.quote;
    if ((masks.backslash | state.after_escape) != 0) {
      auto carry = state.after_escape;
      const auto hidden = escaped(masks.backslash, carry);
      quotes &= ~hidden;
      state.after_escape = left < kBlock ? (hidden >> left) & 1 : carry;
    }
    const auto inside = between_pairs(quotes) ^ state.in_string;
    const auto ends_inside = left < kBlock ? inside >> (left - 1) : inside >> (kBlock - 1);
    state.in_string = ends_inside & 1 ? ~std::uint64_t{0} : 0;
    const auto open = masks.open & ~inside, close = masks.close & ~inside;
    const auto closes = std::popcount(close);
    if (state.depth - closes > 0) {
      state.depth += std::popcount(open) - closes;
      continue;
    }
    if (walk(block, offset, open, close, ~inside, state.depth, found)) return found;
  }
  return found;
}

#if defined(__x86_64__)
[[gnu::target("avx2,bmi,popcnt")]] Scan scan_blocks_haswell(std::string_view text, ScanState& state) {
  return scan_blocks(text, state);
}
#endif

} // namespace

Scan scan(std::string_view text, ScanState& state) {
#if defined(__x86_64__)
  static const bool haswell = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
  if (haswell) return scan_blocks_haswell(text, state);
#endif
  return scan_blocks(text, state);
}

} // namespace jitterscope::import::json
