#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/spill_memory.h"

namespace jitterscope {

/// A std::allocator whose big blocks are in spill memory. For containers with single blocks that grow with a
/// file (buckets of a map, vectors of texts); use SpillVector for numbers and records.
template <class T>
struct SpillAllocator {
  using value_type = T;
  SpillAllocator() = default;
  template <class Other>
  SpillAllocator(const SpillAllocator<Other>&) {}
  // T may be a pointer.
  // NOLINTNEXTLINE(bugprone-sizeof-expression)
  T* allocate(std::size_t count) { return static_cast<T*>(SpillMemory::allocate(count * sizeof(T))); }
  // NOLINTNEXTLINE(bugprone-sizeof-expression)
  void deallocate(T* place, std::size_t count) noexcept { SpillMemory::release(place, count * sizeof(T)); }
  friend bool operator==(SpillAllocator, SpillAllocator) { return true; }
};

/// A std::vector of numbers or plain records in spill memory: uses a bounded amount of memory at any length.
/// Unlike std::vector with an allocator, it grows, fills and copies in pieces and releases pages between
/// them.
template <class T>
class SpillVector {
  static_assert(std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>);

public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  SpillVector() = default;
  explicit SpillVector(std::size_t size) { resize(size); }
  SpillVector(std::size_t size, T value) { resize(size, value); }
  template <std::input_iterator Iterator>
  SpillVector(Iterator first, Iterator last) {
    insert(end(), first, last);
  }
  SpillVector(std::initializer_list<T> values) : SpillVector(values.begin(), values.end()) {}
  SpillVector(const std::vector<T>& values) : SpillVector(values.begin(), values.end()) {}
  SpillVector(const SpillVector& other) : SpillVector(other.begin(), other.end()) {}
  SpillVector(SpillVector&& other) noexcept { swap(other); }
  /// Zeros that take no memory as long as they are only read.
  static SpillVector zeros(std::size_t size) {
    SpillVector made;
    if (size > 0) made.data_ = static_cast<T*>(SpillMemory::allocate_zeros(size * sizeof(T)));
    made.size_ = made.capacity_ = size;
    return made;
  }
  SpillVector& operator=(SpillVector other) noexcept {
    swap(other);
    return *this;
  }
  ~SpillVector() {
    if (data_) SpillMemory::release(data_, capacity_ * sizeof(T));
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  iterator begin() { return data_; }
  iterator end() { return data_ + size_; }
  const_iterator begin() const { return data_; }
  const_iterator end() const { return data_ + size_; }
  T& operator[](std::size_t at) { return data_[at]; }
  const T& operator[](std::size_t at) const { return data_[at]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) move_to(capacity);
  }
  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    new (data_ + size_++) T(value);
  }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    push_back(T{std::forward<Arguments>(arguments)...});
    return back();
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(std::size_t size) { resize(size, T{}); }
  void resize(std::size_t size, T value) {
    if (size > size_)
      append(size - size_,
             [&](T* piece, std::size_t count) { std::uninitialized_fill_n(piece, count, value); });
    size_ = size;
  }
  void assign(std::size_t size, T value) {
    clear();
    resize(size, value);
  }
  template <std::input_iterator Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    insert(end(), first, last);
  }

  /// The inserted values must not be elements of this vector.
  template <std::input_iterator Iterator>
  iterator insert(const_iterator where, Iterator first, Iterator last) {
    const auto at = where - data_;
    const auto before = size_;
    if constexpr (std::random_access_iterator<Iterator>)
      append(static_cast<std::size_t>(last - first), [&](T* piece, std::size_t count) {
        std::uninitialized_copy_n(first, count, piece);
        first += static_cast<std::ptrdiff_t>(count);
      });
    else
      for (; first != last; ++first) push_back(*first);
    if (static_cast<std::size_t>(at) < before) std::rotate(data_ + at, data_ + before, data_ + size_);
    return data_ + at;
  }
  iterator insert(const_iterator where, std::size_t count, T value) {
    const auto at = where - data_;
    const auto before = size_;
    resize(size_ + count, value);
    std::rotate(data_ + at, data_ + before, data_ + size_);
    return data_ + at;
  }
  iterator insert(const_iterator where, T value) { return insert(where, std::size_t{1}, value); }
  iterator erase(const_iterator first, const_iterator last) {
    auto* const at = data_ + (first - data_);
    std::copy(data_ + (last - data_), end(), at);
    size_ -= static_cast<std::size_t>(last - first);
    return at;
  }
  iterator erase(const_iterator where) { return erase(where, where + 1); }

  void swap(SpillVector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  friend void swap(SpillVector& a, SpillVector& b) noexcept { a.swap(b); }

  friend bool operator==(const SpillVector& a, const SpillVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator==(const SpillVector& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  static constexpr std::size_t kPiece = std::max<std::size_t>((std::size_t{1} << 20) / sizeof(T), 1);

  // Calls fill(place, count) for consecutive pieces.
  template <class Fill>
  void append(std::size_t count, Fill&& fill) {
    if (count > capacity_ - size_) grow(size_ + count);
    while (count > 0) {
      const auto some = std::min(count, kPiece);
      fill(data_ + size_, some);
      size_ += some;
      if ((count -= some) > 0) SpillMemory::relieve();
    }
  }
  void grow(std::size_t size) {
    constexpr std::size_t kFewest = std::max<std::size_t>(64 / sizeof(T), 1);
    move_to(std::max({size, 2 * capacity_, kFewest}));
  }
  void move_to(std::size_t capacity) {
    SpillVector grown;
    grown.data_ = static_cast<T*>(SpillMemory::allocate(capacity * sizeof(T)));
    grown.capacity_ = capacity;
    grown.append(size_, [&](T* piece, std::size_t count) {
      std::memcpy(static_cast<void*>(piece), data_ + grown.size_, count * sizeof(T));
    });
    swap(grown);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Like std::erase_if for std::vector.
template <class T, class Predicate>
std::size_t erase_if(SpillVector<T>& values, Predicate&& predicate) {
  const auto kept = std::remove_if(values.begin(), values.end(), predicate);
  const auto erased = static_cast<std::size_t>(values.end() - kept);
  values.resize(values.size() - erased);
  return erased;
}

} // namespace jitterscope
