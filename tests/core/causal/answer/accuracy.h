#pragma once

#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "core/causal/answer/analyse.h"
#include "core/causal/statistics/moments.h"
#include "tests/core/causal/discovery/data_set.h"
#include "tests/core/causal/discovery/graph_distance.h"

namespace jitterscope::causal::test {

struct Accuracy {
  int columns = 0;
  double f1 = 0;
  int distance = 0; ///< structural Hamming distance to the true completed graph; for DirectLiNGAM, which
                    ///< directs every edge, to the true graph itself
  double discovery_s = 0; ///< CPU seconds of the search alone
  double analysis_s = 0;  ///< CPU seconds of the whole analysis, without bootstrap resamples
};

inline double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// "x > 0", the event of a numeric factor x, represents x.
inline std::string plain_name(const std::string& name) {
  return name.ends_with(" > 0") ? name.substr(0, name.size() - 4) : name;
}

/// The graph of a result over its used features, whose names are put into `kept`.
inline PartialGraph graph_of(const CausalResult& result, std::vector<std::string>& kept) {
  std::map<std::string, int> index;
  for (const auto& f : result.features)
    if (f.status == FeatureStatus::used)
      index[f.name] = static_cast<int>(kept.size()), kept.push_back(plain_name(f.name));
  PartialGraph graph(static_cast<int>(kept.size()));
  for (const auto& e : result.edges) {
    if (e.directed)
      graph.orient(index[e.from], index[e.to]);
    else
      graph.join(index[e.from], index[e.to]);
  }
  return graph;
}

/// The first `rows` rows of a data set, analysed with default options and one method; the truth is projected
/// onto the columns that the preparation keeps.
inline Expected<Accuracy> measure(const DataSet& set, Eigen::Index rows, Method method = Method::boss) {
  MemoryRows part = set.rows;
  part.values = set.rows.values.topRows(std::min(rows, set.rows.values.rows()));
  Options options;
  options.knowledge = set.knowledge;
  options.bootstrap = 0;
  options.method = method;
  options.second_opinions = false;
  Accuracy a;
  const auto communicator = local_communicator();
  const double start = cpu_seconds();
  const auto result = analyse(part, options, *communicator);
  if (!result) return forward(result.error());
  a.analysis_s = cpu_seconds() - start;
  std::vector<std::string> kept;
  const PartialGraph found = graph_of(*result, kept);
  const PartialGraph truth = true_graph(set, kept, method == Method::lingam);
  a.columns = static_cast<int>(kept.size());
  a.f1 = skeleton_f1(truth, found);
  a.distance = structural_hamming_distance(truth, found);

  DiscoveryInput input;
  Eigen::MatrixXd z(part.values.rows(), static_cast<Eigen::Index>(kept.size()));
  std::map<std::string, int> tiers(set.knowledge.tiers.begin(), set.knowledge.tiers.end());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    for (std::size_t c = 0; c < part.columns.size(); ++c)
      if (part.columns[c].name == kept[k])
        z.col(static_cast<Eigen::Index>(k)) = part.values.col(static_cast<Eigen::Index>(c));
    if (set.has_tiers()) input.background.tier.push_back(tiers[kept[k]]);
  }
  input.correlation = correlation_of(Moments::of(z).cross);
  input.n = static_cast<double>(z.rows());
  const double search = cpu_seconds();
  discover(method, input, z, {});
  a.discovery_s = cpu_seconds() - search;
  return a;
}

} // namespace jitterscope::causal::test
