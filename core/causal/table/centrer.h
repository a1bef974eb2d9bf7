#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/base/exact_sums.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/value_names.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// The mean that is subtracted from a column before rows are compared.
enum class Centring {
  none,
  group,      ///< minus the mean of the configuration
  kernel,     ///< minus the mean of the kernel
  group_mean, ///< replaced by the mean of the configuration
};
inline constexpr ValueName<Centring> kCentringNames[] = {{Centring::none, "pooled"},
                                                         {Centring::group, "within"},
                                                         {Centring::kernel, "within kernel"},
                                                         {Centring::group_mean, "between"}};

/// Subtracts (or keeps only) the means of configurations or kernels. With `around_mean`, values stay around
/// the mean of all rows: differences between configurations are removed, but not the level itself.
class Centrer {
public:
  Centrer(const Frame& frame, std::vector<Centring> centring, bool around_mean = false)
      : frame_(frame), centring_(std::move(centring)), around_mean_(around_mean) {}

  bool needed() const {
    return std::ranges::any_of(centring_, [](Centring c) { return c != Centring::none; });
  }

  /// `bounds`: maximum magnitude of every column.
  Expected<void> learn(const auto& values, const std::vector<double>& bounds, Communicator& communicator,
                       const Job& job) {
    if (!needed()) return {};
    const std::size_t g = frame_.groups.count;
    bounds_ = bounds;
    auto sums = mapped(bounds, [&](double bound) { return ExactSums(g, bound, frame_.plan.rows); });
    auto walked = frame_.walk(job, "means of configurations", [&](std::int64_t, const Tile& tile) {
      const Eigen::MatrixXd x = values(tile);
      for (std::size_t c = 0; c < sums.size(); ++c)
        for (std::size_t k = 0; k < tile.row.size(); ++k)
          sums[c].add(frame_.local.group[tile.row[k]],
                      x(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c)));
    });
    if (!walked) return walked;
    const auto& groups = frame_.groups.rows;
    const double rows = std::accumulate(groups.begin(), groups.end(), 0.0);
    for (std::size_t c = 0; c < sums.size(); ++c) {
      auto total = sums[c].total(communicator);
      if (!total) return forward(total.error());
      const double sum = std::accumulate(total->begin(), total->end(), 0.0);
      of_all_.push_back(around_mean_ && rows > 0 ? sum / rows : 0.0);
      of_configurations_.push_back(group_means(*total));
      means_.push_back(centring_[c] == Centring::kernel ? kernel_means(*total) : of_configurations_.back());
    }
    return {};
  }

  /// Means by column and configuration; call learn() first.
  const std::vector<std::vector<double>>& means_of_configurations() const { return of_configurations_; }

  void apply(const Tile& tile, Eigen::MatrixXd& x) const {
    for (std::size_t c = 0; c < centring_.size(); ++c) {
      if (centring_[c] == Centring::none) continue;
      for (std::size_t k = 0; k < tile.row.size(); ++k) {
        const double mean = means_[c][frame_.local.group[tile.row[k]]];
        double& value = x(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c));
        value = centring_[c] == Centring::group_mean ? mean : value - mean;
        if (std::fabs(value) < 1e-11 * bounds_[c]) value = 0; // rounding of the exact sums
        if (centring_[c] != Centring::group_mean) value += of_all_[c];
      }
    }
  }

private:
  std::vector<double> group_means(std::vector<double> sums) const {
    for (std::size_t g = 0; g < sums.size(); ++g)
      sums[g] = frame_.groups.rows[g] > 0 ? sums[g] / static_cast<double>(frame_.groups.rows[g]) : 0.0;
    return sums;
  }

  std::vector<double> kernel_means(const std::vector<double>& sums) const {
    std::vector<double> total(frame_.groups.kernels, 0.0), rows(frame_.groups.kernels, 0.0),
        means(sums.size());
    for (std::size_t g = 0; g < sums.size(); ++g) {
      total[frame_.groups.kernel[g]] += sums[g];
      rows[frame_.groups.kernel[g]] += static_cast<double>(frame_.groups.rows[g]);
    }
    for (std::size_t g = 0; g < sums.size(); ++g) {
      const auto k = frame_.groups.kernel[g];
      means[g] = rows[k] > 0 ? total[k] / rows[k] : 0.0;
    }
    return means;
  }

  const Frame& frame_;
  std::vector<Centring> centring_;
  bool around_mean_ = false;
  std::vector<double> of_all_;             ///< mean by column; 0 without `around_mean`
  std::vector<std::vector<double>> means_; ///< means by column and configuration
  std::vector<std::vector<double>> of_configurations_;
  std::vector<double> bounds_;
};

} // namespace jitterscope::causal
