#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/causal/base/lists.h"

namespace jitterscope::causal {

/// Groups of items by average linkage: the two groups with the largest mean similarity are merged while that
/// exceeds the threshold. Uses chains of nearest neighbours (Murtagh 1983): time and memory are quadratic in
/// the items. Groups of one are included; each group is sorted, and groups are ordered by their first item.
std::vector<std::vector<int>> average_linkage(Eigen::MatrixXf similarity, float threshold);

/// Connected components of the graph with the edges added by join(): an upper bound of what average linkage
/// merges.
class Components {
public:
  explicit Components(std::size_t items) : parent_(numbers_below(items)) {}
  void join(std::size_t a, std::size_t b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::vector<int>> groups(); ///< sorted, groups by their first item

private:
  std::size_t root(std::size_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }
  std::vector<std::size_t> parent_;
};

} // namespace jitterscope::causal
