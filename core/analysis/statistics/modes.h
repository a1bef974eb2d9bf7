#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jitterscope::analysis {

/// A mode (peak) of a histogram with equally wide bins.
struct Mode {
  std::size_t bin = 0;             ///< bin with most values; of equal ones, the nearest to the smoothed peak
  std::size_t first = 0, last = 0; ///< first and last bin of the peak, from valley to valley, both included
  std::int64_t n = 0;              ///< number of values in the bins first … last
};

/// The significant modes, from left to right; one for most histograms, none for an empty one. The histogram
/// is smoothed by a Gaussian (σ = 1.5 bins). Neighbouring peaks are separate if each holds at least 2 % of
/// the values and the valley between them is deep. Its depth below the lower peak must be at least a fifth of
/// that peak's height and at least three standard deviations of the smoothed counts (Poisson). Peaks are
/// merged from the shallowest valley on (topological persistence: Edelsbrunner, Letscher & Zomorodian 2002).
std::vector<Mode> find_modes(std::span<const std::int64_t> counts);

} // namespace jitterscope::analysis
