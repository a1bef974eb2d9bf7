#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/analysis/bins/bin_lists.h"
#include "core/analysis/filter/selection.h"
#include "core/analysis/statistics/statistics.h"

namespace jitterscope::analysis {

/// Collective; the result is complete on rank 0 and has no bins elsewhere. Every bin is computed by one
/// thread of one rank. Wide bins are computed in pieces of rows that are merged in order. So the numbers
/// depend neither on the ranks nor on the threads.
///
/// The kept bins are found by counting (radix selection over the ranks): a rank sends its kept bins, and the
/// statistics of all its bins only if these are requested and not too many. Errors: BadUse (unknown metric, a
/// width that gives more than 20 million bins with launches on a rank), Cancelled. `report` is called on rank
/// 0, from the calling thread.
Expected<Bins> compute_bins(const Session& session, const LaunchColumns& columns, const Selection& selection,
                            const BinOptions& options, Communicator& communicator, const Job& job,
                            const ReportPartialBins& report = {});

} // namespace jitterscope::analysis
