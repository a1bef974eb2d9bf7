#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <initializer_list>

namespace jitterscope::model {

/// Maximum number of memory levels of a GPU.
inline constexpr std::size_t kMaxLevels = 8;

/// A list of at most kMaxLevels values, stored in place: predicting a kernel allocates no memory.
template <class T>
class SmallVector {
public:
  SmallVector() = default;
  SmallVector(std::initializer_list<T> values) { // NOLINT(google-explicit-constructor): as of a vector
    for (const auto& value : values) push_back(value);
  }
  void push_back(const T& value) {
    assert(size_ < kMaxLevels);
    values_[size_++] = value;
  }
  void assign(std::size_t count, const T& value) {
    assert(count <= kMaxLevels);
    size_ = count;
    std::fill(begin(), end(), value);
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return values_[i]; }
  const T& operator[](std::size_t i) const { return values_[i]; }
  const T& back() const { return values_[size_ - 1]; }

private:
  std::array<T, kMaxLevels> values_{};
  std::size_t size_ = 0;
};

} // namespace jitterscope::model
