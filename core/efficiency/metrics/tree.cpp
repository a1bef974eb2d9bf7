#include "core/efficiency/metrics/tree.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace jitterscope::efficiency::metrics {

AggregatorTree::AggregatorTree(Aggregator aggregator, const std::vector<double>& values)
    : aggregator_(aggregator), count_(values.size()),
      leaves_(std::bit_ceil(std::max<std::size_t>(values.size(), 1))) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nothing = aggregator == Aggregator::Minimum   ? kInfinity
                         : aggregator == Aggregator::Maximum ? -kInfinity
                                                             : 0;
  nodes_.assign(2 * leaves_, nothing);
  for (std::size_t i = 0; i < count_; ++i) nodes_[leaves_ + i] = leaf(values[i]);
  for (auto i = leaves_; i-- > 1;) nodes_[i] = join(nodes_[2 * i], nodes_[2 * i + 1]);
}

double AggregatorTree::leaf(double value) const {
  const bool counts =
      aggregator_ == Aggregator::Any || aggregator_ == Aggregator::All || aggregator_ == Aggregator::Count;
  return counts ? (value != 0 ? 1.0 : 0.0) : value;
}

double AggregatorTree::join(double a, double b) const {
  if (aggregator_ == Aggregator::Minimum) return std::min(a, b);
  if (aggregator_ == Aggregator::Maximum) return std::max(a, b);
  return a + b;
}

void AggregatorTree::set(std::size_t place, double value) {
  auto i = leaves_ + place;
  nodes_[i] = leaf(value);
  while (i > 1) {
    i /= 2;
    nodes_[i] = join(nodes_[2 * i], nodes_[2 * i + 1]);
  }
}

double AggregatorTree::value() const {
  if (count_ == 0) return 0;
  switch (aggregator_) {
  case Aggregator::Mean:
    return nodes_[1] / static_cast<double>(count_);
  case Aggregator::Any:
    return nodes_[1] > 0 ? 1 : 0;
  case Aggregator::All:
    return nodes_[1] == static_cast<double>(count_) ? 1 : 0;
  default:
    return nodes_[1];
  }
}

} // namespace jitterscope::efficiency::metrics
