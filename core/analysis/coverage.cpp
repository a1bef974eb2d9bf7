#include "core/analysis/coverage.h"

#include <algorithm>

namespace jitterscope::analysis {

Coverage::Coverage(Interval window, int columns)
    : window_(window), columns_(std::max(columns, 1)), sums_(static_cast<std::size_t>(columns_)) {
  if (window_.empty()) window_.end = window_.begin + Nanoseconds{1};
}

std::int64_t Coverage::border(std::int64_t column) const {
  return window_.begin.count +
         static_cast<std::int64_t>(static_cast<Int128>(window_.length().count) * column / columns_);
}

std::int64_t Coverage::column_at(std::int64_t time) const {
  const auto offset = static_cast<Int128>(time - window_.begin.count) * columns_;
  auto column = static_cast<std::int64_t>(offset / window_.length().count);
  while (column + 1 < columns_ && border(column + 1) <= time) ++column; // borders are rounded down
  return std::clamp<std::int64_t>(column, 0, columns_ - 1);
}

void Coverage::add(std::int64_t begin, std::int64_t end, std::uint32_t name, bool selected) {
  const std::int64_t low = std::max(begin, window_.begin.count), high = std::min(end, window_.end.count);
  if (low >= window_.end.count || (high <= window_.begin.count && end > begin) || high < low) return;
  const auto first = column_at(low), last = high > low ? column_at(high - 1) : first;
  for (auto c = first; c <= last; ++c) {
    Sum& sum = sums_[static_cast<std::size_t>(c)];
    const auto covered = std::max<std::int64_t>(
        std::min(high, c + 1 < columns_ ? border(c + 1) : window_.end.count) - std::max(low, border(c)), 0);
    ++sum.count;
    sum.busy += covered;
    if (selected) {
      sum.selected += covered;
      ++sum.selected_count;
    }
    const auto found = std::find_if(sum.by_name.begin(), sum.by_name.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found == sum.by_name.end())
      sum.by_name.emplace_back(name, covered);
    else
      found->second += covered;
  }
}

std::vector<TimelineCell> Coverage::cells() const {
  std::vector<TimelineCell> cells(sums_.size());
  for (std::size_t c = 0; c < sums_.size(); ++c) {
    const Sum& sum = sums_[c];
    if (sum.count == 0) continue;
    const auto column = static_cast<std::int64_t>(c);
    const auto width = std::max<std::int64_t>(
        (column + 1 < columns_ ? border(column + 1) : window_.end.count) - border(column), 1);
    const auto best =
        std::min_element(sum.by_name.begin(), sum.by_name.end(), [](const auto& a, const auto& b) {
          return a.second != b.second ? a.second > b.second : a.first < b.first;
        });
    const double share = sum.busy > 0 ? static_cast<double>(sum.selected) / static_cast<double>(sum.busy)
                                      : static_cast<double>(sum.selected_count) / sum.count;
    cells[c] = {sum.count,
                static_cast<float>(std::min(1.0, static_cast<double>(sum.busy) / static_cast<double>(width))),
                best->first, static_cast<float>(share)};
  }
  return cells;
}

} // namespace jitterscope::analysis
