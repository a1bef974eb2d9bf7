#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/analysis/columns/columns.h"
#include "core/base/gpu_specification.h"
#include "core/engine/model/message_answer.h"

namespace jitterscope::engine {

/// A what-if scenario for a run.
struct Scenario {
  std::string title;
  double nodes = 1;   ///< factor on the number of nodes
  bool strong = true; ///< strong scaling: the same problem on all nodes; else the same problem per node
  std::optional<GpuSpecification> gpu; ///< another GPU
  double message_size = 1;             ///< factor on the bytes of all messages
};

/// Time of the session's run from its parts with the overlap of the trace (run/overlap.h), measured and in
/// each scenario: {runs: [{title, total_ns, process, kernels_ns, copies_ns, messages_ns, overlapped_ns,
/// other_ns, speedup, terms: [{name, value, formula}]}], notes}. Each run is that of the process that takes
/// longest; the first is the measured one.
///
/// Kernels: predicted / predicted as recorded, for configurations whose launches have counters; for others
/// the ratio of memory bandwidths on another GPU, and the ratio of waves of blocks on more nodes. Copies: a
/// line fitted to those of the trace, by kind; on another GPU, copies on the device scale with the ratio of
/// the bandwidths. Messages: predicted / predicted as recorded for the time without waiting; waiting scales
/// with the kernels. On N times as many nodes a strong run has 1/N of the blocks and bytes of copies,
/// N^(−2/3) of the bytes of point-to-point messages (the surface of a three-dimensional part) and N times as
/// many ranks in collectives; a weak run only the latter. `gpus`: by trace; empty if unknown. Null for tables
/// without time and sessions without activity. Errors: Cancelled.
Expected<nlohmann::json> run_document(const analysis::Session& session,
                                      const analysis::LaunchColumns& columns,
                                      std::vector<GpuSpecification> gpus, const MessageModels& models,
                                      const PredictedMessages& messages,
                                      const std::vector<Scenario>& scenarios, const Job& job);

} // namespace jitterscope::engine
