#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/ordered_double.h"
#include "core/base/stop.h"

namespace jitterscope::analysis {

/// Exact quantiles (type 7, as statistics_of) of groups of values that are too many to store and are
/// distributed over ranks. Every pass over the values counts them in ever narrower intervals around the
/// required order statistics, until few enough are left to collect. Two passes suffice unless very many
/// values are equal or close. Equal integers need no further pass: the narrowest interval is a single number.
///
///   QuantileSearch search(groups, {0.25, 0.5}, threads);
///   while (search.open()) {
///     for every value of every rank: search.add(thread, group, value);
///     search.close_pass(communicator);
///   }
///
/// Memory: some MB per thread. Messages: sums of integers, and at the end at most kMaxCollected values to
/// rank 0.
class QuantileSearch {
public:
  /// Prior knowledge of a group: its number of values over all ranks, and their range.
  struct Group {
    std::int64_t n = 0;
    double low = 0, high = 0;
  };
  static constexpr std::int64_t kMaxCollected = 1 << 20;
  /// Integers: is_integer() holds for every value of every group.
  enum class Values { Any, Integers };
  /// Whether a value is an integer of magnitude at most 2⁶².
  static bool is_integer(double value) {
    constexpr double kMax = 4'611'686'018'427'387'904.0;
    return value >= -kMax && value <= kMax && static_cast<double>(static_cast<std::int64_t>(value)) == value;
  }

  QuantileSearch(std::vector<Group> groups, std::vector<double> probabilities, std::size_t threads,
                 Values kind = Values::Any, std::int64_t max_collected = kMaxCollected);

  /// Whether another pass is needed; the same on every rank.
  bool open() const { return open_; }
  /// Adds a value, not NaN. In every pass each value must be added once, on any thread of any rank.
  void add(std::size_t thread, std::uint32_t group, double value);
  /// Adds several values of one group.
  void add(std::size_t thread, std::uint32_t group, std::span<const double> values);
  /// Collective. Errors: Cancelled.
  Expected<void> close_pass(Communicator& communicator, const Job& job);

  /// The quantile of probabilities[p], on rank 0 after the last pass; NaN for a group without values.
  double quantile(std::uint32_t group, std::size_t p) const;

private:
  /// An interval of keys that is being searched.
  struct Node {
    std::uint64_t first = 0, last = 0; ///< smallest and largest key, both included
    std::int64_t before = 0;           ///< number of values of the group below the interval
    std::int64_t count = 0;            ///< number of values in the interval
    int shift = 0;                     ///< width of the buckets: 2^shift keys
    std::size_t counts_at = 0;         ///< index of the first bucket among the counts of the pass
    std::vector<std::uint32_t>
        inside; ///< per bucket: 1 + index of the node that divides it, 0 if there is none; set when divided
    enum class State : std::uint8_t { Counting, Divided, Collecting, Done } state = State::Counting;
  };
  /// A required order statistic.
  struct Target {
    std::uint32_t node = 0;
    std::int64_t rank = 0; ///< rank among the values of the group, from 0
    double value = 0;
    bool found = false;
  };
  struct Item {
    std::uint32_t node = 0;
    std::uint32_t unused = 0;
    double value = 0;
  };

  std::uint64_t key_of(double value) const {
    return integers_ ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) ^ kSign
                     : ordered_key(value);
  }
  double value_of(std::uint64_t key) const {
    return integers_ ? static_cast<double>(static_cast<std::int64_t>(key ^ kSign)) : from_ordered_key(key);
  }
  std::size_t target_of(std::uint32_t group, std::size_t p) const {
    return (group * probabilities_.size() + p) * 2;
  }
  void plan_pass(std::vector<std::uint32_t> nodes);
  Expected<void> finish_collecting(Communicator& communicator, const Job& job);
  void narrow(Target& target, std::vector<std::uint32_t>& next);

  static constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  std::vector<Group> groups_;
  std::vector<double> probabilities_;
  std::vector<std::uint32_t> roots_; ///< per group: index of its first node; kNone if the group has no values
  std::vector<Node> nodes_;
  std::vector<Target>
      targets_; ///< two for each group and probability: the order statistics around the quantile
  std::vector<std::int64_t> counts_;
  std::vector<std::vector<std::int64_t>> thread_counts_;
  std::vector<std::vector<Item>> thread_items_;
  std::int64_t max_collected_;
  bool integers_;
  bool open_ = false;
};

} // namespace jitterscope::analysis
