#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/parallel/pair_counter.h"
#include "core/analysis/parallel/parallel_cache.h"
#include "core/analysis/parallel/row_masks.h"
#include "core/analysis/session/row_sample.h"

namespace jitterscope::analysis {

/// Counts the cells of pairs of axes for several sets of rows while reading as few rows as possible. Each set
/// starts from no row, from all rows or from a set counted earlier, whichever has the fewest different rows;
/// only these are counted. Exact: integers are added and subtracted.
class PairDifferences {
public:
  /// Returns the cells of an axis for the rows of a block; `values` and `codes` are buffers of the thread and
  /// axis.
  using CodesOf = std::function<const std::uint8_t*(
      std::size_t axis, std::size_t block, const std::vector<Segment>& segments, std::vector<double>& values,
      std::vector<std::uint8_t>& codes)>;

  /// `keys`: names of the pairs in the cache. `cache` may be null. Arguments must outlive this object.
  PairDifferences(const std::vector<AxisPair>& pairs, const std::vector<std::string>& keys,
                  const RowSample& sample, ParallelCache* cache);

  /// Adds a set of this rank's rows; null: all rows. The first set must be all rows. Returns its index.
  std::size_t add(std::shared_ptr<const RowBits> bits);
  /// Counts this rank's rows. Collective. Errors: Cancelled.
  Expected<void> count(Communicator& communicator, const Job& job, std::size_t axes, const CodesOf& codes_of);
  /// Sums the counts over the ranks and caches them. Collective.
  Expected<void> combine(Communicator& communicator);

  std::int64_t rows(std::size_t set) const { return sets_[same_as_all(set) ? 0 : set].rows_of_all; }
  const std::vector<std::int64_t>& counts(std::size_t set, std::size_t pair) const {
    return *sets_[same_as_all(set) ? 0 : set].of_all[pair];
  }

private:
  struct Set {
    std::shared_ptr<const RowBits> bits; ///< rows of the set; null: all rows
    std::int64_t rows = 0, rows_of_all = 0;
    std::vector<std::shared_ptr<const std::vector<std::int64_t>>> of_rank,
        of_all; ///< by pair: counts of this rank, of all ranks
  };
  /// Pairs of a set that have the same starting point.
  struct Step {
    std::size_t set = 0;
    std::shared_ptr<const RowBits> from; ///< rows of the set whose known counts are the starting point
    bool from_all = false;
    std::vector<std::size_t> pairs;
  };
  struct Thread;

  bool same_as_all(std::size_t set) const { return set > 0 && !sets_[set].bits; }
  Expected<void> plan_all(Communicator& communicator);
  void plan(std::size_t set);
  void count_block(Thread& thread, std::size_t block, std::size_t rows, const std::vector<Segment>& segments,
                   const CodesOf& codes_of) const;
  Expected<void> fill();
  void keep();

  const std::vector<AxisPair>& pairs_;
  const std::vector<std::string>& keys_;
  const RowSample& sample_;
  ParallelCache* cache_;
  std::vector<Set> sets_;
  std::vector<Step> steps_;
  std::vector<std::int64_t> known_; ///< by pair: 1 if every rank has the counts of all rows, else 0
};

} // namespace jitterscope::analysis
