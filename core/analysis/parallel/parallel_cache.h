#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/parallel/column_steps.h"
#include "core/analysis/parallel/parallel_counts.h"
#include "core/analysis/session/kept.h"

namespace jitterscope::analysis {

/// Counts of the cells of a pair of axes: over the rows of one rank, and over the rows of all ranks.
struct PairCounts {
  std::shared_ptr<const std::vector<std::int64_t>> of_rank, of_all;
};

/// Rows of a rank that were counted before, and their counts: the next query counts only the rows that
/// differ.
struct CountedRows {
  std::string sample; ///< cache key of the RowSample that the rows belong to
  std::shared_ptr<const std::vector<std::uint64_t>> bits;
  std::map<std::string, std::shared_ptr<const std::vector<std::int64_t>>>
      pairs; ///< by key of the pair: counts of this rank
};

/// Cached data of parallel coordinates. Belongs to one session and to the thread that runs its operations.
/// Changes by the rule of core/base/agreement.h: the ranks cache the same columns, pairs and conditions, each
/// for its own rows.
struct ParallelCache {
  static constexpr std::int64_t kRoom = 1'000'000'000; ///< maximum bytes of `codes` over all ranks

  Kept<std::vector<std::uint8_t>> codes{kRoom}; ///< by axis: bin of every row in this rank's share
  static constexpr std::int64_t kRoomOfSteps =
      220'000'000; ///< maximum bytes of `steps` per rank: one column of 10⁸ rows, or several of fewer rows
  Kept<ColumnSteps> steps{kRoomOfSteps};               ///< by column: steps of every row in this rank's share
  Kept<std::vector<std::uint64_t>> masks{120'000'000}; ///< by condition: a bit per row in this rank's share
  Kept<PairCounts> pairs{40'000'000};                  ///< by pair: counts of all rows
  std::deque<CountedRows> counted;                     ///< sets of rows with their counts, latest first
  std::map<std::string, ColumnRange> ranges;           ///< by column: range over all rows
  std::string kept_rows;                             ///< filter of the latest query that kept only some rows
  std::map<std::string, ColumnRange> ranges_of_kept; ///< by column: range over the rows that kept_rows keeps
  Kept<ParallelAxis> axes{40'000'000}; ///< by column, scale, bins and range: axis without counts
  std::map<std::size_t, std::vector<std::string>>
      default_axes; ///< by maximum number of axes: names of the default axes

  /// Caches counted rows; the oldest entries are evicted. Other pairs of the same rows are kept.
  void keep(CountedRows rows) {
    constexpr std::size_t kMax = 12, kRoomOfBits = 60'000'000; // maximum entries, maximum bytes of bits
    std::erase_if(counted, [&](CountedRows& each) {
      if (each.sample != rows.sample || *each.bits != *rows.bits) return false;
      rows.pairs.merge(each.pairs);
      return true;
    });
    counted.push_front(std::move(rows));
    std::size_t bytes = 0, few = 0;
    while (few < counted.size() && few < kMax &&
           (bytes += counted[few].bits->size() * sizeof(std::uint64_t)) <= kRoomOfBits)
      ++few;
    counted.resize(std::max<std::size_t>(few, 1));
  }
};

} // namespace jitterscope::analysis
