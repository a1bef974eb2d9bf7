#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace jitterscope::store {

/// Type of the values of a column and of their encoding in the file. UInt16 is used for encoding only.
enum class ElementType : std::uint8_t { Int64, UInt32, UInt8, Float32, Float64, UInt16 };
template <class T>
struct ElementTypeOf;
template <>
struct ElementTypeOf<std::int64_t> {
  static constexpr auto value = ElementType::Int64;
};
template <>
struct ElementTypeOf<std::uint32_t> {
  static constexpr auto value = ElementType::UInt32;
};
template <>
struct ElementTypeOf<std::uint16_t> {
  static constexpr auto value = ElementType::UInt16;
};
template <>
struct ElementTypeOf<std::uint8_t> {
  static constexpr auto value = ElementType::UInt8;
};
template <>
struct ElementTypeOf<float> {
  static constexpr auto value = ElementType::Float32;
};
template <>
struct ElementTypeOf<double> {
  static constexpr auto value = ElementType::Float64;
};

std::size_t size_of(ElementType type);

/// A column may be stored in a narrower type than that of its values if this is lossless. The largest codes
/// of the narrow type are then special:
///
///   values    stored as               largest code               the one below
///   uint32    uint8, uint16           kNone
///   int64     uint8, uint16, uint32   the value is an escape     -1
///   float     uint8, uint16           NaN
///   double    uint8, uint16, uint32   NaN
///   double    float32                 (no special codes)
///
/// The escapes (row, value) of a column are few and stored separately, sorted by row.
template <class Narrow>
inline constexpr Narrow kTopCode = std::numeric_limits<Narrow>::max();

struct Escapes {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> values;
  /// The value of an escaped row; 0 for a row without an escape, which is never requested in an intact store.
  std::int64_t at(std::size_t row) const;
};

/// A column as stored in the mapped file (or in memory where mapping is impossible).
struct ColumnView {
  std::string name;
  std::string unit;
  std::string description;
  ElementType type = ElementType::Int64;   ///< type of the column's values
  ElementType stored = ElementType::Int64; ///< type in the file: `type` or a narrower one
  const std::byte* data = nullptr;
  std::size_t rows = 0;
  std::shared_ptr<const Escapes> escapes; ///< escapes of int64 values in a narrower type
  /// The strings or resources that the column refers to, each once, in order of their first row; empty if the
  /// store does not list them.
  std::shared_ptr<const std::vector<std::uint32_t>> distinct;
  /// References at or above this limit read as `beyond`, so that a damaged store cannot lead outside its
  /// tables when a column has too many rows to check all of them on opening.
  std::uint32_t limit = kNone;
  std::uint32_t beyond = kNone;

  /// The value as a double; exact for |integers| < 2^53. kNone stays 4294967295.
  double at(std::size_t row) const;
  /// Writes the values of rows [first, last) to `out`, as doubles.
  void read(std::size_t first, std::size_t last, double* out) const;
};

/// Whether a column with values of `type` can be stored as `stored`.
bool may_be_stored_as(ElementType type, ElementType stored);

/// The values of a column, independent of their storage type. T is the type of the values: int64_t, uint32_t,
/// uint8_t, float or double. Cheap to copy: a pointer into the store, which must outlive it.
template <class T>
class Values {
public:
  Values() = default;
  explicit Values(const ColumnView& view)
      : data_(view.data), rows_(view.rows), stored_(view.stored), limit_(view.limit), beyond_(view.beyond),
        escapes_(view.escapes.get()) {
    assert(view.type == ElementTypeOf<T>::value);
  }

  std::size_t size() const { return rows_; }
  bool empty() const { return rows_ == 0; }
  T front() const { return (*this)[0]; }
  T back() const { return (*this)[rows_ - 1]; }
  T operator[](std::size_t row) const;

  /// Reads the values of rows [first, last) in one call, in their own type and as doubles.
  void read(std::size_t first, std::size_t last, T* out) const;
  void read_numbers(std::size_t first, std::size_t last, double* out) const;

  /// Storage type and raw codes, for loops that handle the special codes themselves.
  ElementType stored() const { return stored_; }
  template <class Stored>
  const Stored* as() const {
    assert(stored_ == ElementTypeOf<Stored>::value);
    return reinterpret_cast<const Stored*>(data_);
  }

  /// Random access iterator; dereferencing returns a value, not a reference.
  class Iterator {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;
    Iterator() = default;
    Iterator(const Values* values, std::ptrdiff_t row) : values_(values), row_(row) {}
    T operator*() const { return (*values_)[static_cast<std::size_t>(row_)]; }
    T operator[](std::ptrdiff_t by) const { return *(*this + by); }
    Iterator& operator+=(std::ptrdiff_t by) {
      row_ += by;
      return *this;
    }
    Iterator& operator-=(std::ptrdiff_t by) { return *this += -by; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return {values_, row_++}; }
    Iterator operator--(int) { return {values_, row_--}; }
    friend Iterator operator+(Iterator at, std::ptrdiff_t by) { return at += by; }
    friend Iterator operator+(std::ptrdiff_t by, Iterator at) { return at += by; }
    friend Iterator operator-(Iterator at, std::ptrdiff_t by) { return at -= by; }
    std::ptrdiff_t operator-(const Iterator& other) const { return row_ - other.row_; }
    bool operator==(const Iterator& other) const { return row_ == other.row_; }
    auto operator<=>(const Iterator& other) const { return row_ <=> other.row_; }

  private:
    const Values* values_ = nullptr;
    std::ptrdiff_t row_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, static_cast<std::ptrdiff_t>(rows_)}; }

private:
  template <class Stored>
  Stored code_at(std::size_t row) const {
    return reinterpret_cast<const Stored*>(data_)[row];
  }
  template <class Narrow>
  T widened(std::size_t row) const;
  template <class Out>
  void read_as(std::size_t first, std::size_t last, Out* out) const;
  template <class Narrow, class Out>
  void widen(std::size_t first, std::size_t last, Out* out) const;
  T inside(T reference) const;

  const std::byte* data_ = nullptr;
  std::size_t rows_ = 0;
  ElementType stored_ = ElementTypeOf<T>::value;
  std::uint32_t limit_ = kNone, beyond_ = kNone;
  const Escapes* escapes_ = nullptr;
};

template <class T>
T Values<T>::inside(T reference) const {
  if constexpr (std::is_same_v<T, std::uint32_t>)
    return reference < limit_ || (reference == kNone && beyond_ == kNone) ? reference : beyond_;
  return reference;
}

template <class T>
template <class Narrow>
T Values<T>::widened(std::size_t row) const {
  const auto code = code_at<Narrow>(row);
  if constexpr (std::is_same_v<Narrow, float> || std::is_same_v<T, Narrow>) {
    return static_cast<T>(code);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    if (code < kTopCode<Narrow> - 1) return static_cast<T>(code);
    return code == kTopCode<Narrow> ? escapes_->at(row) : -1;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return code == kTopCode<Narrow> ? kNone : code;
  } else {
    return code == kTopCode<Narrow> ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(code);
  }
}

template <class T>
T Values<T>::operator[](std::size_t row) const {
  assert(row < rows_);
  if (stored_ == ElementTypeOf<T>::value) return inside(code_at<T>(row));
  if constexpr (std::is_same_v<T, std::uint8_t>) return 0; // is always stored unchanged
  if constexpr (std::is_same_v<T, double>)
    if (stored_ == ElementType::Float32) return widened<float>(row);
  if (stored_ == ElementType::UInt8) return inside(widened<std::uint8_t>(row));
  if (stored_ == ElementType::UInt16) return inside(widened<std::uint16_t>(row));
  if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>)
    if (stored_ == ElementType::UInt32) return widened<std::uint32_t>(row);
  return {};
}

extern template class Values<std::int64_t>;
extern template class Values<std::uint32_t>;
extern template class Values<std::uint8_t>;
extern template class Values<float>;
extern template class Values<double>;

} // namespace jitterscope::store
