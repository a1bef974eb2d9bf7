#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/causal/base/random.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/core/causal/discovery/data_set.h"

namespace jitterscope::causal::test {

struct RandomTable {
  int columns = 20;
  Eigen::Index rows = 1'000;
  bool laplace = false; ///< noise: Laplace, else normal
  std::uint64_t seed = 0;
};

/// A table like the sets `synth_*` of the sample data, on which other implementations were measured: an
/// Erdős–Rényi graph of expected degree 3 over a random order, weights ±U(0.4, 1.2), noise with standard
/// deviation U(0.8, 1.5). Every column is scaled to variance 1, so that variances do not reveal the order.
inline DataSet random_table(const RandomTable& requested) {
  Random random(requested.seed,
                static_cast<std::uint64_t>(requested.columns) * 2 + (requested.laplace ? 1 : 0));
  const auto p = static_cast<std::size_t>(requested.columns);
  const auto between = [&](double low, double high) { return low + (high - low) * random.uniform(); };
  const auto noise = [&] {
    const double u = std::clamp(random.uniform(), 1e-12, 1 - 1e-12);
    if (!requested.laplace) return normal_quantile(u);
    return (u < 0.5 ? std::log(2 * u) : -std::log(2 - 2 * u)) / std::sqrt(2.0);
  };
  std::vector<std::size_t> order(p);
  for (std::size_t i = 0; i < p; ++i) order[i] = i;
  for (std::size_t i = p - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);

  DataSet set;
  set.truth.assign(p, std::vector<int>(p, 0));
  set.rows.values.resize(requested.rows, static_cast<Eigen::Index>(p));
  const double joined = 3.0 / static_cast<double>(p - 1);
  for (std::size_t j = 0; j < p; ++j) {
    auto column = set.rows.values.col(static_cast<Eigen::Index>(order[j]));
    const double spread = between(0.8, 1.5);
    for (Eigen::Index r = 0; r < requested.rows; ++r) column(r) = spread * noise();
    for (std::size_t i = 0; i < j; ++i) {
      if (random.uniform() >= joined) continue;
      const double weight = (random.uniform() < 0.5 ? -1 : 1) * between(0.4, 1.2);
      set.truth[order[i]][order[j]] = 1;
      column += weight * set.rows.values.col(static_cast<Eigen::Index>(order[i]));
    }
  }
  for (std::size_t i = 0; i < p; ++i) {
    auto column = set.rows.values.col(static_cast<Eigen::Index>(i));
    column.array() -= column.mean();
    column /= std::sqrt(column.squaredNorm() / static_cast<double>(requested.rows));
    set.names.push_back("x" + std::to_string(i));
    FeatureInfo info;
    info.name = set.names.back(), info.tier = 0;
    set.rows.columns.push_back(std::move(info));
  }
  set.rows.target = set.names.back();
  return set;
}

} // namespace jitterscope::causal::test
