#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/stop.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/result.h"

namespace jitterscope::causal {

/// Rows to which a numeric factor ("amount") is fitted: identical on all ranks, in the same order.
struct AmountRows {
  std::vector<double> x;              ///< value of the factor
  std::vector<double> duration;       ///< duration of a launch, ns, above 0
  std::vector<std::uint32_t> group;   ///< configuration of a launch
  std::vector<std::uint32_t> stratum; ///< rows of one configuration with the same other causes
  std::vector<std::uint32_t> block;   ///< bootstrap block
};

/// Piecewise constant function: values[i] from starts[i] up to starts[i + 1]; values[0] also below starts[0].
struct StepFunction {
  std::vector<double> starts, values;
  double operator()(double x) const;
};

/// How the level of durations depends on a numeric factor.
enum class LevelShape { none, rising, falling, bent };

/// Scale of a level: ln d, or ns.
enum class LevelScale { log, ns };

/// How durations depend on a numeric factor.
struct AmountFit {
  LevelShape shape = LevelShape::none;
  LevelScale scale = LevelScale::log;
  StepFunction level; ///< relative to the reference, on `scale`; for configurations with response 1
  /// By configuration: its level divided by the common level; below 0 where the factor acts in the opposite
  /// direction.
  std::vector<double> response;
  int spread_direction = 0; ///< +1 larger values vary more, −1 smaller values vary more, 0 no difference
  /// Mean |d − typical| relative to that at the reference; 1 if spread_direction is 0.
  StepFunction spread;
  /// By configuration: |d − typical| at the reference, ns; empty if spread_direction is 0.
  std::vector<double> typical;
  double before = 0;        ///< Σ |d − typical|, ns
  double left_by_level = 0; ///< part of `before` that remains if only the level is equal for all launches, ns
  double left = 0;          ///< part of `before` that remains at the reference, ns
  double relative_left = 0; ///< `left` divided by the sum of the typical durations
  /// Correction for overfitting: `left` divided by the sum of the deviations that remain in the rows to which
  /// the fit was made.
  double correction = 1;

  /// Log scale, by configuration: level of the reference minus the median level of its rows, which have the
  /// median duration if the factor is what makes them differ. Levels are for response 1.
  std::vector<double> reference;
  double stretch = 1; ///< log scale: 1 if the level multiplies the whole duration, 0 if it is added to it

  /// Duration of a launch of configuration `group` if the factor had its reference value instead of x, ns.
  double without_level(double duration, double x, std::uint32_t group, double typical_ns) const {
    return without(duration, response.empty() ? level(x) : response[group] * level(x),
                   reference.empty() ? 0.0 : response[group] * reference[group], typical_ns);
  }
  /// Same as without_level(), but for level `m` relative to the reference; `above`: level of the reference
  /// minus the median of the configuration's rows.
  double without(double duration, double m, double above, double typical_ns) const {
    if (scale == LevelScale::ns) return std::max(duration - m, kMinDuration * typical_ns);
    return of_factor(duration, std::exp(m), typical_ns * std::exp(above), typical_ns);
  }
  /// Same as without(), but on the log scale: `factor` is exp(m), `at_reference` the typical duration at the
  /// reference, ns.
  double of_factor(double duration, double factor, double at_reference, double typical_ns) const {
    return std::max(stretch * duration / factor + (1 - stretch) * (duration - at_reference * (factor - 1)),
                    kMinDuration * typical_ns);
  }
  static constexpr double kMinDuration = 1e-3; ///< lower limit of a duration, in typical durations

  /// Deviation |d − typical| that a launch would have with the spread of the reference, ns. The part beyond
  /// kFar typical deviations at its value has another cause and is kept.
  double steadied(double deviation, double x, std::uint32_t group) const {
    if (spread_direction == 0) return deviation;
    const double wider = spread(x), near = std::min(deviation, kFar * typical[group] * wider);
    return deviation - near * (1 - 1 / wider);
  }
  /// Upper limit in steadied(), in typical deviations: about 5 standard deviations of a normal distribution.
  static constexpr double kFar = 6;

  /// Part of the result of steadied() that the spread accounts for, ns.
  double near(double deviation, double x, std::uint32_t group) const {
    if (spread_direction == 0) return 0;
    const double wider = spread(x);
    return std::min(deviation, kFar * typical[group] * wider) / wider;
  }

  /// Whether most of the reduction comes from durations becoming more alike rather than from a shift.
  bool acts_by_spread() const {
    return spread_direction != 0 && 2 * (before - std::min(left_by_level, before)) < before - left;
  }
};

/// Share of the rows that form the steadier end of a numeric factor: enough to hold 200 rows, at least 1/20
/// and at most 1/4.
double reference_share(double rows);

/// Durations and variability that launches would have if a numeric factor had the same value for all of them.
/// The reference is the median of the values; where the factor acts through the spread, that of the spread is
/// the steadier end.
///
/// Level: ln d or d = stratum + response of the configuration · m(value). m is monotone: isotonic regression
/// over the rows, with strata and responses fitted in turn. Where that fits clearly worse, m is a line
/// through the means of at most 40 classes, narrow where deviations are large. A clock affects kernels that
/// compute, but not kernels that wait for memory: responses differ as far as chance does not explain it, and
/// are shrunk to their mean by their uncertainty (DerSimonian, Laird 1986).
///
/// Cross-validation chooses the shape (or no level) and the scale (ln d or d): the choice leaves the least
/// variability when each row is moved by a fit of the other rows. A level of ln d may multiply everything
/// that makes launches vary, or be added to the typical duration. This depends on how much more the launches
/// at higher levels deviate. Rows of noisy strata have a lower weight: otherwise an event on few launches
/// would determine the level of its values. A fit leaves too little variability in its own rows and too much
/// in other rows: the mean of both is used.
///
/// Spread: |d − typical| = stratum · s(value), fitted to what the level leaves. Its reference is the mean
/// over the launches at the steadier end (reference_share): the minimum of many noisy classes, or the end of
/// an isotonic fit, would be too steady by chance. Other launches have a monotone fit. The spread counts only
/// where its trend over all launches differs from 0 (95 %, bootstrap). Deviations are Winsorized (Huber
/// 1981), so that a few outliers by another cause do not decide.
///
/// A refit repeats all of this on a resample, except the choices.
class AmountEffect {
public:
  /// `typical_ns`: median duration by configuration, ns. `kernel`: by configuration; the configurations of a
  /// kernel that have few rows share one response.
  AmountEffect(AmountRows rows, const std::vector<double>& typical_ns,
               const std::vector<std::uint32_t>& kernel);

  /// Error when cancelled; the fit is then unusable, and so are refits after a later cancellation. The job
  /// must outlive the refits. `as`: a fit whose shape and scale are used instead of choosing them.
  /// Collective: the ranks, which have the same rows, try different shapes.
  Expected<void> fit(bool shifts, bool spreads, const std::vector<std::vector<int>>& resamples,
                     Communicator& communicator, const Job& job, const AmountFit* as = nullptr);
  const AmountFit& fitted() const { return fit_; }
  std::size_t rows() const { return point_.size(); }
  /// Value to which all launches are set: the median; if the effect acts through the spread, the middle of
  /// the steadier end.
  double reference_amount() const {
    const std::size_t n = rows_.x.size(), end = first_row_[low_end_ ? low_points_ : high_points_];
    if (n == 0) return 0;
    return rows_.x[!fit_.acts_by_spread() ? n / 2 : low_end_ ? end / 2 : (end + n) / 2];
  }

  /// Durations and variability if all launches had the same value, for bootstrap weights w of the blocks.
  struct Outcome {
    double before = 0;            ///< Σ w |d − typical| as recorded, ns
    double left_at_reference = 0; ///< Σ w |d − typical| at the reference, ns
    /// Standard deviation of |d − typical| at the reference, relative to the recorded one.
    double std_at_reference = 1;
    std::vector<double> left; ///< by setting: Σ w |d − typical| with all launches at the setting, ns
    std::vector<double> duration_change; ///< by setting: mean of d(setting) − d, ns
    double share() const { return before > 0 ? 1 - left_at_reference / before : 0.0; }
  };
  /// Outcome by the fit of all rows (as_fitted) or by a refit to the weighted rows (refitted).
  Outcome as_fitted(const std::vector<int>& weights) const;
  Outcome refitted(const std::vector<int>& weights) const;
  /// Settings for which outcomes are computed: indices of distinct values at the minimum, quantiles and the
  /// maximum, ascending.
  std::vector<std::size_t> settings() const;
  double value_of_setting(std::size_t setting) const { return rows_.x[first_row_[settings()[setting]]]; }

private:
  using Values = std::vector<double>;

  Values smooth(LevelShape shape, const Values& sums, const Values& weights) const;
  Values bent(const Values& sums, const Values& weights) const;
  struct Level {
    Values of_point, of_stratum;
    Values response; ///< response by unit (unit_)
  };
  struct StratumSums;
  Level no_level() const {
    return {Values(first_row_.size() - 1, 0.0), Values(strata_.size(), 0.0), Values(units_, 1.0)};
  }
  Level level(LevelShape shape, const Values& row_weights, Level from, int rounds) const;
  Values responses(const std::vector<StratumSums>& sums, const Values& before) const;
  /// Level relative to the reference, by row, with the response of the row's configuration.
  struct Above {
    Values of_row;
    Values factor;       ///< by row: exp(of_row); empty on the scale ns
    Values reference;    ///< by row: level of the reference minus the median of the configuration's rows
    double of_level = 0; ///< level of the reference, in the Level from which this was computed
  };
  Above above(const Level& level, const Values& row_weights) const;
  void set_factors(Above& above) const;
  Above above_by_others(LevelShape shape, const Values& row_weights, const Level& from, int rounds,
                        double reference) const;
  using Sets = std::vector<std::vector<std::uint32_t>>; ///< sets of row indices
  Values deviations(const Above& above, double stretch, const Sets& alike) const;
  Values mean_deviations(const Level& level, const Above& own, const Values& row_weights, int rounds,
                         double stretch) const;
  double reference_level(const Values& level_of_point, const Values& row_weights) const;
  double mean_of_rows(const Values& of_point) const;
  Values medians_of_configurations(const Values& of_point) const;
  void set_scale(LevelScale scale);
  void weigh_strata();
  void find_units(const std::vector<std::uint32_t>& kernel);
  struct Choice {
    LevelShape shape = LevelShape::none;
    double left = 0; ///< remaining variability, ns
  };
  double left_by(LevelShape shape) const;
  Expected<void> choose_level(Communicator& communicator, const Job& job);
  double stretch_of(const Above& above_reference, const Values& row_weights) const;
  double fit_spread(const Values& deviation);
  void refer_spread_to_median();
  int trend_of_spread(const Values& deviation, const std::vector<std::vector<int>>& resamples) const;
  struct Spread {
    Values of_point;      ///< by point: spread, relative to that of the stratum
    double reference = 0; ///< relative spread at the reference end
    Values of_stratum;    ///< by stratum: spread, ns
  };
  Values first_typical(const Values& deviation) const;
  Values means_of_strata(const Values& deviation) const;
  Values capped(const Values& deviation, const Values& typical, const Values& spread) const;
  struct Steadied {
    Values left; ///< |d − typical| with the spread of the reference, ns
    Values near; ///< part of `left` that the spread accounts for, ns
  };
  Steadied steadied_again(const Values& deviation, const Values& row_weights, Values& spread) const;
  Values spread_of_points() const {
    return mapped(numbers_below(first_row_.size() - 1),
                  [&](std::size_t p) { return fit_.spread(rows_.x[first_row_[p]]); });
  }
  struct AtReference;
  Outcome outcome(const Values& row_weights, const Level& level, const Above& above_reference, double stretch,
                  const Steadied& steadied, const Values& spread) const;
  Spread spread(const Values& deviation, const Values& row_weights, Values of_stratum, int rounds) const;
  Values weights_of_rows(const std::vector<int>& weights) const {
    return mapped(rows_.block, [&](std::uint32_t b) { return static_cast<double>(weights[b]); });
  }
  bool in_reference(std::size_t point) const { ///< whether a point belongs to the reference of the spread
    return low_end_ ? point < low_points_ : point >= high_points_;
  }
  bool at_median(std::size_t row) const; ///< whether a row represents the median, the reference of the level
  StepFunction steps(const Values& of_point) const;
  static constexpr std::uint8_t kFolds = 4;
  static constexpr int kRounds = 20;       ///< rounds that alternate between strata and factor
  static constexpr int kRoundsAgain = 4;   ///< rounds of refits, which start from the fit of all rows
  static constexpr int kRoundsOfFolds = 2; ///< rounds of folds, which start from the fit of a resample

  AmountRows rows_;                    ///< rows of the fit, sorted by x
  std::vector<std::uint8_t> fold_;     ///< cross-validation fold by row
  std::vector<std::uint32_t> point_;   ///< by row: index of its value among the distinct values (a point)
  std::vector<std::size_t> first_row_; ///< by point: its first row; ends with the number of rows
  std::vector<std::uint32_t> class_;   ///< by point: index of the class in a bent level
  std::size_t classes_ = 1;
  Sets members_, strata_;       ///< rows by configuration, rows by stratum
  std::vector<double> typical_; ///< by configuration: median duration, ns
  /// By row: response_ on the scale of the level; deviation_, without_ and near_ in ns.
  std::vector<double> response_, deviation_, without_, near_;
  std::vector<double> weight_of_stratum_; ///< by stratum: weight in fits of the level
  std::size_t low_points_ = 0,
              high_points_ = 0;     ///< first point above the lower end; first point of the upper end
  std::vector<std::uint32_t> unit_; ///< by configuration: its unit, which shares one response
  std::size_t units_ = 0;
  Level level_; ///< level of the fit of all rows; refits start from it
  std::vector<double> stratum_spread_;
  bool low_end_ = true;
  bool spread_at_median_ = false; ///< the reference of the spread is the median, too
  std::uint32_t blocks_ = 1;
  AmountFit fit_;
  std::shared_ptr<Stop> stop_; ///< shared by the fit and its refits; fits stop when it is requested
};

} // namespace jitterscope::causal
