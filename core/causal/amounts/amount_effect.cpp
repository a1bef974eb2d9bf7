#include "core/causal/amounts/amount_effect.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "core/base/median.h"
#include "core/causal/base/lists.h"

namespace jitterscope::causal {
namespace {

/// Maximum distinct values; more are binned into this many quantiles.
constexpr std::size_t kMaxPoints = 1'000;
constexpr std::size_t kMaxClasses = 40;
constexpr double kNearMedian = 0.05; ///< maximum distance from the median, relative to the range from 10 % to
                                     ///< 90 %; about a tenth of normally distributed values are within it
constexpr std::size_t kRowsOfAClass = 50;    ///< rows of a class on average
constexpr std::size_t kMinRowsOfAClass = 10; ///< minimum; the mean of fewer rows is too uncertain
constexpr std::uint64_t kStretches = 40;     ///< number of stretches of rows, assigned to the folds in turn
constexpr std::size_t kSettings = 16;        ///< quantile intervals between settings

} // namespace

double StepFunction::operator()(double x) const {
  const auto above = std::ranges::upper_bound(starts, x) - starts.begin();
  return values[static_cast<std::size_t>(std::max<std::ptrdiff_t>(above, 1) - 1)];
}

double reference_share(double rows) {
  return std::clamp(200.0 / std::max(rows, 1.0), 0.05, 0.25);
}

AmountEffect::AmountEffect(AmountRows rows, const std::vector<double>& typical_ns,
                           const std::vector<std::uint32_t>& kernel)
    : typical_(typical_ns) {
  const std::size_t n = rows.x.size();
  auto order = numbers_below(n);
  std::ranges::stable_sort(order, {}, [&](auto i) { return rows.x[i]; });
  members_.resize(typical_ns.size());
  std::unordered_map<std::uint32_t, std::uint32_t> known;
  const auto number_of = [&](std::uint32_t stratum) {
    return known.try_emplace(stratum, static_cast<std::uint32_t>(strata_.size())).first->second;
  };
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = order[k];
    if (k == 0 || (rows.x[i] > rows_.x.back() && k * kMaxPoints >= first_row_.size() * n))
      first_row_.push_back(k);
    point_.push_back(static_cast<std::uint32_t>(first_row_.size() - 1));
    rows_.x.push_back(rows.x[i]), rows_.duration.push_back(rows.duration[i]);
    rows_.group.push_back(rows.group[i]), rows_.block.push_back(rows.block[i]);
    rows_.stratum.push_back(number_of(rows.stratum[i]));
    members_[rows.group[i]].push_back(static_cast<std::uint32_t>(k));
    if (rows_.stratum.back() == strata_.size()) strata_.emplace_back();
    strata_[rows_.stratum.back()].push_back(static_cast<std::uint32_t>(k));
    const double normal = typical_ns[rows.group[i]];
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
  const std::size_t classes = std::clamp<std::size_t>(n / kRowsOfAClass, 2, kMaxClasses);
  // Classes hold equal parts of the rows and of their deviations, so that they are narrow at the steep ends
  // of a bend, which have few rows.
  double part = 0;
  std::size_t in_class = 0;
  for (std::size_t p = 0; p < points; ++p) {
    if (part * static_cast<double>(classes) >= static_cast<double>(classes_) && in_class >= kMinRowsOfAClass)
      ++classes_, in_class = 0;
    class_.push_back(static_cast<std::uint32_t>(classes_ - 1));
    for (std::size_t k = first_row_[p]; k < first_row_[p + 1]; ++k)
      part += 0.5 / static_cast<double>(n) + (fit_.before > 0 ? 0.5 * deviation_[k] / fit_.before : 0.0);
    in_class += first_row_[p + 1] - first_row_[p];
  }
  fit_.left = fit_.left_by_level = fit_.before;
  fit_.level = fit_.spread = {{points ? rows_.x.front() : 0.0}, {0.0}};
  fit_.spread.values.front() = 1;
  find_units(kernel);
  set_scale(LevelScale::log);
}

/// Whether a row represents the median. It does if it has the median value. If fewer than 1/20 of the rows
/// have that value, rows of the middle tenth near the median represent it. The median of two levels is one of
/// them, not both.
bool AmountEffect::at_median(std::size_t row) const {
  const std::size_t n = point_.size(), point = point_[n / 2];
  if (20 * (first_row_[point + 1] - first_row_[point]) >= n) return point_[row] == point;
  const double near = kNearMedian * (rows_.x[9 * n / 10] - rows_.x[n / 10]);
  return 20 * row >= 9 * n && 20 * row <= 11 * n && std::fabs(rows_.x[row] - rows_.x[n / 2]) <= near;
}

double AmountEffect::reference_level(const Values& level_of_point, const Values& row_weights) const {
  double sum = 0, weight = 0, plain = 0, count = 0;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    if (!at_median(k)) continue;
    sum += row_weights[k] * level_of_point[point_[k]], weight += row_weights[k];
    plain += level_of_point[point_[k]], ++count;
  }
  return weight > 0 ? sum / weight : count > 0 ? plain / count : 0.0;
}

double AmountEffect::mean_of_rows(const Values& of_point) const {
  double mean = 0;
  for (std::size_t p = 0; p < of_point.size(); ++p)
    mean += of_point[p] * static_cast<double>(first_row_[p + 1] - first_row_[p]) /
            static_cast<double>(point_.size());
  return mean;
}

/// Median level of the rows of each configuration; of all rows for configurations without rows.
AmountEffect::Values AmountEffect::medians_of_configurations(const Values& of_point) const {
  Values levels;
  const auto median_of_rows = [&](const auto& rows) {
    levels.clear();
    for (const auto k : rows) levels.push_back(of_point[point_[k]]);
    return median_of(levels);
  };
  auto all = numbers_below(point_.size());
  const double of_all = all.empty() ? 0.0 : median_of_rows(all);
  Values medians;
  for (const auto& rows : members_) medians.push_back(rows.empty() ? of_all : median_of_rows(rows));
  return medians;
}

/// |d − typical| of every row if all rows had the level of the reference. Typical durations are recomputed
/// over each set of `alike` rows; the rows of a set have one configuration.
AmountEffect::Values AmountEffect::deviations(const Above& above, double stretch, const Sets& alike) const {
  Values result(point_.size(), 0.0), moved;
  AmountFit fit;
  fit.scale = fit_.scale, fit.stretch = stretch;
  for (const auto& rows : alike) {
    if (rows.empty()) continue;
    const double typical_ns = typical_[rows_.group[rows.front()]];
    moved.clear();
    double reference = 0, at_reference = typical_ns; // exp is computed only when the reference changes
    for (const auto k : rows) {
      if (fit.scale == LevelScale::log && above.reference[k] != reference)
        reference = above.reference[k], at_reference = typical_ns * std::exp(reference);
      moved.push_back(
          result[k] = fit.scale == LevelScale::log
                          ? fit.of_factor(rows_.duration[k], above.factor[k], at_reference, typical_ns)
                          : fit.without(rows_.duration[k], above.of_row[k], above.reference[k], typical_ns));
    }
    const double middle = median_of(moved);
    for (const auto k : rows) result[k] = std::fabs(result[k] - middle);
  }
  return result;
}

/// Mean of the deviations that remain by the fit to all rows and by the fits without the row's fold.
AmountEffect::Values AmountEffect::mean_deviations(const Level& level, const Above& own,
                                                   const Values& row_weights, int rounds,
                                                   double stretch) const {
  Values result = deviations(own, stretch, members_);
  Above others_above =
      above_by_others(fit_.shape, row_weights, level, rounds, own.of_level - mean_of_rows(level.of_point));
  others_above.reference = own.reference;
  const Values others = deviations(others_above, stretch, members_);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = 0.5 * (result[k] + others[k]);
  return result;
}

StepFunction AmountEffect::steps(const Values& of_point) const {
  StepFunction result;
  for (std::size_t p = 0; p < of_point.size(); ++p)
    if (result.values.empty() || of_point[p] != result.values.back())
      result.starts.push_back(rows_.x[first_row_[p]]), result.values.push_back(of_point[p]);
  return result;
}

Expected<void> AmountEffect::fit(bool shifts, bool spreads, const std::vector<std::vector<int>>& resamples,
                                 Communicator& communicator, const Job& job, const AmountFit* as) {
  stop_ = std::make_shared<Stop>(job);
  const std::size_t n = point_.size();
  without_ = deviation_, near_.assign(n, 0.0);
  level_ = no_level();
  if (first_row_.size() < 3) return {}; // all rows have the same value
  const Values ones(n, 1.0);
  Values deviation = deviation_;
  if (as)
    set_scale(as->scale), fit_.shape = as->shape;
  else if (shifts)
    if (auto done = choose_level(communicator, job); !done) return done;
  Above above_reference;
  if (fit_.shape != LevelShape::none) {
    low_end_ = fit_.shape != LevelShape::falling;
    level_ = level(fit_.shape, ones, std::move(level_), kRounds);
    above_reference = above(level_, ones);
    fit_.stretch = stretch_of(above_reference, ones);
    deviation = mean_deviations(level_, above_reference, ones, kRounds, fit_.stretch);
    fit_.left_by_level = std::accumulate(deviation.begin(), deviation.end(), 0.0);
  }
  if (spreads) fit_.spread_direction = trend_of_spread(deviation, resamples);
  const bool level_end = low_end_;
  if (fit_.spread_direction != 0) low_end_ = fit_.spread_direction > 0;
  if (fit_.spread_direction != 0 && fit_.shape != LevelShape::none) {
    // If level and spread prefer different ends, the one that removes more decides.
    const double by_level = fit_.before - fit_.left_by_level;
    if (fit_.left_by_level - fit_spread(deviation) < by_level && fit_.shape != LevelShape::bent)
      low_end_ = level_end;
  }
  if (fit_.shape != LevelShape::none) {
    const double reference = above_reference.of_level;
    without_ = deviations(above_reference, fit_.stretch, members_);
    fit_.reference = medians_of_configurations(level_.of_point);
    for (double& median : fit_.reference) median = reference - median;
    Values beyond = level_.of_point;
    for (double& m : beyond) m -= reference;
    fit_.level = steps(beyond);
    fit_.response.clear();
    for (std::size_t g = 0; g < members_.size(); ++g) fit_.response.push_back(level_.response[unit_[g]]);
  }
  if (fit_.spread_direction != 0) {
    fit_.left = fit_spread(deviation);
    spread_at_median_ = !fit_.acts_by_spread();
    if (spread_at_median_) refer_spread_to_median();
  }
  double typical_ns = 0, own = 0;
  fit_.left = 0;
  for (std::size_t k = 0; k < n; ++k) {
    near_[k] = fit_.near(without_[k], rows_.x[k], rows_.group[k]);
    without_[k] = fit_.steadied(without_[k], rows_.x[k], rows_.group[k]);
    fit_.left += fit_.steadied(deviation[k], rows_.x[k], rows_.group[k]), own += without_[k];
    typical_ns += typical_[rows_.group[k]];
  }
  fit_.relative_left = fit_.left / typical_ns;
  if (own > 0) fit_.correction = fit_.left / own;
  for (double& v : without_) v *= fit_.correction;
  for (double& v : near_) v *= fit_.correction;
  if (stop_->requested()) return Job::cancelled_error();
  return {};
}

/// Points at the minimum, the maximum and the quantiles of the factor.
std::vector<std::size_t> AmountEffect::settings() const {
  std::vector<std::size_t> points;
  if (point_.empty()) return points;
  for (std::size_t i = 0; i <= kSettings; ++i) {
    const std::size_t point = point_[std::min(i * point_.size() / kSettings, point_.size() - 1)];
    if (points.empty() || point > points.back()) points.push_back(point);
  }
  return points;
}

/// Sums over the rows of a configuration with the factor at its reference.
struct AmountEffect::AtReference {
  double weight = 0;     ///< Σ w
  double left = 0;       ///< Σ w |d − typical|
  double near = 0;       ///< part of `left` that the spread accounts for
  double duration = 0;   ///< Σ w d
  double typical_ns = 0; ///< log scale: Σ w · typical duration at the reference
};

AmountEffect::Outcome AmountEffect::outcome(const Values& row_weights, const Level& level,
                                            const Above& above_reference, double stretch,
                                            const Steadied& steadied, const Values& spread) const {
  const bool factors = fit_.scale == LevelScale::log;
  const double reference = above_reference.of_level;
  AmountFit fit;
  fit.scale = fit_.scale, fit.stretch = stretch;
  std::vector<AtReference> of_configuration(members_.size());
  /// By configuration: level of the reference and its exponential.
  std::vector<std::pair<double, double>> of_configuration_reference(members_.size(), {0.0, 1.0});
  Outcome result;
  double duration = 0, weight = 0, squares_before = 0, squares_left = 0;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    const auto g = rows_.group[k];
    const double w = row_weights[k], m = above_reference.of_row[k], higher = above_reference.reference[k];
    AtReference& sums = of_configuration[g];
    sums.weight += w, sums.left += w * steadied.left[k], sums.near += w * steadied.near[k];
    if (factors) {
      if (higher != of_configuration_reference[g].first)
        of_configuration_reference[g] = {higher, std::exp(higher)};
      const double typical_ns = of_configuration_reference[g].second;
      sums.duration += w * fit.of_factor(rows_.duration[k], above_reference.factor[k],
                                         typical_[g] * typical_ns, typical_[g]);
      sums.typical_ns += w * typical_[g] * typical_ns;
    } else {
      sums.duration += w * fit.without(rows_.duration[k], m, higher, typical_[g]);
    }
    squares_before += w * deviation_[k] * deviation_[k],
        squares_left += w * steadied.left[k] * steadied.left[k];
    result.before += w * deviation_[k], duration += w * rows_.duration[k], weight += w;
  }
  for (const auto& sums : of_configuration) result.left_at_reference += sums.left;
  const auto variance = [&](double squares, double sum) { return squares - sum * sum / weight; };
  if (const double before = variance(squares_before, result.before); before > 0)
    result.std_at_reference =
        std::sqrt(std::max(0.0, variance(squares_left, result.left_at_reference) / before));
  for (const std::size_t p : settings()) {
    double left = 0, longer = 0;
    for (std::size_t g = 0; g < members_.size(); ++g) {
      const AtReference& sums = of_configuration[g];
      const double m = level.response[unit_[g]] * (level.of_point[p] - reference);
      const double factor = factors ? std::exp(m) : 1.0;
      left += (sums.left + sums.near * (spread[p] - 1)) * (stretch * factor + (1 - stretch));
      longer += fit_.scale == LevelScale::ns
                    ? sums.duration + m * sums.weight
                    : stretch * sums.duration * factor +
                          (1 - stretch) * (sums.duration + sums.typical_ns * (factor - 1));
    }
    result.left.push_back(left),
        result.duration_change.push_back(weight > 0 ? (longer - duration) / weight : 0.0);
  }
  return result;
}

AmountEffect::Outcome AmountEffect::as_fitted(const std::vector<int>& weights) const {
  const Values row_weights = weights_of_rows(weights);
  return outcome(row_weights, level_, above(level_, row_weights), fit_.stretch, {without_, near_},
                 spread_of_points());
}

AmountEffect::Outcome AmountEffect::refitted(const std::vector<int>& weights) const {
  const Values row_weights = weights_of_rows(weights);
  const bool moves = fit_.shape != LevelShape::none;
  const Level again = moves ? level(fit_.shape, row_weights, level_, kRoundsAgain) : level_;
  const Above own = above(again, row_weights);
  const double stretch = moves ? stretch_of(own, row_weights) : fit_.stretch;
  Steadied steadied{moves ? mean_deviations(again, own, row_weights, kRoundsOfFolds, stretch) : deviation_,
                    Values(deviation_.size(), 0.0)};
  Values spread(first_row_.size() - 1, 1.0);
  if (fit_.spread_direction != 0) steadied = steadied_again(steadied.left, row_weights, spread);
  return outcome(row_weights, again, own, stretch, steadied, spread);
}

} // namespace jitterscope::causal
