#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/bins/bin_values.h"
#include "core/base/communicator.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// The bins that one rank computes, in tasks of neighbouring ones and in rounds of tasks that are spread over
/// all of them: after every round what is known comes from the whole time. A rank begins with those between
/// its borders; which it computes in the end depends on how fast the ranks are (shared_tasks.h).
class BinShard {
public:
  /// `borders`: rank r begins with the bins [borders[r], borders[r + 1]); `bins`: the number of all.
  BinShard(const BinQuestion& question, std::vector<std::int64_t> borders, std::int64_t bins, int rounds,
           std::int64_t rows_per_task);

  /// Computes the bins of one round; rounds are run one after the other. Collective. Errors: BadUse when
  /// there are more than kMost bins with launches on a rank, Cancelled.
  Expected<void> run(int round, Communicator& communicator, const Job& job);

  /// All bins of the rounds that were run, by index and group. The shard has them no longer.
  Expected<std::vector<Bin>> take(const Job& job);

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
  /// The bins [first, last) of a rank, `step` to a task.
  struct Tasks {
    std::int64_t first = 0, last = 0, step = 1;
    std::int64_t count() const { return (last - first + step - 1) / step; }
    /// Tasks of a round lie in pieces of so many neighbours.
    std::int64_t piece(int rounds) const;
    std::int64_t count(int round, int rounds) const;
    /// [first, last) of the bins of a task of a round.
    std::pair<std::int64_t, std::int64_t> bins(int round, int rounds, std::int64_t place) const;
  };
  /// What a task found, by index and group.
  struct Part {
    std::int64_t first_bin = 0;
    std::vector<Bin> bins;
  };
  struct Tools;
  void compute(Tools& tools, std::pair<std::int64_t, std::int64_t> range) const;
  std::vector<Segment> rows_of(std::int64_t bin) const;
  void note(const std::vector<Bin>& bins);

  const BinQuestion& question_;
  std::vector<Tasks> owners_; ///< by rank
  int rounds_;
  std::vector<Part> parts_;         ///< of the rounds that were run
  std::size_t last_round_ = 0;      ///< first of its parts
  std::int64_t all_ = 0, done_ = 0; ///< tasks of all ranks
  std::int64_t found_ = 0, launches_ = 0, missing_ = 0;
  double sum_ = 0;
  std::vector<KeptBin> best_;
};

/// Orders bins: larger is better; 0 for bins without a value.
std::uint64_t rank_key(const Bin& bin, Statistic by);

/// Numbers bins of any order by rank: best first, ties in the order they stand in.
void rank_bins(std::vector<Bin>& bins, Statistic by);
void rank_bins(std::vector<KeptBin>& bins, Statistic by);

} // namespace jitterscope::analysis
