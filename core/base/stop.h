#pragma once

#include <algorithm>
#include <cstddef>

#include "core/base/job.h"
#include "core/base/spill_memory.h"

namespace jitterscope {

/// A job's wish to stop, asked for inside loops and remembered: once true it stays true, so that work may
/// break off anywhere and the stage that called it returns the error.
class Stop {
public:
  explicit Stop(const Job& job) : job_(job) {}

  bool wanted() {
    SpillMemory::relieve();
    return wanted_ = wanted_ || job_.cancelled();
  }
  /// Asks only every 32,768 rows: well under 10 ms of any loop here.
  bool at(std::size_t row) { return row % 32'768 == 0 && wanted(); }

private:
  const Job& job_;
  bool wanted_ = false;
};

/// Moves each element to its place among those before it, as long as that takes a few steps each at most, as
/// where little is out of order. False when it is not done; what is equal stays in its order all the same.
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

/// Sorts stably; breaks off with the elements in no particular order when a stop is wanted.
template <class Values, class Before>
void sort_stably(Values& values, Before before, Stop& stop) {
  if (insert_stably(values, before, stop)) return;
  constexpr std::size_t kBlock = 16'384;
  const auto place = [&](std::size_t row) {
    return values.begin() + static_cast<std::ptrdiff_t>(std::min(row, values.size()));
  };
  for (std::size_t row = 0; row < values.size(); row += kBlock) {
    if (stop.wanted()) return;
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
