#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/causal/base/graph.h"
#include "core/causal/base/knowledge.h"
#include "tests/support/table_file.h"

namespace jitterscope::causal::test {

/// A table whose causal graph is known.
struct DataSet {
  MemoryRows rows;
  Knowledge knowledge;                 ///< tiers of the columns, if the set has any
  std::vector<std::string> names;      ///< columns of the truth
  std::vector<std::vector<int>> truth; ///< truth[i][j]: i → j
  bool has_tiers() const { return !knowledge.tiers.empty(); }

  int index(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return static_cast<int>(i);
    return -1;
  }
};

/// Reads data.csv.gz, truth.csv and tiers.csv of a folder. Without tiers all columns are in one tier.
inline Expected<DataSet> read_data_set(const std::string& folder) {
  DataSet set;
  auto truth = jitterscope::test::rows_of_file(folder + "/truth.csv");
  if (!truth) return forward(truth.error());
  for (const auto& column : truth->columns) set.names.push_back(column.name);
  const auto p = set.names.size();
  set.truth.assign(p, std::vector<int>(p, 0));
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j)
      set.truth[i][j] = truth->values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) != 0;
  if (auto tiers = read_knowledge(folder + "/tiers.csv")) set.knowledge = *tiers;
  auto rows = jitterscope::test::rows_of_file(folder + "/data.csv.gz");
  if (!rows) return forward(rows.error());
  set.rows = std::move(*rows);
  if (!set.has_tiers())
    for (auto& column : set.rows.columns) column.tier = 0;
  return set;
}

/// The true graph over the columns in `kept`; a path a → left out → b becomes an edge a → b. The graph is
/// completed under the tiers unless all directions are requested.
inline PartialGraph true_graph(const DataSet& set, const std::vector<std::string>& kept,
                               bool all_directed = false) {
  auto edges = set.truth;
  const std::set<std::string> stays(kept.begin(), kept.end());
  const std::size_t p = set.names.size();
  for (std::size_t v = 0; v < p; ++v) {
    if (stays.contains(set.names[v])) continue;
    for (std::size_t a = 0; a < p; ++a)
      for (std::size_t b = 0; b < p; ++b)
        if (edges[a][v] && edges[v][b]) edges[a][b] = 1;
    for (std::size_t a = 0; a < p; ++a) edges[a][v] = edges[v][a] = 0;
  }
  std::map<std::string, int> tiers(set.knowledge.tiers.begin(), set.knowledge.tiers.end());
  Digraph dag(static_cast<int>(kept.size()));
  Background background;
  for (std::size_t j = 0; j < kept.size(); ++j) {
    if (set.has_tiers()) background.tier.push_back(tiers[kept[j]]);
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (edges[static_cast<std::size_t>(set.index(kept[i]))][static_cast<std::size_t>(set.index(kept[j]))])
        dag.parents[j].push_back(static_cast<int>(i));
  }
  if (!all_directed) return complete(dag, background);
  PartialGraph graph(dag.size());
  for (int v = 0; v < dag.size(); ++v)
    for (const int cause : dag.parents[static_cast<std::size_t>(v)]) graph.orient(cause, v);
  return graph;
}

} // namespace jitterscope::causal::test
