#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>

#include "core/base/job.h"
#include "core/base/spill_memory.h"

namespace jitterscope {

/// Polls a job for cancellation inside loops and remembers the answer: once true it stays true, so that work
/// may stop anywhere and the stage that called it returns the error.
class Stop {
public:
  explicit Stop(const Job& job) : job_(job) {}

  bool requested() {
    SpillMemory::relieve();
    return requested_ = requested_ || job_.cancelled();
  }
  /// Polls only every 32,768 rows, which is well under 10 ms of any loop here.
  bool at(std::size_t row) { return row % 32'768 == 0 && requested(); }

private:
  const Job& job_;
  bool requested_ = false;
};

/// Stop flag for several threads: only the thread that constructed it polls the job. Once requested, a stop
/// remains requested.
class Halt {
public:
  explicit Halt(const Job& job) : job_(job), polling_(std::this_thread::get_id()) {}
  bool requested() {
    if (!requested_ && std::this_thread::get_id() == polling_ && job_.cancelled()) requested_ = true;
    return requested_;
  }
  /// A job whose cancellation is this stop, for functions that the constructing thread calls. It reports no
  /// progress.
  Job job_of_caller() {
    Job job;
    job.cancelled = [this] { return requested(); };
    return job;
  }

private:
  const Job& job_;
  std::thread::id polling_;
  std::atomic<bool> requested_ = false;
};

/// Insertion sort for nearly sorted values: returns false when elements would have to move more than 8 steps
/// on average. Equal elements keep their order in both cases.
template <class Values, class Before>
bool insert_stably(Values& values, Before before, Stop& stop) {
  std::size_t steps = 8 * values.size();
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (stop.at(i)) return false;
    if (!before(values[i], values[i - 1])) continue;
    const auto value = values[i];
    auto place = i;
    for (; place > 0 && steps > 0 && before(value, values[place - 1]); --place, --steps)
      values[place] = values[place - 1];
    values[place] = value;
    if (steps == 0) return false;
  }
  return true;
}

/// Stable sort; if a stop is requested, it leaves the elements in an unspecified order.
template <class Values, class Before>
void sort_stably(Values& values, Before before, Stop& stop) {
  if (insert_stably(values, before, stop)) return;
  constexpr std::size_t kBlock = 16'384;
  const auto place = [&](std::size_t row) {
    return values.begin() + static_cast<std::ptrdiff_t>(std::min(row, values.size()));
  };
  for (std::size_t row = 0; row < values.size(); row += kBlock) {
    if (stop.requested()) return;
    std::stable_sort(place(row), place(row + kBlock), before);
  }
  Values merged;
  for (std::size_t width = kBlock; width < values.size(); width *= 2) {
    merged.clear();
    merged.reserve(values.size());
    for (std::size_t row = 0; row < values.size(); row += 2 * width) {
      auto left = place(row), right = place(row + width);
      const auto middle = right, end = place(row + 2 * width);
      while (left != middle && right != end) {
        if (stop.at(merged.size())) return;
        merged.push_back(before(*right, *left) ? *right++ : *left++);
      }
      merged.insert(merged.end(), left, middle);
      merged.insert(merged.end(), right, end);
    }
    values.swap(merged);
  }
}

} // namespace jitterscope
