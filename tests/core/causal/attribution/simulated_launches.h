#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/causal/attribution/launch_fit.h"
#include "core/causal/base/random.h"

namespace jitterscope::causal::test {

/// Launches of four configurations of two alternating kernels, 2 % noise, and the effects on them.
struct Simulated {
  FitRows rows;
  std::vector<double> planted; ///< planted duration of every launch [ns]
  Random random{7};

  explicit Simulated(std::size_t n) : planted(n) {
    rows.kernels = 2, rows.blocks = static_cast<std::uint32_t>(n / 40);
    for (std::size_t i = 0; i < n; ++i) {
      rows.peers.push_back(static_cast<std::uint32_t>(i % 4)), rows.kernel.push_back(rows.peers.back() / 2);
      rows.block.push_back(static_cast<std::uint32_t>(i * rows.blocks / n));
      rows.duration_ns.push_back(base(i) * (1 + 0.02 * (random.uniform() + random.uniform() - 1)));
    }
  }
  double base(std::size_t row) const { return 2'000.0 * (1 + static_cast<double>(row % 4)); }
  void column(const std::string& name, FeatureRole role, const std::vector<double>& values) {
    FeatureInfo info;
    info.name = name, info.role = role;
    if (role == FeatureRole::category) info.labels = {"0", "1", "2", "3"};
    rows.features.push_back(info);
    rows.values.emplace_back(values.begin(), values.end());
  }
  void lengthen(std::size_t row, double ns) { planted[row] += ns, rows.duration_ns[row] += ns; }
  LaunchFit fit(const FitOptions& options = {}) {
    std::vector<std::vector<double>> durations(1 + *std::max_element(rows.peers.begin(), rows.peers.end()));
    for (std::size_t i = 0; i < rows.rows(); ++i) durations[rows.peers[i]].push_back(rows.duration_ns[i]);
    for (auto& d : durations) {
      std::nth_element(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(d.size() / 2), d.end());
      rows.typical_ns.push_back(d[d.size() / 2]);
    }
    auto fit = fit_launches(rows, options, *local_communicator());
    EXPECT_TRUE(fit.has_value());
    return std::move(*fit);
  }
  /// The part of one term and the planted duration, each summed over all launches.
  std::pair<double, double> sums(const LaunchFit& fit, std::size_t term) const {
    std::pair<double, double> sum;
    std::vector<double> values(fit.terms.size()), out(fit.terms.size());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t t = 0; t < fit.terms.size(); ++t)
        for (std::size_t f = 0; f < rows.features.size(); ++f)
          if (rows.features[f].name == fit.terms[t].feature.name)
            values[t] = static_cast<double>(rows.values[f][i]);
      fit.parts(values, rows.peers[i], rows.kernel[i], rows.duration_ns[i], out);
      sum.first += out[term], sum.second += planted[i];
    }
    return sum;
  }
};

inline std::vector<std::string> names(const LaunchFit& fit) {
  std::vector<std::string> all;
  for (const auto& term : fit.terms) all.push_back(term.feature.name);
  return all;
}

using Names = std::vector<std::string>;

} // namespace jitterscope::causal::test
