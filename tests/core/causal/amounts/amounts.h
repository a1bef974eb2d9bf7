#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/causal/amounts/amount_effect.h"
#include "core/causal/base/random.h"
#include "core/causal/base/row_source.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal::test {

/// The effect of the gap before a launch: the logarithm of the duration is normal with mean planted_level()
/// and standard deviation planted_spread().
enum class AmountCause { none, spread_line, spread_step, spread_large_step, shift_rare, shift_line };

struct AmountPlanting {
  AmountCause cause = AmountCause::none;
  int launches = 3'000;
  std::uint64_t seed = 1;
  int configurations = 1;
};

constexpr double kMeanGap = 5'000; ///< ns, exponential

inline double planted_level(AmountCause cause, double gap) {
  if (cause == AmountCause::shift_rare) return gap > 17'500 ? 0.4 : 0.0;
  return cause == AmountCause::shift_line ? 0.1 * gap / kMeanGap : 0.0;
}

inline double planted_spread(AmountCause cause, double gap) {
  if (cause == AmountCause::spread_line) return 0.02 + 0.1 * gap / 20'000;
  if (cause == AmountCause::spread_step) return gap > 6'000 ? 0.06 : 0.02;
  if (cause == AmountCause::spread_large_step) return gap > 6'000 ? 0.15 : 0.02;
  return 0.02;
}

inline double open_uniform(Random& random) {
  return random.uniform() * (1 - 2e-12) + 1e-12;
}

/// Launches of one kernel with gaps, and a column without an effect. The first configuration takes 20 µs,
/// each further one twice as long.
inline LaunchTable amount_launches(const AmountPlanting& p) {
  Random random(p.seed, 1'200 + static_cast<std::uint64_t>(p.cause));
  LaunchTable rows;
  std::vector<double> gaps, delays;
  for (int i = 0; i < p.launches; ++i) {
    const auto c = random.below(static_cast<std::size_t>(p.configurations));
    const double gap = -kMeanGap * std::log(open_uniform(random)), z = normal_quantile(open_uniform(random));
    gaps.push_back(gap), delays.push_back(1e4 * open_uniform(random));
    rows.duration_ns.push_back(
        std::round(20e3 * std::pow(2.0, static_cast<double>(c)) *
                   std::exp(planted_level(p.cause, gap) + planted_spread(p.cause, gap) * z)));
    rows.group.push_back(static_cast<std::uint32_t>(c));
  }
  rows.kernel_of_group.assign(static_cast<std::size_t>(p.configurations), 0);
  rows.kernel_names = {"kernel"};
  rows.add({"gap_ns", "ns", 2, {}, {}, {}, {}}, gaps),
      rows.add({"queue_delay_ns", "ns", 2, {}, {}, {}, {}}, delays);
  return rows;
}

/// The share of Σ |d − median| that vanishes without the effect of the gap, from a million launches. Launches
/// without it have the spread after one of the shortest gaps (their fraction is `end`) and the level after
/// the median gap.
inline double planted_share(AmountCause cause, double end) {
  Random random(7, 3);
  std::vector<double> with, without;
  for (int i = 0; i < 1'000'000; ++i) {
    const double z = normal_quantile(open_uniform(random));
    const double gap = -kMeanGap * std::log(open_uniform(random));
    const double other = -kMeanGap * std::log(1 - end * open_uniform(random));
    with.push_back(std::exp(planted_level(cause, gap) + planted_spread(cause, gap) * z));
    without.push_back(
        std::exp(planted_level(cause, kMeanGap * std::log(2.0)) + planted_spread(cause, other) * z));
  }
  const auto varies = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + 500'000, values.end());
    const double median = values[500'000];
    double sum = 0;
    for (const double v : values) sum += std::fabs(v - median);
    return sum;
  };
  return 1 - varies(without) / varies(with);
}

} // namespace jitterscope::causal::test
