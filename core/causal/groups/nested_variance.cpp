#include "core/causal/groups/nested_variance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/causal/base/bootstrap.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/row_source.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMaxParts = 400; ///< maximum parts of the jackknife
constexpr double kNormal = 1.959963984540054;

/// Terms of the expected sums of squares, additive over the groups of the outermost level.
struct Sums {
  explicit Sums(std::size_t levels)
      : means(levels), groups(levels), squared_sizes(levels), inner(levels, std::vector<double>(levels)) {}
  double n = 0, sum = 0, squares = 0;
  std::vector<double> means;         ///< Σ n_g ȳ_g² of a level
  std::vector<double> groups;        ///< number of groups of a level
  std::vector<double> squared_sizes; ///< Σ n_g² of a level
  std::vector<std::vector<double>>
      inner; ///< [i][k]: Σ_g Σ_{h in g} n_h² / n_g, g of level i, h of level k > i

  void add(const Sums& s, double sign) {
    n += sign * s.n, sum += sign * s.sum, squares += sign * s.squares;
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i] += sign * s.means[i], groups[i] += sign * s.groups[i];
      squared_sizes[i] += sign * s.squared_sizes[i];
      for (std::size_t k = 0; k < means.size(); ++k) inner[i][k] += sign * s.inner[i][k];
    }
  }
};

/// End of the innermost groups, from `at` on, that are in one group of a level.
std::size_t end_of(const std::vector<GroupSums>& groups, std::size_t at, std::size_t last,
                   std::size_t level) {
  const int group = groups[at].path[level];
  while (at < last && groups[at].path[level] == group) ++at;
  return at;
}

/// Sums of all levels over the innermost groups [first, last), about `mean`.
Sums sums_of(const std::vector<GroupSums>& groups, double mean, std::size_t first, std::size_t last) {
  const std::size_t levels = groups[first].path.size();
  Sums s(levels);
  for (std::size_t g = first; g < last; ++g) {
    const double away = groups[g].mean - mean;
    s.n += groups[g].n, s.sum += groups[g].n * away;
    s.squares += groups[g].squares + groups[g].n * away * away;
  }
  for (std::size_t level = 0; level < levels; ++level)
    for (std::size_t at = first; at < last;) {
      const std::size_t end = end_of(groups, at, last, level);
      double n = 0, sum = 0;
      for (std::size_t g = at; g < end; ++g) n += groups[g].n, sum += groups[g].n * (groups[g].mean - mean);
      s.means[level] += sum * sum / n, s.groups[level] += 1, s.squared_sizes[level] += n * n;
      for (std::size_t k = level + 1; k < levels; ++k)
        for (std::size_t h = at; h < end;) {
          const std::size_t stop = end_of(groups, h, end, k);
          double size = 0;
          for (; h < stop; ++h) size += groups[h].n;
          s.inner[level][k] += size * size / n;
        }
      at = end;
    }
  return s;
}

/// Solves for the components from the innermost level outwards: the sum of squares of a level beyond the
/// enclosing one, minus the contribution of inner components. `least`: estimates below it are set to it.
std::vector<double> solve(const Sums& s, double least = 0) {
  const std::size_t levels = s.means.size();
  std::vector<double> variance(levels + 1);
  const auto explained = [&](std::size_t i) { // sum of squares of the means of level i; 0: the mean of all
    return i == 0 ? s.sum * s.sum / s.n : i > levels ? s.squares : s.means[i - 1];
  };
  const auto count = [&](std::size_t i) { return i == 0 ? 1 : i > levels ? s.n : s.groups[i - 1]; };
  const auto weight = [&](std::size_t i, std::size_t k) { // weight of component k in `explained(i)`
    return i >= k ? s.n : i == 0 ? s.squared_sizes[k - 1] / s.n : s.inner[i - 1][k - 1];
  };
  for (std::size_t i = levels + 1; i-- > 0;) { // component i + 1 from levels i and i + 1
    double sum = explained(i + 1) - explained(i);
    const double freedom = count(i + 1) - count(i);
    if (i == levels) {
      variance[levels] = freedom > 0 ? std::max(0.0, sum / freedom) : 0;
      continue;
    }
    sum -= variance[levels] * freedom;
    for (std::size_t k = i + 2; k <= levels; ++k) sum -= variance[k - 1] * (weight(i + 1, k) - weight(i, k));
    const double own = weight(i + 1, i + 1) - weight(i, i + 1);
    variance[i] = own > 1e-9 * s.n ? std::max(least, sum / own) : 0;
  }
  return variance;
}

double mean_of(const std::vector<GroupSums>& groups) {
  double n = 0, sum = 0;
  for (const GroupSums& g : groups) n += g.n, sum += g.n * g.mean;
  return sum / n;
}

std::vector<double> shares_of(const std::vector<double>& variance, std::size_t between) {
  const double total = std::accumulate(variance.begin(), variance.end(), 0.0);
  auto shares = mapped(variance, [&](double v) { return total > 0 ? v / total : 0; });
  shares.push_back(
      std::accumulate(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(between), 0.0));
  return shares;
}

double on_scale(double share) {
  return std::asin(std::sqrt(std::clamp(share, 0.0, 1.0)));
}

/// Sums without each part of the jackknife; empty if there are too few parts.
std::vector<Sums> sums_without_parts(const std::vector<GroupSums>& groups, double mean, const Sums& all,
                                     const std::vector<std::vector<GroupSums>>& without) {
  std::vector<Sums> outermost, rest;
  for (std::size_t at = 0; at < groups.size();) {
    const std::size_t end = end_of(groups, at, groups.size(), 0);
    outermost.push_back(sums_of(groups, mean, at, end));
    at = end;
  }
  if (outermost.size() >= kMinGroups) {
    rest.assign(std::min(outermost.size(), kMaxParts), all);
    for (std::size_t g = 0; g < outermost.size(); ++g) rest[g % rest.size()].add(outermost[g], -1);
  } else {
    for (const auto& some : without)
      if (!some.empty()) rest.push_back(sums_of(some, mean, 0, some.size()));
  }
  if (rest.size() < kMinGroups) rest.clear();
  return rest;
}

/// 95 % interval of a share, from the shares without each part; `untruncated` may be negative.
Range jackknife_interval(double share, const std::vector<double>& truncated,
                         const std::vector<double>& untruncated) {
  if (truncated.empty()) return {kMissing, kMissing};
  const auto count = static_cast<double>(truncated.size());
  const auto half_of = [&](const std::vector<double>& values) {
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double v : values) squares += (v - mean) * (v - mean);
    return kNormal * interval_expansion(count, 1) * std::sqrt((count - 1) / count * squares);
  };
  if (share <= 0 || share >= 1) {
    const double half = half_of(untruncated);
    return {std::max(0.0, share - half), std::min(1.0, share + half)};
  }
  const double half = half_of(mapped(truncated, on_scale)), centre = on_scale(share);
  const auto back = [](double angle) {
    return std::pow(std::sin(std::clamp(angle, 0.0, std::acos(0.0))), 2);
  };
  return {back(centre - half), back(centre + half)};
}

} // namespace

void merge(const GroupSums& more, GroupSums& into) {
  if (more.n == 0) return;
  const double n = into.n + more.n, away = more.mean - into.mean;
  into.squares += more.squares + away * away * into.n * more.n / n;
  into.mean += away * more.n / n;
  into.n = n;
}

NestedVariances nested_variances(const std::vector<GroupSums>& groups) {
  const double mean = mean_of(groups);
  return {solve(sums_of(groups, mean, 0, groups.size())), mean};
}

std::vector<VarianceShare> variance_shares(const std::vector<GroupSums>& groups, std::size_t between,
                                           const std::vector<std::vector<GroupSums>>& without) {
  const double mean = mean_of(groups);
  const Sums all = sums_of(groups, mean, 0, groups.size());
  const auto shares = shares_of(solve(all), between);
  std::vector<std::vector<double>> truncated(shares.size()), untruncated(shares.size());
  for (const Sums& rest : sums_without_parts(groups, mean, all, without)) {
    const auto some = shares_of(solve(rest), between),
               may_be_negative = shares_of(solve(rest, -std::numeric_limits<double>::infinity()), between);
    for (std::size_t c = 0; c < shares.size(); ++c)
      truncated[c].push_back(some[c]), untruncated[c].push_back(may_be_negative[c]);
  }
  std::vector<VarianceShare> result;
  for (std::size_t c = 0; c < shares.size(); ++c)
    result.push_back({shares[c], jackknife_interval(shares[c], truncated[c], untruncated[c])});
  return result;
}

std::vector<GroupEffect> group_effects(const std::vector<GroupSums>& groups, std::size_t level,
                                       const NestedVariances& variances) {
  const auto& variance = variances.variance;
  const std::size_t levels = variance.size() - 1;
  const double between =
      std::accumulate(variance.begin(), variance.begin() + static_cast<std::ptrdiff_t>(level) + 1, 0.0);
  int count = 0;
  for (const GroupSums& g : groups) count = std::max(count, g.path[level] + 1);
  std::vector<GroupEffect> effects(static_cast<std::size_t>(count));
  std::vector<GroupSums> sums(effects.size());
  std::vector<double> within(effects.size()); // Σ over inner levels of σ² n_h²
  for (const GroupSums& g : groups) merge(g, sums[g.path[level]]);
  for (std::size_t k = level + 1; k < levels; ++k)
    for (std::size_t at = 0; at < groups.size();) {
      const auto group = static_cast<std::size_t>(groups[at].path[level]);
      double n = 0;
      const int inner = groups[at].path[k];
      for (; at < groups.size() && groups[at].path[k] == inner; ++at) n += groups[at].n;
      within[group] += variance[k] * n * n;
    }
  double weights = 0, mean = 0;
  for (std::size_t g = 0; g < effects.size(); ++g) {
    const double n = sums[g].n;
    if (n == 0) continue;
    within[g] = variance[levels] / n + within[g] / (n * n);
    const double weight = 1 / std::max(between + within[g], 1e-300);
    weights += weight, mean += weight * sums[g].mean;
  }
  mean /= weights;
  for (std::size_t g = 0; g < effects.size(); ++g) {
    const double all = between + within[g], kept = all > 0 ? between / all : 0;
    const double away = sums[g].mean - mean, effect = kept * away + 0.0; // not −0
    const double of_shrinkage = 2 / std::max(count - 3.0, 1.0) * std::pow((1 - kept) * away, 2);
    const double half = kNormal * std::sqrt(kept * within[g] + of_shrinkage);
    effects[g] = {sums[g].n, effect, {effect - half, effect + half}};
  }
  return effects;
}

} // namespace jitterscope::causal
