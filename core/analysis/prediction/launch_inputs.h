#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/model/gpu/counter_inputs.h"

namespace jitterscope::analysis {

class LaunchColumns;

/// Input of the kernel model for one launch of the session.
struct ModelLaunch {
  std::int64_t row = 0; ///< session row of the launch
  std::size_t trace = 0;
  std::uint32_t configuration = 0; ///< number of the configuration in the session
  double measured_ns = 0;          ///< measured duration; NaN if not measured
  model::LaunchFacts facts;
  model::CounterInputs inputs;
};

/// Columns of the session that hold the counters of the model.
struct ModelColumns {
  model::CounterTool tool = model::CounterTool::ncu;
  std::vector<std::string> names; ///< per quantity of the model: its column; empty if the session has none
  std::vector<std::string>
      missing; ///< metrics that the session lacks although every prediction requires them
};
/// `amd`: a trace of AMD GPUs, whose missing counters are always those of rocprof.
ModelColumns model_columns(const LaunchColumns& columns, bool amd = false);

/// Number of launches that could not be used, and the reason for the first one.
struct LeftOut {
  std::int64_t launches = 0;
  std::string reason;
};

/// Calls `use` for the rows of a segment marked in `mask`; an empty mask marks all. Launches without valid
/// inputs are counted in `left_out` instead. Errors: the errors of `use`.
Expected<void> for_model_launches(const Session& session, const LaunchColumns& columns,
                                  const Segment& segment, const std::vector<std::uint8_t>& mask,
                                  const ModelColumns& counters, const std::vector<GpuSpecification>& gpus,
                                  LeftOut& left_out, const std::function<Expected<void>(ModelLaunch&)>& use);

/// The GPU on which each trace was recorded: from an MT4G file in the session, else from the built-in table
/// by the name of the trace's device; with bandwidths measured by BabelStream. Empty for traces without
/// launches whose GPU is unknown. Errors: BadUse if a trace has launches and its GPU is unknown.
Expected<std::vector<GpuSpecification>> recorded_gpus(const Session& session);

/// The specification with the highest BabelStream bandwidth in the session that was measured on that GPU or
/// names no device.
GpuSpecification with_measured_bandwidth(GpuSpecification gpu, const Session& session);

} // namespace jitterscope::analysis
