#include "core/analysis/parallel/related_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace jitterscope::analysis {

double similarity(const std::vector<double>& values, const std::vector<double>& target) {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double other = target.empty() ? 0 : target[i];
    if (!std::isfinite(values[i]) || !std::isfinite(other)) continue;
    ++n;
    const double dx = (values[i] - x), dy = other - y;
    x += dx / n, y += dy / n; // Welford's update: counters are large and close together
    xx += dx * (values[i] - x), yy += dy * (other - y), xy += dx * (other - y);
  }
  if (n < 3 || !(xx > 0)) return 0;
  if (target.empty()) return x != 0 ? xx / n / (x * x) : 0;
  return yy > 0 ? xy * xy / (xx * yy) : 0;
}

namespace {

constexpr std::size_t kParts = 16; // classes of value ranks for mutual information

/// Mid-ranks of the values as fractions of their number; NaN remain NaN.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i)
      ranks[order[i]] = (static_cast<double>(first + last) - 1) / 2 / static_cast<double>(order.size());
    first = last;
  }
  return ranks;
}

double mutual_information_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::array<double, kParts * kParts> joint{};
  std::array<double, kParts> left{}, right{};
  double n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    const auto l = std::min(kParts - 1, static_cast<std::size_t>(a[i] * kParts));
    const auto r = std::min(kParts - 1, static_cast<std::size_t>(b[i] * kParts));
    ++joint[l * kParts + r], ++left[l], ++right[r], ++n;
  }
  double sum = 0;
  for (std::size_t l = 0; l < kParts; ++l)
    for (std::size_t r = 0; r < kParts; ++r)
      if (const double c = joint[l * kParts + r]; c > 0)
        sum += c / n * std::log(c * n / (left[l] * right[r]));
  return sum;
}

} // namespace

Expected<std::vector<std::size_t>> related_order(const std::vector<std::vector<double>>& columns,
                                                 std::ptrdiff_t pinned, bool mutual_information,
                                                 const Job& job) {
  std::vector<std::vector<double>> ranks;
  for (const auto& column : columns) {
    if (job.cancelled()) return Job::cancelled_error();
    ranks.push_back(ranks_of(column));
  }
  const std::size_t n = columns.size();
  std::vector<double> alike(n * n, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (job.cancelled()) return Job::cancelled_error();
      alike[a * n + b] = alike[b * n + a] =
          mutual_information ? mutual_information_of(ranks[a], ranks[b]) : similarity(ranks[a], ranks[b]);
    }
  std::vector<std::size_t> best;
  double best_sum = -1;
  for (std::size_t start = 0; start < n; ++start) {
    if (job.cancelled()) return Job::cancelled_error();
    if (pinned >= 0 && start != static_cast<std::size_t>(pinned)) continue;
    std::vector<std::size_t> path = {start};
    std::vector<bool> used(n, false);
    used[start] = true;
    double sum = 0;
    while (path.size() < n) {
      std::size_t next = n;
      for (std::size_t b = 0; b < n; ++b)
        if (!used[b] && (next == n || alike[path.back() * n + b] > alike[path.back() * n + next])) next = b;
      sum += alike[path.back() * n + next];
      used[next] = true;
      path.push_back(next);
    }
    if (sum > best_sum) best_sum = sum, best = path;
  }
  return best;
}

} // namespace jitterscope::analysis
