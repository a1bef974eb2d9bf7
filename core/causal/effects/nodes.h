#pragma once

#include <string>
#include <vector>

#include "core/causal/base/result.h"
#include "core/causal/table/frame.h"
#include "core/causal/table/statistics.h"

namespace jitterscope::causal {

/// A vertex of the graph: a column that represents itself and the columns merged into it.
struct Node {
  int column = -1;          ///< column of the frame
  std::vector<int> members; ///< the other columns that it represents
};

struct NodeChoice {
  std::vector<Node> nodes;            ///< sorted by column
  std::vector<FeatureReport> reports; ///< every column of the frame
  std::vector<Warning> warnings;
  std::vector<int> node_of; ///< by column: index of the node that represents it, −1 if none

  int find(const Frame& frame, const std::string& name) const; ///< node that represents a column, −1 if none
};

/// Keeps one column of each redundant set and drops or merges the others:
/// - constants, reference levels of categories, families of one event;
/// - the target or the duration in another unit, and sums over all kinds of memory operations;
/// - duplicates (|r| > 0.9998);
/// - collinear families (average linkage of |r| > 0.95 in one tier);
/// - columns that others determine (residual variance below 1e-6 in pivoted Cholesky of the correlations in
///   units, in logs or on the discovery scale).
NodeChoice choose_nodes(const Frame& frame, const Statistics& statistics);

} // namespace jitterscope::causal
