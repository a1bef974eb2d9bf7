#pragma once

#include <string>
#include <vector>

#include "core/causal/base/random.h"
#include "core/causal/base/row_source.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal::test {

struct WideTable {
  LaunchTable rows;                ///< target "y", tier 5; columns "c0", "c1" …, tier 3
  std::vector<std::string> causes; ///< heads of the families that act on y
};

struct WideShape {
  int rows = 200;
  int columns = 500;
  int causes =
      0; ///< families that act on the target; together they account for 80 % of its variance, in equal parts
  std::uint64_t seed = 1;
};

/// Columns in families of 1 to 4 that are closely correlated (|r| about 0.98), with a few common factors that
/// loosely correlate families, as with counters.
inline WideTable wide_table(const WideShape& shape) {
  Random random(shape.seed, 9);
  const auto normal = [&] { return normal_quantile(random.uniform() * (1 - 2e-12) + 1e-12); };
  WideTable table;
  const auto n = static_cast<Eigen::Index>(shape.rows);
  table.rows.values.resize(n, shape.columns + 1);
  auto& x = table.rows.values;
  Eigen::MatrixXd factors(n, 4);
  for (Eigen::Index i = 0; i < factors.size(); ++i) factors.data()[i] = normal();
  std::vector<Eigen::Index> heads;
  for (Eigen::Index c = 0; c < shape.columns;) {
    const auto size =
        std::min<Eigen::Index>(1 + static_cast<Eigen::Index>(random.below(4)), shape.columns - c);
    const auto factor = static_cast<Eigen::Index>(random.below(4));
    for (Eigen::Index r = 0; r < n; ++r) x(r, c) = 0.4 * factors(r, factor) + normal();
    for (Eigen::Index m = 1; m < size; ++m)
      for (Eigen::Index r = 0; r < n; ++r) x(r, c + m) = x(r, c) + 0.2 * normal();
    heads.push_back(c);
    c += size;
  }
  const double weight = shape.causes > 0 ? std::sqrt(4.0 / shape.causes / 1.16) : 0.0;
  Eigen::VectorXd y(n);
  for (Eigen::Index r = 0; r < n; ++r) y(r) = normal();
  for (int k = 0; k < shape.causes; ++k) {
    const auto head = heads[(static_cast<std::size_t>(k) * 2 + 1) * heads.size() /
                            (2 * static_cast<std::size_t>(shape.causes))];
    y += (k % 2 ? -weight : weight) * x.col(head);
    table.causes.push_back("c" + std::to_string(head));
  }
  x.col(shape.columns) = y;
  for (int c = 0; c <= shape.columns; ++c) {
    FeatureInfo info;
    info.name = c < shape.columns ? "c" + std::to_string(c) : "y";
    info.tier = c < shape.columns ? 3 : 5;
    table.rows.columns.push_back(std::move(info));
  }
  table.rows.target = "y";
  return table;
}

} // namespace jitterscope::causal::test
