#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/base/job.h"
#include "core/model/gpu/counter_inputs.h"

namespace jitterscope::engine {

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
ModelColumns model_columns(const analysis::LaunchColumns& columns);

/// How many launches could not be used, and why the first could not.
struct LeftOut {
  std::int64_t launches = 0;
  std::string reason;
};

/// Calls `use` for the selected launches in row order. `gpus`: of each trace. Looks for a cancel every few
/// milliseconds. Errors: those of `use`, Cancelled.
Expected<LeftOut> for_each_model_launch(const analysis::Session& session,
                                        const analysis::LaunchColumns& columns,
                                        const analysis::Selection& selection, const ModelColumns& counters,
                                        const std::vector<GpuSpecification>& gpus, const Job& job,
                                        const std::function<Expected<void>(ModelLaunch&)>& use);

/// The GPU that each trace was recorded on: `wanted` for all where it is named, else what a file of MT4G in
/// the session says, else the built-in table by the name of the trace's device; with bandwidths measured by
/// BabelStream. Errors: BadUse where none is known; those of reading a file.
Expected<std::vector<GpuSpecification>> gpus_of(const analysis::Session& session, const std::string& wanted,
                                                const Job& job);

/// A GPU by the name of the built-in table or by a file of MT4G.
Expected<GpuSpecification> gpu_named(const std::string& name, const Job& job);

} // namespace jitterscope::engine
