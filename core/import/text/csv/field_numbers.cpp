#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/base/vector_clones.h"
#include "core/import/text/csv/avx512.h"
#include "core/import/text/csv/field_kernels.h"
#include "core/import/text/plain_number.h"

namespace jitterscope::import {
namespace {

constexpr std::size_t kBefore = 16; // bytes before a field's end that are read

// One to fifteen digits, with a decimal point if requested.
void read_number(const char* text, std::size_t field, FieldNumbers& fields) {
  const std::string_view written(text + fields.begins[field], fields.ends[field] - fields.begins[field]);
  const auto number =
      written.size() <= 16 && !written.starts_with('-') ? plain_number(written) : std::nullopt;
  const bool fraction = number && number->places > 0;
  if (!number || (fraction ? !fields.points : written.size() > 15)) {
    fields.numbers[field] = std::numeric_limits<double>::quiet_NaN();
    fields.others[fields.other_count++] = static_cast<std::uint16_t>(field);
    return;
  }
  fields.numbers[field] = *nearest(*number); // fifteen digits: exact
  if (fraction) fields.fractions[fields.fraction_count++] = static_cast<std::uint16_t>(field);
}

bool is_requested(const FieldNumbers& fields, std::size_t field) {
  return !fields.requested || (fields.requested[field / 8] >> field % 8 & 1) != 0;
}

// Bytes before the text are not readable: the few fields that end within its first bytes are parsed one by
// one.
std::size_t read_first_numbers(const char* text, FieldNumbers& fields) {
  std::size_t i = 0;
  for (; i < fields.count && fields.ends[i] < kBefore; ++i) {
    if (is_requested(fields, i))
      read_number(text, i, fields);
    else
      fields.numbers[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return i;
}

/// Digits as in memory before the ends of some fields: the last eight of each and the eight
/// before. Bytes outside a field are cut off by its length.
struct Digits {
  std::uint64_t low[kFieldGroup], high[kFieldGroup], length[kFieldGroup];
};

constexpr std::uint64_t kZeros = 0x3030303030303030u, kTop = 0x8080808080808080u,
                        kBeyondNine = 0x7676767676767676u;
constexpr double kTwoTo52 = 4503599627370496.0;
constexpr auto kMissing = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());

// Parses eight digits at once, as eight_digits() of plain_number.h does. Numbers of at most fifteen digits
// are below 2^52: setting the bits of 2^52 makes a double of the integer. All lanes do the same.
JITTERSCOPE_VECTOR_CLONES void read_digits(const Digits& digits, double* numbers) {
  constexpr std::uint64_t kPairs = 0x000000FF000000FFu, kFirst = 100 + (std::uint64_t{1'000'000} << 32),
                          kSecond = 1 + (std::uint64_t{10'000} << 32);
  for (std::size_t i = 0; i < kFieldGroup; ++i) {
    const auto length = digits.length[i];
    const auto in_low = std::min<std::uint64_t>(length, 8), in_high = length - in_low;
    // Shifts by 0 to 63 bits; a full word is shifted out in two steps.
    const auto cut_low = (64 - 8 * in_low) & 63, cut_high = (56 - 8 * in_high) & 63;
    const auto low = (digits.low[i] ^ kZeros) >> cut_low << cut_low;
    const auto high = (digits.high[i] ^ kZeros) >> 8 >> cut_high << cut_high << 8;
    const auto broken = (((low + kBeyondNine) | low) | ((high + kBeyondNine) | high)) & kTop;
    const auto low_pairs = low * 10 + (low >> 8), high_pairs = high * 10 + (high >> 8);
    const auto low_value = ((low_pairs & kPairs) * kFirst + ((low_pairs >> 16) & kPairs) * kSecond) >> 32;
    const auto high_value = ((high_pairs & kPairs) * kFirst + ((high_pairs >> 16) & kPairs) * kSecond) >> 32;
    const auto value = high_value * 100'000'000 + low_value;
    const auto number = std::bit_cast<double>(value | std::bit_cast<std::uint64_t>(kTwoTo52)) - kTwoTo52;
    const auto none =
        std::uint64_t{0} - static_cast<std::uint64_t>((broken != 0) | (length - 1 > 14)); // all bits
    numbers[i] = std::bit_cast<double>((std::bit_cast<std::uint64_t>(number) & ~none) | (kMissing & none));
  }
}

#if defined(__x86_64__)

// The digits of eight fields, with '0' subtracted: the last eight of each and the eight before.
struct EightFields {
  __m512i low, high;
};

// The values of sixteen digits each: combines digits to numbers of two, four, eight and sixteen digits.
[[JITTERSCOPE_AVX512, gnu::always_inline]] inline __m512i values_of(const EightFields& digits,
                                                                    bool has_high) {
  const __m512i none = _mm512_setzero_si512(), by_10_and_1 = _mm512_set1_epi16(0x010A);
  const __m512i low = _mm512_maddubs_epi16(digits.low, by_10_and_1);
  const __m512i high = has_high ? _mm512_maddubs_epi16(digits.high, by_10_and_1) : none;
  const __m512i fours =
      _mm512_maddubs_epi16(_mm512_packus_epi16(low, high), _mm512_set1_epi16(0x0164)); // 100, 1
  const __m512i halves = _mm512_madd_epi16(fours, _mm512_set1_epi32(0x00012710));      // 10,000, 1
  const __m512i lower = _mm512_unpacklo_epi32(halves, none);
  if (!has_high) return lower;
  const __m512i upper = _mm512_unpackhi_epi32(halves, none);
  return _mm512_add_epi64(lower, _mm512_mul_epu32(upper, _mm512_set1_epi64(100'000'000)));
}

// By the number of bytes of a field minus one: masks of the last eight bytes that belong to it, and of the
// eight before.
struct OwnBytes {
  std::uint64_t low[16], high[16];
};
constexpr OwnBytes own_bytes() {
  OwnBytes own{};
  for (unsigned i = 0; i < 16; ++i) {
    own.low[i] = i < 7 ? ~std::uint64_t{0} << (56 - 8 * i) : ~std::uint64_t{0};
    own.high[i] = i < 8 ? 0 : ~std::uint64_t{0} << (8 * (15 - i));
  }
  return own;
}
alignas(64) constexpr OwnBytes kOwnBytes = own_bytes();

// Looks up one of sixteen words for each selected field of eight, 0 for the others.
[[JITTERSCOPE_AVX512, gnu::always_inline]] inline __m512i looked_up(const std::uint64_t* words,
                                                                    __mmask8 asked, __m512i places) {
  return _mm512_maskz_permutex2var_epi64(asked, _mm512_load_si512(words), places,
                                         _mm512_load_si512(words + 8));
}

// Digits that belong to their fields, with '0' subtracted.
[[JITTERSCOPE_AVX512, gnu::always_inline]] inline __m512i digits_of(__m512i bytes, __m512i own) {
  constexpr int kDifferAndOwn = 0x28; // (a ^ b) & c
  return _mm512_ternarylogic_epi64(bytes, _mm512_set1_epi8('0'), own, kDifferAndOwn);
}

// The bits of eight fields, starting at any field.
std::uint8_t requested_of_eight(const std::uint8_t* requested, std::size_t field) {
  const unsigned both = requested[field / 8] | requested[field / 8 + 1] << 8;
  return static_cast<std::uint8_t>(both >> field % 8);
}

// Positions of the points of eight fields, all within the last eight bytes: in later records the same columns
// mostly have them at the same positions.
struct PointsAbove {
  std::uint64_t where = 0; // bytes that are points, 0: nothing is known
  __mmask8 fields = 0;
  __m512i up_to, below, places; // all bits up to and including the point, below it; digits after it
  __m512d power, inverse;       // 10^places and the double nearest to 1 / 10^places
};
constexpr std::size_t kMaxPointGroups = 32;
constexpr double kInversePowers[] = {1, 1 / 1e1, 1 / 1e2, 1 / 1e3, 1 / 1e4, 1 / 1e5, 1 / 1e6, 1 / 1e7};

// Number of groups of eight fields after which the same columns recur, 0 where it is too large or
// unknown.
std::size_t groups_between(std::size_t columns) {
  const auto groups = columns / std::gcd(columns, std::size_t{8});
  return groups <= kMaxPointGroups ? groups : 0;
}

// Numbers below 2^53 divided by a power of ten, to the nearest double. If a quotient is off by one unit in
// the last place at most and the reciprocal is rounded to nearest, the remainder is exact, and one more step
// rounds as a division does (Markstein 1990, "Computation of elementary functions on the IBM RISC System/6000
// processor"). The first of the two steps brings the quotient that close.
[[JITTERSCOPE_AVX512, gnu::always_inline]] inline __m512d divided(__m512d number, __m512d power,
                                                                  __m512d inverse) {
  __m512d quotient = _mm512_mul_pd(number, inverse);
  quotient = _mm512_fmadd_pd(_mm512_fnmadd_pd(quotient, power, number), inverse, quotient);
  return _mm512_fmadd_pd(_mm512_fnmadd_pd(quotient, power, number), inverse, quotient);
}

// Removes the byte `at`: bytes `below` it move up.
[[JITTERSCOPE_AVX512, gnu::always_inline]] inline __m512i closed_up(__m512i digits, __m512i at,
                                                                    __m512i below) {
  const __m512i up_to = _mm512_sub_epi64(_mm512_slli_epi64(at, 8), _mm512_set1_epi64(1));
  return _mm512_or_si512(_mm512_andnot_si512(up_to, digits),
                         _mm512_slli_epi64(_mm512_and_si512(digits, below), 8));
}

// Appends the numbers of the requested fields among the eight from `first` on.
[[JITTERSCOPE_AVX512, gnu::always_inline]] inline void put_numbers(std::size_t first, unsigned requested,
                                                                   std::uint16_t* list, std::size_t& count) {
  const __m128i numbers =
      _mm_add_epi16(_mm_set_epi16(7, 6, 5, 4, 3, 2, 1, 0), _mm_set1_epi16(static_cast<short>(first)));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(list + count),
                   _mm_maskz_compress_epi16(static_cast<__mmask8>(requested), numbers));
  count += static_cast<std::size_t>(std::popcount(requested));
}

// Removes the points from numbers; digits before them move one byte towards the end. Returns the number of
// digits after the point; 0 where there is no point. `bad`: the fields whose point is not between
// digits. `above`: the positions for the next records.
[[JITTERSCOPE_AVX512, gnu::always_inline]] inline __m512i
remove_points(EightFields& fields, __m512i length, __mmask8& with_point, __mmask8& bad, PointsAbove* above) {
  const __m512i point = _mm512_set1_epi8('.' ^ '0'), one = _mm512_set1_epi8(1), none = _mm512_setzero_si512();
  const auto points_low = _mm512_cmpeq_epi8_mask(fields.low, point),
             points_high = _mm512_cmpeq_epi8_mask(fields.high, point);
  if ((points_low | points_high) == 0) return none;
  const __m512i in_low = _mm512_maskz_mov_epi8(points_low, one),
                in_high = _mm512_maskz_mov_epi8(points_high, one);
  const __mmask8 low = _mm512_test_epi64_mask(in_low, in_low),
                 high = _mm512_test_epi64_mask(in_high, in_high);
  with_point = static_cast<__mmask8>(low | high);
  const __m512i minus_one = _mm512_set1_epi64(-1);
  const __m512i below_low = _mm512_add_epi64(in_low, minus_one),
                below_high = _mm512_add_epi64(in_high, minus_one);
  const auto several =
      _mm512_test_epi64_mask(in_low, below_low) | _mm512_test_epi64_mask(in_high, below_high) | (low & high);
  const __m512i low_closed =
      _mm512_or_si512(closed_up(fields.low, in_low, below_low), _mm512_srli_epi64(fields.high, 56));
  const __m512i high_closed = closed_up(fields.high, in_high, below_high);
  fields.low = _mm512_mask_mov_epi64(fields.low, low, low_closed);
  fields.high = _mm512_mask_slli_epi64(fields.high, low, fields.high, 8);
  fields.high = _mm512_mask_mov_epi64(fields.high, high, high_closed);
  const __m512i places_low = _mm512_maskz_srli_epi64(low, _mm512_lzcnt_epi64(in_low), 3);
  const __m512i places = _mm512_mask_add_epi64(
      places_low, high, _mm512_srli_epi64(_mm512_lzcnt_epi64(in_high), 3), _mm512_set1_epi64(8));
  const auto behind_all = _mm512_mask_cmpeq_epi64_mask(with_point, places, none);
  const auto before_all =
      _mm512_mask_cmple_epi64_mask(with_point, length, _mm512_sub_epi64(places, minus_one));
  bad = static_cast<__mmask8>(several | behind_all | before_all);
  if (above) above->where = 0;
  if (above && high == 0 && (several | behind_all) == 0)
    *above = {points_low,
              low,
              _mm512_maskz_sub_epi64(low, _mm512_slli_epi64(in_low, 8), _mm512_set1_epi64(1)),
              _mm512_maskz_mov_epi64(low, below_low),
              places,
              _mm512_permutexvar_pd(places, _mm512_loadu_pd(kExactPowers.data())), // fewer than eight places
              _mm512_permutexvar_pd(places, _mm512_loadu_pd(kInversePowers))};
  return places;
}

// remove_points() where points have the same positions as in the record above.
[[JITTERSCOPE_AVX512, gnu::always_inline]] inline void remove_known_points(EightFields& fields,
                                                                           __m512i length, bool has_high,
                                                                           const PointsAbove& above,
                                                                           __mmask8& bad) {
  fields.low = _mm512_or_si512(_mm512_andnot_si512(above.up_to, fields.low),
                               _mm512_slli_epi64(_mm512_and_si512(fields.low, above.below), 8));
  if (has_high) {
    fields.low = _mm512_or_si512(fields.low, _mm512_maskz_srli_epi64(above.fields, fields.high, 56));
    fields.high = _mm512_mask_slli_epi64(fields.high, above.fields, fields.high, 8);
  }
  bad = _mm512_mask_cmple_epi64_mask(above.fields, length,
                                     _mm512_add_epi64(above.places, _mm512_set1_epi64(1)));
}

[[JITTERSCOPE_AVX512]] void read_field_numbers_by_8(const char* text, FieldNumbers& fields) {
  const __m512i none = _mm512_setzero_si512(), one = _mm512_set1_epi64(1),
                point = _mm512_set1_epi8('.' ^ '0'),
                beyond_nine = _mm512_set1_epi64(static_cast<long long>(kBeyondNine)),
                top = _mm512_set1_epi64(static_cast<long long>(kTop));
  const __m512d missing = _mm512_set1_pd(std::numeric_limits<double>::quiet_NaN());
  const __m512d powers = _mm512_loadu_pd(kExactPowers.data()),
                more_powers = _mm512_loadu_pd(kExactPowers.data() + 8);
  const auto period = groups_between(fields.columns);
  PointsAbove points_above[kMaxPointGroups];
  std::size_t group = 0;
  for (std::size_t i = read_first_numbers(text, fields); i < fields.count; i += 8) {
    const __m256i ends = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(fields.ends + i));
    const __m256i begins = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(fields.begins + i));
    const auto left = fields.count - i;
    auto requested = static_cast<__mmask8>(left < 8 ? (1u << left) - 1 : 0xFFu);
    if (fields.requested) requested &= requested_of_eight(fields.requested, i);
    const __m512i low_bytes = _mm512_mask_i32gather_epi64(none, requested, ends, text - 8, 1);
    const __m512i length = _mm512_maskz_cvtepu32_epi64(requested, _mm256_sub_epi32(ends, begins));
    // Lengths without the point, minus one: 0 and lengths above 15 are handled alike.
    __m512i beyond = _mm512_sub_epi64(length, one);
    const auto known = _mm512_mask_cmple_epu64_mask(requested, beyond, _mm512_set1_epi64(15));
    EightFields digits{digits_of(low_bytes, looked_up(kOwnBytes.low, known, beyond)), none};
    const bool has_high = _mm512_mask_cmpgt_epu64_mask(known, beyond, _mm512_set1_epi64(7)) != 0;
    if (has_high) {
      const __m512i high_bytes = _mm512_mask_i32gather_epi64(none, requested, ends, text - 16, 1);
      digits.high = digits_of(high_bytes, looked_up(kOwnBytes.high, known, beyond));
    }
    __mmask8 with_point = 0, bad = 0;
    __m512i places = none;
    auto& above = points_above[group];
    if (++group >= period) group = 0;
    bool as_above = false;
    if (fields.points) {
      as_above = above.where != 0 && (!has_high || _mm512_cmpeq_epi8_mask(digits.high, point) == 0) &&
                 _mm512_cmpeq_epi8_mask(digits.low, point) == above.where;
      if (as_above) {
        remove_known_points(digits, length, has_high, above, bad);
        with_point = above.fields;
      } else {
        places = remove_points(digits, length, with_point, bad, period > 0 ? &above : nullptr);
      }
    }
    __m512i broken = _mm512_or_si512(digits.low, _mm512_add_epi64(digits.low, beyond_nine));
    if (has_high)
      broken =
          _mm512_or_si512(broken, _mm512_or_si512(digits.high, _mm512_add_epi64(digits.high, beyond_nine)));
    __m512d number = _mm512_cvtepu64_pd(values_of(digits, has_high));
    if (with_point != 0) {
      beyond = _mm512_mask_sub_epi64(beyond, with_point, beyond, one);
      number = as_above ? divided(number, above.power, above.inverse)
                        : _mm512_div_pd(number, _mm512_permutex2var_pd(powers, places, more_powers));
    }
    const __mmask8 too_long = _mm512_cmpgt_epu64_mask(beyond, _mm512_set1_epi64(14));
    const auto other = static_cast<__mmask8>(_mm512_test_epi64_mask(broken, top) | too_long | bad);
    _mm512_storeu_pd(fields.numbers + i, _mm512_mask_mov_pd(number, other, missing));
    if ((other & requested) != 0) put_numbers(i, other & requested, fields.others, fields.other_count);
    if (with_point != 0)
      put_numbers(i, static_cast<unsigned>(with_point & requested & ~other), fields.fractions,
                  fields.fraction_count);
  }
}

// Transposes eight rows of eight columns: pairs of rows, then their halves, then quarters. Columns without a
// bit in `requested` are not read.
[[JITTERSCOPE_AVX512, gnu::always_inline]] inline void
put_eight_by_eight(const double* from, std::size_t columns, __mmask8 requested, double* const* to,
                   std::size_t row) {
  __m512d even[4], odd[4]; // for two rows each: columns 0, 2, 4, 6 and 1, 3, 5, 7
  for (std::size_t i = 0; i < 4; ++i) {
    const __m512d a = _mm512_maskz_loadu_pd(requested, from + 2 * i * columns),
                  b = _mm512_maskz_loadu_pd(requested, from + (2 * i + 1) * columns);
    even[i] = _mm512_unpacklo_pd(a, b);
    odd[i] = _mm512_unpackhi_pd(a, b);
  }
  __m512d out[8];
  for (std::size_t side = 0; side < 2; ++side) {
    const __m512d* const half = side == 0 ? even : odd;
    const __m512d first = _mm512_shuffle_f64x2(half[0], half[1], 0x88),
                  first_below = _mm512_shuffle_f64x2(half[2], half[3], 0x88),
                  second = _mm512_shuffle_f64x2(half[0], half[1], 0xDD),
                  second_below = _mm512_shuffle_f64x2(half[2], half[3], 0xDD);
    out[side] = _mm512_shuffle_f64x2(first, first_below, 0x88);
    out[side + 4] = _mm512_shuffle_f64x2(first, first_below, 0xDD);
    out[side + 2] = _mm512_shuffle_f64x2(second, second_below, 0x88);
    out[side + 6] = _mm512_shuffle_f64x2(second, second_below, 0xDD);
  }
  for (std::size_t column = 0; column < 8; ++column)
    if ((requested >> column & 1) != 0 && to[column]) _mm512_storeu_pd(to[column] + row, out[column]);
}

[[JITTERSCOPE_AVX512]] void put_into_columns_by_8(const double* numbers, std::size_t columns,
                                                  std::size_t rows, double* const* to) {
  const auto whole = rows / 8 * 8;
  for (std::size_t row = 0; row < whole; row += 8)
    for (std::size_t column = 0; column < columns; column += 8) {
      const auto left = columns - column;
      const auto requested = static_cast<__mmask8>(left < 8 ? (1u << left) - 1 : 0xFFu);
      put_eight_by_eight(numbers + row * columns + column, columns, requested, to + column, row);
    }
  for (std::size_t column = 0; column < columns; ++column)
    for (std::size_t row = whole; to[column] && row < rows; ++row)
      to[column][row] = numbers[row * columns + column];
}

#endif

} // namespace

void read_field_numbers_portably(const char* text, FieldNumbers& fields) {
  Digits digits;
  for (auto first = read_first_numbers(text, fields); first < fields.count; first += kFieldGroup) {
    const auto size = std::min(kFieldGroup, fields.count - first);
    for (std::size_t i = 0; i < size; ++i) {
      const auto end = fields.ends[first + i];
      std::memcpy(&digits.high[i], text + end - 16, 8);
      std::memcpy(&digits.low[i], text + end - 8, 8);
      digits.length[i] = is_requested(fields, first + i) ? end - fields.begins[first + i] : 0;
    }
    for (auto* words : {digits.low, digits.high, digits.length})
      std::fill(words + size, words + kFieldGroup, 0);
    read_digits(digits, fields.numbers + first);
    for (std::size_t i = first; i < first + size; ++i)
      if (fields.numbers[i] != fields.numbers[i] && is_requested(fields, i)) read_number(text, i, fields);
  }
}

void put_into_columns_portably(const double* numbers, std::size_t columns, std::size_t rows,
                               double* const* to) {
  for (std::size_t column = 0; column < columns; ++column) {
    if (!to[column]) continue;
    for (std::size_t row = 0; row < rows; ++row) to[column][row] = numbers[row * columns + column];
  }
}

void put_into_columns(const double* numbers, std::size_t columns, std::size_t rows, double* const* to) {
#if defined(__x86_64__)
  if (has_avx512()) return put_into_columns_by_8(numbers, columns, rows, to);
#endif
  put_into_columns_portably(numbers, columns, rows, to);
}

void read_field_numbers(const char* text, FieldNumbers& fields) {
#if defined(__x86_64__)
  if (has_avx512()) return read_field_numbers_by_8(text, fields);
#endif
  read_field_numbers_portably(text, fields);
}

} // namespace jitterscope::import
