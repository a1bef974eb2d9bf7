#include "core/causal/amount_effect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/causal/bootstrap.h"
#include "core/causal/isotonic.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMostClasses = 20;
constexpr std::size_t kRowsOfAClass = 50;
constexpr std::uint64_t kStretches = 40;    ///< rows are cut into these, dealt to the folds in turn
constexpr std::uint8_t kFolds = 4;
constexpr double kBentIsBetter = 1.1; ///< by so much more must classes leave to be preferred to a monotone fit
constexpr int kRounds = 20;           ///< configurations and amount are fitted in turn
constexpr int kRoundsAgain = 4;       ///< the same from the fit of all rows
constexpr double kSettled = 1e-10;    ///< of ln duration: less than a round must change anything by

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 ? *middle : 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

} // namespace

double StepFunction::operator()(double x) const {
  const auto above = std::upper_bound(starts.begin(), starts.end(), x) - starts.begin();
  return values[static_cast<std::size_t>(std::max<std::ptrdiff_t>(above, 1) - 1)];
}

double reference_share(double rows) {
  return std::clamp(200.0 / std::max(rows, 1.0), 0.05, 0.25);
}

AmountEffect::AmountEffect(AmountRows rows, const std::vector<double>& usual) {
  const std::size_t n = rows.x.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows.x[a] < rows.x[b]; });
  members_.resize(usual.size());
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = order[k];
    if (k == 0 || rows.x[i] > rows_.x.back()) first_row_.push_back(k);
    point_.push_back(static_cast<std::uint32_t>(first_row_.size() - 1));
    rows_.x.push_back(rows.x[i]), rows_.duration.push_back(rows.duration[i]);
    rows_.group.push_back(rows.group[i]), rows_.block.push_back(rows.block[i]);
    members_[rows.group[i]].push_back(static_cast<std::uint32_t>(k));
    const double normal = usual[rows.group[i]];
    log_ratio_.push_back(std::log(rows.duration[i] / normal));
    deviation_.push_back(std::fabs(rows.duration[i] - normal));
    fit_.before += deviation_.back();
    blocks_ = std::max(blocks_, rows_.block.back() + 1);
  }
  for (const auto block : rows_.block)
    fold_.push_back(static_cast<std::uint8_t>(block * kStretches / blocks_ % kFolds));
  const std::size_t points = first_row_.size();
  first_row_.push_back(n);
  const double end = reference_share(static_cast<double>(n)) * static_cast<double>(n);
  while (low_points_ + 1 < points && static_cast<double>(first_row_[low_points_]) < end) ++low_points_;
  high_points_ = points;
  while (high_points_ > 1 && static_cast<double>(n - first_row_[high_points_]) < end) --high_points_;
  const std::size_t classes = std::clamp<std::size_t>(n / kRowsOfAClass, 2, kMostClasses);
  for (std::size_t p = 0, next = 1; p < points; ++p) {
    if (first_row_[p] * classes >= next * n && p > 0) {
      ++classes_;
      while (first_row_[p] * classes >= next * n) ++next;
    }
    class_.push_back(static_cast<std::uint32_t>(classes_ - 1));
  }
  fit_.left = fit_.left_by_level = fit_.before;
  fit_.level = fit_.spread = {{points ? rows_.x.front() : 0.0}, {0.0}};
  fit_.spread.values.front() = 1;
}

bool AmountEffect::in_reference(std::size_t point) const {
  return low_end_ ? point < low_points_ : point >= high_points_;
}

AmountEffect::Values AmountEffect::weights_of_rows(const std::vector<int>& weights) const {
  Values all;
  all.reserve(rows_.block.size());
  for (const auto b : rows_.block) all.push_back(static_cast<double>(weights[b]));
  return all;
}

/// The fit of one shape to weighted sums by point.
AmountEffect::Values AmountEffect::smooth(LevelShape shape, const Values& sums, const Values& weights) const {
  if (shape == LevelShape::bent) {
    Values sum(classes_, 0.0), weight(classes_, 0.0), fitted;
    for (std::size_t p = 0; p < sums.size(); ++p) sum[class_[p]] += sums[p], weight[class_[p]] += weights[p];
    for (std::size_t p = 0; p < sums.size(); ++p)
      fitted.push_back(weight[class_[p]] > 0 ? sum[class_[p]] / weight[class_[p]] : 0.0);
    return fitted;
  }
  Values means(sums.size(), 0.0);
  for (std::size_t p = 0; p < sums.size(); ++p)
    if (weights[p] > 0) means[p] = sums[p] / weights[p];
  return isotonic(means, weights, shape == LevelShape::rising);
}

/// m by point, with configurations as fixed effects; `configuration` holds theirs before and after.
AmountEffect::Values AmountEffect::level(LevelShape shape, const Values& row_weights, Values& configuration,
                                         int rounds) const {
  const std::size_t points = first_row_.size() - 1;
  if (members_.size() <= 1) rounds = 1;
  Values weights(points, 0.0), weight_of(members_.size(), 0.0), sum_of, fitted;
  for (std::size_t k = 0; k < point_.size(); ++k)
    weights[point_[k]] += row_weights[k], weight_of[rows_.group[k]] += row_weights[k];
  for (int round = 0; round < rounds; ++round) {
    Values sums(points, 0.0);
    for (std::size_t k = 0; k < point_.size(); ++k)
      sums[point_[k]] += row_weights[k] * (log_ratio_[k] - configuration[rows_.group[k]]);
    fitted = smooth(shape, sums, weights);
    if (rounds == 1) break;
    // In the order of the rows: the same sums as by members, without jumping between them.
    sum_of.assign(members_.size(), 0.0);
    for (std::size_t k = 0; k < point_.size(); ++k)
      sum_of[rows_.group[k]] += row_weights[k] * (log_ratio_[k] - fitted[point_[k]]);
    double change = 0;
    for (std::size_t g = 0; g < members_.size(); ++g) {
      if (!(weight_of[g] > 0)) continue;
      const double again = sum_of[g] / weight_of[g];
      change = std::max(change, std::fabs(again - configuration[g]));
      configuration[g] = again;
    }
    if (change < kSettled) break;
  }
  return fitted;
}

double AmountEffect::reference_level(const Values& level_of_point, const Values& row_weights) const {
  if (fit_.shape == LevelShape::bent && fit_.spread_direction == 0) // launches are quickest somewhere between
    return *std::min_element(level_of_point.begin(), level_of_point.end());
  double sum = 0, weight = 0, plain = 0, count = 0;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    if (!in_reference(point_[k])) continue;
    sum += row_weights[k] * level_of_point[point_[k]], weight += row_weights[k];
    plain += level_of_point[point_[k]], ++count;
  }
  return weight > 0 ? sum / weight : count > 0 ? plain / count : 0.0;
}

AmountEffect::Values AmountEffect::by_row(const Values& of_point) const {
  Values all;
  for (const auto p : point_) all.push_back(of_point[p]);
  return all;
}

/// m of every row by a fit to the stretches of rows that are not in its fold.
AmountEffect::Values AmountEffect::level_by_others(LevelShape shape, const Values& row_weights,
                                                   const Values& configuration, int rounds) const {
  const std::size_t n = point_.size();
  Values result(n, 0.0);
  for (std::uint8_t fold = 0; fold < kFolds; ++fold) {
    const auto mine = [&](std::size_t k) { return fold_[k] == fold; };
    Values weights = row_weights, of_configuration = configuration;
    for (std::size_t k = 0; k < n; ++k)
      if (mine(k)) weights[k] = 0;
    const Values fitted = level(shape, weights, of_configuration, rounds);
    double mean = 0; // levels are known up to a constant
    for (std::size_t k = 0; k < n; ++k) mean += fitted[point_[k]] / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k)
      if (mine(k)) result[k] = fitted[point_[k]] - mean;
  }
  return result;
}

/// |d − usual| of every row when the level is that of the reference for all, usual durations found anew.
AmountEffect::Values AmountEffect::deviations(const Values& level_of_row, double reference) const {
  Values result(point_.size(), 0.0), moved;
  for (const auto& rows : members_) {
    if (rows.empty()) continue;
    moved.clear();
    for (const auto k : rows)
      moved.push_back(result[k] = rows_.duration[k] * std::exp(reference - level_of_row[k]));
    const double middle = median_of(moved);
    for (const auto k : rows) result[k] = std::fabs(result[k] - middle);
  }
  return result;
}

/// Mean of the deviations that a fit and fits to others leave.
AmountEffect::Values AmountEffect::mean_deviations(const Values& level_of_point, const Values& row_weights,
                                                   const Values& configuration, int rounds) const {
  const double reference = reference_level(level_of_point, row_weights);
  const Values own = by_row(level_of_point);
  double mean = 0;
  for (const double m : own) mean += m / static_cast<double>(own.size());
  Values result = deviations(own, reference);
  const Values others = deviations(level_by_others(fit_.shape, row_weights, configuration, rounds), reference - mean);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = 0.5 * (result[k] + others[k]);
  return result;
}

double AmountEffect::left_by(LevelShape shape) const {
  const Values fitted = level_by_others(shape, Values(point_.size(), 1.0), Values(members_.size(), 0.0), kRounds);
  const Values deviation = deviations(fitted, 0);
  return std::accumulate(deviation.begin(), deviation.end(), 0.0);
}

void AmountEffect::choose_level() {
  const double rising = left_by(LevelShape::rising);
  const double falling = left_by(LevelShape::falling);
  const double bent = left_by(LevelShape::bent);
  const double monotone = std::min(rising, falling);
  const double gain = std::max(fit_.before - monotone, 0.0);
  if (bent < fit_.before && fit_.before - bent > kBentIsBetter * gain)
    fit_.shape = LevelShape::bent;
  else if (monotone < fit_.before)
    fit_.shape = rising <= falling ? LevelShape::rising : LevelShape::falling;
}

/// Sign of the trend of |d − usual|, in those of the configuration, over the ranks of the amount; 0 where its
/// interval holds 0.
int AmountEffect::trend_of_spread(const Values& deviation,
                                  const std::vector<std::vector<int>>& resamples) const {
  Values of_block(blocks_, 0.0);
  double all = 0;
  for (const auto& rows : members_) {
    double sum = 0, rank = 0;
    const auto count = static_cast<double>(rows.size());
    for (const auto k : rows)
      sum += deviation[k], rank += static_cast<double>(first_row_[point_[k]] + first_row_[point_[k] + 1]);
    if (!(sum > 0)) continue;
    for (const auto k : rows) {
      const double place = static_cast<double>(first_row_[point_[k]] + first_row_[point_[k] + 1]) - rank / count;
      const double part = place * (deviation[k] * count / sum - 1);
      of_block[rows_.block[k]] += part, all += part;
    }
  }
  if (resamples.empty()) return all > 0 ? 1 : all < 0 ? -1 : 0;
  Values trends;
  for (const auto& weights : resamples) {
    double trend = 0;
    for (std::size_t b = 0; b < of_block.size(); ++b) trend += weights[b] * of_block[b];
    trends.push_back(trend);
  }
  const Range range = percentile_interval(std::move(trends));
  return range.low > 0 ? 1 : range.high < 0 ? -1 : 0;
}

/// s by point: one mean at the reference end, a monotone fit beyond it; configurations in turn.
AmountEffect::Spread AmountEffect::spread(const Values& deviation, const Values& row_weights,
                                          Values configuration, int rounds) const {
  const std::size_t points = first_row_.size() - 1;
  if (members_.size() <= 1) rounds = 1;
  Spread result;
  result.of_point.assign(points, 1.0);
  for (int round = 0; round < rounds; ++round) {
    Values sums(points, 0.0), weights(points, 0.0);
    double reference_sum = 0, reference_weight = 0;
    for (std::size_t k = 0; k < point_.size(); ++k) {
      const double weight = row_weights[k] * configuration[rows_.group[k]];
      if (in_reference(point_[k]))
        reference_sum += row_weights[k] * deviation[k], reference_weight += weight;
      else
        sums[point_[k]] += row_weights[k] * deviation[k], weights[point_[k]] += weight;
    }
    result.of_point = smooth(fit_.spread_direction > 0 ? LevelShape::rising : LevelShape::falling, sums, weights);
    result.reference = reference_weight > 0 ? reference_sum / reference_weight : 0.0;
    for (std::size_t p = 0; p < points; ++p)
      if (in_reference(p)) result.of_point[p] = result.reference;
    if (rounds == 1) break;
    for (std::size_t g = 0; g < members_.size(); ++g) {
      double sum = 0, expected = 0;
      for (const auto k : members_[g])
        sum += row_weights[k] * deviation[k], expected += row_weights[k] * result.of_point[point_[k]];
      if (expected > 0) configuration[g] = sum / expected;
    }
  }
  result.configuration = std::move(configuration);
  return result;
}

StepFunction AmountEffect::steps(const Values& of_point) const {
  StepFunction result;
  for (std::size_t p = 0; p < of_point.size(); ++p)
    if (result.values.empty() || of_point[p] != result.values.back())
      result.starts.push_back(rows_.x[first_row_[p]]), result.values.push_back(of_point[p]);
  return result;
}

void AmountEffect::fit(bool shifts, bool spreads, const std::vector<std::vector<int>>& resamples) {
  const std::size_t n = point_.size();
  without_ = deviation_;
  if (first_row_.size() < 3) return; // all have the same amount
  const Values ones(n, 1.0);
  configuration_level_.assign(members_.size(), 0.0);
  Values level_of_point(first_row_.size() - 1, 0.0), deviation = deviation_;
  if (shifts) choose_level();
  if (fit_.shape != LevelShape::none) {
    low_end_ = fit_.shape != LevelShape::falling;
    level_of_point = level(fit_.shape, ones, configuration_level_, kRounds);
    deviation = mean_deviations(level_of_point, ones, configuration_level_, kRounds);
    fit_.left_by_level = std::accumulate(deviation.begin(), deviation.end(), 0.0);
  }
  if (spreads) fit_.spread_direction = trend_of_spread(deviation, resamples);
  const bool level_end = low_end_;
  if (fit_.spread_direction != 0) low_end_ = fit_.spread_direction > 0;
  if (fit_.spread_direction != 0 && fit_.shape != LevelShape::none) {
    // Where the two prefer different ends, the one decides that takes away more.
    const double by_level = fit_.before - fit_.left_by_level;
    deviation = mean_deviations(level_of_point, ones, configuration_level_, kRounds);
    if (fit_.left_by_level - fit_spread(deviation) < by_level && fit_.shape != LevelShape::bent)
      low_end_ = level_end;
  }
  if (fit_.shape != LevelShape::none) {
    deviation = mean_deviations(level_of_point, ones, configuration_level_, kRounds);
    const double reference = reference_level(level_of_point, ones);
    without_ = deviations(by_row(level_of_point), reference);
    for (double& m : level_of_point) m -= reference;
    fit_.level = steps(level_of_point);
  }
  if (fit_.spread_direction != 0) fit_spread(deviation);
  double usual = 0, own = 0;
  fit_.left = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double spread = fit_.spread(rows_.x[k]);
    fit_.left += deviation[k] / spread, own += without_[k] /= spread;
    usual += rows_.duration[k] * std::exp(-log_ratio_[k]);
  }
  fit_.relative_left = fit_.left / usual;
  if (own > 0) fit_.correction = fit_.left / own;
  for (double& v : without_) v *= fit_.correction;
}

/// Returns what is left of the deviations.
double AmountEffect::fit_spread(const Values& deviation) {
  configuration_spread_.assign(members_.size(), 0.0);
  for (std::size_t g = 0; g < members_.size(); ++g) {
    for (const auto k : members_[g]) configuration_spread_[g] += deviation[k];
    if (!members_[g].empty()) configuration_spread_[g] /= static_cast<double>(members_[g].size());
  }
  Spread s = spread(deviation, Values(point_.size(), 1.0), configuration_spread_, kRounds);
  configuration_spread_ = std::move(s.configuration);
  for (double& value : s.of_point)
    value = s.reference > 0 ? (value > 0 ? value / s.reference : 1.0)
            : value > 0     ? std::numeric_limits<double>::infinity()
                            : 1.0;
  fit_.spread = steps(s.of_point);
  double left = 0;
  for (std::size_t k = 0; k < deviation.size(); ++k) left += deviation[k] / s.of_point[point_[k]];
  return left;
}

double AmountEffect::share_as_fitted(const std::vector<int>& weights) const {
  double before = 0, left = 0;
  for (std::size_t k = 0; k < point_.size(); ++k)
    before += weights[rows_.block[k]] * deviation_[k], left += weights[rows_.block[k]] * without_[k];
  return before > 0 ? 1 - left / before : 0.0;
}

double AmountEffect::share_refitted(const std::vector<int>& weights) const {
  const Values row_weights = weights_of_rows(weights);
  Values deviation = deviation_;
  if (fit_.shape != LevelShape::none) {
    Values configuration = configuration_level_;
    const Values fitted = level(fit_.shape, row_weights, configuration, kRoundsAgain);
    deviation = mean_deviations(fitted, row_weights, configuration, kRoundsAgain);
  }
  Values left = deviation;
  if (fit_.spread_direction != 0) {
    const Spread s = spread(deviation, row_weights, configuration_spread_, kRoundsAgain);
    for (std::size_t k = 0; k < left.size(); ++k)
      left[k] = s.of_point[point_[k]] > 0 ? deviation[k] * s.reference / s.of_point[point_[k]]
                                          : s.reference * s.configuration[rows_.group[k]];
  }
  double before = 0, after = 0;
  for (std::size_t k = 0; k < left.size(); ++k)
    before += row_weights[k] * deviation_[k], after += row_weights[k] * left[k];
  return before > 0 ? 1 - after / before : 0.0;
}

} // namespace jitterscope::causal
