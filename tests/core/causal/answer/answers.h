#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "core/causal/answer/analyse.h"
#include "core/causal/base/random.h"
#include "core/causal/base/row_source.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal::test {

inline double normal(Random& random) {
  return normal_quantile(random.uniform() * (1 - 2e-12) + 1e-12);
}

/// a → b → y ← c, not standardised; a in tier 1, b and c in tier 2, y in tier 5.
inline LaunchTable small_table(int n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> a, b, c, y;
  for (int i = 0; i < n; ++i) {
    a.push_back(10 + normal(random)), c.push_back(normal(random));
    b.push_back(2 * a.back() + normal(random));
    y.push_back(0.5 * b.back() - c.back() + normal(random));
  }
  LaunchTable rows;
  rows.add({"a", "", 1, {}, {}, {}, {}}, a), rows.add({"b", "", 2, {}, {}, {}, {}}, b),
      rows.add({"c", "", 2, {}, {}, {}, {}}, c), rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  return rows;
}

/// The answer of one rank.
inline CausalResult run(const RowSource& rows, const Options& options = {}) {
  const auto communicator = local_communicator();
  auto result = analyse(rows, options, *communicator);
  EXPECT_TRUE(result) << describe(result.error());
  return result ? *result : CausalResult{};
}

/// Edges by names and whether they are directed.
using EdgeSet = std::set<std::tuple<std::string, std::string, bool>>;
inline EdgeSet edges_of(const CausalResult& result) {
  EdgeSet edges;
  for (const auto& e : result.edges)
    edges.emplace(e.directed ? e.from : std::min(e.from, e.to), e.directed ? e.to : std::max(e.from, e.to),
                  e.directed);
  return edges;
}

/// The contribution of a feature or of the event "feature > 0"; null if there is none.
inline const Contribution* contribution_of(const CausalResult& r, const std::string& feature) {
  const auto found = std::find_if(r.contributions.begin(), r.contributions.end(), [&](const auto& c) {
    return c.feature == feature || c.feature == feature + " > 0";
  });
  return found == r.contributions.end() ? nullptr : &*found;
}

/// For tests in which intervals matter little.
inline Options few_resamples() {
  Options options;
  options.bootstrap = 50;
  options.nonlinear = false;
  return options;
}

/// All sentences of the answer.
inline std::string text_of(const CausalResult& r) {
  std::string text;
  for (const auto& sentence : r.sentences) text += sentence + " ";
  return text;
}

/// The text of the first note with this code, empty without one.
inline std::string warning_of(const CausalResult& r, const std::string& code) {
  const auto found =
      std::find_if(r.warnings.begin(), r.warnings.end(), [&](const auto& w) { return w.code == code; });
  return found == r.warnings.end() ? std::string() : found->text;
}

} // namespace jitterscope::causal::test
