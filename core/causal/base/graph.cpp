#include "core/causal/base/graph.h"

#include <algorithm>
#include <iterator>

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
    const auto& parents = dag.parents[child];
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
      if (graph.adjacent(a, b)) lists[b].push_back(a);
  return lists;
}

std::vector<int> Digraph::topological_order() const {
  std::vector<int> order;
  std::vector<std::uint8_t> placed(parents.size(), 0);
  for (bool progress = true; progress;) {
    progress = false;
    for (int v = 0; v < size(); ++v) {
      const auto i = static_cast<std::size_t>(v);
      if (placed[i]) continue;
      const bool ready = std::ranges::all_of(parents[i], [&](int p) { return placed[p] != 0; });
      if (ready) placed[i] = 1, order.push_back(v), progress = true;
    }
  }
  return order;
}

void apply_meek_rules(PartialGraph& graph) {
  const auto near = neighbours_of(graph);
  // In rounds, so that the order of vertices does not matter if orientations contradict each other: edges
  // that follow in both directions stay undirected.
  for (std::vector<std::pair<int, int>> arrows{{0, 0}}; !arrows.empty();) {
    arrows.clear();
    for (int a = 0; a < graph.size(); ++a)
      for (const int b : near[a])
        if (graph.undirected(a, b) && follows(graph, near[a], a, b) && !follows(graph, near[b], b, a))
          arrows.emplace_back(a, b);
    for (const auto& [a, b] : arrows) graph.orient(a, b);
  }
}

/// Removes sinks from the graph, one after the other.
Extension consistent_extension(const PartialGraph& graph, const Background& background) {
  const auto near = neighbours_of(graph);
  std::vector<std::uint8_t> left(near.size(), 1);
  const auto is_left = [&](int v) { return left[v] != 0; };
  // Number of violations if v comes last of the remaining vertices: edges out of v, and new colliders at v.
  const auto broken_by = [&](int v) {
    constexpr int never = 1'000'000;
    int broken = 0;
    const auto& around = near[v];
    for (const int x : around) {
      if (!is_left(x)) continue;
      if (!background.allows(x, v)) broken += never;
      if (graph.directed(v, x)) broken += 1'000;
      if (!graph.undirected(v, x)) continue;
      for (const int y : around) broken += y != x && is_left(y) && !graph.adjacent(x, y);
    }
    return broken;
  };
  Extension result{Digraph(graph.size()), true};
  for (int taken = 0; taken < graph.size(); ++taken) {
    int sink = -1, minimum = 1;
    for (int v = 0; v < graph.size() && minimum > 0; ++v)
      if (is_left(v))
        if (const int broken = broken_by(v); sink < 0 || broken < minimum) sink = v, minimum = broken;
    result.exact = result.exact && minimum == 0;
    left[sink] = 0;
    std::ranges::copy_if(near[sink], std::back_inserter(result.dag.parents[sink]), is_left);
  }
  return result;
}

PartialGraph complete(const Digraph& dag, const Background& background) {
  PartialGraph graph(dag.size());
  for (int v = 0; v < dag.size(); ++v)
    for (const int p : dag.parents[v]) graph.join(p, v);
  orient_colliders(dag, graph);
  for (int v = 0; v < dag.size(); ++v)
    for (const int p : dag.parents[v])
      if (!background.allows(v, p) || background.requires_edge(p, v)) graph.orient(p, v);
  apply_meek_rules(graph);
  return graph;
}

} // namespace jitterscope::causal
