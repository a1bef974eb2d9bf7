#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jitterscope::analysis {

/// A hump of a histogram with equally wide bins.
struct Mode {
  std::size_t bin = 0;             ///< the highest of the smoothed histogram
  std::size_t first = 0, last = 0; ///< bins from valley to valley, both inside
  std::int64_t n = 0;              ///< values in them
};

/// The humps that stand out, from left to right; one for most histograms, none for an empty one. The
/// histogram is smoothed by a Gaussian (σ = 1.5 bins); neighbouring humps count as one unless the valley
/// between them lies at least three standard deviations of counting (Poisson, of the smoothed counts) and a
/// fifth of the lower hump's height below it, and each holds at least 2 % of the values. Humps are joined
/// from the shallowest valley on (topological persistence: Edelsbrunner, Letscher & Zomorodian 2002).
std::vector<Mode> find_modes(std::span<const std::int64_t> counts);

} // namespace jitterscope::analysis
