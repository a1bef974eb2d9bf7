#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/parallel/parallel_counts.h"

namespace jitterscope::analysis {

struct ParallelCache;

/// Columns that differ between launches, the ones most asked for first; at most `most`. About half a million
/// rows, evenly spread and the same for every question, decide which differ. Collective; kept in the cache.
/// Errors: Cancelled.
Expected<std::vector<std::string>> default_axes(const Session& session, const LaunchColumns& columns,
                                                std::size_t most, Communicator& communicator, const Job& job,
                                                ParallelCache* cache = nullptr);

/// Recorded numbers of the greatest spread relative to their mean, the widest first; at most `most`. No two
/// that say the same. The same on every rank: each looks at the same rows. Errors: Cancelled.
Expected<std::vector<std::string>> widest_columns(const Session& session, const LaunchColumns& columns,
                                                  std::size_t most, const Job& job);

/// The axes in the order in which neighbours go together most: a path through the squared rank correlations
/// (or the mutual information of sixteenths of the ranks) of at most 16,384 rows, the best of all greedy
/// ones. `pinned` stays first. The same on every rank. Errors: Cancelled.
Expected<std::vector<std::string>> related_order(const Session& session, const LaunchColumns& columns,
                                                 const std::vector<std::string>& axes,
                                                 const std::string& pinned, bool mutual_information,
                                                 const Job& job);

/// Histograms of single axes and neighbouring pairs over all and over the selected launches. With a cache the
/// axes' bin numbers (a byte a row and axis), the bits of conditions and what was counted are kept: the next
/// question reads the columns whose conditions changed and counts the rows in which it differs from an
/// earlier one. Collective, same result on every rank: only integers are summed. Errors: BadUse (unknown
/// column).
Expected<ParallelCounts> parallel_counts(const Session& session, const LaunchColumns& columns,
                                         const Selection& selection, const ParallelOptions& options,
                                         Communicator& communicator, const Job& job,
                                         ParallelCache* cache = nullptr);

} // namespace jitterscope::analysis
