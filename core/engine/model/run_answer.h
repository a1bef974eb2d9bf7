#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "core/engine/model/run_factors.h"

namespace jitterscope::engine {

/// Time of the session's run from its parts with the overlap of the trace (run/overlap.h), measured and in
/// each scenario: {runs: [{title, total_ns, process, kernels_ns, copies_ns, messages_ns,
/// computation_ns, overlapped_ns, other_ns, speedup, terms: [{name, value, unit, formula}]}], notes}. Each
/// run is that of the process that takes longest; the first is the measured one.
///
/// Kernels: predicted / predicted as recorded, of configurations whose launches have counters; of others on
/// another GPU the ratio of the bandwidths of memory, on more nodes the ratio of waves of blocks. Bursts, the
/// useful computation of host threads: 1/N on N times as many nodes, which assumes no serial part. Copies: a
/// line through those of the trace, by kind; on another GPU those on the device by the ratio of the
/// bandwidths. Messages: predicted / predicted as recorded for what is not waiting; waiting follows
/// kernels and bursts. On N times as many nodes a strong run has 1/N of the blocks and bytes of copies,
/// N^(−2/3) of the bytes of point-to-point messages (the surface of a three-dimensional part) and N times as
/// many ranks in collectives; a weak run only the latter. `gpus`: of each trace; empty ones where unknown.
/// Null for tables without time and sessions without activity. Errors: Cancelled.
Expected<nlohmann::json> run_document(const analysis::Session& session,
                                      const analysis::LaunchColumns& columns,
                                      std::vector<GpuSpecification> gpus, const MessageModels& models,
                                      const PredictedMessages& messages,
                                      const std::vector<Scenario>& scenarios, const Job& job);

} // namespace jitterscope::engine
