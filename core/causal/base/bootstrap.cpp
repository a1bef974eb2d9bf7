#include "core/causal/base/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "core/causal/base/random.h"

namespace jitterscope::causal {

Expected<std::vector<std::vector<int>>> draw_resamples(std::size_t blocks, double rows_per_block,
                                                       double inflation, int replicates, std::uint64_t seed,
                                                       const Job& job) {
  const auto requested =
      static_cast<std::size_t>(std::ceil((1 + 4 * (inflation - 1)) / std::max(rows_per_block, 1.0)));
  const std::size_t units =
      std::max(std::min<std::size_t>(blocks, 50), blocks / std::max<std::size_t>(1, requested));
  std::vector<std::vector<int>> resamples;
  for (int r = 0; r < replicates; ++r) {
    if (job.cancelled()) return Job::cancelled_error();
    Random random(seed, static_cast<std::uint64_t>(r) + 1);
    auto& weights = resamples.emplace_back(blocks, 0);
    for (std::size_t draw = 0; draw < units; ++draw) {
      const auto unit = static_cast<int>(random.below(units));
      const Share share = share_of(static_cast<std::int64_t>(blocks), unit, static_cast<int>(units));
      for (auto b = share.first; b < share.last; ++b) ++weights[static_cast<std::size_t>(b)];
    }
  }
  return resamples;
}

Expected<std::vector<std::vector<double>>>
run_replicates(int replicates, std::size_t length, const std::function<std::vector<double>(int)>& replicate,
               Communicator& communicator, const Job& job) {
  const Share share = share_of(replicates, communicator.rank(), communicator.size());
  std::vector<double> mine;
  for (std::int64_t r = share.first; r < share.last; ++r) {
    if (job.cancelled()) return Job::cancelled_error();
    job.progress(r - share.first, share.last - share.first, "bootstrap");
    const auto values = replicate(static_cast<int>(r));
    mine.insert(mine.end(), values.begin(), values.end());
  }
  if (job.cancelled()) return Job::cancelled_error();
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
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  const auto at = [&](double p) {
    const double position = std::clamp(p * (n + 1) - 1, 0.0, n - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {at(0.025), at(0.975)};
}

Range percentile_interval(const std::vector<std::vector<double>>& replicates, std::size_t quantity) {
  std::vector<double> values;
  for (const auto& r : replicates) values.push_back(r[quantity]);
  return percentile_interval(std::move(values));
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
