#pragma once

#include <cstddef>
#include <vector>

#include "core/efficiency/metrics/syntax.h"

namespace jitterscope::efficiency::metrics {

/// One value of many, kept while some of them change. The value depends on the present values alone, not on
/// how they came about: they are joined in pairs of neighbours, these again in pairs, and so on. 0 of
/// nothing.
class AggregatorTree {
public:
  AggregatorTree(Aggregator aggregator, const std::vector<double>& values);
  /// O(log n).
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
