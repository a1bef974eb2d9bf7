#include "core/causal/base/graph.h"

#include <algorithm>

#include "core/causal/base/lists.h"

namespace jitterscope::causal {
namespace {

/// Meek's rules for one undirected edge a — b: whether a → b follows. `near_a`: neighbours of a.
bool follows(const PartialGraph& g, const std::vector<int>& near_a, int a, int b) {
  for (const int c : near_a) {
    if (c == b) continue;
    if (g.directed(c, a) && !g.adjacent(c, b)) return true; // rule 1: no new collider
    if (g.directed(a, c) && g.directed(c, b)) return true;  // rule 2: no cycle
    if (!g.undirected(a, c)) continue;
    for (const int d : near_a) {
      if (d == b || d == c) continue;
      // rule 3: a — c → b, a — d → b, c and d not adjacent
      if (g.undirected(a, d) && g.directed(c, b) && g.directed(d, b) && !g.adjacent(c, d)) return true;
      // rule 4: a — c → d → b, a adjacent to d, c and b not adjacent
      if (g.directed(c, d) && g.directed(d, b) && !g.adjacent(c, b)) return true;
    }
  }
  return false;
}

void orient_colliders(const Digraph& dag, PartialGraph& graph) {
  for (int child = 0; child < dag.size(); ++child) {
    const auto& parents = dag.parents[static_cast<std::size_t>(child)];
    for (const int a : parents)
      for (const int b : parents)
        if (a < b && !dag.adjacent(a, b)) graph.orient(a, child), graph.orient(b, child);
  }
}

} // namespace

std::vector<std::vector<int>> neighbours_of(const PartialGraph& graph) {
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(graph.size()));
  for (int b = 0; b < graph.size(); ++b)
    for (int a = 0; a < graph.size(); ++a)
      if (graph.adjacent(a, b)) lists[static_cast<std::size_t>(b)].push_back(a);
  return lists;
}

bool Background::allows(int from, int to) const {
  return tier_of(from) <= tier_of(to) && !contains(forbidden, std::pair(from, to)) &&
         !contains(required, std::pair(to, from));
}

bool Background::requires_edge(int from, int to) const {
  return contains(required, std::pair(from, to));
}

bool Digraph::has(int from, int to) const {
  const auto& set = parents[static_cast<std::size_t>(to)];
  return std::ranges::binary_search(set, from);
}

std::vector<int> Digraph::topological_order() const {
  std::vector<int> order;
  std::vector<std::uint8_t> placed(parents.size(), 0);
  for (bool progress = true; progress;) {
    progress = false;
    for (int v = 0; v < size(); ++v) {
      const auto i = static_cast<std::size_t>(v);
      if (placed[i]) continue;
      const bool ready =
          std::ranges::all_of(parents[i], [&](int p) { return placed[static_cast<std::size_t>(p)] != 0; });
      if (ready) placed[i] = 1, order.push_back(v), progress = true;
    }
  }
  return order;
}

bool Digraph::acyclic() const {
  return static_cast<int>(topological_order().size()) == size();
}

void apply_meek_rules(PartialGraph& graph) {
  const auto near = neighbours_of(graph);
  // In rounds, so that the order of vertices does not matter if orientations contradict each other: edges
  // that follow in both directions stay undirected.
  for (std::vector<std::pair<int, int>> arrows{{0, 0}}; !arrows.empty();) {
    arrows.clear();
    for (int a = 0; a < graph.size(); ++a)
      for (const int b : near[static_cast<std::size_t>(a)])
        if (graph.undirected(a, b) && follows(graph, near[static_cast<std::size_t>(a)], a, b) &&
            !follows(graph, near[static_cast<std::size_t>(b)], b, a))
          arrows.emplace_back(a, b);
    for (const auto& [a, b] : arrows) graph.orient(a, b);
  }
}

namespace {

/// Removes sinks from a partial graph, one after the other.
class SinkOrder {
public:
  SinkOrder(const PartialGraph& graph, const Background& background)
      : graph_(graph), background_(background), near_(neighbours_of(graph)),
        left_(static_cast<std::size_t>(graph.size()), 1) {}

  Extension run() {
    Extension result{Digraph(graph_.size()), true};
    for (int taken = 0; taken < graph_.size(); ++taken) {
      const int sink = best_sink(result.exact);
      left_[static_cast<std::size_t>(sink)] = 0;
      auto& parents = result.dag.parents[static_cast<std::size_t>(sink)];
      for (const int x : near_[static_cast<std::size_t>(sink)])
        if (left_[static_cast<std::size_t>(x)]) parents.push_back(x);
      std::ranges::sort(parents);
    }
    return result;
  }

private:
  int best_sink(bool& exact) const {
    int best = -1, minimum = 0;
    for (int v = 0; v < graph_.size(); ++v) {
      if (!left_[static_cast<std::size_t>(v)]) continue;
      const int broken = broken_by(v);
      if (best < 0 || broken < minimum) best = v, minimum = broken;
      if (minimum == 0) return best;
    }
    exact = false;
    return best;
  }

  /// Number of violations if v comes last of the remaining vertices: edges out of v, and new colliders at v.
  int broken_by(int v) const {
    constexpr int never = 1'000'000;
    int broken = 0;
    const auto& around = near_[static_cast<std::size_t>(v)];
    for (const int x : around) {
      if (!left_[static_cast<std::size_t>(x)]) continue;
      if (!background_.allows(x, v)) broken += never;
      if (graph_.directed(v, x)) broken += 1'000;
      if (!graph_.undirected(v, x)) continue;
      for (const int y : around)
        broken += y != x && left_[static_cast<std::size_t>(y)] && !graph_.adjacent(x, y);
    }
    return broken;
  }

  const PartialGraph& graph_;
  const Background& background_;
  std::vector<std::vector<int>> near_;
  std::vector<std::uint8_t> left_;
};

} // namespace

Extension consistent_extension(const PartialGraph& graph, const Background& background) {
  return SinkOrder(graph, background).run();
}

PartialGraph complete(const Digraph& dag, const Background& background) {
  PartialGraph graph(dag.size());
  for (int v = 0; v < dag.size(); ++v)
    for (const int p : dag.parents[static_cast<std::size_t>(v)]) graph.join(p, v);
  orient_colliders(dag, graph);
  for (int v = 0; v < dag.size(); ++v)
    for (const int p : dag.parents[static_cast<std::size_t>(v)])
      if (!background.allows(v, p) || background.requires_edge(p, v)) graph.orient(p, v);
  apply_meek_rules(graph);
  return graph;
}

} // namespace jitterscope::causal
