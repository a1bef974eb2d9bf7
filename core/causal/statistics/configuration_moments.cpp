#include "core/causal/statistics/configuration_moments.h"

#include <algorithm>

#include "core/causal/base/random.h"

namespace jitterscope::causal {

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

} // namespace jitterscope::causal
