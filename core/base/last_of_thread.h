#pragma once

#include <atomic>
#include <cstdint>

namespace jitterscope {

/// What each thread keeps of the object it asked last: a cache with one place per thread and type, so that
/// one object can be read by several threads at once. Copies of an object share it.
template <class T>
class LastOfThread {
public:
  /// The calling thread's value; a new T where the thread asked another object before.
  T& value() const {
    thread_local Slot slot;
    if (slot.number != number_) slot = {number_, T{}};
    return slot.value;
  }

private:
  struct Slot {
    std::uint64_t number = 0;
    T value;
  };
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  std::uint64_t number_ = next();
};

} // namespace jitterscope
