#include "core/store/columns/narrow.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <span>

#include "core/base/spill_memory.h"
#include "core/base/vector_clones.h"

namespace jitterscope::store {
namespace {

template <class Narrow>
constexpr std::int64_t kLargestInt64 = std::int64_t{kTopCode<Narrow>} - 2; // two codes are reserved

template <class Narrow>
bool fits(std::int64_t value) {
  return value >= -1 && value <= kLargestInt64<Narrow>;
}

/// Calls examine(piece) for consecutive pieces of a column. Several threads read file-backed columns at a
/// time; each releases the pages that it has read, since one thread releasing for all would come too late.
template <class T, class Examine>
void in_pieces(std::span<const T> values, Examine&& examine) {
  constexpr std::size_t kValues = std::size_t{1} << 18;
  for (std::size_t row = 0; row < values.size(); row += kValues) {
    if (row > 0) SpillMemory::relieve();
    examine(values.subspan(row, std::min(kValues, values.size() - row)));
  }
}

struct Misfits {
  std::size_t in8 = 0, in16 = 0, in32 = 0;
};

JITTERSCOPE_VECTOR_CLONES void add_misfits(const std::int64_t* values, std::size_t count, Misfits& all) {
  Misfits misfits = all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto code = static_cast<std::uint64_t>(values[i]) + 1; // −1 is the smallest value that fits
    misfits.in8 += code > static_cast<std::uint64_t>(kLargestInt64<std::uint8_t> + 1);
    misfits.in16 += code > static_cast<std::uint64_t>(kLargestInt64<std::uint16_t> + 1);
    misfits.in32 += code > static_cast<std::uint64_t>(kLargestInt64<std::uint32_t> + 1);
  }
  all = misfits;
}

Encoding encoding_of(std::span<const std::int64_t> values) {
  Misfits misfits;
  in_pieces(values, [&](auto piece) { add_misfits(piece.data(), piece.size(), misfits); });
  const auto maximum = values.size() / kRowsPerEscape;
  Encoding encoding;
  bool (*fit)(std::int64_t) = nullptr;
  if (misfits.in8 <= maximum)
    encoding.stored = ElementType::UInt8, fit = fits<std::uint8_t>;
  else if (misfits.in16 <= maximum)
    encoding.stored = ElementType::UInt16, fit = fits<std::uint16_t>;
  else if (misfits.in32 <= maximum)
    encoding.stored = ElementType::UInt32, fit = fits<std::uint32_t>;
  else
    return encoding;
  for (std::size_t row = 0; row < values.size(); ++row) {
    SpillMemory::relieve_at(row);
    if (fit(values[row])) continue;
    encoding.escapes.rows.push_back(static_cast<std::int64_t>(row));
    encoding.escapes.values.push_back(values[row]);
  }
  return encoding;
}

JITTERSCOPE_VECTOR_CLONES std::uint32_t largest_of(const std::uint32_t* values, std::size_t count) {
  std::uint32_t maximum = 0;
  for (std::size_t i = 0; i < count; ++i) maximum = std::max(maximum, values[i] == kNone ? 0 : values[i]);
  return maximum;
}

Encoding encoding_of(std::span<const std::uint32_t> values) {
  std::uint32_t maximum = 0;
  in_pieces(values, [&](auto piece) { maximum = std::max(maximum, largest_of(piece.data(), piece.size())); });
  if (maximum < kTopCode<std::uint8_t>) return {ElementType::UInt8, {}};
  if (maximum < kTopCode<std::uint16_t>) return {ElementType::UInt16, {}};
  return {ElementType::UInt32, {}};
}

Encoding encoding_of(std::span<const std::uint8_t>) {
  return {ElementType::UInt8, {}};
}

/// Properties that hold for all values; NaN has every property.
struct Numbers {
  bool integers = true; ///< all are integers in [0, last code of 32 bits], and none is −0
  bool single = true;   ///< all are finite and exactly representable as float
  double maximum = 0;   ///< maximum of the values, valid while `integers` is true
};

// The loops have no branches, so that they can be vectorised.

// Compares bit patterns: they order non-negative numbers like integers, and negative ones, −0 and NaN are
// above all of these.
constexpr std::uint64_t kInfinity = 0x7FF0000000000000u, kWithoutSign = 0x7FFFFFFFFFFFFFFFu;

// Adding and subtracting 2^52 leaves whole numbers below 2^32 unchanged and drops any fraction.
JITTERSCOPE_VECTOR_CLONES void check_integers(const double* values, std::size_t count, Numbers& numbers) {
  constexpr auto kLargest = std::bit_cast<std::uint64_t>(4294967294.0); // the top code is NaN
  constexpr double kTwoTo52 = 4503599627370496.0;
  auto maximum = std::bit_cast<std::uint64_t>(numbers.maximum);
  std::uint64_t broken = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    const auto rounded = std::bit_cast<std::uint64_t>(values[i] + kTwoTo52 - kTwoTo52);
    const auto inside = static_cast<std::uint64_t>(bits <= kLargest);
    const auto number = static_cast<std::uint64_t>((bits & kWithoutSign) <= kInfinity);
    const auto safe = bits & (std::uint64_t{0} - inside);
    broken |= number & ~(inside & static_cast<std::uint64_t>(rounded == bits));
    maximum = std::max(maximum, safe);
  }
  numbers.integers = numbers.integers && broken == 0;
  numbers.maximum = std::bit_cast<double>(maximum);
}

JITTERSCOPE_VECTOR_CLONES void check_single(const double* values, std::size_t count, Numbers& numbers) {
  std::uint64_t wide = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    const auto narrow = std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(values[i])));
    const bool same = (narrow == bits) & ((bits & kWithoutSign) < kInfinity);
    wide |= static_cast<std::uint64_t>(!(same | ((bits & kWithoutSign) > kInfinity)));
  }
  numbers.single = numbers.single && wide == 0;
}

// Floats are stored unchanged unless they fit 16 bits, so larger whole numbers need no check.
JITTERSCOPE_VECTOR_CLONES void examine(const float* values, std::size_t count, Numbers& numbers) {
  constexpr float kLargest = 65535;
  std::uint32_t broken = 0;
  std::int32_t maximum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = values[i];
    const float safe = value >= 0 && value <= kLargest ? value : 0;
    const auto integers = static_cast<std::int32_t>(safe);
    const bool same =
        std::bit_cast<std::uint32_t>(static_cast<float>(integers)) == std::bit_cast<std::uint32_t>(value);
    broken |= static_cast<std::uint32_t>(!same & (value == value));
    maximum = integers > maximum ? integers : maximum;
  }
  numbers.integers = numbers.integers && broken == 0;
  numbers.maximum = std::max<double>(numbers.maximum, maximum);
}

constexpr std::size_t kPiece = 4'096;

Encoding encoding_of(std::span<const float> values) {
  Numbers numbers;
  in_pieces(values, [&](auto piece) {
    for (std::size_t row = 0; row < piece.size() && numbers.integers; row += kPiece)
      examine(piece.data() + row, std::min(kPiece, piece.size() - row), numbers);
  });
  if (numbers.integers && numbers.maximum < kTopCode<std::uint8_t>) return {ElementType::UInt8, {}};
  if (numbers.integers && numbers.maximum < kTopCode<std::uint16_t>) return {ElementType::UInt16, {}};
  return {ElementType::Float32, {}};
}

Encoding encoding_of(std::span<const double> values) {
  Numbers numbers;
  in_pieces(values, [&](auto piece) {
    for (std::size_t row = 0; row < piece.size() && numbers.integers; row += kPiece)
      check_integers(piece.data() + row, std::min(kPiece, piece.size() - row), numbers);
  });
  if (numbers.integers && numbers.maximum < kTopCode<std::uint8_t>) return {ElementType::UInt8, {}};
  if (numbers.integers && numbers.maximum < kTopCode<std::uint16_t>) return {ElementType::UInt16, {}};
  if (numbers.integers) return {ElementType::UInt32, {}};
  in_pieces(values, [&](auto piece) {
    for (std::size_t row = 0; row < piece.size() && numbers.single; row += kPiece)
      check_single(piece.data() + row, std::min(kPiece, piece.size() - row), numbers);
  });
  return {numbers.single ? ElementType::Float32 : ElementType::Float64, {}};
}

template <class T, class Stored>
Stored code_of(T value) {
  if constexpr (std::is_same_v<T, Stored> || std::is_same_v<Stored, float>) {
    return static_cast<Stored>(value);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    if (value == -1) return kTopCode<Stored> - 1;
    return fits<Stored>(value) ? static_cast<Stored>(value) : kTopCode<Stored>;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return value == kNone ? kTopCode<Stored> : static_cast<Stored>(value);
  } else {
    return std::isnan(value) ? kTopCode<Stored> : static_cast<Stored>(value);
  }
}

// Whole numbers below 2^32 are the low bits of their sum with 2^52.
template <class Stored>
[[gnu::always_inline]] inline void encode_integers(const double* values, std::size_t count, Stored* codes) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto integers = static_cast<Stored>(std::bit_cast<std::uint64_t>(values[i] + 4503599627370496.0));
    codes[i] = std::isnan(values[i]) ? kTopCode<Stored> : integers;
  }
}
JITTERSCOPE_VECTOR_CLONES void encode_numbers(const double* values, std::size_t count, std::uint8_t* codes) {
  encode_integers(values, count, codes);
}
JITTERSCOPE_VECTOR_CLONES void encode_numbers(const double* values, std::size_t count, std::uint16_t* codes) {
  encode_integers(values, count, codes);
}
JITTERSCOPE_VECTOR_CLONES void encode_numbers(const double* values, std::size_t count, std::uint32_t* codes) {
  encode_integers(values, count, codes);
}

template <class T, class Stored>
void encode_as(std::span<const T> values, std::byte* out) {
  auto* codes = reinterpret_cast<Stored*>(out);
  if constexpr (std::is_same_v<T, double> && std::is_integral_v<Stored>)
    encode_numbers(values.data(), values.size(), codes);
  else
    for (std::size_t i = 0; i < values.size(); ++i) codes[i] = code_of<T, Stored>(values[i]);
}

template <class T>
void encode_values(std::span<const T> values, ElementType stored, std::byte* out) {
  if (stored == ElementTypeOf<T>::value) return encode_as<T, T>(values, out);
  if constexpr (!std::is_same_v<T, std::uint8_t>) {
    if (stored == ElementType::UInt8) return encode_as<T, std::uint8_t>(values, out);
    if (stored == ElementType::UInt16) return encode_as<T, std::uint16_t>(values, out);
  }
  if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>)
    if (stored == ElementType::UInt32) return encode_as<T, std::uint32_t>(values, out);
  if constexpr (std::is_same_v<T, double>)
    if (stored == ElementType::Float32) return encode_as<T, float>(values, out);
  assert(false);
}

} // namespace

Encoding narrowest(const ColumnValues& values) {
  return std::visit([](const auto& v) { return encoding_of(std::span(v)); }, values);
}

ElementType narrowest(std::span<const double> values) {
  return encoding_of(values).stored;
}

ElementType type_of(const ColumnValues& values) {
  return std::visit(
      [](const auto& v) { return ElementTypeOf<typename std::decay_t<decltype(v)>::value_type>::value; },
      values);
}

void encode(const ColumnValues& values, ElementType stored, std::size_t first, std::size_t last,
            std::byte* out) {
  std::visit([&](const auto& v) { encode_values(std::span(v).subspan(first, last - first), stored, out); },
             values);
}

void encode(std::span<const double> values, ElementType stored, std::byte* out) {
  encode_values(values, stored, out);
}

} // namespace jitterscope::store
