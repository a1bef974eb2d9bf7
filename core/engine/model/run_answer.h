#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "core/engine/model/run_factors.h"

namespace jitterscope::engine {

/// Time of the session's run from its parts with the overlap of the trace (run/overlap.h), measured and in
/// each scenario: {runs: [{title, total_ns, process, kernels_ns, copies_ns, messages_ns,
/// computation_ns, overlapped_ns, other_ns, speedup, terms: [{name, value, unit, formula}],
/// calls: [{operation, count, transfer_ns, transfer_recorded_ns, waiting_ns, waiting_recorded_ns}]}], notes}.
/// Each run is that of the process that takes longest; the first is the measured one.
///
/// Kernels: predicted / predicted as recorded, for configurations whose launches have counters; others scale
/// on another GPU with the memory bandwidth, on more nodes with the number of waves of blocks. Bursts, the
/// useful computation of host threads: 1/N in a strong run on N times as many nodes, which assumes no serial
/// part. Memory operations: a line fitted to those of the trace, by kind; on another GPU, those within a
/// device scale with the memory bandwidth. Messages: predicted / predicted as recorded for the time that is
/// not waiting; waiting scales with kernels and bursts. On N times as many nodes, collectives have N times as
/// many ranks, some of them on other nodes. A strong run also has 1/N of the blocks and of the bytes of
/// memory operations, and N^(−2/3) of the bytes of point-to-point messages (the surface of a
/// three-dimensional subdomain). `gpus`: by trace; an empty specification where unknown. Null for tables
/// without times and sessions without activity. Errors: Cancelled.
Expected<nlohmann::json> run_document(const analysis::Session& session,
                                      const analysis::LaunchColumns& columns,
                                      std::vector<GpuSpecification> gpus, const MessageModels& models,
                                      const PredictedMessages& messages,
                                      const std::vector<Scenario>& scenarios, const Job& job);

} // namespace jitterscope::engine
