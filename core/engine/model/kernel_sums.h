#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "core/analysis/prediction/launch_inputs.h"
#include "core/model/gpu/kernel_model.h"

namespace jitterscope::engine {

/// Launches of one configuration, as sums in row order.
struct KernelSums {
  std::int64_t launches = 0, measured = 0, extrapolated = 0, untrusted = 0;
  double measured_ns = 0, analytical_ns = 0, predicted_ns = 0, mwp = 0, cwp = 0;
  std::map<std::string, std::int64_t> bottlenecks;
  model::KernelPrediction first; ///< terms of the first launch
  model::KernelInputs inputs;    ///< inputs of the first launch
  double flops = 0;              ///< counted floating-point operations of the first launch
  double roofline_ns = 0;
  std::size_t trace = 0; ///< trace of the first launch
  /// Predictions for the launches as recorded, if a what-if changes the launches.
  double before_ns = 0;
  model::KernelPrediction first_before;
  model::KernelInputs inputs_before;
};

/// The number, or null if it is not finite.
nlohmann::json number_or_null(double value);

void add(KernelSums& sums, const analysis::ModelLaunch& launch, const model::KernelPrediction& prediction,
         const GpuSpecification& gpu);
/// Adds the prediction of a launch as recorded, without the what-if. Call it before add() for the same
/// launch.
Expected<void> add_before(KernelSums& sums, const analysis::ModelLaunch& launch, const GpuSpecification& gpu,
                          const model::KernelOptions& how);

/// An entry of the answer's "kernels": name, kernel, configuration with its grid and block, means of its
/// launches, and inputs and terms of the first launch. If a what-if changes the launches, `before` holds
/// these values for the launches as recorded.
nlohmann::json kernel_document(const analysis::Session& session, std::uint32_t configuration,
                               const KernelSums& sums);

} // namespace jitterscope::engine
