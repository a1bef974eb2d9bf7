#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/causal/base/result.h"
#include "core/causal/effects/model.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// A column whose rank correlation with the target is far larger than its linear correlation: outlying rows
/// determine the latter.
struct FarValues {
  std::string label;
  double by_ranks = 0, in_units = 0; ///< correlations with the target
  double farthest = 0, mean = 0;     ///< values in the unit of the column
};

/// Input of the notes other than the result, the frame and the model.
struct NoteFacts {
  const std::vector<std::string>& acts; ///< by contribution: SentenceContext::acts
  std::size_t features = 0;             ///< columns of the row source
  /// Launches that hold half of the variability (concentration.h); 0: not computed.
  std::int64_t half_of_variability = 0;
  std::vector<FarValues> far_values = {};
};

/// Adds the notes to a finished result:
/// - left out: rows, columns, dropped columns that may carry information;
/// - data: few rows, heavy tails, autocorrelation, guessed tiers;
/// - result: open directions, flipped signs, methods that disagree, bends.
/// More than three notes on column families, determined columns or flipped signs become one note that counts
/// them.
void add_notes(CausalResult& result, const Frame& frame, const Model& model, const NoteFacts& facts);

} // namespace jitterscope::causal
