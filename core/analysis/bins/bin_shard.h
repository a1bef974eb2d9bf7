#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/bins/bin_values.h"
#include "core/base/communicator.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// The bins that one rank computes, in tasks of neighbouring bins and in rounds of tasks that are spread over
/// all bins, so that the results of every round cover the whole time. A rank begins with the bins between its
/// borders; the final distribution depends on the speed of the ranks (shared_tasks.h).
class BinShard {
public:
  /// `borders`: rank r begins with the bins [borders[r], borders[r + 1]); `bins`: total number of bins.
  BinShard(const BinQuestion& question, std::vector<std::int64_t> borders, std::int64_t bins, int rounds,
           std::int64_t rows_per_task);

  /// Computes the bins of one round; call the rounds in order. Collective. Errors: BadUse when a rank has
  /// more than kMaxBins bins with launches, Cancelled.
  Expected<void> run(int round, Communicator& communicator, const Job& job);

  /// Moves out all bins of the completed rounds, by index and group.
  Expected<std::vector<Bin>> take(const Job& job);

  std::int64_t found() const { return found_; } ///< number of bins with launches in the completed rounds
  std::int64_t launches() const { return launches_; } ///< launches in these bins
  std::int64_t missing() const { return missing_; }   ///< launches in these bins without a value
  double sum() const { return sum_; }                 ///< sum over these bins, in order of computation

  /// The `count` best bins so far with their contents, best first. Errors: Cancelled.
  Expected<std::vector<KeptBin>> best(std::int64_t count, Statistic by, const Job& job);

  /// Contents of the kept bins among `bins`, by index.
  Expected<std::vector<KeptBin>> describe(const std::vector<Bin>& bins, const Job& job) const;

  static constexpr std::int64_t kMaxBins = 20'000'000; ///< maximum bins of a rank: about 4 GB

private:
  /// The bins [first, last) of a rank, `step` per task.
  struct Tasks {
    std::int64_t first = 0, last = 0, step = 1;
    std::int64_t count() const { return (last - first + step - 1) / step; }
    /// Number of neighbouring tasks in each piece of a round.
    std::int64_t piece(int rounds) const;
    std::int64_t count(int round, int rounds) const;
    /// The range [first, last) of bins of a task in a round.
    std::pair<std::int64_t, std::int64_t> bins(int round, int rounds, std::int64_t place) const;
  };
  /// Results of a task, by index and group.
  struct Part {
    std::int64_t first_bin = 0;
    std::vector<Bin> bins;
  };
  struct Tools;
  void compute(Tools& tools, std::pair<std::int64_t, std::int64_t> range) const;
  std::vector<Segment> rows_of(std::int64_t bin) const;
  void note(const std::vector<Bin>& bins);

  const BinQuestion& question_;
  std::vector<Tasks> owners_; ///< by rank: the tasks that it begins with
  int rounds_;
  std::vector<Part> parts_;         ///< bins of the completed rounds
  std::size_t last_round_ = 0;      ///< index of the first part of the last round
  std::int64_t all_ = 0, done_ = 0; ///< number of tasks of all ranks: in all rounds, and done
  std::int64_t found_ = 0, launches_ = 0, missing_ = 0;
  double sum_ = 0;
  std::vector<KeptBin> best_;
};

/// Orders bins: larger is better; 0 for bins without a value.
std::uint64_t rank_key(const Bin& bin, Statistic by);

/// Assigns ranks to bins in any order: best first, ties in their present order.
void rank_bins(std::vector<Bin>& bins, Statistic by);
void rank_bins(std::vector<KeptBin>& bins, Statistic by);

} // namespace jitterscope::analysis
