#include <algorithm>
#include <map>
#include <memory>

#include "core/causal/discovery.h"
#include "core/causal/grow_shrink_tree.h"
#include "core/causal/random.h"

namespace jitterscope::causal {
namespace {

constexpr double kImprovement = 1e-9; ///< smaller gains are rounding

/// The trees of all vertices, and the set of vertices that come before.
class OrderSearch {
public:
  OrderSearch(const DiscoveryInput& input, const DiscoveryOptions& options) : input_(input) {
    const int p = static_cast<int>(input.correlation.rows());
    const GaussianScore score{
        input.n, edge_price(input.n, options.penalty, options.smallest_correlation, input.columns_tried())};
    for (int v = 0; v < p; ++v) {
      std::vector<int> candidates, required;
      for (int x = 0; x < p; ++x) {
        if (x == v) continue;
        if (input.background.requires_edge(x, v))
          required.push_back(x);
        else if (input.background.allows(x, v))
          candidates.push_back(x);
      }
      trees_.push_back(std::make_unique<GrowShrinkTree>(input.correlation, v, score, candidates, required));
    }
    before_.assign(static_cast<std::size_t>(p), 0);
  }

  /// Moves vertices of one tier to their best places until nothing improves. Returns the tier's score.
  double improve(const std::vector<int>& earlier, std::vector<int>& order) {
    double total = score_of(earlier, order);
    for (bool moved = true; moved;) {
      moved = false;
      const std::vector<int> sweep = order;
      for (const int v : sweep) {
        const double better = move_to_best_place(earlier, order, v, total);
        if (better > total + kImprovement) total = better, moved = true;
      }
    }
    return total;
  }

  /// Reorders so that required edges of the tier point forward, keeping the rest.
  void respect_required(std::vector<int>& order) const {
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = i + 1; j < order.size(); ++j)
        if (input_.background.requires_edge(order[j], order[i])) {
          std::rotate(order.begin() + static_cast<std::ptrdiff_t>(i),
                      order.begin() + static_cast<std::ptrdiff_t>(j),
                      order.begin() + static_cast<std::ptrdiff_t>(j) + 1);
          j = i;
        }
  }

  std::vector<int> parents_after(const std::vector<int>& earlier, int v) {
    mark(earlier);
    return *tree(v).best(before_).parents;
  }

private:
  GrowShrinkTree& tree(int v) { return *trees_[static_cast<std::size_t>(v)]; }
  double score(int v) { return tree(v).best(before_).score; }

  void mark(const std::vector<int>& earlier) {
    std::fill(before_.begin(), before_.end(), std::uint8_t{0});
    for (const int x : earlier) before_[static_cast<std::size_t>(x)] = 1;
  }

  double score_of(const std::vector<int>& earlier, const std::vector<int>& order) {
    mark(earlier);
    double total = 0;
    for (const int v : order) total += score(v), before_[static_cast<std::size_t>(v)] = 1;
    return total;
  }

  /// Tries every place of v among the others: three scores a place (Andrews et al. 2023, algorithm 1).
  double move_to_best_place(const std::vector<int>& earlier, std::vector<int>& order, int v, double total) {
    std::vector<int> rest;
    for (const int x : order)
      if (x != v) rest.push_back(x);
    const std::size_t m = rest.size();
    std::vector<double> own(m + 1), without(m), with(m);
    mark(earlier);
    const auto self = static_cast<std::size_t>(v);
    for (std::size_t i = 0; i <= m; ++i) {
      own[i] = score(v);
      if (i == m) break;
      without[i] = score(rest[i]);
      before_[self] = 1;
      with[i] = score(rest[i]);
      before_[self] = 0;
      before_[static_cast<std::size_t>(rest[i])] = 1;
    }
    const auto [first, last] = allowed_places(rest, v);
    double sum = 0;
    for (const double s : with) sum += s;
    double best = total;
    std::size_t place = m + 1;
    for (std::size_t i = 0; i <= m; ++i) {
      if (i >= first && i <= last && sum + own[i] > best + kImprovement) best = sum + own[i], place = i;
      if (i < m) sum += without[i] - with[i];
    }
    if (place > m) return total;
    rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(place), v);
    order = std::move(rest);
    return best;
  }

  /// Places of v that keep required edges pointing forward.
  std::pair<std::size_t, std::size_t> allowed_places(const std::vector<int>& rest, int v) const {
    std::size_t first = 0, last = rest.size();
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (input_.background.requires_edge(rest[i], v)) first = i + 1;
      if (input_.background.requires_edge(v, rest[i])) last = std::min(last, i);
    }
    return {first, last};
  }

  const DiscoveryInput& input_;
  std::vector<std::unique_ptr<GrowShrinkTree>> trees_;
  std::vector<std::uint8_t> before_;
};

} // namespace

Discovered boss(const DiscoveryInput& input, const DiscoveryOptions& options) {
  const int p = static_cast<int>(input.correlation.rows());
  OrderSearch search(input, options);
  std::map<int, std::vector<int>> tiers;
  for (int v = 0; v < p; ++v) tiers[input.background.tier_of(v)].push_back(v);

  Discovered found;
  found.dag = Digraph(p);
  for (const auto& [tier, members] : tiers) {
    std::vector<int> best;
    double best_score = 0;
    Random random(options.seed, static_cast<std::uint64_t>(tier) + 1);
    for (int restart = 0; restart < std::max(1, options.restarts); ++restart) {
      std::vector<int> order = members;
      random.shuffle(order);
      search.respect_required(order);
      const double score = search.improve(found.order, order);
      if (best.empty() || score > best_score + kImprovement) best = std::move(order), best_score = score;
    }
    for (const int v : best) {
      found.dag.parents[static_cast<std::size_t>(v)] = search.parents_after(found.order, v);
      found.order.push_back(v);
    }
  }
  found.cpdag = complete(found.dag, input.background);
  return found;
}

} // namespace jitterscope::causal
