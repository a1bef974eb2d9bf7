#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/prediction/launch_inputs.h"
#include "core/base/job.h"

namespace jitterscope::engine {

using analysis::LeftOut;
using analysis::model_columns;
using analysis::ModelColumns;
using analysis::ModelLaunch;

/// Calls `use` for the selected launches in row order. `gpus`: by trace. Polls for cancellation every few
/// milliseconds. Errors: those of `use`, Cancelled.
Expected<LeftOut> for_each_model_launch(const analysis::Session& session,
                                        const analysis::LaunchColumns& columns,
                                        const analysis::Selection& selection, const ModelColumns& counters,
                                        const std::vector<GpuSpecification>& gpus, const Job& job,
                                        const std::function<Expected<void>(ModelLaunch&)>& use);

/// The launches of some session rows [first, last), without a selection.
Expected<LeftOut> for_model_rows(const analysis::Session& session, const analysis::LaunchColumns& columns,
                                 std::int64_t first, std::int64_t last, const ModelColumns& counters,
                                 const std::vector<GpuSpecification>& gpus, const Job& job,
                                 const std::function<Expected<void>(ModelLaunch&)>& use);

/// The GPU of each trace: `requested` for all traces if it is not empty, else that of an MT4G file in the
/// session, else that of the built-in table by the name of the trace's device; with bandwidths measured by
/// BabelStream. Errors: BadUse if a trace has launches and its GPU is unknown; those of reading a file.
Expected<std::vector<GpuSpecification>> gpus_of(const analysis::Session& session,
                                                const std::string& requested, const Job& job);

/// A GPU by its name in the built-in table or by an MT4G file.
Expected<GpuSpecification> gpu_named(const std::string& name, const Job& job);

} // namespace jitterscope::engine
