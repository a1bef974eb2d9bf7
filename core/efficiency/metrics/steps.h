#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/efficiency/step_function.h"

namespace jitterscope::efficiency::metrics {

/// A timeline in [a, b): the first step begins at a; adjacent steps differ.
using Steps = std::vector<StepFunction::Step>;

/// Appends a step, unless the value stays the same; replaces one that begins at this time.
inline void append_step(Steps& steps, std::int64_t time, double value) {
  if (!steps.empty() && steps.back().begin == time) steps.pop_back();
  if (steps.empty() || steps.back().value != value) steps.push_back({time, value});
}

/// Results that are not finite become 0, such as those of a division by 0.
inline double finite(double value) {
  return std::isfinite(value) ? value + 0.0 : 0.0; // −0 becomes 0
}

} // namespace jitterscope::efficiency::metrics
