#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/bin_values.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// The bins [first, last) that one rank computes, in tasks of neighbouring ones and in rounds of tasks that
/// are spread over all of them: after every round what is known comes from the whole of the rank's time.
class BinShard {
public:
  BinShard(const BinQuestion& question, std::int64_t first, std::int64_t last, std::int64_t bins, int rounds);

  /// Computes the bins of one round; rounds are run one after the other. Errors: BadUse when there are more
  /// than kMost bins with launches, Cancelled.
  Expected<void> run(int round, const Job& job);

  /// All bins of the rounds that were run, by index and group. The shard has them no longer.
  std::vector<Bin> take();

  std::int64_t found() const { return found_; }       ///< bins so far
  std::int64_t launches() const { return launches_; } ///< of these
  std::int64_t missing() const { return missing_; }   ///< of these without a value
  double sum() const { return sum_; } ///< of their sums, in the order in which they were found

  /// The `count` best of the bins so far, best first, with what they are made of. Errors: Cancelled.
  Expected<std::vector<KeptBin>> best(std::int64_t count, Statistic by, const Job& job);

  /// What the kept ones among the bins are made of, by index.
  Expected<std::vector<KeptBin>> describe(const std::vector<Bin>& bins, const Job& job) const;

  static constexpr std::int64_t kMost = 20'000'000; ///< about 4 GB

private:
  std::vector<std::int64_t> tasks_of(int round) const;
  std::vector<Segment> rows_of(std::int64_t bin) const;
  void note(const std::vector<Bin>& bins);

  const BinQuestion& question_;
  std::int64_t first_, last_, step_;
  int rounds_;
  std::vector<std::vector<Bin>> parts_; ///< by task
  std::int64_t done_ = 0;               ///< tasks
  std::int64_t found_ = 0, launches_ = 0, missing_ = 0;
  double sum_ = 0;
  std::vector<std::int64_t> last_round_; ///< tasks of it
  std::vector<KeptBin> best_;
};

/// Orders bins: larger is better; 0 for bins without a value.
std::uint64_t rank_key(const Bin& bin, Statistic by);

/// Numbers bins of any order by rank: best first, ties in the order they stand in.
void rank_bins(std::vector<Bin>& bins, Statistic by);
void rank_bins(std::vector<KeptBin>& bins, Statistic by);

} // namespace jitterscope::analysis
