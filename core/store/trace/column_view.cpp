#include "core/store/trace/column_view.h"

#include <algorithm>

namespace jitterscope::store {

std::size_t size_of(ElementType type) {
  switch (type) {
  case ElementType::UInt8:
    return 1;
  case ElementType::UInt16:
    return 2;
  case ElementType::UInt32:
  case ElementType::Float32:
    return 4;
  case ElementType::Int64:
  case ElementType::Float64:
    break;
  }
  return 8;
}

bool may_be_stored_as(ElementType type, ElementType stored) {
  using enum ElementType;
  if (type == stored) return type != UInt16;
  const bool small = stored == UInt8 || stored == UInt16;
  switch (type) {
  case UInt32:
  case Float32:
    return small;
  case Int64:
    return small || stored == UInt32;
  case Float64:
    return small || stored == UInt32 || stored == Float32;
  default:
    return false;
  }
}

std::int64_t Escapes::at(std::size_t row) const {
  const auto found = std::lower_bound(rows.begin(), rows.end(), static_cast<std::int64_t>(row));
  if (found == rows.end() || *found != static_cast<std::int64_t>(row)) return 0;
  return values[static_cast<std::size_t>(found - rows.begin())];
}

// Where top codes are special, a first pass checks whether there are any, so that the loop over ordinary
// codes stays simple.
template <class T>
template <class Narrow, class Out>
void Values<T>::widen(std::size_t first, std::size_t last, Out* out) const {
  const auto* codes = reinterpret_cast<const Narrow*>(data_) + first;
  const auto count = last - first;
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Out>(codes[i]);
  if constexpr (!std::is_same_v<T, Narrow> && !std::is_same_v<Narrow, float>) {
    constexpr Narrow kMeaning = kTopCode<Narrow> - (std::is_same_v<T, std::int64_t> ? 1 : 0);
    Narrow maximum = 0;
    for (std::size_t i = 0; i < count; ++i) maximum = std::max(maximum, codes[i]);
    if (maximum < kMeaning) return;
    for (std::size_t i = 0; i < count; ++i)
      if (codes[i] >= kMeaning) out[i] = static_cast<Out>(widened<Narrow>(first + i));
  }
}

template <class T>
template <class Out>
void Values<T>::read_as(std::size_t first, std::size_t last, Out* out) const {
  assert(first <= last && last <= rows_);
  const auto widen_all = [&] {
    if (stored_ == ElementTypeOf<T>::value) return widen<T>(first, last, out);
    if constexpr (!std::is_same_v<T, std::uint8_t>) {
      if (stored_ == ElementType::UInt8) return widen<std::uint8_t>(first, last, out);
      if (stored_ == ElementType::UInt16) return widen<std::uint16_t>(first, last, out);
    }
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>)
      if (stored_ == ElementType::UInt32) return widen<std::uint32_t>(first, last, out);
    if constexpr (std::is_same_v<T, double>)
      if (stored_ == ElementType::Float32) return widen<float>(first, last, out);
  };
  widen_all();
  if constexpr (std::is_same_v<T, std::uint32_t>)
    if (limit_ != kNone)
      for (auto* value = out; value != out + (last - first); ++value)
        *value = static_cast<Out>(inside(static_cast<std::uint32_t>(*value)));
}

template <class T>
void Values<T>::read(std::size_t first, std::size_t last, T* out) const {
  read_as<T>(first, last, out);
}

template <class T>
void Values<T>::read_numbers(std::size_t first, std::size_t last, double* out) const {
  read_as<double>(first, last, out);
}

template class Values<std::int64_t>;
template class Values<std::uint32_t>;
template class Values<std::uint8_t>;
template class Values<float>;
template class Values<double>;

void ColumnView::read(std::size_t first, std::size_t last, double* out) const {
  switch (type) {
  case ElementType::Int64:
    return Values<std::int64_t>(*this).read_numbers(first, last, out);
  case ElementType::UInt32:
    return Values<std::uint32_t>(*this).read_numbers(first, last, out);
  case ElementType::UInt8:
    return Values<std::uint8_t>(*this).read_numbers(first, last, out);
  case ElementType::Float32:
    return Values<float>(*this).read_numbers(first, last, out);
  case ElementType::Float64:
  case ElementType::UInt16:
    break;
  }
  Values<double>(*this).read_numbers(first, last, out);
}

double ColumnView::at(std::size_t row) const {
  double value = 0;
  read(row, row + 1, &value);
  return value;
}

} // namespace jitterscope::store
