#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "core/base/spill_vector.h"

namespace jitterscope::import {

/// A column of rows as readers append them, with the interface of the final vector. While all values are
/// equal, or each is one more than its predecessor, they take no memory: tables have no calls, most have
/// one stream, and touching memory for the first time costs more than parsing a number. Access to values by
/// reference or by iterator creates the vector, also through a const column: not from several threads
/// at a time.
template <class T>
requires std::is_integral_v<T>
class DraftColumn {
public:
  std::size_t size() const { return follows_ ? rows_ : values_.size(); }
  bool empty() const { return size() == 0; }
  void reserve(std::size_t rows) {
    reserved_ = std::max(reserved_, rows);
    if (!follows_) values_.reserve(rows);
  }

  void push_back(T value) {
    if (follows_ && go_on(value, 1, 0)) return;
    values().push_back(value);
  }
  void append(std::span<const T> more) {
    if (more.empty()) return;
    if (follows_ && std::all_of(more.begin(), more.end(), [&](T value) { return value == more[0]; }))
      return resize(rows_ + more.size(), more[0]);
    std::size_t row = 0;
    while (row < more.size() && follows_ && go_on(more[row], 1, 0)) ++row;
    if (row < more.size())
      values().insert(values_.end(), more.begin() + static_cast<std::ptrdiff_t>(row), more.end());
  }
  /// Truncates the column, or appends `value` repeatedly.
  void resize(std::size_t rows, T value = 0) {
    if (follows_ && rows <= rows_)
      rows_ = rows;
    else if (!follows_ || !go_on(value, rows - rows_, 0))
      values().resize(rows, value);
  }
  /// Appends `first`, and increments it for each further row.
  void append_ascending(T first, std::size_t rows) {
    if (rows == 0 || (follows_ && go_on(first, rows, 1))) return;
    values().reserve(values_.size() + rows);
    for (std::size_t row = 0; row < rows; ++row) values_.push_back(sum(first, row));
  }

  T operator[](std::size_t row) const { return follows_ ? at(row) : values_[row]; }
  T& operator[](std::size_t row) { return values()[row]; }
  T& back() { return values().back(); }
  T back() const { return (*this)[size() - 1]; }
  T* data() { return values().data(); }
  auto begin() { return values().begin(); }
  auto end() { return values().end(); }
  auto begin() const { return values().begin(); }
  auto end() const { return values().end(); }

  /// Whether all values are known to be equal.
  bool constant() const { return follows_ && (step_ == 0 || rows_ < 2); }
  /// Whether the values are in a vector, for which memory should be reserved.
  bool is_in_memory() const { return !follows_; }
  SpillVector<T>& values() {
    make();
    return values_;
  }
  const SpillVector<T>& values() const {
    make();
    return values_;
  }

private:
  T at(std::size_t row) const { return sum(first_, row * step_); }
  static T sum(T value, std::size_t more) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value) +
                          static_cast<std::make_unsigned_t<T>>(more));
  }

  // Appends rows that begin with `value` and increase by `step`, if they continue the sequence; false
  // otherwise.
  bool go_on(T value, std::size_t rows, unsigned step) {
    if (rows_ == 0) {
      first_ = value;
      step_ = step;
    } else if (rows_ == 1 && value == sum(first_, 1) && (rows == 1 || step == 1)) {
      step_ = 1;
    } else if (rows_ == 1 && value == first_ && (rows == 1 || step == 0)) {
      step_ = 0;
    } else if (value != at(rows_) || (rows > 1 && step != step_)) {
      return false;
    }
    rows_ += rows;
    return true;
  }
  void make() const {
    if (!follows_) return;
    follows_ = false;
    values_.reserve(std::max(reserved_, rows_));
    for (std::size_t row = 0; row < rows_; ++row) {
      SpillMemory::relieve_at(row);
      values_.push_back(at(row));
    }
  }

  mutable SpillVector<T> values_;
  mutable bool follows_ = true; ///< values_ is empty, and the rows follow from first_ and step_
  std::size_t rows_ = 0, reserved_ = 0;
  T first_ = 0;
  unsigned step_ = 0;
};

} // namespace jitterscope::import
