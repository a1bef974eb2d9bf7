#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/engine/messages/statistics_options.h"

namespace jitterscope::engine {

/// A bins job of many ranks, simulated on one.
struct DryRunOptions {
  std::vector<std::string> stores;
  std::vector<int> ranks; ///< ascending, each 2 or more
  int ranks_per_node = 4;
  BinsOptions bins;
};

/// Opens the stores and computes the bins as each number of ranks, and as one rank, with virtual ranks that
/// take turns: compute times are measured, communication between the ranks is recorded, and its time is
/// predicted (collective_cost.h). Time of a run: the sum over collective calls of the slowest rank's compute
/// time before each call, and of the calls.
///
/// The document: rows, bins, metric, ranks_per_node, network, runs[{ranks, rows_per_rank, bins_per_rank,
/// compute_s{slowest, mean, root_alone}, communication_s, predicted_s, speedup, efficiency, calls, messages,
/// bytes, messages_to_root, bytes_to_root, root_peak_bytes, other_peak_bytes, same_answer, weak{rows,
/// predicted_s, efficiency}}]. Strong scaling is relative to one rank. Weak scaling keeps the rows and bins
/// per rank of the smallest number in `ranks`, and is relative to that.
Expected<nlohmann::json> dry_run(const DryRunOptions& options, const Job& job);

} // namespace jitterscope::engine
