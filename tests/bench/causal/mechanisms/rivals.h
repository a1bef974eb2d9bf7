#pragma once

#include <string>

#include "tests/bench/causal/mechanisms/simulation.h"
#include "tests/support/launch_table.h"

namespace jitterscope::mechanisms {

/// The strongest cause of |d − median| or of a table's target by a plain method; empty if there is none.
/// Categories have one column per value; missing values are replaced by means.
struct Rivals {
  /// Largest standardised coefficient of least squares, where it explains 10 % of the variance or more and is
  /// significant at 1 % for all columns together.
  std::string least_squares;
  /// The column whose permutation reduces the explained variance of boosted trees on unseen rows most, by at
  /// least 10 %.
  std::string boosted_trees;
  /// Column with the largest total effect in the graph of DirectLiNGAM, if it is at least 10 % of the
  /// variance.
  std::string lingam;
};
Rivals ask_rivals(const causal::LaunchTable& table);

} // namespace jitterscope::mechanisms
