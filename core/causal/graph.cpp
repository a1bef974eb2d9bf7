#include "core/causal/graph.h"

#include <algorithm>
#include <cassert>

namespace jitterscope::causal {
namespace {

bool contains(const std::vector<std::pair<int, int>>& edges, int from, int to) {
  return std::find(edges.begin(), edges.end(), std::pair{from, to}) != edges.end();
}

/// Meek's rules for one undirected edge a — b: whether a → b follows.
bool follows(const PartialGraph& g, int a, int b) {
  const int n = g.size();
  for (int c = 0; c < n; ++c) {
    if (c == a || c == b) continue;
    if (g.directed(c, a) && !g.adjacent(c, b)) return true; // rule 1: no new collider
    if (g.directed(a, c) && g.directed(c, b)) return true;  // rule 2: no cycle
    if (!g.undirected(a, c)) continue;
    for (int d = 0; d < n; ++d) {
      if (d == a || d == b || d == c) continue;
      // rule 3: a — c → b, a — d → b, c and d not adjacent
      if (g.undirected(a, d) && g.directed(c, b) && g.directed(d, b) && !g.adjacent(c, d)) return true;
      // rule 4: a — c → d → b, a adjacent to d, c and b not adjacent
      if (g.directed(c, d) && g.directed(d, b) && g.adjacent(a, d) && !g.adjacent(c, b)) return true;
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

bool Background::allows(int from, int to) const {
  return tier_of(from) <= tier_of(to) && !contains(forbidden, from, to) && !contains(required, to, from);
}

bool Background::requires_edge(int from, int to) const {
  return contains(required, from, to);
}

bool Digraph::has(int from, int to) const {
  const auto& set = parents[static_cast<std::size_t>(to)];
  return std::binary_search(set.begin(), set.end(), from);
}

std::vector<int> Digraph::topological_order() const {
  std::vector<int> order;
  std::vector<std::uint8_t> placed(parents.size(), 0);
  for (bool progress = true; progress;) {
    progress = false;
    for (int v = 0; v < size(); ++v) {
      const auto i = static_cast<std::size_t>(v);
      if (placed[i]) continue;
      const bool ready = std::all_of(parents[i].begin(), parents[i].end(),
                                     [&](int p) { return placed[static_cast<std::size_t>(p)] != 0; });
      if (ready) placed[i] = 1, order.push_back(v), progress = true;
    }
  }
  return order;
}

bool Digraph::acyclic() const {
  return static_cast<int>(topological_order().size()) == size();
}

void apply_meek_rules(PartialGraph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int a = 0; a < graph.size(); ++a)
      for (int b = 0; b < graph.size(); ++b)
        if (graph.undirected(a, b) && follows(graph, a, b)) graph.orient(a, b), changed = true;
  }
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

int structural_hamming_distance(const PartialGraph& a, const PartialGraph& b) {
  assert(a.size() == b.size());
  int distance = 0;
  for (int i = 0; i < a.size(); ++i)
    for (int j = i + 1; j < a.size(); ++j)
      distance += a.mark(i, j) != b.mark(i, j) || a.mark(j, i) != b.mark(j, i);
  return distance;
}

double skeleton_f1(const PartialGraph& truth, const PartialGraph& found) {
  int both = 0, in_truth = 0, in_found = 0;
  for (int i = 0; i < truth.size(); ++i)
    for (int j = i + 1; j < truth.size(); ++j) {
      in_truth += truth.adjacent(i, j);
      in_found += found.adjacent(i, j);
      both += truth.adjacent(i, j) && found.adjacent(i, j);
    }
  return in_truth + in_found == 0 ? 1.0 : 2.0 * both / (in_truth + in_found);
}

} // namespace jitterscope::causal
