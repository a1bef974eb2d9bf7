#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/causal/base/result.h"
#include "core/causal/effects/model.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// A column that goes with the target by ranks far more closely than in units: rows far from the others
/// decide there.
struct FarValues {
  std::string label;
  double by_ranks = 0, in_units = 0; ///< correlations with the target
  double farthest = 0, mean = 0;     ///< in its unit
};

/// What the notes need beyond the result, the frame and the model.
struct NoteFacts {
  const std::vector<std::string>& acts; ///< of every contribution (Telling)
  std::size_t features = 0;             ///< columns that the rows came with
  std::int64_t half_of_variability = 0; ///< launches that hold half of it (concentration.h); 0: not looked at
  std::vector<FarValues> far_values = {};
};

/// Adds to the warnings of a finished result what its reader should know: rows and columns left out, few
/// rows, heavy tails, columns that left with what they could have told, guessed tiers, autocorrelation, open
/// directions, flipped signs, methods that disagree, bends. Many of one kind become one.
void add_notes(CausalResult& result, const Frame& frame, const Model& model, const NoteFacts& facts);

} // namespace jitterscope::causal
