#include "core/causal/base/bootstrap.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/parallel.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/random.h"

namespace jitterscope::causal {

Share blocks_of_unit(std::size_t blocks, std::size_t unit, std::size_t units) {
  return share_of(static_cast<std::int64_t>(blocks), static_cast<int>(unit), static_cast<int>(units));
}

Expected<std::vector<std::vector<int>>> draw_units(std::size_t blocks, std::size_t units, int replicates,
                                                   std::uint64_t seed, const Job& job) {
  std::vector<std::vector<int>> resamples;
  for (int r = 0; r < replicates; ++r) {
    if (job.cancelled()) return Job::cancelled_error();
    Random random(seed, static_cast<std::uint64_t>(r) + 1);
    auto& weights = resamples.emplace_back(blocks, 0);
    for (std::size_t draw = 0; draw < units; ++draw) {
      const Share share = blocks_of_unit(blocks, random.below(units), units);
      for (auto b = share.first; b < share.last; ++b) ++weights[b];
    }
  }
  return resamples;
}

Expected<std::vector<std::vector<int>>> draw_resamples(std::size_t blocks, double rows_per_block,
                                                       double inflation, int replicates, std::uint64_t seed,
                                                       const Job& job) {
  return draw_units(blocks, units_of_resamples(blocks, rows_per_block, inflation), replicates, seed, job);
}

std::size_t units_of_resamples(std::size_t blocks, double rows_per_block, double inflation) {
  constexpr std::size_t min_units = 50;
  const auto requested =
      static_cast<std::size_t>(std::ceil((1 + 4 * (inflation - 1)) / std::max(rows_per_block, 1.0)));
  return std::max(std::min(blocks, min_units), blocks / std::max<std::size_t>(1, requested));
}

double long_run_inflation(const std::vector<double>& terms) {
  const std::size_t n = terms.size();
  if (n < 4) return 1;
  const double mean = std::accumulate(terms.begin(), terms.end(), 0.0) / static_cast<double>(n);
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = lag; i < n; ++i) sum += (terms[i] - mean) * (terms[i - lag] - mean);
    return sum / static_cast<double>(n);
  };
  const double variance = covariance(0);
  if (!(variance > 0)) return 1;
  double sum = 0, smallest = std::numeric_limits<double>::infinity();
  std::size_t lag = 0;
  for (; lag + 1 < n / 4; lag += 2) {
    const double pair = covariance(lag) + covariance(lag + 1);
    if (!(pair > 0)) break;
    smallest = std::min(smallest, pair), sum += smallest;
  }
  // Subtracting the mean lowers each covariance by the variance of the mean.
  const double lowered = 1 - static_cast<double>(2 * lag) / static_cast<double>(n);
  return std::max(1.0, (2 * sum - variance) / variance / lowered);
}

double expansion_of_units(const std::vector<double>& terms, std::size_t units) {
  if (terms.empty() || units == 0) return 1;
  const double mean = std::accumulate(terms.begin(), terms.end(), 0.0) / static_cast<double>(terms.size());
  double independent = 0, of_units = 0;
  for (std::size_t u = 0; u < units; ++u) {
    const Share share = blocks_of_unit(terms.size(), u, units);
    double sum = 0;
    for (auto b = share.first; b < share.last; ++b) {
      const double away = terms[b] - mean;
      sum += away, independent += away * away;
    }
    of_units += sum * sum;
  }
  const double missed =
      of_units > 0 ? std::max(1.0, long_run_inflation(terms) * independent / of_units) : 1.0;
  return std::sqrt(missed) * interval_expansion(static_cast<double>(units), 1);
}

std::size_t units_of_sum(const std::vector<double>& terms) {
  constexpr std::size_t min_units = 20; // fewer units make percentiles uncertain
  const double length = 1 + 4 * (long_run_inflation(terms) - 1);
  std::size_t blocks = 1; // few lengths, so that resamples can be used again
  while (static_cast<double>(blocks) < length && terms.size() / (2 * blocks) >= min_units) blocks *= 2;
  return std::max<std::size_t>(1, terms.size() / blocks);
}

Expected<std::vector<std::vector<double>>>
run_replicates(int replicates, std::size_t length, const std::function<std::vector<double>(int)>& replicate,
               Communicator& communicator, const Job& job, std::size_t threads) {
  const Share share = share_of(replicates, communicator.rank(), communicator.size());
  const auto count = static_cast<std::size_t>(share.last - share.first);
  std::vector<double> mine(count * length);
  std::atomic<std::int64_t> done = 0;
  const auto task = [&](std::size_t r) {
    const auto values = replicate(static_cast<int>(share.first + static_cast<std::int64_t>(r)));
    std::copy_n(values.begin(), std::min(length, values.size()),
                mine.begin() + static_cast<std::ptrdiff_t>(r * length));
    ++done;
  };
  const auto stop_requested = [&] {
    job.progress(done, static_cast<std::int64_t>(count), "bootstrap");
    return job.cancelled();
  };
  if (!parallel_for(count, static_cast<int>(threads), task, stop_requested) || job.cancelled())
    return Job::cancelled_error();
  auto all = communicator.all_gather<double>(mine);
  if (!all) return forward(all.error());
  std::vector<std::vector<double>> result;
  for (std::size_t at = 0; length > 0 && at + length <= all->size(); at += length)
    result.emplace_back(all->begin() + static_cast<std::ptrdiff_t>(at),
                        all->begin() + static_cast<std::ptrdiff_t>(at + length));
  return result;
}

Range percentile_interval(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  const auto at = [&](double p) {
    const double position = std::clamp(p * (n + 1) - 1, 0.0, n - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {at(0.025), at(0.975)};
}

Range containing(Range interval, double estimate) {
  return {std::min(interval.low, estimate), std::max(interval.high, estimate)};
}

Range percentile_interval(const std::vector<std::vector<double>>& replicates, std::size_t quantity) {
  return percentile_interval(mapped(replicates, [&](const auto& values) { return values[quantity]; }));
}

double interval_expansion(double rows, double parameters) {
  const double freedom = std::max(rows - parameters, 3.0);
  const double z = 1.959963984540054;
  const double t = z + (z * z * z + z) / (4 * freedom) +
                   (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * freedom * freedom);
  return std::sqrt(std::max(rows, freedom) / freedom) * t / z;
}

Range expanded(Range interval, double estimate, double factor) {
  return {estimate - factor * (estimate - interval.low), estimate + factor * (interval.high - estimate)};
}

} // namespace jitterscope::causal
