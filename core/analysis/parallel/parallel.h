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

/// Default axes in display order: columns that differ between launches; at most `maximum`, the least useful
/// ones are dropped. About half a million rows, evenly spread and the same for every query, decide which
/// columns differ. Collective; cached. Errors: Cancelled.
Expected<std::vector<std::string>> default_axes(const Session& session, const LaunchColumns& columns,
                                                std::size_t maximum, Communicator& communicator,
                                                const Job& job, ParallelCache* cache = nullptr);

/// Recorded numbers with the largest spread relative to their mean, largest first; at most `maximum`. Of
/// redundant columns only one is listed. The same on every rank: each reads the same rows. Errors: Cancelled.
Expected<std::vector<std::string>> widest_columns(const Session& session, const LaunchColumns& columns,
                                                  std::size_t maximum, const Job& job);

/// Orders the axes so that neighbours are strongly associated: the best of all greedy paths through the
/// squared rank correlations, or the mutual information of ranks in 16 classes, of at most 16,384 rows.
/// `pinned` stays first. The same on every rank. Errors: Cancelled.
Expected<std::vector<std::string>> related_order(const Session& session, const LaunchColumns& columns,
                                                 const std::vector<std::string>& axes,
                                                 const std::string& pinned, bool mutual_information,
                                                 const Job& job);

/// Histograms of single axes and adjacent pairs over all and over the selected launches. A cache keeps the
/// axes' bin numbers (one byte per row and axis), the bits of conditions and the counts. The next query then
/// reads only the columns whose conditions changed and counts only the rows that differ from an earlier
/// query. Collective, same result on every rank: only integers are summed. Errors: BadUse (unknown column).
Expected<ParallelCounts> parallel_counts(const Session& session, const LaunchColumns& columns,
                                         const Selection& selection, const ParallelOptions& options,
                                         Communicator& communicator, const Job& job,
                                         ParallelCache* cache = nullptr);

} // namespace jitterscope::analysis
