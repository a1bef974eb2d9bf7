#include <algorithm>
#include <array>
#include <cmath>

#include "core/causal/base/lists.h"
#include "core/causal/discovery/discovery.h"
#include "core/causal/statistics/normal_scores.h"

namespace jitterscope::causal {
namespace {

constexpr double kLevel = 0.01;            ///< level of the independence tests
constexpr std::size_t kMaxConditions = 10; ///< maximum size of a conditioning set
constexpr std::int64_t kMaxVotes = 2'000;  ///< maximum independence tests for one collider
constexpr double kDependentCondition =
    1e-10; ///< a condition whose residual variance given the previous ones is below this fraction is left out

/// Partial correlation of a and b given `conditions`, by Gram-Schmidt on the correlation matrix.
double partial_correlation(const Eigen::MatrixXd& r, int a, int b, const std::vector<int>& conditions) {
  // Cholesky factor of the conditions' correlations, with a and b as two more rows.
  std::array<std::array<double, kMaxConditions>, kMaxConditions + 2> l{};
  const std::size_t k = std::min(conditions.size(), kMaxConditions);
  double va = 1, vb = 1, cab = r(a, b);
  for (std::size_t j = 0; j < k; ++j) {
    const int c = conditions[j];
    double pivot = 1, ca = r(a, c), cb = r(b, c);
    for (std::size_t m = 0; m < j; ++m) {
      double covariance = r(c, conditions[m]);
      for (std::size_t i = 0; i < m; ++i) covariance -= l[j][i] * l[m][i];
      l[j][m] = l[m][m] > 0 ? covariance / l[m][m] : 0.0;
      pivot -= l[j][m] * l[j][m];
      ca -= l[j][m] * l[kMaxConditions][m];
      cb -= l[j][m] * l[kMaxConditions + 1][m];
    }
    if (pivot < kDependentCondition) continue; // its diagonal stays 0, so that later rows ignore it
    l[j][j] = std::sqrt(pivot);
    const double xa = ca / l[j][j], xb = cb / l[j][j];
    l[kMaxConditions][j] = xa, l[kMaxConditions + 1][j] = xb;
    va -= xa * xa, vb -= xb * xb, cab -= xa * xb;
  }
  if (va < kDependentCondition || vb < kDependentCondition) return 0;
  return std::clamp(cab / std::sqrt(va * vb), -1.0, 1.0);
}

/// Calls `visit` for every subset of `size` items in lexical order until it returns false.
bool for_each_subset(const std::vector<int>& items, std::size_t size, const auto& visit) {
  if (size > items.size()) return true;
  auto at = numbers_below(size);
  std::vector<int> subset(size);
  for (;;) {
    for (std::size_t i = 0; i < size; ++i) subset[i] = items[at[i]];
    if (!visit(subset)) return false;
    std::size_t i = size;
    while (i > 0 && at[i - 1] == items.size() - size + i - 1) --i;
    if (i == 0) return true;
    ++at[i - 1];
    for (std::size_t j = i; j < size; ++j) at[j] = at[j - 1] + 1;
  }
}

class StablePc {
public:
  StablePc(const DiscoveryInput& input, const DiscoveryOptions& options)
      : input_(input), p_(static_cast<int>(input.correlation.rows())), graph_(p_), effort_(options),
        quantile_(normal_quantile(1 - kLevel / 2)), smallest_(options.smallest_correlation) {}

  Discovered run() {
    Discovered found;
    find_skeleton();
    if (!effort_.spent()) orient();
    found.complete = !effort_.spent();
    if (!found.complete) return found;
    found.cpdag = graph_;
    found.dag = consistent_extension(graph_, input_.background).dag;
    found.order = found.dag.topological_order();
    return found;
  }

private:
  bool is_required(int a, int b) const {
    return input_.background.requires_edge(a, b) || input_.background.requires_edge(b, a);
  }

  bool independent(int a, int b, const std::vector<int>& conditions) {
    const auto size = static_cast<double>(conditions.size() + 1);
    if (effort_.spent(size * size)) return true;
    const double r = std::fabs(partial_correlation(input_.correlation, a, b, conditions));
    if (r < smallest_) return true;
    const double freedom =
        std::min(input_.rows_of(a), input_.rows_of(b)) - static_cast<double>(conditions.size()) - 3;
    return freedom < 1 || std::sqrt(freedom) * std::atanh(std::min(r, 1 - 1e-15)) <= quantile_;
  }

  /// Candidates for a conditioning set of a and b: neighbours of a, not b, not later than both.
  std::vector<int> conditions_near(int a, int b) const {
    const int latest = std::max(input_.background.tier_of(a), input_.background.tier_of(b));
    std::vector<int> items;
    for (const int x : near_[a])
      if (x != b && input_.background.tier_of(x) <= latest) items.push_back(x);
    return items;
  }

  bool separated(int a, int b, std::size_t size) {
    for (const auto& [from, to] : {std::pair{a, b}, {b, a}}) {
      const auto items = conditions_near(from, to);
      const bool none =
          for_each_subset(items, size, [&](const auto& subset) { return !independent(a, b, subset); });
      if (!none) return true;
      if (size == 0) break; // the empty set is the same from both ends
    }
    return false;
  }

  void find_skeleton() {
    for (int a = 0; a < p_; ++a)
      for (int b = a + 1; b < p_; ++b)
        if (input_.background.allows(a, b) || input_.background.allows(b, a)) graph_.join(a, b);
    for (std::size_t size = 0; size <= kMaxConditions; ++size) {
      if (effort_.spent()) return;
      near_ = neighbours_of(graph_); // the neighbourhoods are fixed before each level: order-independent
      bool larger = false;
      for (int a = 0; a < p_; ++a)
        for (int b = a + 1; b < p_; ++b) {
          if (!graph_.adjacent(a, b) || is_required(a, b)) continue;
          const auto maximum = std::max(conditions_near(a, b).size(), conditions_near(b, a).size());
          if (maximum < size) continue;
          larger = true;
          if (separated(a, b, size)) graph_.mark(a, b) = graph_.mark(b, a) = 0;
        }
      if (!larger) break;
    }
    near_ = neighbours_of(graph_);
  }

  /// Share of the sets separating a and b that contain c; 0.5 if no set separates them. At most about
  /// kMaxVotes sets are tested.
  double votes_for(int a, int b, int c) {
    std::int64_t with = 0, all = 0, asked = 0;
    for (const auto& [from, to] : {std::pair{a, b}, {b, a}}) {
      const auto items = conditions_near(from, to);
      for (std::size_t size = 0; size <= std::min(items.size(), kMaxConditions); ++size)
        for_each_subset(items, size, [&](const auto& subset) {
          if (independent(a, b, subset)) ++all, with += contains(subset, c);
          return ++asked < kMaxVotes && !effort_.spent(0);
        });
    }
    return all == 0 ? 0.5 : static_cast<double>(with) / static_cast<double>(all);
  }

  void orient() {
    const auto& background = input_.background;
    for (int a = 0; a < p_; ++a)
      for (const int b : near_[a])
        if (!background.allows(b, a) || background.requires_edge(a, b)) graph_.orient(a, b);
    // All votes first, then the arrows: an edge that colliders orient both ways stays undirected.
    PartialGraph requested(p_);
    for (int c = 0; c < p_; ++c)
      for (const int a : near_[c])
        for (const int b : near_[c])
          if (a < b && !effort_.spent() && !graph_.adjacent(a, b) && !graph_.directed(c, a) &&
              !graph_.directed(c, b) && votes_for(a, b, c) < 0.5)
            requested.mark(a, c) = requested.mark(b, c) = 1;
    for (int a = 0; a < p_; ++a)
      for (const int b : near_[a])
        if (graph_.undirected(a, b) && requested.directed(a, b)) graph_.orient(a, b);
    apply_meek_rules(graph_);
  }

  const DiscoveryInput& input_;
  int p_;
  PartialGraph graph_;
  std::vector<std::vector<int>> near_;
  Effort effort_;
  double quantile_;
  double smallest_;
};

} // namespace

Discovered pc_stable(const DiscoveryInput& input, const DiscoveryOptions& options) {
  return StablePc(input, options).run();
}

} // namespace jitterscope::causal
