#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/stop.h"
#include "core/causal/base/result.h"

namespace jitterscope::causal {

/// Rows that an amount is judged on: the same, in the same order, on every rank.
struct AmountRows {
  std::vector<double> x;              ///< the amount
  std::vector<double> duration;       ///< ns, above 0
  std::vector<std::uint32_t> group;   ///< configuration
  std::vector<std::uint32_t> stratum; ///< rows that other causes met alike, within one configuration
  std::vector<std::uint32_t> block;   ///< of the bootstrap
};

/// A function that is constant from one start to the next; below the first start it has the first value.
struct StepFunction {
  std::vector<double> starts, values;
  double operator()(double x) const;
};

/// How the level of ln duration goes with an amount.
enum class LevelShape { none, rising, falling, bent };

/// What a level is told in: ln d, or ns.
enum class LevelScale { log, ns };

/// What an amount does to durations.
struct AmountFit {
  LevelShape shape = LevelShape::none;
  LevelScale scale = LevelScale::log;
  StepFunction
      level; ///< on its scale, relative to launches at the reference end; of launches that respond as most do
  std::vector<double> response; ///< of every configuration: its level in that of most; not below 0
  int spread_direction = 0; ///< +1 launches at larger values vary more, −1 at smaller ones, 0 no difference
  StepFunction spread; ///< mean |d − usual| relative to that at the reference end; 1 without a difference
  std::vector<double>
      typical;       ///< |d − usual| at the reference end by configuration, ns; empty without a difference
  double before = 0; ///< Σ |d − usual|, ns
  double left_by_level = 0; ///< of it, when the level alone is the same for all
  double left = 0;          ///< of it, when all launches are as those at the reference end
  double relative_left = 0; ///< the same by the sum of usual durations
  double correction = 1;    ///< `left` by what the fit itself leaves: it follows its own rows too closely

  double reference = 0; ///< of ln d: level of the reference end above the mean of all
  double stretch =
      1; ///< of ln d: how far a higher level stretches the rest of the duration, 0 not, 1 as a factor

  /// The duration of a launch of configuration `group` had it the reference's amount in place of x; ns.
  double without_level(double duration, double x, std::uint32_t group, double usual) const {
    return without(duration, response.empty() ? level(x) : response[group] * level(x),
                   response.empty() ? reference : response[group] * reference, usual);
  }
  /// The same for the level itself, `m` above that of the reference, which is `above` the mean of all.
  double without(double duration, double m, double above, double usual) const {
    if (scale == LevelScale::ns) return std::max(duration - m, kLeastDuration * usual);
    return of_factor(duration, std::exp(m), usual * std::exp(above), usual);
  }
  /// Of ln d, by exp(m) and the duration at the reference.
  double of_factor(double duration, double factor, double at_reference, double usual) const {
    return std::max(stretch * duration / factor + (1 - stretch) * (duration - at_reference * (factor - 1)),
                    kLeastDuration * usual);
  }
  static constexpr double kLeastDuration = 1e-3; ///< no launch becomes shorter, in usual durations

  /// |d − usual| had the launch the spread of the reference. What lies further away than kFar typical
  /// deviations at its amount has another cause than the spread: that much stays.
  double steadied(double deviation, double x, std::uint32_t group) const {
    if (spread_direction == 0) return deviation;
    const double wider = spread(x), near = std::min(deviation, kFar * typical[group] * wider);
    return deviation - near * (1 - 1 / wider);
  }
  static constexpr double kFar = 6; ///< 5 standard deviations of a normal

  /// Of that, what the spread answers for.
  double near(double deviation, double x, std::uint32_t group) const {
    if (spread_direction == 0) return 0;
    const double wider = spread(x);
    return std::min(deviation, kFar * typical[group] * wider) / wider;
  }

  /// Whether most of what vanishes does so because durations become more alike, not because they move.
  bool acts_by_spread() const {
    return spread_direction != 0 && 2 * (before - std::min(left_by_level, before)) < before - left;
  }
};

/// Part of the rows that stands for the steadier end of an amount: as many as hold 200 of them, at least a
/// twentieth and at most a quarter.
double reference_share(double rows);

/// What launches would have taken and varied had the amount been the same for all of them. The reference of
/// the level is the median of the amount; that of the spread is the steadier end of its values.
///
/// Level: ln d or d = stratum + response of the configuration · m(amount). m is monotone (isotonic regression
/// over the rows, strata and responses fitted in turn) or, where that fits clearly worse, one value for each
/// of at most 20 classes. Responses (a clock moves kernels that compute and not those that wait for memory)
/// differ as far as they differ by more than chance, and are drawn to their mean by as much as they are
/// unsure (DerSimonian, Laird 1986). Which shape, whether any, and whether of ln d or d, is decided by what
/// is left of the rows' variability when each is moved by a fit of others. A level of ln d may be a factor,
/// which stretches all that makes launches vary, or a part of the usual duration that is added: how far
/// launches on a higher level deviate by more decides.
/// Rows of noisy strata count less: what an event did to few launches would decide the level of its amounts.
/// A fit follows its own rows too closely and misses others by its own error: what is left is taken as the
/// mean of both.
/// Spread: |d − usual| = stratum · s(amount), on what the level has left. The reference is the mean
/// over the launches of a fixed part of the values at the steadier end (reference_share): the least of many
/// noisy classes, or an isotonic fit's own end, would be too steady by chance. The other launches' spread is
/// a monotone fit. It counts only where the trend over all launches differs from 0 (95 %, bootstrap), and
/// only as far as launches deviate typically there (a mean of Winsorized values; Huber 1981): a few that
/// another cause moved far would decide it. A refit repeats all of this on a resample, the choices excepted.
class AmountEffect {
public:
  /// `usual`: median duration of every configuration, ns; `kernel`: of every configuration, those with few
  /// rows respond with the others of theirs.
  AmountEffect(AmountRows rows, const std::vector<double>& usual, const std::vector<std::uint32_t>& kernel);

  /// Ends with an error when cancelled; what is fitted is then not usable, nor are refits after a later
  /// cancel. The job outlives the refits. `as`: a fit whose shape and scale are taken.
  Expected<void> fit(bool shifts, bool spreads, const std::vector<std::vector<int>>& resamples,
                     const Job& job, const AmountFit* as = nullptr);
  const AmountFit& fitted() const { return fit_; }
  std::size_t rows() const { return point_.size(); }
  /// The amount that all launches are set to: the median; of an effect by the spread the middle of its
  /// steadier end.
  double reference_amount() const {
    const std::size_t n = rows_.x.size(), end = first_row_[low_end_ ? low_points_ : high_points_];
    if (n == 0) return 0;
    return rows_.x[!fit_.acts_by_spread() ? n / 2 : low_end_ ? end / 2 : (end + n) / 2];
  }

  /// What launches would have taken and varied had the amount been the same for all, for weights w of blocks.
  struct Outcome {
    double before = 0;            ///< Σ w |d − usual| as recorded, ns
    double left_at_reference = 0; ///< with the amount of the reference
    double std_at_reference = 1; ///< standard deviation of |d − usual| with it, as a part of the recorded one
    std::vector<double> left;    ///< with each of settings()
    std::vector<double> duration_change; ///< mean of d(setting) − d, ns
    double share() const { return before > 0 ? 1 - left_at_reference / before : 0.0; }
  };
  /// With the fit of all rows, and with one of the weighted rows.
  Outcome as_fitted(const std::vector<int>& weights) const;
  Outcome refitted(const std::vector<int>& weights) const;
  /// The amounts that outcomes are told for, ascending: the least, quantiles, the largest. Numbers of
  /// different amounts.
  std::vector<std::size_t> settings() const;
  double value_of_setting(std::size_t setting) const;

private:
  using Values = std::vector<double>;

  Values smooth(LevelShape shape, const Values& sums, const Values& weights) const;
  struct Level {
    Values of_point, of_stratum;
    Values response; ///< of every unit
  };
  struct StratumSums;
  Level no_level() const;
  Level level(LevelShape shape, const Values& row_weights, Level from, int rounds) const;
  Values responses(const std::vector<StratumSums>& sums, const Values& before) const;
  /// Above the reference; of every row, in its configuration's response.
  struct Above {
    Values of_row;
    Values factor;       ///< of every row: exp of that; empty where the scale is ns
    Values reference;    ///< of every row: that of the reference above the mean of all
    double of_level = 0; ///< that of the reference, in the level that this comes from
  };
  Above above(const Level& level, const Values& row_weights) const;
  void set_factors(Above& above) const;
  Above above_by_others(LevelShape shape, const Values& row_weights, const Level& from, int rounds,
                        double reference) const;
  using Sets = std::vector<std::vector<std::uint32_t>>; ///< of rows
  Values deviations(const Above& above, double stretch, const Sets& alike) const;
  Values mean_deviations(const Level& level, const Above& own, const Values& row_weights, int rounds,
                         double stretch) const;
  double reference_level(const Values& level_of_point, const Values& row_weights) const;
  double mean_of_rows(const Values& of_point) const;
  void set_scale(LevelScale scale);
  void weigh_strata();
  void find_units(const std::vector<std::uint32_t>& kernel);
  struct Choice {
    LevelShape shape = LevelShape::none;
    double left = 0; ///< of the variability, ns
  };
  double left_by(LevelShape shape) const;
  Choice best_shape() const;
  void choose_level();
  double stretch_of(const Above& above_reference, const Values& row_weights) const;
  double fit_spread(const Values& deviation);
  int trend_of_spread(const Values& deviation, const std::vector<std::vector<int>>& resamples) const;
  struct Spread {
    Values of_point;      ///< in those of the stratum
    double reference = 0; ///< the same at the reference end
    Values of_stratum;    ///< ns
  };
  Values first_typical(const Values& deviation) const;
  Values means_of_strata(const Values& deviation) const;
  Values capped(const Values& deviation, const Values& typical, const Values& spread) const;
  struct Steadied {
    Values left; ///< |d − usual| with the spread of the reference, ns
    Values near; ///< of it, what the spread answers for
  };
  Steadied steadied_again(const Values& deviation, const Values& row_weights, Values& spread) const;
  Values spread_of_points() const;
  struct AtReference;
  Outcome outcome(const Values& row_weights, const Level& level, const Above& above_reference, double stretch,
                  const Steadied& steadied, const Values& spread) const;
  Spread spread(const Values& deviation, const Values& row_weights, Values of_stratum, int rounds) const;
  Values weights_of_rows(const std::vector<int>& weights) const;
  bool in_reference(std::size_t point) const; ///< of the spread
  bool at_median(std::size_t row) const;      ///< the reference of the level
  StepFunction steps(const Values& of_point) const;
  static constexpr std::uint8_t kFolds = 4;
  static constexpr int kRounds = 20;       ///< strata and amount are fitted in turn
  static constexpr int kRoundsAgain = 4;   ///< as kRounds, from the fit of all rows
  static constexpr int kRoundsOfFolds = 2; ///< as kRoundsAgain, from the fit of the same resample

  AmountRows rows_;                    ///< by amount
  std::vector<std::uint8_t> fold_;     ///< of every row
  std::vector<std::uint32_t> point_;   ///< of every row: number of its amount among the different ones
  std::vector<std::size_t> first_row_; ///< of every point, and the number of rows
  std::vector<std::uint32_t> class_;   ///< of every point, for a bent level
  std::size_t classes_ = 1;
  Sets members_, strata_;     ///< rows of every configuration, of every stratum
  std::vector<double> usual_; ///< median duration of every configuration, ns
  std::vector<double> response_, deviation_, without_, near_; ///< of every row: on the scale of the level; ns
  std::vector<double> weight_of_stratum_;                     ///< of its rows in fits of the level
  std::size_t low_points_ = 0, high_points_ = 0; ///< first point beyond the lower end; first of the upper end
  std::vector<std::uint32_t> unit_;              ///< of every configuration, that responds as one
  std::size_t units_ = 0;
  Level level_; ///< of the fit, where refits begin
  std::vector<double> stratum_spread_;
  bool low_end_ = true;
  std::uint32_t blocks_ = 1;
  AmountFit fit_;
  std::shared_ptr<Stop> stop_; ///< of the fit and its refits; fits break off where it is wanted
};

} // namespace jitterscope::causal
