#include "views/timeline/merged_data.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace jitterscope::views::timeline {

namespace {

/// Each of `to` columns covers at least one of `from` columns; from ≥ to.
struct Joining {
  std::size_t from = 1, to = 1;
  std::size_t first(std::size_t column) const { return (column * from + to - 1) / to; }
};

template <class Value, class Join>
std::vector<Value> joinedRows(const std::vector<Value>& values, const Joining& columns, Join&& join) {
  std::vector<Value> made;
  const std::size_t rows = values.size() / columns.from;
  made.reserve(rows * columns.to);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns.to; ++c) {
      const std::size_t first = columns.first(c), behind = columns.first(c + 1);
      made.push_back(join(std::span(values).subspan(row * columns.from + first, behind - first)));
    }
  return made;
}

TimelineCell joinedCell(std::span<const TimelineCell> cells) {
  TimelineCell all;
  const TimelineCell* busiest = nullptr;
  double busy = 0, selected = 0, weight = 0, values = 0, valued = 0;
  bool names = false;
  for (const TimelineCell& cell : cells) {
    if (cell.count == 0) continue;
    names = names || (busiest != nullptr && cell.nameId != busiest->nameId);
    if (busiest == nullptr || cell.busy > busiest->busy) busiest = &cell;
    all.count = std::max(all.count, cell.count);
    busy += static_cast<double>(cell.busy);
    const double of = std::max(static_cast<double>(cell.busy), 1e-12); // events without duration count, too
    selected += of * static_cast<double>(cell.selected);
    weight += of;
    if (std::isnan(cell.value)) continue;
    values += static_cast<double>(cell.value) * cell.count;
    valued += cell.count;
  }
  if (busiest == nullptr) return all;
  if (names) all.count = std::max(all.count, 2U);
  all.busy = static_cast<float>(busy / static_cast<double>(cells.size()));
  all.nameId = busiest->nameId;
  all.selected = static_cast<float>(selected / weight);
  if (valued > 0) all.value = static_cast<float>(values / valued);
  return all;
}

CounterColumn joinedCounter(std::span<const CounterColumn> columns) {
  CounterColumn all;
  double sum = 0;
  int n = 0;
  for (const CounterColumn& column : columns) {
    if (!column.present) continue;
    all.minimum = all.present ? std::min(all.minimum, column.minimum) : column.minimum;
    all.maximum = all.present ? std::max(all.maximum, column.maximum) : column.maximum;
    all.present = true;
    sum += static_cast<double>(column.mean);
    ++n;
  }
  if (n > 0) all.mean = static_cast<float>(sum / n);
  return all;
}

} // namespace

TimelineData joined(TimelineData data, int columns) {
  columns = std::max(columns, 1);
  if (data.columns <= columns) return data;
  const Joining to{static_cast<std::size_t>(data.columns), static_cast<std::size_t>(columns)};
  for (TrackContent& content : data.tracks) {
    content.cells = joinedRows(content.cells, to, joinedCell);
    content.counter = joinedRows(content.counter, to, joinedCounter);
  }
  data.columns = columns;
  return data;
}

MergedCells joined(MergedCells cells, int columns) {
  columns = std::max(columns, 1);
  if (cells.query.columns <= columns) return cells;
  const Joining to{static_cast<std::size_t>(cells.query.columns), static_cast<std::size_t>(columns)};
  const std::vector<std::uint8_t> shares = std::move(cells.shares);
  const auto of_largest = [&](auto& values) {
    if (values.size() != shares.size()) return;
    values = joinedRows(values, to, [&](auto pixels) {
      const auto first = shares.begin() + (pixels.data() - values.data());
      const auto largest = std::max_element(first, first + static_cast<std::ptrdiff_t>(pixels.size()));
      return pixels[static_cast<std::size_t>(largest - first)];
    });
  };
  of_largest(cells.names);
  of_largest(cells.selected);
  of_largest(cells.values);
  cells.shares = joinedRows(shares, to, [](auto pixels) { return std::ranges::max(pixels); });
  cells.query.columns = columns;
  return cells;
}

} // namespace jitterscope::views::timeline
