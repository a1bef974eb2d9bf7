#pragma once

#include <cstdint>
#include <vector>

namespace jitterscope::causal {

/// Quantile of the standard normal distribution, 0 < p < 1; relative error about 1e-16
/// (Wichura 1988, "Algorithm AS 241").
double normal_quantile(double p);

/// Normal scores of mid-ranks: z = Φ⁻¹((r − ½) / n), r the mean rank of equal values. The correlation of such
/// scores estimates that of the underlying Gaussian copula, for any margins.
class NormalScores {
public:
  NormalScores() = default;
  /// From a sample (any order, without NaN). With at most `max_knots` distinct values, values of the sample
  /// get their exact score; else scores are linear between that many order statistics. Values between knots
  /// are interpolated, values outside get the score of the nearest knot.
  explicit NormalScores(std::vector<double> sample, std::size_t max_knots);

  double operator()(double value) const;

private:
  std::vector<double> knots_;
  std::vector<double> scores_;
};

/// Ranks of the rows within each group, with equal ranks for equal values, minus their mean and divided by
/// the number of the group's rows.
std::vector<double> ranks_within(const std::vector<double>& values, const std::vector<std::uint32_t>& groups);

} // namespace jitterscope::causal
