#include "tests/bench/model/rivals.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

namespace jitterscope::bench {
namespace {

bool never() {
  return false;
}

/// Features from the counters alone, without the analytical model.
std::vector<std::size_t> plain_features(const model::CorrectionRows& rows) {
  std::vector<std::size_t> out;
  for (std::size_t f = 0; f < rows.features.size(); ++f) {
    const auto& name = rows.features[f];
    const bool of_model = name == "ln_predicted" || name == "mwp" || name == "cwp" ||
                          name.starts_with("case_") || name.starts_with("bound_");
    if (!of_model) out.push_back(f);
  }
  return out;
}

std::vector<double> row_of(const model::CorrectionRows& rows, std::size_t r,
                           const std::vector<std::size_t>& features) {
  std::vector<double> out;
  for (const auto f : features) out.push_back(rows.values[r][f]);
  return out;
}

/// ln T by ridge regression on standardised features; missing values are replaced by means.
std::vector<double> by_line(const KernelRows& kernels, const Split& split) {
  const auto& rows = kernels.rows;
  const auto features = plain_features(rows);
  const auto n = static_cast<Eigen::Index>(split.training.size()),
             p = static_cast<Eigen::Index>(features.size());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(p), spread = Eigen::VectorXd::Ones(p);
  const auto value = [&](std::size_t r, Eigen::Index f) {
    return rows.values[r][features[static_cast<std::size_t>(f)]];
  };
  for (Eigen::Index f = 0; f < p; ++f) {
    double sum = 0, squares = 0, count = 0;
    for (const auto r : split.training)
      if (!std::isnan(value(r, f))) sum += value(r, f), squares += value(r, f) * value(r, f), ++count;
    if (count > 0) mean(f) = sum / count;
    const double variance = count > 0 ? squares / count - mean(f) * mean(f) : 0;
    spread(f) = variance > 1e-9 * (1 + mean(f) * mean(f)) ? std::sqrt(variance)
                                                          : INFINITY; // constant features give no information
  }
  const auto standard = [&](std::size_t r) {
    Eigen::VectorXd x(p);
    for (Eigen::Index f = 0; f < p; ++f)
      x(f) = std::isnan(value(r, f)) ? 0 : (value(r, f) - mean(f)) / spread(f);
    return x;
  };
  Eigen::MatrixXd x(n, p);
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto r = split.training[static_cast<std::size_t>(i)];
    x.row(i) = standard(r).transpose();
    y(i) = std::log(rows.measured[r]);
  }
  const double middle = y.mean();
  const Eigen::MatrixXd normal = x.transpose() * x + Eigen::MatrixXd::Identity(p, p);
  const Eigen::VectorXd slope = normal.ldlt().solve(x.transpose() * (y.array() - middle).matrix());
  // A line extrapolates without bound: predictions are limited to e times the longest and 1/e of the shortest
  // time.
  std::vector<double> out;
  for (const auto r : split.test)
    out.push_back(std::exp(std::clamp(middle + standard(r).dot(slope), y.minCoeff() - 1, y.maxCoeff() + 1)));
  return out;
}

/// ln T by the same boosting on the same counters, without the analytical model.
std::vector<double> by_trees(const KernelRows& kernels, const Split& split) {
  const auto& rows = kernels.rows;
  const auto features = plain_features(rows);
  model::Matrix x;
  std::vector<float> y;
  double middle = 0;
  for (const auto r : split.training)
    middle += std::log(rows.measured[r]) / static_cast<double>(split.training.size());
  for (const auto r : split.training) {
    x.append(row_of(rows, r, features));
    y.push_back(static_cast<float>(std::log(rows.measured[r]) - middle));
  }
  const auto trees = model::boost(x, y, {}, never);
  std::vector<double> out;
  for (const auto r : split.test) {
    const auto row = row_of(rows, r, features);
    const std::vector<float> values(row.begin(), row.end());
    out.push_back(trees ? std::exp(middle + model::sum_of(*trees, values)) : std::nan(""));
  }
  return out;
}

model::CorrectionRows part(const model::CorrectionRows& rows, const std::vector<std::size_t>& of) {
  model::CorrectionRows out;
  out.features = rows.features;
  out.machine = rows.machine;
  for (const auto r : of) {
    out.values.push_back(rows.values[r]);
    out.measured.push_back(rows.measured[r]);
    out.predicted.push_back(rows.predicted[r]);
    out.groups.push_back(rows.groups[r]);
    out.families.push_back(rows.families[r]);
  }
  return out;
}

} // namespace

Predictions predict(const KernelRows& kernels, const Split& split) {
  Predictions out;
  out.linear = by_line(kernels, split);
  out.trees = by_trees(kernels, split);
  const auto fit = model::fit_correction(part(kernels.rows, split.training), "kernels", never);
  auto of_any_machine = fit ? fit->correction : model::Correction{};
  of_any_machine.machine.clear(), of_any_machine.families.clear();
  for (const auto r : split.test) {
    out.measured.push_back(kernels.rows.measured[r]);
    out.roofline.push_back(kernels.roofline[r]);
    out.analytical.push_back(kernels.rows.predicted[r]);
    const auto factor =
        fit ? model::factor_of(fit->correction, kernels.rows.values[r], kernels.rows.families[r])
            : model::Factor{};
    out.corrected.push_back(kernels.rows.predicted[r] * factor.value);
    out.anyway.push_back(kernels.rows.predicted[r] *
                         model::factor_of(of_any_machine, kernels.rows.values[r]).value);
    out.extrapolated += factor.extrapolated || factor.untrusted || !fit || !fit->correction.applied();
  }
  return out;
}

void append(Predictions& to, const Predictions& more) {
  const auto join = [](std::vector<double>& a, const std::vector<double>& b) {
    a.insert(a.end(), b.begin(), b.end());
  };
  join(to.measured, more.measured);
  join(to.roofline, more.roofline);
  join(to.analytical, more.analytical);
  join(to.corrected, more.corrected);
  join(to.anyway, more.anyway);
  join(to.linear, more.linear);
  join(to.trees, more.trees);
  to.extrapolated += more.extrapolated;
}

} // namespace jitterscope::bench
