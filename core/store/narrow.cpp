#include "core/store/narrow.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

namespace jitterscope::store {
namespace {

template <class Narrow>
constexpr std::int64_t kLargestInt64 = std::int64_t{kTopCode<Narrow>} - 2; // two codes mean something else

template <class Narrow>
bool fits(std::int64_t value) {
  return value >= -1 && value <= kLargestInt64<Narrow>;
}

Lying lying_of(std::span<const std::int64_t> values) {
  std::size_t over8 = 0, over16 = 0, over32 = 0;
  for (const auto value : values) {
    over8 += !fits<std::uint8_t>(value);
    over16 += !fits<std::uint16_t>(value);
    over32 += !fits<std::uint32_t>(value);
  }
  const auto most = values.size() / kRowsPerEscape;
  Lying lying;
  bool (*fit)(std::int64_t) = nullptr;
  if (over8 <= most)
    lying.stored = ElementType::UInt8, fit = fits<std::uint8_t>;
  else if (over16 <= most)
    lying.stored = ElementType::UInt16, fit = fits<std::uint16_t>;
  else if (over32 <= most)
    lying.stored = ElementType::UInt32, fit = fits<std::uint32_t>;
  else
    return lying;
  for (std::size_t row = 0; row < values.size(); ++row)
    if (!fit(values[row])) {
      lying.escapes.rows.push_back(static_cast<std::int64_t>(row));
      lying.escapes.values.push_back(values[row]);
    }
  return lying;
}

Lying lying_of(std::span<const std::uint32_t> values) {
  std::uint32_t most = 0;
  for (const auto value : values) most = std::max(most, value == kNone ? 0 : value);
  if (most < kTopCode<std::uint8_t>) return {ElementType::UInt8, {}};
  if (most < kTopCode<std::uint16_t>) return {ElementType::UInt16, {}};
  return {ElementType::UInt32, {}};
}

Lying lying_of(std::span<const std::uint8_t>) {
  return {ElementType::UInt8, {}};
}

template <class Float>
Lying lying_of_float(std::span<const Float> values) {
  constexpr double kLargest = 4294967294.0; // the top code is NaN
  double most = 0;
  bool whole = true, single = true;
  for (const auto value : values) {
    if (std::isnan(value)) continue;
    const auto v = static_cast<double>(value);
    single = single && std::isfinite(static_cast<float>(v)) &&
             static_cast<double>(static_cast<float>(v)) == v;
    whole = whole && !std::signbit(v) && v <= kLargest && std::floor(v) == v;
    if (!whole && !single) break;
    most = std::max(most, v);
  }
  if (whole && most < kTopCode<std::uint8_t>) return {ElementType::UInt8, {}};
  if (whole && most < kTopCode<std::uint16_t>) return {ElementType::UInt16, {}};
  if constexpr (std::is_same_v<Float, float>) return {ElementType::Float32, {}};
  if (whole) return {ElementType::UInt32, {}};
  return {single ? ElementType::Float32 : ElementType::Float64, {}};
}

Lying lying_of(std::span<const float> values) {
  return lying_of_float(values);
}
Lying lying_of(std::span<const double> values) {
  return lying_of_float(values);
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

template <class T, class Stored>
void encode_as(std::span<const T> values, std::byte* out) {
  auto* codes = reinterpret_cast<Stored*>(out);
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

Lying narrowest(const ColumnValues& values) {
  return std::visit([](const auto& v) { return lying_of(std::span(v)); }, values);
}

ElementType type_of(const ColumnValues& values) {
  return std::visit(
      [](const auto& v) { return ElementTypeOf<typename std::decay_t<decltype(v)>::value_type>::value; }, values);
}

void encode(const ColumnValues& values, ElementType stored, std::size_t first, std::size_t last,
            std::byte* out) {
  std::visit([&](const auto& v) { encode_values(std::span(v).subspan(first, last - first), stored, out); },
             values);
}

} // namespace jitterscope::store
