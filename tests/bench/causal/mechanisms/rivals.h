#pragma once

#include <string>

#include "tests/bench/causal/mechanisms/simulation.h"

namespace jitterscope::mechanisms {

/// What a plain method names as the strongest cause of |d − median| or of a table's target; empty: nothing.
/// Categories are one column a value; missing values are means.
struct Rivals {
  /// Largest standardised coefficient of least squares, where it explains 10 % of the variance or more and is
  /// significant at 1 % for all columns together.
  std::string least_squares;
  /// Column whose shuffling takes most from what boosted trees explain of rows they have not seen; 10 % at
  /// least.
  std::string boosted_trees;
  /// Largest total effect in the graph of DirectLiNGAM, where it is 10 % of the variance at least.
  std::string lingam;
};
Rivals ask_rivals(const causal::MemoryRows& table);

} // namespace jitterscope::mechanisms
