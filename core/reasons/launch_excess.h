#pragma once

#include <string>
#include <vector>

#include "core/reasons/launch_reasons.h"

namespace jitterscope::analysis {

/// One launch compared with its peers: the launches of its configuration and call site.
struct LaunchExcess {
  struct Part {
    std::string column, label, value; ///< value: of this launch, in words
    double ns = 0, error_ns = 0; ///< contribution of the cause, and its standard error by block resampling
  };
  double duration_ns = 0;
  double typical_ns = 0;     ///< median of the peers' durations without waiting for other devices
  bool waits = false;        ///< whether durations of the configuration can include such waiting
  std::vector<Part> parts;   ///< nonzero parts, largest first
  double unexplained_ns = 0; ///< duration − typical − the parts
  std::int64_t peers = 0;    ///< other launches, in the sample to which the model was fitted
  double rank = 0;           ///< fraction of the peers that are shorter, both with waiting
  std::vector<double> edges; ///< histogram of the peers' durations with waiting [ns]
  std::vector<std::int64_t> counts;
};

/// Errors: BadUse for an unknown row, BadInput for launches without a duration or with too few
/// peers.
Expected<LaunchExcess> excess_of_launch(const LaunchReasons& reasons, std::int64_t row);

} // namespace jitterscope::analysis
