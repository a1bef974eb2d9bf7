#include "core/analysis/statistics/modes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace jitterscope::analysis {
namespace {

constexpr double kSigma = 1.5; // standard deviation of the Gaussian [bins]
constexpr int kReach = 5;      // half width of the Gaussian [bins]; its weights are negligible beyond
constexpr double kMinShare = 0.02, kMinDepth = 0.2, kDeviations = 3;

std::vector<double> smoothed(std::span<const std::int64_t> counts) {
  double weights[kReach + 1], sum = 0;
  for (int d = 0; d <= kReach; ++d) {
    weights[d] = std::exp(-0.5 * d * d / (kSigma * kSigma));
    sum += d == 0 ? weights[d] : 2 * weights[d];
  }
  const auto n = static_cast<std::ptrdiff_t>(counts.size());
  std::vector<double> out(counts.size());
  for (std::ptrdiff_t i = 0; i < n; ++i)
    for (int d = -kReach; d <= kReach; ++d)
      if (i + d >= 0 && i + d < n)
        out[static_cast<std::size_t>(i)] +=
            weights[std::abs(d)] / sum * static_cast<double>(counts[static_cast<std::size_t>(i + d)]);
  return out;
}

/// Smoothing multiplies the variance of a count by the sum of squared weights, 1 / (2 √π σ).
double deviation(double smoothed_count) {
  return std::sqrt(smoothed_count / (2 * std::sqrt(3.14159265358979) * kSigma));
}

bool separate(double low_hump, double valley) {
  return low_hump - valley >= kMinDepth * low_hump &&
         low_hump - valley >= kDeviations * std::hypot(deviation(low_hump), deviation(valley));
}

std::vector<Mode> hills(const std::vector<double>& height, std::span<const std::int64_t> counts) {
  std::vector<Mode> found;
  const auto size = height.size();
  for (std::size_t i = 0; i < size;) { // finds all maxima; a plateau counts as one
    std::size_t end = i;
    while (end + 1 < size && height[end + 1] == height[i]) ++end;
    const bool rises = i == 0 || height[i - 1] < height[i],
               falls = end + 1 == size || height[end + 1] < height[i];
    if (rises && falls && height[i] > 0) found.push_back({(i + end) / 2, 0, 0, 0});
    i = end + 1;
  }
  for (std::size_t m = 0; m < found.size(); ++m) {
    found[m].first = m == 0 ? 0 : found[m - 1].last + 1;
    found[m].last = size - 1;
    if (m + 1 < found.size()) {
      const auto from = height.begin() + static_cast<std::ptrdiff_t>(found[m].bin);
      const auto to = height.begin() + static_cast<std::ptrdiff_t>(found[m + 1].bin);
      found[m].last = static_cast<std::size_t>(std::min_element(from, to) - height.begin());
    }
    found[m].n =
        std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(found[m].first),
                        counts.begin() + static_cast<std::ptrdiff_t>(found[m].last) + 1, std::int64_t{0});
  }
  return found;
}

} // namespace

std::vector<Mode> find_modes(std::span<const std::int64_t> counts) {
  const auto all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (all == 0) return {};
  const auto height = smoothed(counts);
  auto modes = hills(height, counts);
  const auto valley = [&](std::size_t m) { return height[modes[m].last]; }; // between m and m + 1
  const auto lower = [&](std::size_t m) { return std::min(height[modes[m].bin], height[modes[m + 1].bin]); };
  while (modes.size() > 1) {
    std::optional<std::size_t> joined; // of the pairs to merge, the one with the shallowest valley
    for (std::size_t m = 0; m + 1 < modes.size(); ++m) {
      const auto minimum = static_cast<double>(std::min(modes[m].n, modes[m + 1].n));
      const bool apart = separate(lower(m), valley(m)) && minimum >= kMinShare * static_cast<double>(all);
      if (!apart && (!joined || lower(m) - valley(m) < lower(*joined) - valley(*joined))) joined = m;
    }
    if (!joined) break;
    auto &left = modes[*joined], &right = modes[*joined + 1];
    if (height[right.bin] > height[left.bin]) left.bin = right.bin;
    left.last = right.last;
    left.n += right.n;
    modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(*joined) + 1);
  }
  for (auto& mode : modes) {
    const auto peak = mode.bin;
    const auto distance = [&](std::size_t bin) { return bin > peak ? bin - peak : peak - bin; };
    for (auto bin = mode.first; bin <= mode.last; ++bin)
      if (counts[bin] > counts[mode.bin] ||
          (counts[bin] == counts[mode.bin] && distance(bin) < distance(mode.bin)))
        mode.bin = bin;
  }
  return modes;
}

} // namespace jitterscope::analysis
