#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "core/causal/statistics/moments.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

inline constexpr int kFolds = 5, kSampleStretches = 100;
inline constexpr std::int64_t kSampledRows = 30'000; ///< maximum rows of the sample
/// Maximum rows × predictors: boosted trees then take about a second.
inline constexpr std::int64_t kSampledValues = 300'000;

/// Rows for testing predictions on data not used in the fit: equally spaced stretches of the table, whole
/// while the bounds above allow, else the first rows of each. Stretch s is left out in fold s mod 5, so that
/// neighbouring rows are not on both sides. The same on every rank.
///
/// Columns of `z`: the predictors, then the target, in units (minus the mean of their configuration if
/// requested), standardised; `mean` and `deviation` convert back.
struct StretchSample {
  Eigen::MatrixXd z;
  Eigen::VectorXd mean, deviation;
  std::vector<int> stretch;         ///< index of the row's stretch, ascending
  std::vector<std::uint32_t> group; ///< configuration; kNone for rows without one
  Eigen::VectorXd duration;         ///< ns, if the target is the launches' variability; else empty

  Eigen::Index predictors() const { return z.cols() - 1; }
  auto x() const { return z.leftCols(predictors()); }
  auto y() const { return z.col(predictors()); }
  std::size_t fold_of(std::size_t row) const { return static_cast<std::size_t>(stretch[row] % kFolds); }
  /// Rows of each fold.
  std::vector<std::vector<Eigen::Index>> rows_of_folds() const;
  /// Whether every number is finite and every fold has rows.
  bool complete() const;
  /// The sample of one predictor.
  StretchSample with_only(Eigen::Index predictor) const;

  /// `predictors`: columns of the frame, at least one. Collective.
  static Expected<StretchSample> draw(const Frame& frame, const std::vector<int>& predictors,
                                      bool within_configurations, Communicator& communicator, const Job& job);
};

/// Least-squares fit of the last column on the others.
struct Lines {
  Eigen::VectorXd mean, slope;
  double level = 0; ///< mean of the last column

  static Lines of(const Moments& moments);
  Eigen::VectorXd operator()(const Eigen::MatrixXd& x) const {
    return ((x.rowwise() - mean.transpose()) * slope).array() + level;
  }
};

/// Squared errors of a prediction on rows not used in the fit, by stretch; or differences of two predictions.
using ErrorsByStretch = std::array<double, kSampleStretches>;
/// Whether the sum of these differences is above 0: more than z₁₋ₐ standard errors, α = 2.5 % over `tests`
/// (Bonferroni).
bool is_above_chance(const ErrorsByStretch& saved, double tests);
/// Standard error of the sum. Stretches near each other may have similar errors (long_run_inflation), and the
/// folds' fits share most of their rows (Nadeau and Bengio 2003, equation 9: the variance of the mean of five
/// folds is 1/5 + 1/4 instead of 1/5).
double standard_error_of_sum(const ErrorsByStretch& saved);

/// Rows for testing what the graph's straight lines do not show (stretch_sample.h): the target's parents,
/// then other columns that may be associated with it, then the target. All are normal scores of their
/// mid-ranks among rows of the same configuration (of all rows if there are none, and for the reading
/// "pooled"). Configurations then do not differ in level, in spread or in how their rows are distributed over
/// a column.
struct RankedSample {
  /// What the columns may explain.
  struct Response {
    Eigen::VectorXd y;
    Eigen::VectorXd left;  ///< residual from the parents' lines
    double left_share = 1; ///< fraction of the variance of `y` in `left`
  };
  StretchSample sample;
  Eigen::Index parents = 0;
  /// By row: index of its configuration among those with at least 100 rows, or of the class of all others.
  /// Empty if rows are not compared within configurations.
  std::vector<std::size_t> configuration;
  std::size_t configurations = 0; ///< number of these classes
  /// The target, and for variability the duration: if half of the launches take longer, none is further from
  /// the middle than the others.
  std::vector<Response> responses;
  std::vector<std::vector<Eigen::Index>> rows_of_fold;

  auto column(Eigen::Index c) const { return sample.z.col(c); }

  /// Empty below 60 rows, without columns, and for the reading "between", whose rows repeat. Collective.
  static Expected<std::optional<RankedSample>> draw(const Frame& frame, const std::vector<int>& parents,
                                                    const std::vector<int>& others, const Options& options,
                                                    Communicator& communicator, const Job& job);
};

/// Number of classes for a test on rows not used in the fit: at most `maximum`, fewer for few rows.
constexpr std::size_t classes_for(Eigen::Index rows, std::size_t maximum) {
  constexpr std::size_t minimum = 4, rows_of_class = 12;
  return std::min(maximum, std::max(minimum, static_cast<std::size_t>(rows) / rows_of_class));
}
/// Upper ends of at most `classes` classes with equal numbers of rows; one class per value if values are few.
std::vector<double> class_ends(const Eigen::Ref<const Eigen::VectorXd>& column, std::size_t classes);
std::vector<std::size_t> classes_of(const Eigen::Ref<const Eigen::VectorXd>& column,
                                    const std::vector<double>& ends);

} // namespace jitterscope::causal
