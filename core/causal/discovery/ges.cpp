#include <algorithm>
#include <map>

#include <Eigen/Cholesky>

#include "core/causal/base/lists.h"
#include "core/causal/discovery/discovery.h"
#include "core/causal/discovery/grow_shrink_tree.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMaxSubset = 10; ///< maximum undirected neighbours for which subsets are tried
constexpr double kMinGain = 1e-9;

/// One step of the search: an edge x → y is inserted (with edges `moved` → y) or deleted (with y → `moved`).
struct Step {
  double gain = 0;
  int x = 0, y = 0;
  std::vector<int> moved;
};

class EquivalenceSearch {
public:
  EquivalenceSearch(const DiscoveryInput& input, const DiscoveryOptions& options)
      : input_(input), p_(static_cast<int>(input.correlation.rows())), graph_(p_),
        known_(static_cast<std::size_t>(p_)), effort_(options) {
    for (int v = 0; v < p_; ++v) scores_.push_back(score_of(input, options, v));
    Digraph required(p_);
    for (const auto& [from, to] : input.background.required) required.parents[to].push_back(from);
    for (auto& parents : required.parents) {
      std::ranges::sort(parents);
      parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    }
    graph_ = complete(required, input.background);
    dag_ = required;
  }

  Discovered run() {
    improve(true);
    improve(false);
    return {dag_, graph_, dag_.topological_order(), !effort_.spent()};
  }

private:
  using Set = std::vector<int>;

  /// Takes the best valid step until none improves the score.
  void improve(bool inserting) {
    std::vector<std::vector<Step>> steps(static_cast<std::size_t>(p_));
    std::vector<std::uint8_t> stale(static_cast<std::size_t>(p_), 1);
    for (;;) {
      for (int y = 0; y < p_; ++y) {
        if (!stale[y]) continue;
        steps[y] = inserting ? insertions_into(y) : deletions_from(y);
        stale[y] = 0;
      }
      const PartialGraph before = graph_;
      if (effort_.spent() || !apply_best(steps, inserting)) return;
      mark_stale(before, stale);
    }
  }

  bool apply_best(const std::vector<std::vector<Step>>& steps, bool inserting) {
    std::vector<const Step*> sorted;
    for (const auto& of_vertex : steps)
      for (const Step& s : of_vertex) sorted.push_back(&s);
    std::ranges::sort(sorted, [](const Step* a, const Step* b) {
      if (a->gain != b->gain) return a->gain > b->gain;
      return std::tie(a->x, a->y, a->moved) < std::tie(b->x, b->y, b->moved);
    });
    return std::ranges::any_of(sorted, [&](const Step* s) { return inserting ? insert(*s) : remove(*s); });
  }

  /// Steps at y depend on its edges and on the neighbours of its undirected neighbours.
  void mark_stale(const PartialGraph& before, std::vector<std::uint8_t>& stale) const {
    std::vector<std::uint8_t> changed(static_cast<std::size_t>(p_), 0);
    for (int a = 0; a < p_; ++a)
      for (int b = 0; b < p_; ++b)
        if (before.mark(a, b) != graph_.mark(a, b)) changed[a] = changed[b] = 1;
    for (int y = 0; y < p_; ++y) {
      bool old = changed[y];
      for (int n = 0; n < p_ && !old; ++n) old = changed[n] && graph_.undirected(n, y);
      stale[y] |= old;
    }
  }

  std::vector<Step> insertions_into(int y) {
    std::vector<Step> steps;
    const Set parents = parents_of(y), joined = undirected_at(y);
    for (int x = 0; x < p_; ++x) {
      if (x == y || graph_.adjacent(x, y) || !input_.background.allows(x, y)) continue;
      Set fixed, open;
      for (const int n : joined) (graph_.adjacent(n, x) ? fixed : open).push_back(n);
      if (!is_clique(fixed)) continue;
      open.resize(std::min(open.size(), kMaxSubset));
      for (std::size_t bits = 0; bits < (std::size_t{1} << open.size()) && !effort_.spent(); ++bits) {
        Step step{0, x, y, pick(open, bits)};
        Set clique = merged(fixed, step.moved);
        if (!allows_all(step.moved, y) || !is_clique(clique)) continue;
        Set base = merged(clique, parents);
        const double without = score(y, base);
        step.gain = score(y, merged(base, {x})) - without;
        if (step.gain > kMinGain) steps.push_back(std::move(step));
      }
    }
    return steps;
  }

  std::vector<Step> deletions_from(int y) {
    std::vector<Step> steps;
    const Set parents = parents_of(y), joined = undirected_at(y);
    for (int x = 0; x < p_; ++x) {
      if (!(graph_.directed(x, y) || graph_.undirected(x, y))) continue;
      if (input_.background.requires_edge(x, y) || input_.background.requires_edge(y, x)) continue;
      Set near;
      for (const int n : joined)
        if (n != x && graph_.adjacent(n, x)) near.push_back(n);
      near.resize(std::min(near.size(), kMaxSubset));
      for (std::size_t bits = 0; bits < (std::size_t{1} << near.size()) && !effort_.spent(); ++bits) {
        Step step{0, x, y, pick(near, bits)};
        const Set rest = pick(near, ~bits);
        if (!is_clique(rest)) continue;
        Set base = merged(rest, parents);
        std::erase(base, x);
        step.gain = score(y, base) - score(y, merged(base, {x}));
        if (step.gain > kMinGain) steps.push_back(std::move(step));
      }
    }
    return steps;
  }

  bool insert(const Step& s) {
    Set blocked = s.moved;
    for (const int n : undirected_at(s.y))
      if (graph_.adjacent(n, s.x)) blocked.push_back(n);
    if (reaches(s.y, s.x, blocked)) return false;
    PartialGraph next = graph_;
    next.orient(s.x, s.y);
    for (const int t : s.moved) next.orient(t, s.y);
    return adopt(next);
  }

  bool remove(const Step& s) {
    PartialGraph next = graph_;
    next.mark(s.x, s.y) = next.mark(s.y, s.x) = 0;
    for (const int h : s.moved) {
      if (!input_.background.allows(s.y, h)) return false;
      next.orient(s.y, h);
      if (!next.undirected(s.x, h)) continue;
      if (!input_.background.allows(s.x, h)) return false;
      next.orient(s.x, h);
    }
    return adopt(next);
  }

  bool adopt(const PartialGraph& next) {
    if (effort_.spent(kGraphWork)) return false;
    Extension extension = consistent_extension(next, input_.background);
    if (!extension.exact) return false;
    dag_ = std::move(extension.dag);
    graph_ = complete(dag_, input_.background);
    return true;
  }

  /// Whether a path of undirected or forward edges leads from `from` to `to` without passing `blocked`.
  bool reaches(int from, int to, const Set& blocked) const {
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(p_), 0);
    for (const int b : blocked) seen[b] = 1;
    Set front{from};
    seen[from] = 1;
    while (!front.empty()) {
      const int v = front.back();
      front.pop_back();
      if (v == to) return true;
      for (int w = 0; w < p_; ++w)
        if (graph_.mark(v, w) && !seen[w]) seen[w] = 1, front.push_back(w);
    }
    return false;
  }

  Set those(const auto& condition) const {
    Set set = numbers_below(p_);
    std::erase_if(set, [&](int x) { return !condition(x); });
    return set;
  }
  Set parents_of(int y) const {
    return those([&](int x) { return graph_.directed(x, y); });
  }
  Set undirected_at(int y) const {
    return those([&](int x) { return graph_.undirected(x, y); });
  }
  bool is_clique(const Set& set) const {
    for (std::size_t i = 0; i < set.size(); ++i)
      for (std::size_t j = i + 1; j < set.size(); ++j)
        if (!graph_.adjacent(set[i], set[j])) return false;
    return true;
  }
  bool allows_all(const Set& from, int to) const {
    return std::ranges::all_of(from, [&](int f) { return input_.background.allows(f, to); });
  }
  static Set pick(const Set& set, std::size_t bits) {
    Set chosen;
    for (std::size_t i = 0; i < set.size(); ++i)
      if (bits >> i & 1) chosen.push_back(set[i]);
    return chosen;
  }
  static Set merged(const Set& a, const Set& b) {
    Set all = a;
    all.insert(all.end(), b.begin(), b.end());
    std::ranges::sort(all);
    return all;
  }

  double score(int v, const Set& parents) {
    const auto [entry, fresh] = known_[v].try_emplace(parents, 0.0);
    if (!fresh) return entry->second;
    double variance = 1;
    if (!parents.empty()) {
      const Eigen::MatrixXd inner = input_.correlation(parents, parents);
      const Eigen::VectorXd with = input_.correlation(parents, v);
      const Eigen::LLT<Eigen::MatrixXd> llt(inner);
      // Collinear parents carry no further information: their score is never better than that of fewer
      // parents.
      variance = llt.info() == Eigen::Success ? 1 - llt.matrixL().solve(with).squaredNorm() : 1;
    }
    return entry->second = scores_[v](variance, parents.size());
  }

  const DiscoveryInput& input_;
  int p_;
  std::vector<GaussianScore> scores_;
  PartialGraph graph_;
  Digraph dag_;
  std::vector<std::map<Set, double>> known_;
  Effort effort_;
  static constexpr double kGraphWork = 500; ///< work units of completing a graph
};

} // namespace

Discovered ges(const DiscoveryInput& input, const DiscoveryOptions& options) {
  return EquivalenceSearch(input, options).run();
}

} // namespace jitterscope::causal
