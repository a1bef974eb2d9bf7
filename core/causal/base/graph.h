#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/causal/base/lists.h"

namespace jitterscope::causal {

/// Background knowledge, by column index.
struct Background {
  std::vector<int> tier; ///< an edge never goes from a later to an earlier tier; empty: all in one tier
  std::vector<std::pair<int, int>> required;  ///< from → to
  std::vector<std::pair<int, int>> forbidden; ///< from → to

  int tier_of(int v) const { return tier.empty() ? 0 : tier[v]; }
  /// Whether from → to is compatible with tiers, forbidden edges and required edges.
  bool allows(int from, int to) const {
    return tier_of(from) <= tier_of(to) && !contains(forbidden, std::pair(from, to)) &&
           !requires_edge(to, from);
  }
  bool requires_edge(int from, int to) const { return contains(required, std::pair(from, to)); }
};

/// A directed graph, stored by parents.
struct Digraph {
  std::vector<std::vector<int>> parents; ///< by vertex: its parents, sorted

  explicit Digraph(int vertices = 0) : parents(static_cast<std::size_t>(vertices)) {}
  int size() const { return static_cast<int>(parents.size()); }
  bool has(int from, int to) const { return std::ranges::binary_search(parents[to], from); }
  bool adjacent(int a, int b) const { return has(a, b) || has(b, a); }
  /// Vertices in an order with parents first. Precondition: acyclic.
  std::vector<int> topological_order() const;
  bool acyclic() const { return static_cast<int>(topological_order().size()) == size(); }
};

/// A graph with directed and undirected edges. mark(a, b) = 1: a is joined to b and the end at a is a tail
/// that may point to b. So a → b iff mark(a, b) and not mark(b, a), and a — b iff both.
struct PartialGraph {
  using Marks = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;
  Marks mark;

  explicit PartialGraph(int vertices = 0) : mark(Marks::Zero(vertices, vertices)) {}
  int size() const { return static_cast<int>(mark.rows()); }
  bool adjacent(int a, int b) const { return mark(a, b) || mark(b, a); }
  bool directed(int a, int b) const { return mark(a, b) && !mark(b, a); }
  bool undirected(int a, int b) const { return mark(a, b) && mark(b, a); }
  void orient(int a, int b) { mark(a, b) = 1, mark(b, a) = 0; }
  void join(int a, int b) { mark(a, b) = mark(b, a) = 1; }
};

/// Orients the edges that follow from the oriented ones: rules 1 to 4 of Meek 1995, "Causal inference and
/// causal explanation with background knowledge", to closure. Edges that contradictory orientations would
/// orient both ways stay undirected.
void apply_meek_rules(PartialGraph& graph);

/// The maximally oriented graph of the Markov equivalence class of `dag` under background knowledge:
/// skeleton, unshielded colliders, edges between tiers, forbidden and required edges, then Meek's rules.
PartialGraph complete(const Digraph& dag, const Background& background);

/// By vertex: the vertices adjacent to it, ascending.
std::vector<std::vector<int>> neighbours_of(const PartialGraph& graph);

/// A directed graph with the same skeleton that keeps the directed edges and makes no new unshielded collider
/// (Dor and Tarsi 1992). `exact`: whether such a graph exists. If orientations contradict each other, a
/// greedy choice of sinks violates few of them, never an edge between tiers or a required edge.
struct Extension {
  Digraph dag;
  bool exact = true;
};
Extension consistent_extension(const PartialGraph& graph, const Background& background);

} // namespace jitterscope::causal
