#pragma once

#include <cstddef>
#include <vector>

namespace jitterscope::causal {

// What an amount does, read off the classes its values were cut into (class k in the order of the values).

/// Effects of classes with configurations as fixed effects: least squares on what is left after taking off
/// the configuration's mean. counts and sums hold, for one configuration after the other, one entry a class.
std::vector<double> class_effects(const std::vector<double>& counts, const std::vector<double>& sums,
                                  std::size_t classes);

/// By how much deviations of every class are to be scaled so that it is as steady as the steadier end of a
/// straight line through all; sums of deviations become means. Returns the slope of the spread.
double shrink_to_steady_end(std::vector<double>& spread, const std::vector<double>& weight,
                            std::vector<double>& scale);

/// +1 where effects rise with the class, −1 where they fall, 0 where they bend so much that neither says it
/// (|r| < 0.7).
int trend_of(const std::vector<double>& effect, const std::vector<double>& weight);

} // namespace jitterscope::causal
