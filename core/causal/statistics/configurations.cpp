#include "core/causal/statistics/configurations.h"

#include <algorithm>
#include <limits>

#include "core/causal/base/random.h"

namespace jitterscope::causal {

namespace {

using Members = std::vector<std::uint32_t>;

/// Configurations that have launches, by kernel, sorted by the column.
std::vector<Members> by_kernel(const ConfigurationFacts& facts) {
  std::vector<Members> all;
  for (std::uint32_t g = 0; g < facts.x.size(); ++g) {
    if (facts.rows[g] <= 0) continue;
    if (facts.kernel[g] >= all.size()) all.resize(facts.kernel[g] + 1);
    all[facts.kernel[g]].push_back(g);
  }
  for (auto& members : all) std::ranges::stable_sort(members, {}, [&](auto g) { return facts.x[g]; });
  return all;
}

struct End {
  double rows = 0, deviation = 0, duration = 0; ///< launches, Σ |d − typical|, Σ typical
  double border = 0;                            ///< value of the column at which this end stops
};

} // namespace

Moments ConfigurationMeans::moments(const std::vector<int>& draws) const {
  const auto weight_of = [&](std::size_t g) {
    return draws.empty() ? weight[g] : weight[g] * static_cast<double>(draws[g]);
  };
  const std::uint32_t kernels = kernel.empty() ? 0 : 1 + *std::ranges::max_element(kernel);
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(kernels, values.cols());
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(kernels);
  for (std::size_t g = 0; g < kernel.size(); ++g) {
    const double w = weight_of(g);
    if (!(w > 0)) continue;
    mean.row(kernel[g]) += w * values.row(static_cast<Eigen::Index>(g));
    weights(kernel[g]) += w;
  }
  for (Eigen::Index k = 0; k < mean.rows(); ++k)
    if (weights(k) > 0) mean.row(k) /= weights(k);
  Moments result(values.cols());
  for (std::size_t g = 0; g < kernel.size(); ++g) {
    const double w = weight_of(g);
    if (!(w > 0)) continue;
    result.n += w;
    const Eigen::RowVectorXd away = values.row(static_cast<Eigen::Index>(g)) - mean.row(kernel[g]);
    result.cross.noalias() += w * away.transpose() * away;
  }
  return result;
}

ConfigurationCount count_configurations(const std::vector<std::uint32_t>& kernel,
                                        const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> of_kernel(kernel.empty() ? 0 : 1 + *std::ranges::max_element(kernel), 0);
  for (std::size_t g = 0; g < kernel.size(); ++g) of_kernel[kernel[g]] += rows[g] > 0;
  ConfigurationCount count;
  for (const auto n : of_kernel)
    if (n > 1) count.configurations += n, ++count.kernels;
  return count;
}

double configuration_weight(std::int64_t rows) {
  constexpr double few = 10;
  return rows > 0 ? static_cast<double>(rows) / (static_cast<double>(rows) + few) : 0.0;
}

std::vector<int> draw_configurations(const std::vector<std::int64_t>& rows, std::uint64_t seed,
                                     int replicate) {
  std::vector<std::size_t> filled;
  for (std::size_t g = 0; g < rows.size(); ++g)
    if (rows[g] > 0) filled.push_back(g);
  std::vector<int> draws(rows.size(), 0);
  Random random(seed, static_cast<std::uint64_t>(replicate) + 1'000'001);
  for (std::size_t k = 0; k < filled.size(); ++k) ++draws[filled[random.below(filled.size())]];
  return draws;
}

int trend_of_configurations(const ConfigurationFacts& facts) {
  double slope = 0;
  for (const Members& members : by_kernel(facts)) {
    double weight = 0, place = 0, unsteady = 0;
    std::vector<double> places, values;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const auto g = members[k];
      const bool tie = k > 0 && facts.x[g] == facts.x[members[k - 1]];
      places.push_back(tie ? places.back() : static_cast<double>(k));
      const double duration = facts.typical[g] * static_cast<double>(facts.rows[g]);
      values.push_back(duration > 0 ? facts.deviation[g] / duration : 0.0);
      const double w = configuration_weight(facts.rows[g]);
      weight += w, place += w * places.back(), unsteady += w * values.back();
    }
    if (!(unsteady > 0)) continue;
    for (std::size_t k = 0; k < members.size(); ++k)
      slope += configuration_weight(facts.rows[members[k]]) * (places[k] - place / weight) * values[k] /
               (unsteady / weight);
  }
  return slope > 0 ? 1 : slope < 0 ? -1 : 0;
}

ConfigurationEffect effect_of_configurations(const ConfigurationFacts& facts, int trend,
                                             const std::vector<int>& draws) {
  ConfigurationEffect effect;
  effect.expected.assign(facts.x.size(), std::numeric_limits<double>::quiet_NaN());
  const auto times = [&](std::uint32_t g) { return draws.empty() ? 1.0 : static_cast<double>(draws[g]); };
  double before = 0, gain = 0;
  for (Members members : by_kernel(facts)) {
    std::erase_if(members, [&](auto g) { return times(g) == 0; });
    if (trend < 0) std::ranges::reverse(members);
    double rows = 0;
    for (const auto g : members) {
      rows += times(g) * static_cast<double>(facts.rows[g]);
      before += times(g) * facts.deviation[g];
    }
    if (trend == 0 || members.empty() || facts.x[members.front()] == facts.x[members.back()]) continue;
    End end;
    for (const auto g : members) {
      if (end.rows >= std::max(10.0, 0.1 * rows) && facts.x[g] != end.border) break;
      const double n = times(g) * static_cast<double>(facts.rows[g]);
      end.border = facts.x[g];
      end.rows += n, end.deviation += times(g) * facts.deviation[g], end.duration += n * facts.typical[g];
    }
    if (!(end.duration > 0)) continue;
    const double relative = end.deviation / end.duration, absolute = end.deviation / end.rows;
    for (const auto g : members) {
      if (trend > 0 ? facts.x[g] <= end.border : facts.x[g] >= end.border) continue;
      effect.expected[g] = std::max(relative * facts.typical[g], absolute);
      gain += times(g) * (facts.deviation[g] - static_cast<double>(facts.rows[g]) * effect.expected[g]);
    }
  }
  effect.share = before > 0 ? gain / before : 0.0;
  return effect;
}

} // namespace jitterscope::causal
