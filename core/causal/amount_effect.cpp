#include "core/causal/amount_effect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "core/base/median.h"
#include "core/causal/isotonic.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMostClasses = 20;
constexpr std::size_t kRowsOfAClass = 50;
constexpr std::uint64_t kStretches = 40;    ///< rows are cut into these, dealt to the folds in turn
constexpr std::uint8_t kFolds = 4;
constexpr double kBentIsBetter = 1.1; ///< by so much more must classes leave to be preferred to a monotone fit
constexpr int kRounds = 20;           ///< strata and amount are fitted in turn
constexpr double kSettled = 1e-10;    ///< of ln duration: less than a round must change anything by

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
  std::unordered_map<std::uint32_t, std::uint32_t> known;
  const auto number_of = [&](std::uint32_t stratum) {
    return known.try_emplace(stratum, static_cast<std::uint32_t>(strata_.size())).first->second;
  };
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = order[k];
    if (k == 0 || rows.x[i] > rows_.x.back()) first_row_.push_back(k);
    point_.push_back(static_cast<std::uint32_t>(first_row_.size() - 1));
    rows_.x.push_back(rows.x[i]), rows_.duration.push_back(rows.duration[i]);
    rows_.group.push_back(rows.group[i]), rows_.block.push_back(rows.block[i]);
    rows_.stratum.push_back(number_of(rows.stratum[i]));
    members_[rows.group[i]].push_back(static_cast<std::uint32_t>(k));
    if (rows_.stratum.back() == strata_.size()) strata_.emplace_back();
    strata_[rows_.stratum.back()].push_back(static_cast<std::uint32_t>(k));
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

/// m by point, with strata as fixed effects; `of_stratum` holds theirs before and after.
AmountEffect::Values AmountEffect::level(LevelShape shape, const Values& row_weights, Values& of_stratum,
                                         int rounds) const {
  const std::size_t points = first_row_.size() - 1;
  if (strata_.size() <= 1) rounds = 1;
  Values weights(points, 0.0), weight_of(strata_.size(), 0.0), sum_of, fitted;
  for (std::size_t k = 0; k < point_.size(); ++k)
    weights[point_[k]] += row_weights[k], weight_of[rows_.stratum[k]] += row_weights[k];
  for (int round = 0; round < rounds; ++round) {
    Values sums(points, 0.0);
    for (std::size_t k = 0; k < point_.size(); ++k)
      sums[point_[k]] += row_weights[k] * (log_ratio_[k] - of_stratum[rows_.stratum[k]]);
    fitted = smooth(shape, sums, weights);
    if (rounds == 1) break;
    // In the order of the rows: the same sums as by members, without jumping between them.
    sum_of.assign(strata_.size(), 0.0);
    for (std::size_t k = 0; k < point_.size(); ++k)
      sum_of[rows_.stratum[k]] += row_weights[k] * (log_ratio_[k] - fitted[point_[k]]);
    double change = 0;
    for (std::size_t g = 0; g < strata_.size(); ++g) {
      if (!(weight_of[g] > 0)) continue;
      const double again = sum_of[g] / weight_of[g];
      change = std::max(change, std::fabs(again - of_stratum[g]));
      of_stratum[g] = again;
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
                                                   const Values& of_stratum, int rounds) const {
  const std::size_t n = point_.size();
  Values result(n, 0.0);
  for (std::uint8_t fold = 0; fold < kFolds; ++fold) {
    const auto mine = [&](std::size_t k) { return fold_[k] == fold; };
    Values weights = row_weights, for_fold = of_stratum;
    for (std::size_t k = 0; k < n; ++k)
      if (mine(k)) weights[k] = 0;
    const Values fitted = level(shape, weights, for_fold, rounds);
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
                                                   const Values& of_stratum, int rounds) const {
  const double reference = reference_level(level_of_point, row_weights);
  const Values own = by_row(level_of_point);
  double mean = 0;
  for (const double m : own) mean += m / static_cast<double>(own.size());
  Values result = deviations(own, reference);
  const Values others = deviations(level_by_others(fit_.shape, row_weights, of_stratum, rounds), reference - mean);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = 0.5 * (result[k] + others[k]);
  return result;
}

double AmountEffect::left_by(LevelShape shape) const {
  const Values fitted = level_by_others(shape, Values(point_.size(), 1.0), Values(strata_.size(), 0.0), kRounds);
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
  stratum_level_.assign(strata_.size(), 0.0);
  Values level_of_point(first_row_.size() - 1, 0.0), deviation = deviation_;
  if (shifts) choose_level();
  if (fit_.shape != LevelShape::none) {
    low_end_ = fit_.shape != LevelShape::falling;
    level_of_point = level(fit_.shape, ones, stratum_level_, kRounds);
    deviation = mean_deviations(level_of_point, ones, stratum_level_, kRounds);
    fit_.left_by_level = std::accumulate(deviation.begin(), deviation.end(), 0.0);
  }
  if (spreads) fit_.spread_direction = trend_of_spread(deviation, resamples);
  const bool level_end = low_end_;
  if (fit_.spread_direction != 0) low_end_ = fit_.spread_direction > 0;
  if (fit_.spread_direction != 0 && fit_.shape != LevelShape::none) {
    // Where the two prefer different ends, the one decides that takes away more.
    const double by_level = fit_.before - fit_.left_by_level;
    deviation = mean_deviations(level_of_point, ones, stratum_level_, kRounds);
    if (fit_.left_by_level - fit_spread(deviation) < by_level && fit_.shape != LevelShape::bent)
      low_end_ = level_end;
  }
  if (fit_.shape != LevelShape::none) {
    deviation = mean_deviations(level_of_point, ones, stratum_level_, kRounds);
    const double reference = reference_level(level_of_point, ones);
    without_ = deviations(by_row(level_of_point), reference);
    for (double& m : level_of_point) m -= reference;
    fit_.level = steps(level_of_point);
  }
  if (fit_.spread_direction != 0) fit_spread(deviation);
  double usual = 0, own = 0;
  fit_.left = 0;
  for (std::size_t k = 0; k < n; ++k) {
    without_[k] = fit_.steadied(without_[k], rows_.x[k], rows_.group[k]);
    fit_.left += fit_.steadied(deviation[k], rows_.x[k], rows_.group[k]), own += without_[k];
    usual += rows_.duration[k] * std::exp(-log_ratio_[k]);
  }
  fit_.relative_left = fit_.left / usual;
  if (own > 0) fit_.correction = fit_.left / own;
  for (double& v : without_) v *= fit_.correction;
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
    Values of_stratum = stratum_level_;
    const Values fitted = level(fit_.shape, row_weights, of_stratum, kRoundsAgain);
    deviation = mean_deviations(fitted, row_weights, of_stratum, kRoundsAgain);
  }
  const Values left = fit_.spread_direction != 0 ? steadied_again(deviation, row_weights) : deviation;
  double before = 0, after = 0;
  for (std::size_t k = 0; k < left.size(); ++k)
    before += row_weights[k] * deviation_[k], after += row_weights[k] * left[k];
  return before > 0 ? 1 - after / before : 0.0;
}

} // namespace jitterscope::causal
