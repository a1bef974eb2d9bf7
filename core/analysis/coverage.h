#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/timeline.h"

namespace jitterscope::analysis {

/// Adds events up per pixel column of a window: count, covered time, time by name, selected time.
class Coverage {
public:
  /// `columns` ≥ 1 equal parts of the window. Column borders are window.begin + length · i / columns, rounded
  /// down.
  Coverage(Interval window, int columns);

  /// Events may come in any order and may reach outside the window. An event of no length counts in its
  /// column.
  void add(std::int64_t begin, std::int64_t end, std::uint32_t name, bool selected);
  std::vector<TimelineCell> cells() const;

private:
  std::int64_t border(std::int64_t column) const;
  std::int64_t column_at(std::int64_t time) const;

  struct Sum {
    std::uint32_t count = 0;
    std::int64_t busy = 0;
    std::int64_t selected = 0;
    std::int64_t selected_count = 0;
    std::vector<std::pair<std::uint32_t, std::int64_t>> by_name;
  };
  Interval window_;
  std::int64_t columns_;
  std::vector<Sum> sums_;
};

} // namespace jitterscope::analysis
