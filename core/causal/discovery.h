#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/base/error.h"
#include "core/causal/graph.h"

namespace jitterscope::causal {

enum class Method { boss, pc, ges, lingam };

/// BadUse for unknown names, and for methods that this version does not have.
Expected<Method> method_from(const std::string& text);
std::string to_string(Method method);

/// Score of v given its parents: −(n/2) ln σ²(v | Pa) − λ |Pa|, λ = max((c/2) ln n, −(n/2) ln(1 − ρ0²)).
struct DiscoveryOptions {
  double penalty = 2.0;               ///< c
  double smallest_correlation = 0.03; ///< ρ0: smallest partial correlation worth an edge
  int restarts = 5;
  std::uint64_t seed = 1;
};

/// The statistical input of a search: everything but the rows.
struct DiscoveryInput {
  Eigen::MatrixXd correlation; ///< symmetric, ones on the diagonal
  double n = 0;                ///< effective sample size
  Background background;       ///< tiers, required and forbidden edges, one entry a column
};

struct Discovered {
  Digraph dag;            ///< one member of the equivalence class
  PartialGraph cpdag;     ///< what data and background knowledge orient; the rest undirected
  std::vector<int> order; ///< the best order found, causes first
};

/// Best order score search with grow-shrink trees (Andrews, Ramsey, Sanchez-Romero, Camchong, Kummerfeld
/// 2023, "Fast scalable and accurate discovery of DAGs using the best order score search and grow-shrink
/// trees"), solved tier after tier, best of `restarts` random starts. Deterministic for equal input and seed.
Discovered boss(const DiscoveryInput& input, const DiscoveryOptions& options);

} // namespace jitterscope::causal
