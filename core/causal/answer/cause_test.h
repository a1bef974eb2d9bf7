#pragma once

#include <cstdint>

#include "core/causal/table/stretch_sample.h"

namespace jitterscope::causal {

enum class CauseTest : std::uint8_t {
  passed,
  follows_from_length, ///< counts events at a steady rate during rows whose length is the target (changes.h)
  drifts ///< changes too slowly or too rarely together with the target (changes.h), or has too few stretches
         ///< of equal values for a curve through them
};

/// Tests a cause of durations or of a column. `predictor`: its column in the sample, which is not centred.
/// `lasts`: the target is a duration. `bent`: the target depends on it along a curve. `candidates`: number of
/// columns that were examined.
CauseTest test_cause(const StretchSample& sample, Eigen::Index predictor, const Column& column, bool lasts,
                     bool bent, std::size_t candidates);

} // namespace jitterscope::causal
