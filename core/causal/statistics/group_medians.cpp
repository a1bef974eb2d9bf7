#include "core/causal/statistics/group_medians.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/ids.h"
#include "core/base/ordered_double.h"
#include "core/base/stop.h"

namespace jitterscope::causal {
namespace {

/// One order statistic to find in one group: the digits found so far and the remaining rank among the values
/// that share them.
struct Query {
  std::uint64_t prefix = 0;
  std::int64_t rank = 0;
};

} // namespace

Expected<std::vector<double>> group_medians(std::span<const double> values,
                                            std::span<const std::uint32_t> groups, std::uint32_t group_count,
                                            Communicator& communicator, const Job& job) {
  const int bits = group_count <= 2048 ? 8 : 4;
  const std::size_t digits = std::size_t{1} << bits;
  const auto participates = [&](std::size_t i) { return groups[i] != kNone && !std::isnan(values[i]); };

  std::vector<std::int64_t> counts(group_count, 0);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (participates(i)) ++counts[groups[i]];
  if (auto done = communicator.sum(counts); !done) return forward(done.error());

  // Two queries per group: the lower and the upper middle.
  std::vector<Query> queries(2 * std::size_t{group_count});
  for (std::size_t g = 0; g < group_count; ++g) {
    queries[2 * g].rank = std::max<std::int64_t>(0, (counts[g] - 1) / 2);
    queries[2 * g + 1].rank = counts[g] / 2;
  }
  // Values that may still be a median: those that share the digits found so far with one of their group's
  // queries.
  struct Candidate {
    std::uint64_t key = 0;
    std::uint32_t group = 0;
  };
  std::vector<Candidate> candidates;
  Stop stop(job);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (stop.at(i)) return Job::cancelled_error();
    if (participates(i)) candidates.push_back({ordered_key(values[i]), groups[i]});
  }
  std::vector<std::int64_t> histogram(queries.size() * digits);
  for (int shift = 64 - bits; shift >= 0; shift -= bits) {
    std::ranges::fill(histogram, 0);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (stop.at(i)) return Job::cancelled_error();
      const Candidate of = candidates[i];
      const std::uint64_t head = shift + bits == 64 ? 0 : of.key >> (shift + bits);
      const std::size_t digit = (of.key >> shift) & (digits - 1);
      bool counted = false;
      for (std::size_t q = 2 * std::size_t{of.group}; q < 2 * std::size_t{of.group} + 2; ++q)
        if (queries[q].prefix == head) ++histogram[q * digits + digit], counted = true;
      if (counted) candidates[kept++] = of;
    }
    candidates.resize(kept);
    if (auto done = communicator.sum(histogram); !done) return forward(done.error());
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::size_t digit = 0;
      const auto at = [&] { return histogram[q * digits + digit]; };
      while (digit + 1 < digits && queries[q].rank >= at()) queries[q].rank -= at(), ++digit;
      queries[q].prefix = (queries[q].prefix << bits) | digit;
    }
  }
  std::vector<double> medians(group_count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t g = 0; g < group_count; ++g)
    if (counts[g] > 0)
      medians[g] =
          0.5 * (from_ordered_key(queries[2 * g].prefix) + from_ordered_key(queries[2 * g + 1].prefix));
  return medians;
}

} // namespace jitterscope::causal
