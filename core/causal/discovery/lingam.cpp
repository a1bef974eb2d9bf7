#include <algorithm>
#include <array>
#include <cmath>

#include "core/causal/base/lists.h"
#include "core/causal/discovery/discovery.h"
#include "core/causal/discovery/grow_shrink_tree.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/moments.h"

namespace jitterscope::causal {
namespace {

constexpr Eigen::Index kMaxRows = 100'000;

/// ln cosh u and u exp(−u²/2) by linear interpolation; error below 4e-6.
class EntropyTerms {
public:
  EntropyTerms() {
    const auto at = [](std::size_t i) { return static_cast<double>(i) / kCellsPerUnit; };
    const auto log_cosh = [](double u) { return u + std::log1p(std::exp(-2 * u)) - std::log(2.0); };
    const auto odd = [](double u) { return u * std::exp(-0.5 * u * u); };
    for (std::size_t i = 0; i < kCells; ++i) {
      even_[i] = log_cosh(at(i)), odd_[i] = odd(at(i));
      even_step_[i] = log_cosh(at(i + 1)) - even_[i], odd_step_[i] = odd(at(i + 1)) - odd_[i];
    }
  }

  /// Differential entropy of a standardised variable by the maximum-entropy approximation (Hyvärinen 1998),
  /// of the values scale · (x − slope · y).
  double entropy(const double* x, const double* y, double slope, double scale, Eigen::Index n) const {
    double even = 0, odd = 0;
    for (Eigen::Index r = 0; r < n; ++r) {
      const double u = scale * (x[r] - slope * y[r]);
      const double position = std::min(std::fabs(u) * kCellsPerUnit, kCells - 1e-9);
      const auto cell = static_cast<std::size_t>(position);
      const double part = position - static_cast<double>(cell);
      even += even_[cell] + part * even_step_[cell];
      odd += std::copysign(odd_[cell] + part * odd_step_[cell], u);
    }
    const auto rows = static_cast<double>(n);
    const double a = even / rows - 0.37457, b = odd / rows;
    return 0.5 * (1 + std::log(2 * M_PI)) - 79.047 * a * a - 7.4129 * b * b;
  }

private:
  static constexpr double kCellsPerUnit = 256;
  static constexpr std::size_t kCells = 16 * 256; ///< up to 16 standard deviations
  std::array<double, kCells> even_{}, odd_{}, even_step_{}, odd_step_{};
};

const EntropyTerms& entropy_terms() {
  static const EntropyTerms terms;
  return terms;
}

void standardise(Eigen::Ref<Eigen::VectorXd> x) {
  x.array() -= x.mean();
  const double variance = x.squaredNorm() / static_cast<double>(x.size());
  if (variance > 0) x /= std::sqrt(variance);
}

/// At most `maximum` rows, evenly spaced.
Eigen::MatrixXd thinned(const Eigen::MatrixXd& rows, Eigen::Index maximum) {
  if (rows.rows() <= maximum) return rows;
  Eigen::MatrixXd some(maximum, rows.cols());
  for (Eigen::Index i = 0; i < maximum; ++i) some.row(i) = rows.row(i * rows.rows() / maximum);
  return some;
}

class LingamOrder {
public:
  LingamOrder(const DiscoveryInput& input, const Eigen::MatrixXd& rows, const DiscoveryOptions& options)
      : input_(input), x_(thinned(rows, lingam_rows(rows.cols(), options))),
        effort_({.cancelled = options.cancelled}) {
    for (Eigen::Index c = 0; c < x_.cols(); ++c) standardise(x_.col(c));
  }

  std::vector<int> run() {
    auto left = numbers_below<int>(x_.cols());
    std::vector<int> order;
    while (!left.empty() && !effort_.spent(0)) {
      const int first = most_exogenous(candidates_of(left));
      order.push_back(first);
      left.erase(std::ranges::find(left, first));
      for (const int v : left) remove_effect(first, v);
    }
    return order;
  }

private:
  /// Vertices of the earliest remaining tier whose required causes are placed.
  std::vector<int> candidates_of(const std::vector<int>& left) const {
    const auto& background = input_.background;
    int tier = background.tier_of(left.front());
    for (const int v : left) tier = std::min(tier, background.tier_of(v));
    std::vector<int> candidates;
    for (const int v : left) {
      const bool ready = std::ranges::none_of(left, [&](int c) { return background.requires_edge(c, v); });
      if (background.tier_of(v) == tier && ready) candidates.push_back(v);
    }
    return candidates;
  }

  double correlation(int a, int b) const { return x_.col(a).dot(x_.col(b)) / static_cast<double>(x_.rows()); }

  /// Entropy of the residual of column a on column b.
  double residual_entropy(int a, int b, double r) const {
    const double left = 1 - r * r;
    if (left < 1e-12) return -1e300;
    return entropy_terms().entropy(x_.col(a).data(), x_.col(b).data(), r, 1 / std::sqrt(left), x_.rows());
  }

  /// The candidate that is least caused by other candidates (Hyvärinen and Smith 2013, equation 24).
  int most_exogenous(const std::vector<int>& candidates) {
    if (candidates.size() == 1) return candidates.front();
    std::vector<double> own, against(candidates.size(), 0.0);
    for (const int v : candidates)
      own.push_back(entropy_terms().entropy(x_.col(v).data(), x_.col(v).data(), 0, 1, x_.rows()));
    for (std::size_t i = 0; i < candidates.size(); ++i)
      for (std::size_t j = i + 1; j < candidates.size(); ++j) {
        if (effort_.spent(static_cast<double>(x_.rows()))) return candidates.front();
        const int a = candidates[i], b = candidates[j];
        const double r = correlation(a, b);
        const double difference = (own[j] + residual_entropy(a, b, r)) - (own[i] + residual_entropy(b, a, r));
        // Positive: a causes b.
        if (difference < 0) against[i] += difference * difference;
        if (difference > 0) against[j] += difference * difference;
      }
    const auto best = std::ranges::min_element(against);
    return candidates[static_cast<std::size_t>(best - against.begin())];
  }

  void remove_effect(int cause, int v) {
    x_.col(v) -= correlation(cause, v) * x_.col(cause);
    standardise(x_.col(v));
  }

  const DiscoveryInput& input_;
  Eigen::MatrixXd x_;
  Effort effort_;
};

} // namespace

Eigen::Index lingam_rows(Eigen::Index columns, const DiscoveryOptions& options) {
  const double cubed = std::pow(static_cast<double>(std::max<Eigen::Index>(columns, 1)), 3);
  return std::clamp<Eigen::Index>(static_cast<Eigen::Index>(options.lingam_work / cubed), 500, kMaxRows);
}

Discovered direct_lingam(const DiscoveryInput& input, const Eigen::MatrixXd& rows,
                         const DiscoveryOptions& options) {
  const int p = static_cast<int>(input.correlation.rows());
  Discovered found;
  found.order = LingamOrder(input, rows, options).run();
  found.dag = Digraph(p);
  std::vector<std::uint8_t> before(static_cast<std::size_t>(p), 0);
  found.complete = found.order.size() == static_cast<std::size_t>(p);
  for (const int v : found.order) {
    found.dag.parents[v] = *tree_of(input, options, v).best(before).parents;
    before[v] = 1;
  }
  found.cpdag = PartialGraph(p);
  for (int v = 0; v < p; ++v)
    for (const int x : found.dag.parents[v]) found.cpdag.orient(x, v);
  return found;
}

int gaussian_residuals(const Digraph& dag, const Eigen::MatrixXd& rows) {
  const Moments moments = Moments::of(rows);
  const LinearModel model = fit(moments.cross / std::max(moments.n, 1.0), dag);
  int gaussian = 0;
  for (int v = 0; v < dag.size(); ++v) {
    Eigen::VectorXd e = rows.col(v);
    for (const int x : dag.parents[v]) e -= model.coefficients(v, x) * rows.col(x);
    standardise(e);
    const double skewness = e.array().cube().mean(), kurtosis = e.array().square().square().mean() - 3;
    gaussian += std::fabs(skewness) < 3 * std::sqrt(6 / moments.n) &&
                std::fabs(kurtosis) < 3 * std::sqrt(24 / moments.n);
  }
  return gaussian;
}

} // namespace jitterscope::causal
