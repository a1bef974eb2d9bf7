#include <algorithm>
#include <map>

#include "core/causal/base/lists.h"
#include "core/causal/base/random.h"
#include "core/causal/discovery/discovery.h"
#include "core/causal/discovery/grow_shrink_tree.h"

namespace jitterscope::causal {
namespace {

constexpr double kImprovement = 1e-9; ///< smaller gains are rounding

/// The trees of all vertices, the set of preceding vertices, and the scores of the current order.
class OrderSearch {
public:
  OrderSearch(const DiscoveryInput& input, const DiscoveryOptions& options)
      : input_(input), effort_({.cancelled = options.cancelled}) {
    for (int v = 0; v < static_cast<int>(input.correlation.rows()); ++v)
      trees_.push_back(tree_of(input, options, v));
    before_.assign(trees_.size(), 0);
    walks_.resize(trees_.size());
  }

  /// Moves vertices of one tier to their best positions until nothing improves. Returns the tier's score.
  double improve(const std::vector<int>& earlier, std::vector<int>& order) {
    double total = walk_all(earlier, order);
    for (bool moved = true; moved && !effort_.spent();) {
      moved = false;
      const std::vector<int> sweep = order;
      for (const int v : sweep) {
        if (effort_.spent(static_cast<double>(order.size()))) break;
        const double better = move_to_best_place(earlier, order, v, total);
        if (better > total + kImprovement) total = better, moved = true;
      }
    }
    return total;
  }

  /// Reorders so that required edges of the tier point forward; otherwise keeps the order.
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

  bool complete() { return !effort_.spent(); }

  std::vector<int> parents_after(const std::vector<int>& earlier, int v) {
    mark(earlier);
    return *trees_[v].best(before_).parents;
  }

private:
  /// Score of a vertex in the current order, and the vertices that affect the score if they come before
  /// it.
  struct Walk {
    double score = 0;
    std::vector<std::uint8_t> depends_on;
  };

  void walk(int v, Walk& out) {
    out.depends_on.assign(before_.size(), 0);
    out.score = trees_[v].best(before_, &out.depends_on).score;
  }
  double score(int v) { return trees_[v].best(before_).score; }

  void mark(const std::vector<int>& earlier) {
    std::ranges::fill(before_, std::uint8_t{0});
    for (const int x : earlier) before_[x] = 1;
  }

  double walk_all(const std::vector<int>& earlier, const std::vector<int>& order) {
    mark(earlier);
    double total = 0;
    for (const int v : order) {
      const auto self = static_cast<std::size_t>(v);
      walk(v, walks_[self]);
      total += walks_[self].score, before_[self] = 1;
    }
    return total;
  }

  /// Tries every position of v among the others: three scores per position (Andrews et al. 2023, algorithm
  /// 1), of which only those that can differ from the known ones are computed.
  double move_to_best_place(const std::vector<int>& earlier, std::vector<int>& order, int v, double total) {
    const auto self = static_cast<std::size_t>(v);
    const auto now = static_cast<std::size_t>(std::ranges::find(order, v) - order.begin());
    rest_ = order;
    rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(now));
    const std::size_t m = rest_.size();
    own_.resize(m + 1), without_.resize(m), with_.resize(m);
    mark(earlier);
    walk(v, own_walk_);
    for (std::size_t i = 0; i < m; ++i) {
      own_[i] = own_walk_.score;
      const auto other = static_cast<std::size_t>(rest_[i]);
      const Walk& known = walks_[other];
      without_[i] = with_[i] = known.score;
      if (known.depends_on[self]) {
        const bool v_comes_later = i < now;
        before_[self] = v_comes_later;
        (v_comes_later ? with_ : without_)[i] = score(rest_[i]);
        before_[self] = 0;
      }
      before_[other] = 1;
      if (own_walk_.depends_on[other]) walk(v, own_walk_);
    }
    own_[m] = own_walk_.score;
    const auto [first, last] = allowed_places(rest_, v);
    double sum = 0;
    for (const double s : with_) sum += s;
    double best = total;
    std::size_t place = m + 1;
    for (std::size_t i = 0; i <= m; ++i) {
      if (i >= first && i <= last && sum + own_[i] > best + kImprovement) best = sum + own_[i], place = i;
      if (i < m) sum += without_[i] - with_[i];
    }
    if (place > m) return total;
    order = rest_;
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), v);
    walk_again(earlier, order, v);
    return best;
  }

  /// After v has moved: updates v and the vertices that depend on it.
  void walk_again(const std::vector<int>& earlier, const std::vector<int>& order, int v) {
    mark(earlier);
    for (const int x : order) {
      Walk& known = walks_[x];
      if (x == v || known.depends_on[v]) walk(x, known);
      before_[x] = 1;
    }
  }

  /// Range of positions of v that keep required edges pointing forward.
  std::pair<std::size_t, std::size_t> allowed_places(const std::vector<int>& rest, int v) const {
    std::size_t first = 0, last = rest.size();
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (input_.background.requires_edge(rest[i], v)) first = i + 1;
      if (input_.background.requires_edge(v, rest[i])) last = std::min(last, i);
    }
    return {first, last};
  }

  const DiscoveryInput& input_;
  Effort effort_;
  std::vector<GrowShrinkTree> trees_;
  std::vector<std::uint8_t> before_;
  std::vector<Walk> walks_; ///< walk of each vertex in the current order
  Walk own_walk_;           // members below are kept to reuse their memory
  std::vector<int> rest_;
  std::vector<double> own_, without_, with_;
};

std::vector<int> in_order_of(const std::vector<int>& order, const std::vector<int>& members) {
  std::vector<int> sorted;
  for (const int v : order)
    if (contains(members, v)) sorted.push_back(v);
  return sorted;
}

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
      if (restart == 0 && options.start.size() == static_cast<std::size_t>(p))
        order = in_order_of(options.start, members);
      else
        random.shuffle(order);
      search.respect_required(order);
      const double score = search.improve(found.order, order);
      if (!search.complete()) return {Digraph(p), PartialGraph(p), {}, false};
      if (best.empty() || score > best_score + kImprovement) best = std::move(order), best_score = score;
    }
    for (const int v : best) {
      found.dag.parents[v] = search.parents_after(found.order, v);
      found.order.push_back(v);
    }
  }
  found.cpdag = complete(found.dag, input.background);
  return found;
}

} // namespace jitterscope::causal
