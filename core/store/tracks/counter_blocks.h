#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/spill_vector.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::store {

/// Minimum, maximum, sum and count of samples or of groups of samples.
struct SampleColumns {
  SpillVector<double> minimum, maximum, sum;
  SpillVector<std::uint32_t> numbers;

  std::size_t size() const { return numbers.size(); }
  void move_to(Table& table) {
    table.add("minimum", "", "Minimum value, in the unit of the counter", std::move(minimum));
    table.add("maximum", "", "Maximum value", std::move(maximum));
    table.add("sum", "", "Sum of the values", std::move(sum));
    table.add("numbers", "", "Number of samples with a value", std::move(numbers));
  }
};

/// Builds the tables "counter_blocks" and "counter_groups".
class CounterBlocks {
public:
  /// Adds the samples of the next counter, in their order.
  void add(std::span<const double> values);
  void move_to(Table& blocks, Table& groups);

private:
  void add_group(const SampleColumns& below, std::size_t first, std::size_t last);

  SampleColumns blocks_, groups_;
};

} // namespace jitterscope::store
