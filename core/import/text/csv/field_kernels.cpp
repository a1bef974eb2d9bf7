#include "core/import/text/csv/field_kernels.h"

#include <algorithm>
#include <bit>

#include "core/base/vector_clones.h"
#include "core/import/text/byte_masks.h"
#include "core/import/text/csv/avx512.h"

namespace jitterscope::import {
namespace {

// For a block: the marks that end fields, and those that end records.
struct EndMarks {
  std::uint64_t all, breaks;
  bool returns;
};
constexpr std::size_t kSeparator = 0, kFeed = 1, kReturn = 2, kQuote = 3; // indices in the masks of a block

// State from the bytes before a block: `within` has all bits set if the block begins within quotes,
// `field_begins` is 1 if it begins with a field, `closed` is 1 if it begins after a closing quote.
struct QuoteState {
  std::uint64_t within = 0, field_begins = 1, closed = 0;
  std::uint64_t irregular = 0; // not 0 if any field is irregular
};

// Sets all bits from each odd set bit up to the next even one.
[[gnu::always_inline]] inline std::uint64_t from_odd_to_even(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// Removes the marks within quotes. Fields should be quoted from end to end without other special characters
// inside, as most programs write them: others are flagged as irregular. `between` is from_odd_to_even().
template <class Between>
[[gnu::always_inline]] inline void leave_out_quoted(ByteMasks<4>& block, std::size_t left, QuoteState& state,
                                                    Between&& between) {
  const auto text = left < kMaskBlock ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
  const auto quotes = block[kQuote] & text;
  std::uint64_t within = 0;
  if (quotes | state.within) {
    within = between(quotes) ^ state.within;
    state.irregular |= (block[kFeed] | block[kReturn]) & within & text;
    for (const auto mark : {kSeparator, kFeed, kReturn}) block[mark] &= ~within;
  }
  const auto ends = block[kSeparator] | block[kFeed] | block[kReturn];
  const auto opening = quotes & within, closing = quotes & ~within;
  state.irregular |= opening & ~(ends << 1 | state.field_begins);
  state.irregular |= (closing << 1 | state.closed) & ~ends & text;
  state.within = std::uint64_t{0} - (within >> 63);
  state.field_begins = ends >> 63;
  state.closed = closing >> 63;
}

[[gnu::always_inline]] inline EndMarks end_marks(const ByteMasks<4>& block, std::string_view text,
                                                 std::size_t at) {
  const auto left = text.size() - at;
  const auto inside = left < kMaskBlock ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
  const auto feeds = block[kFeed] & inside;
  if (block[kReturn] == 0)
    return {(block[kSeparator] & inside) | feeds, feeds, false}; // the most frequent case
  const bool feed_follows = left > kMaskBlock && text[at + kMaskBlock] == '\n';
  const auto before_feed = feeds >> 1 | std::uint64_t{feed_follows} << 63;
  const auto breaks = feeds | (block[kReturn] & inside & ~before_feed);
  return {(block[kSeparator] & inside) | breaks, breaks, true};
}

[[gnu::always_inline]] inline void put_record_ends(EndMarks marks, FieldEnds& out) {
  out.returns |= marks.returns;
  for (auto breaks = marks.breaks; breaks != 0; breaks &= breaks - 1) {
    const auto up_to = breaks ^ (breaks - 1); // the lowest bit and all below it
    out.records[out.record_count++] = static_cast<std::uint16_t>(
        out.field_count + static_cast<std::size_t>(std::popcount(marks.all & up_to)));
  }
}

// Positions of set bits, eight at a time: the number of steps is then nearly always the same.
[[gnu::always_inline]] inline void put_bits(std::uint64_t bits, std::uint32_t first, std::uint32_t* ends,
                                            std::uint32_t* next_begins) {
  const int count = std::popcount(bits);
  for (int k = 0; k < count; k += 8)
    for (int j = 0; j < 8; ++j) {
      ends[k + j] = first + static_cast<std::uint32_t>(std::countr_zero(bits));
      next_begins[k + j] = ends[k + j] + 1;
      bits &= bits - 1;
    }
}

#if defined(__x86_64__)

[[JITTERSCOPE_AVX512]] inline std::uint64_t from_odd_to_even_at_once(std::uint64_t bits) {
  const __m128i sums =
      _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(bits)), _mm_set1_epi8(-1), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(sums));
}

[[JITTERSCOPE_AVX512]] void find_field_ends_by_64(std::string_view text, std::size_t begin, char separator,
                                                  std::size_t maximum, FieldEnds& result) {
  alignas(64) std::uint8_t numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = static_cast<std::uint8_t>(i);
  const __m512i places = _mm512_load_si512(numbers), separators = _mm512_set1_epi8(separator),
                feeds = _mm512_set1_epi8('\n'), returns = _mm512_set1_epi8('\r'),
                quotes = _mm512_set1_epi8('"');
  QuoteState state;
  auto out = result;
  out.begins[0] = static_cast<std::uint32_t>(begin);
  for (std::size_t at = begin; at < text.size() && out.field_count + kMaskBlock <= maximum;
       at += kMaskBlock) {
    const __m512i bytes = _mm512_loadu_si512(text.data() + at);
    ByteMasks<4> block{_mm512_cmpeq_epi8_mask(bytes, separators), _mm512_cmpeq_epi8_mask(bytes, feeds),
                       _mm512_cmpeq_epi8_mask(bytes, returns), 0};
    if (out.quotes) {
      block[kQuote] = _mm512_cmpeq_epi8_mask(bytes, quotes);
      leave_out_quoted(block, text.size() - at, state, from_odd_to_even_at_once);
    }
    const auto marks = end_marks(block, text, at);
    const auto count = std::popcount(marks.all);
    __m512i found = _mm512_maskz_compress_epi8(marks.all, places);
    const __m512i first = _mm512_set1_epi32(static_cast<int>(at));
    for (int k = 0; k < count; k += 16) { // positions of set bits, sixteen at a time
      const __m512i ends = _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(found)), first);
      _mm512_storeu_si512(out.ends + out.field_count + k, ends);
      _mm512_storeu_si512(out.begins + out.field_count + k + 1, _mm512_add_epi32(ends, _mm512_set1_epi32(1)));
      found = _mm512_alignr_epi32(found, found, 4);
    }
    put_record_ends(marks, out);
    out.field_count += static_cast<std::size_t>(count);
  }
  out.irregular = state.irregular != 0;
  result = out;
}

#endif

JITTERSCOPE_VECTOR_CLONES void find_field_ends_by_bits(std::string_view text, std::size_t begin,
                                                       char separator, std::size_t maximum,
                                                       FieldEnds& result) {
  constexpr std::size_t kWindow = 16; // blocks per window
  ByteMasks<4> blocks[kWindow];
  QuoteState state;
  auto out = result; // kept in registers
  out.begins[0] = static_cast<std::uint32_t>(begin);
  for (std::size_t at = begin, i = kWindow; at < text.size() && out.field_count + kMaskBlock <= maximum;
       at += kMaskBlock, ++i) {
    if (i == kWindow) {
      const auto left = (text.size() - at + kMaskBlock - 1) / kMaskBlock;
      find_bytes<4>(text.data() + at, std::min(kWindow, left), {separator, '\n', '\r', '"'}, blocks);
      i = 0;
    }
    if (out.quotes) leave_out_quoted(blocks[i], text.size() - at, state, from_odd_to_even);
    const auto marks = end_marks(blocks[i], text, at);
    put_bits(marks.all, static_cast<std::uint32_t>(at), out.ends + out.field_count,
             out.begins + out.field_count + 1);
    put_record_ends(marks, out);
    out.field_count += static_cast<std::size_t>(std::popcount(marks.all));
  }
  out.irregular = state.irregular != 0;
  result = out;
}

} // namespace

void find_field_ends_portably(std::string_view text, std::size_t begin, char separator, std::size_t maximum,
                              FieldEnds& out) {
  find_field_ends_by_bits(text, begin, separator, maximum, out);
}

void find_field_ends(std::string_view text, std::size_t begin, char separator, std::size_t maximum,
                     FieldEnds& out) {
#if defined(__x86_64__)
  if (has_avx512()) return find_field_ends_by_64(text, begin, separator, maximum, out);
#endif
  find_field_ends_by_bits(text, begin, separator, maximum, out);
}

} // namespace jitterscope::import
