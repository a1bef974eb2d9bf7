#pragma once

#include <span>
#include <vector>

#include "core/model/network/k_fit.h"

namespace jitterscope::model {

/// Times of sizes that a model had not seen [µs].
struct HeldOut {
  std::vector<double> bytes, measured, predicted;
};

/// Leaves out each size of the latency curves but the smallest and the largest, fits the model of the others
/// and predicts it. Empty where nothing can be fitted.
HeldOut hold_out_sizes(std::span<const NetworkMeasurement> curves);

} // namespace jitterscope::model
