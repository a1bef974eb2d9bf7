#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/bins/bin_values.h"
#include "core/base/communicator.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// Where the bins [0, bins) are cut so that all ranks have as much to do: rank r takes [border[r], border[r +
/// 1]). Without a filter, that is as many rows; with one, rows weigh by what a sample of them (64 in each of
/// 1,024 stretches of time, shared out over the ranks) says is selected around them, so that ranks do not
/// wait for the one to whose time most of the selected rows belong. The same on every rank, and without any
/// influence on the bins themselves. Collective. Errors: Cancelled.
Expected<std::vector<std::int64_t>> shard_borders(const BinQuestion& question, std::int64_t bins,
                                                  Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
