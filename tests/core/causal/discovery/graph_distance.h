#pragma once

#include <cassert>

#include "core/causal/base/graph.h"

namespace jitterscope::causal {

/// Number of edges missing, extra or oriented differently, each counted once (Tsamardinos et al. 2006).
inline int structural_hamming_distance(const PartialGraph& a, const PartialGraph& b) {
  assert(a.size() == b.size());
  int distance = 0;
  for (int i = 0; i < a.size(); ++i)
    for (int j = i + 1; j < a.size(); ++j)
      distance += a.mark(i, j) != b.mark(i, j) || a.mark(j, i) != b.mark(j, i);
  return distance;
}

/// Harmonic mean of precision and recall of the adjacencies.
inline double skeleton_f1(const PartialGraph& truth, const PartialGraph& found) {
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
