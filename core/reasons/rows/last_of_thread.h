#pragma once

#include <atomic>
#include <cstdint>

namespace jitterscope {

/// Per-thread cache for the object that the thread queried last: one entry per thread and type, so that
/// several threads can read one object at once. Copies of an object share the entry.
template <class T>
class LastOfThread {
public:
  /// The calling thread's entry; a new T if the thread last queried another object.
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
