#include "tests/bench/causal/mechanisms/rivals.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "core/causal/discovery/discovery.h"
#include "core/causal/statistics/boosted_trees.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/moments.h"
#include "tests/support/launch_table.h"

namespace jitterscope::mechanisms {
namespace {

using namespace causal;

constexpr double kMinPart = 0.1;

struct Design {
  std::vector<std::string> names;
  Eigen::MatrixXd z; ///< standardised; the last column is the outcome
};

Column outcome_of(const LaunchTable& table) {
  const auto n = static_cast<std::size_t>(table.values.rows());
  if (table.duration_ns.empty()) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].name == table.target)
        return Column(table.values.col(static_cast<Eigen::Index>(c)).begin(),
                      table.values.col(static_cast<Eigen::Index>(c)).end());
    return {};
  }
  std::vector<Column> of_group(table.groups());
  for (std::size_t i = 0; i < n; ++i) of_group[table.group[i]].push_back(table.duration_ns[i]);
  for (Column& d : of_group) std::sort(d.begin(), d.end());
  Column y(n);
  for (std::size_t i = 0; i < n; ++i)
    y[i] = std::fabs(table.duration_ns[i] - of_group[table.group[i]][of_group[table.group[i]].size() / 2]);
  return y;
}

Design design_of(const LaunchTable& table) {
  Design d;
  std::vector<Column> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const FeatureInfo& info = table.columns[c];
    if (info.name == table.target) continue;
    const auto values = table.values.col(static_cast<Eigen::Index>(c));
    const std::size_t levels = info.role == FeatureRole::category ? info.labels.size() : 1;
    for (std::size_t level = 0; level < levels; ++level) {
      Column x(values.begin(), values.end());
      if (info.role == FeatureRole::category)
        for (double& v : x) v = v == static_cast<double>(level);
      columns.push_back(std::move(x)), d.names.push_back(info.name);
    }
  }
  columns.push_back(outcome_of(table)), d.names.push_back("");
  const auto n = static_cast<Eigen::Index>(columns.back().size());
  std::vector<std::string> kept;
  d.z.resize(n, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    double sum = 0, squares = 0, count = 0;
    for (const double v : columns[c])
      if (!std::isnan(v)) sum += v, ++count;
    const double mean = sum / count;
    for (double& v : columns[c]) v = std::isnan(v) ? 0 : v - mean, squares += v * v;
    if (!(squares > 1e-12 * static_cast<double>(n) * mean * mean)) continue;
    for (double& v : columns[c]) v /= std::sqrt(squares / static_cast<double>(n));
    d.z.col(static_cast<Eigen::Index>(kept.size())) = Eigen::Map<const Eigen::VectorXd>(columns[c].data(), n);
    kept.push_back(d.names[c]);
  }
  d.names = kept, d.z.conservativeResize(n, static_cast<Eigen::Index>(kept.size()));
  return d;
}

std::string by_least_squares(const Design& d) {
  const Eigen::Index p = d.z.cols() - 1;
  const auto n = static_cast<double>(d.z.rows());
  Eigen::MatrixXd xx = d.z.leftCols(p).transpose() * d.z.leftCols(p) / n;
  xx.diagonal().array() += 1e-6;
  const Eigen::VectorXd xy = d.z.leftCols(p).transpose() * d.z.col(p) / n;
  const Eigen::VectorXd b = xx.ldlt().solve(xy);
  Eigen::Index best = 0;
  const double size = b.cwiseAbs().maxCoeff(&best);
  const bool significant = std::erfc(size * std::sqrt(n / 2)) * static_cast<double>(p) < 0.01;
  return significant && std::fabs(b(best) * xy(best)) >= kMinPart ? d.names[static_cast<std::size_t>(best)]
                                                                  : "";
}

std::string by_trees(const Design& d) {
  const Eigen::Index p = d.z.cols() - 1, half = d.z.rows() / 2;
  const auto fitted =
      BoostedTrees::fit(d.z.topLeftCorner(half, p), d.z.col(p).head(half), [] { return false; });
  if (!fitted) return {};
  Eigen::MatrixXd rest = d.z.bottomLeftCorner(d.z.rows() - half, p);
  const Eigen::VectorXd y = d.z.col(p).tail(d.z.rows() - half);
  const double variance = (y.array() - y.mean()).square().sum();
  const auto explained = [&]() {
    const auto predicted = fitted->predict(rest);
    return predicted ? 1 - (y - *predicted).squaredNorm() / variance : 0.0;
  };
  const double whole = explained();
  double maximum = kMinPart;
  std::string named;
  for (Eigen::Index c = 0; c < p; ++c) {
    const Eigen::VectorXd kept = rest.col(c);
    Random random(7, static_cast<std::uint64_t>(c));
    Column shuffled(kept.begin(), kept.end());
    random.shuffle(shuffled);
    rest.col(c) = Eigen::Map<const Eigen::VectorXd>(shuffled.data(), kept.size());
    if (const double lost = whole - explained(); lost > maximum)
      maximum = lost, named = d.names[static_cast<std::size_t>(c)];
    rest.col(c) = kept;
  }
  return named;
}

std::string by_lingam(const Design& d) {
  if (d.z.cols() > 40) return {}; // the time of DirectLiNGAM grows with the cube of the number of columns
  DiscoveryInput input;
  input.correlation = d.z.transpose() * d.z / static_cast<double>(d.z.rows());
  input.correlation.diagonal().array() += 1e-9;
  input.n = static_cast<double>(d.z.rows());
  const Discovered found = direct_lingam(input, d.z, {});
  const Eigen::MatrixXd total = total_effects(fit(input.correlation, found.dag));
  const Eigen::Index target = d.z.cols() - 1;
  double maximum = std::sqrt(kMinPart);
  std::string named;
  for (Eigen::Index c = 0; c < target; ++c)
    if (std::fabs(total(target, c)) > maximum)
      maximum = std::fabs(total(target, c)), named = d.names[static_cast<std::size_t>(c)];
  return named;
}

} // namespace

Rivals ask_rivals(const causal::LaunchTable& table) {
  const Design d = design_of(table);
  return {by_least_squares(d), by_trees(d), by_lingam(d)};
}

} // namespace jitterscope::mechanisms
