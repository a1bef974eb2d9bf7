#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/model/gpu/counter_inputs.h"

namespace jitterscope::analysis {

class LaunchColumns;

/// A launch of the session as the kernel model takes it.
struct ModelLaunch {
  std::int64_t row = 0; ///< of the session
  std::size_t trace = 0;
  std::uint32_t configuration = 0; ///< of the session
  double measured_ns = 0;          ///< NaN where not measured
  model::LaunchFacts facts;
  model::CounterInputs inputs;
};

/// Where launches of a session have the counters that the model needs.
struct ModelColumns {
  model::CounterTool tool = model::CounterTool::ncu;
  std::vector<std::string> names;   ///< of each need; empty where the session has no such column
  std::vector<std::string> missing; ///< metrics without which nothing can be predicted
};
ModelColumns model_columns(const LaunchColumns& columns);

/// How many launches could not be used, and why the first could not.
struct LeftOut {
  std::int64_t launches = 0;
  std::string reason;
};

/// Calls `use` for the rows of a segment that `mask` marks; an empty mask marks all. Errors: those of `use`.
Expected<void> for_model_launches(const Session& session, const LaunchColumns& columns,
                                  const Segment& segment, const std::vector<std::uint8_t>& mask,
                                  const ModelColumns& counters, const std::vector<GpuSpecification>& gpus,
                                  LeftOut& left_out, const std::function<Expected<void>(ModelLaunch&)>& use);

/// The GPU that each trace was recorded on: what a file of MT4G in the session says, else the built-in table
/// by the name of the trace's device; with bandwidths measured by BabelStream. Of traces without launches an
/// empty one. Errors: BadUse where none is known.
Expected<std::vector<GpuSpecification>> recorded_gpus(const Session& session);

/// The specification with the best bandwidth that BabelStream reached on it in the session.
GpuSpecification with_measured_bandwidth(GpuSpecification gpu, const Session& session);

} // namespace jitterscope::analysis
