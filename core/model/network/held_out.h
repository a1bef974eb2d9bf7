#pragma once

#include <span>
#include <vector>

#include "core/model/network/k_fit.h"

namespace jitterscope::model {

/// Times of sizes that were not used in the fit [µs].
struct HeldOut {
  std::vector<double> bytes, measured, predicted;
};

/// Leaves out each size of the latency curves except the smallest and the largest, fits the model to the
/// others and predicts it. Empty if nothing can be fitted.
HeldOut hold_out_sizes(std::span<const NetworkMeasurement> curves);

} // namespace jitterscope::model
