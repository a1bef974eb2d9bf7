#pragma once

#include <cstddef>
#include <vector>

#include "core/efficiency/metrics/syntax.h"

namespace jitterscope::efficiency::metrics {

/// Aggregate of many values, some of which change. The result depends only on the current values, not on the
/// order of changes: values are combined in pairs of neighbours, these again in pairs, and so on. 0 if there
/// are no values.
class AggregatorTree {
public:
  AggregatorTree(Aggregator aggregator, const std::vector<double>& values);
  /// Replaces a value, in O(log n).
  void set(std::size_t place, double value);
  double value() const;

private:
  double leaf(double value) const;
  double join(double a, double b) const;

  Aggregator aggregator_;
  std::size_t count_ = 0, leaves_ = 1;
  std::vector<double> nodes_; ///< root at 1, children of i at 2i and 2i + 1
};

} // namespace jitterscope::efficiency::metrics
