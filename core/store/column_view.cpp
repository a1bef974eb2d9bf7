#include "core/store/column_view.h"

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

bool may_lie_as(ElementType type, ElementType stored) {
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

// Two loops, so that the compiler can vectorise the first: the codes as numbers, then what the top codes mean.
template <class T>
template <class Narrow>
void Values<T>::widen(std::size_t first, std::size_t last, T* out) const {
  const auto* codes = reinterpret_cast<const Narrow*>(data_) + first;
  const auto count = last - first;
  if constexpr (std::is_same_v<T, Narrow> || std::is_same_v<Narrow, float>) {
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(codes[i]);
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    for (std::size_t i = 0; i < count; ++i) out[i] = codes[i] == kTopCode<Narrow> ? kNone : codes[i];
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    Narrow most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = static_cast<T>(codes[i]);
      most = std::max(most, codes[i]);
    }
    if (most < kTopCode<Narrow> - 1) return;
    for (std::size_t i = 0; i < count; ++i)
      if (codes[i] >= kTopCode<Narrow> - 1) out[i] = widened<Narrow>(first + i);
  } else {
    for (std::size_t i = 0; i < count; ++i)
      out[i] = codes[i] == kTopCode<Narrow> ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(codes[i]);
  }
}

template <class T>
void Values<T>::read(std::size_t first, std::size_t last, T* out) const {
  assert(first <= last && last <= rows_);
  if (stored_ == ElementTypeOf<T>::value) {
    widen<T>(first, last, out);
  } else if (stored_ == ElementType::UInt8) {
    if constexpr (!std::is_same_v<T, std::uint8_t>) widen<std::uint8_t>(first, last, out);
  } else if (stored_ == ElementType::UInt16) {
    if constexpr (!std::is_same_v<T, std::uint8_t>) widen<std::uint16_t>(first, last, out);
  } else if (stored_ == ElementType::UInt32) {
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>)
      widen<std::uint32_t>(first, last, out);
  } else if (stored_ == ElementType::Float32) {
    if constexpr (std::is_same_v<T, double>) widen<float>(first, last, out);
  }
  if (limit_ != kNone)
    for (auto* value = out; value != out + (last - first); ++value) *value = inside(*value);
}

template class Values<std::int64_t>;
template class Values<std::uint32_t>;
template class Values<std::uint8_t>;
template class Values<float>;
template class Values<double>;

namespace {

template <class T>
void read_as_doubles(const ColumnView& view, std::size_t first, std::size_t last, double* out) {
  const Values<T> values(view);
  constexpr std::size_t kPiece = 1'024;
  T piece[kPiece];
  for (; first < last; first += kPiece) {
    const auto count = std::min(kPiece, last - first);
    values.read(first, first + count, piece);
    for (std::size_t i = 0; i < count; ++i) *out++ = static_cast<double>(piece[i]);
  }
}

} // namespace

void ColumnView::read(std::size_t first, std::size_t last, double* out) const {
  switch (type) {
  case ElementType::Int64:
    return read_as_doubles<std::int64_t>(*this, first, last, out);
  case ElementType::UInt32:
    return read_as_doubles<std::uint32_t>(*this, first, last, out);
  case ElementType::UInt8:
    return read_as_doubles<std::uint8_t>(*this, first, last, out);
  case ElementType::Float32:
    return read_as_doubles<float>(*this, first, last, out);
  case ElementType::Float64:
  case ElementType::UInt16:
    break;
  }
  Values<double>(*this).read(first, last, out);
}

double ColumnView::at(std::size_t row) const {
  double value = 0;
  read(row, row + 1, &value);
  return value;
}

} // namespace jitterscope::store
