#pragma once

#include <vector>

namespace jitterscope::causal {

/// The non-decreasing (`rising`) or non-increasing sequence that is nearest to the values in weighted least
/// squares: pool adjacent violators (Barlow, Bartholomew, Bremner, Brunk 1972). An entry without weight gets
/// the value of the previous entry; at the beginning, that of the first entry with a weight.
std::vector<double> isotonic(const std::vector<double>& values, const std::vector<double>& weights,
                             bool rising);

} // namespace jitterscope::causal
