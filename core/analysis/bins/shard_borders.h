#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/bins/bin_values.h"
#include "core/base/communicator.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// Divides the bins [0, bins) so that all ranks have the same work: rank r gets [border[r], border[r + 1]).
/// Without a filter this means the same number of rows. With a filter, rows are weighted by the selected
/// share of a sample, so that ranks do not wait for the one with the most selected rows. The sample has up to
/// 64 rows per trace in each of up to 1,024 intervals of time, which are distributed over the ranks. The same
/// on every rank; does not change the bins themselves. Collective. Errors: Cancelled.
Expected<std::vector<std::int64_t>> shard_borders(const BinQuestion& question, std::int64_t bins,
                                                  Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
