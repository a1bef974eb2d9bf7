#include "core/store/tracks/counter_blocks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/store/tiles/range_blocks.h"

namespace jitterscope::store {
namespace {

void add_sums(SampleColumns& columns, double minimum, double maximum, double sum, std::uint32_t numbers) {
  columns.minimum.push_back(minimum);
  columns.maximum.push_back(maximum);
  columns.sum.push_back(sum);
  columns.numbers.push_back(numbers);
}

} // namespace

void CounterBlocks::add(std::span<const double> values) {
  const auto start = blocks_.size();
  for (std::size_t from = 0; from < values.size(); from += kBlockEvents) {
    double minimum = 0, maximum = 0, sum = 0;
    std::uint32_t numbers = 0;
    for (const double value : values.subspan(from, std::min(kBlockEvents, values.size() - from))) {
      if (std::isnan(value)) continue;
      minimum = numbers ? std::min(minimum, value) : value;
      maximum = numbers ? std::max(maximum, value) : value;
      sum += value;
      ++numbers;
    }
    add_sums(blocks_, minimum, maximum, sum, numbers);
  }
  auto rows = blocks_.size() - start;
  auto below = start;
  const SampleColumns* columns = &blocks_;
  for (const auto size : group_levels(rows)) {
    const auto next = groups_.size();
    for (std::size_t i = 0; i < size; ++i)
      add_group(*columns, below + i * kGroupSize, below + std::min((i + 1) * kGroupSize, rows));
    columns = &groups_;
    below = next;
    rows = size;
  }
}

void CounterBlocks::add_group(const SampleColumns& below, std::size_t first, std::size_t last) {
  double minimum = 0, maximum = 0, sum = 0;
  std::uint32_t numbers = 0;
  for (auto i = first; i < last; ++i) {
    if (below.numbers[i] == 0) continue;
    minimum = numbers ? std::min(minimum, below.minimum[i]) : below.minimum[i];
    maximum = numbers ? std::max(maximum, below.maximum[i]) : below.maximum[i];
    sum += below.sum[i];
    numbers += below.numbers[i];
  }
  add_sums(groups_, minimum, maximum, sum, numbers);
}

void CounterBlocks::move_to(Table& blocks, Table& groups) {
  blocks_.move_to(blocks);
  groups_.move_to(groups);
}

} // namespace jitterscope::store
