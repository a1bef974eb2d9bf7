#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/median.h"
#include "core/causal/amounts/amount_effect.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/lists.h"
#include "core/causal/statistics/isotonic.h"

namespace jitterscope::causal {
namespace {

constexpr double kBentIsBetter =
    1.1; ///< minimum gain of the means of classes relative to the gain of the best monotone fit
constexpr double kSettled = 1e-6; ///< a fit has converged when a round changes less, in typical durations
/// Lower limit of the residual variance, relative to the variance; for exact fits.
constexpr double kMinResidual = 1e-6;
/// Minimum weight pooled at each end, in units of the largest weight of a row; more would flatten steep ends.
constexpr double kRowsOfAnEnd = 1;
/// Lower limit of a stratum's noise, relative to the mean noise of the strata.
constexpr double kMinNoise = 0.1;
constexpr double kClearlyBelow = 4;      ///< standard errors by which a negative response is below 0
constexpr std::size_t kRowsOfAUnit = 50; ///< minimum rows of a configuration with its own response
/// Minimum rows of a stratum that others of its configuration are compared with.
constexpr std::size_t kSteadyRows = 20;

} // namespace

void AmountEffect::set_scale(LevelScale scale) {
  fit_.scale = scale;
  response_.clear();
  for (std::size_t k = 0; k < point_.size(); ++k) {
    const double duration = rows_.duration[k], typical_ns = typical_[rows_.group[k]];
    response_.push_back(scale == LevelScale::log ? std::log(duration / typical_ns) : duration - typical_ns);
  }
  weigh_strata();
}

/// Weights of strata: squared ratio of the steadiest stratum's noise to the stratum's noise, within a
/// configuration. On the scale ns, weights are divided by the squared noise of the configuration, because
/// long kernels deviate by more ns.
void AmountEffect::weigh_strata() {
  Values typical(strata_.size(), 0.0), steadiest(members_.size(), 0.0), near;
  for (std::size_t s = 0; s < strata_.size(); ++s) {
    near.clear();
    for (const auto k : strata_[s]) near.push_back(response_[k]);
    const double middle = median_of(near);
    for (double& v : near) v = std::fabs(v - middle);
    typical[s] = median_of(near);
    if (!(typical[s] > 0))
      typical[s] = std::accumulate(near.begin(), near.end(), 0.0) / static_cast<double>(near.size());
    double& of_configuration = steadiest[rows_.group[strata_[s].front()]];
    if (strata_[s].size() >= kSteadyRows && typical[s] > 0)
      of_configuration = of_configuration > 0 ? std::min(of_configuration, typical[s]) : typical[s];
  }
  double noise = 0;
  for (std::size_t s = 0; s < strata_.size(); ++s)
    noise += typical[s] * static_cast<double>(strata_[s].size()) /
             static_cast<double>(std::max<std::size_t>(point_.size(), 1));
  weight_of_stratum_.assign(strata_.size(), 1.0);
  for (std::size_t s = 0; s < strata_.size(); ++s) {
    const double steady = steadiest[rows_.group[strata_[s].front()]], min_noise = kMinNoise * noise;
    double weight = steady > 0 ? std::min(1.0, steady / std::max(typical[s], steady)) : 1.0;
    if (fit_.scale == LevelScale::ns && noise > 0)
      weight *= noise / std::max(steady > 0 ? steady : typical[s], min_noise);
    weight_of_stratum_[s] = weight * weight;
  }
}

/// Means of classes at the mean ranks of their rows, and straight lines between them.
AmountEffect::Values AmountEffect::bent(const Values& sums, const Values& weights) const {
  const auto rank = [&](std::size_t p) {
    return 0.5 * static_cast<double>(first_row_[p] + first_row_[p + 1]);
  };
  Values sum(classes_, 0.0), weight(classes_, 0.0), rank_sum(classes_, 0.0);
  for (std::size_t p = 0; p < sums.size(); ++p) {
    const auto c = class_[p];
    sum[c] += sums[p], weight[c] += weights[p], rank_sum[c] += weights[p] * rank(p);
  }
  std::vector<std::pair<double, double>> knots; // rank, level
  for (std::size_t c = 0; c < classes_; ++c)
    if (weight[c] > 0) knots.emplace_back(rank_sum[c] / weight[c], sum[c] / weight[c]);
  if (knots.size() < 2) return Values(sums.size(), knots.empty() ? 0.0 : knots.front().second);
  Values fitted;
  std::size_t k = 0;
  for (std::size_t p = 0; p < sums.size(); ++p) {
    while (k + 2 < knots.size() && rank(p) > knots[k + 1].first) ++k;
    const auto& [left, low] = knots[k];
    const auto& [right, high] = knots[k + 1];
    fitted.push_back(low + (high - low) * (rank(p) - left) / (right - left));
  }
  return fitted;
}

/// Fits one shape to weighted sums by point.
AmountEffect::Values AmountEffect::smooth(LevelShape shape, const Values& sums, const Values& weights) const {
  if (shape == LevelShape::bent) return bent(sums, weights);
  Values means(sums.size(), 0.0);
  double maximum = 0; // maximum weight of a row
  for (std::size_t p = 0; p < sums.size(); ++p) {
    if (weights[p] > 0) means[p] = sums[p] / weights[p];
    maximum = std::max(maximum, weights[p] / static_cast<double>(first_row_[p + 1] - first_row_[p]));
  }
  // An end based on few rows is as extreme as these rows happen to be.
  const auto pool = [&](auto point, auto last) {
    double sum = 0, weight = 0;
    auto end = point;
    for (; end != last && weight < kRowsOfAnEnd * maximum; ++end) sum += sums[*end], weight += weights[*end];
    for (; point != end && weight > 0; ++point) means[*point] = sum / weight;
  };
  auto points = numbers_below(sums.size());
  pool(points.begin(), points.end()), pool(points.rbegin(), points.rend());
  return isotonic(means, weights, shape == LevelShape::rising);
}

/// A unit is a set of configurations that share one response. Each configuration with many rows is a unit;
/// the other configurations of a kernel form one unit.
void AmountEffect::find_units(const std::vector<std::uint32_t>& kernel) {
  unit_.assign(members_.size(), 0);
  std::map<std::uint32_t, std::uint32_t> of_kernel;
  for (std::size_t g = 0; g < members_.size(); ++g) {
    if (members_[g].size() >= kRowsOfAUnit)
      unit_[g] = static_cast<std::uint32_t>(units_++);
    else if (const auto [at, added] = of_kernel.try_emplace(kernel[g], static_cast<std::uint32_t>(units_));
             added)
      unit_[g] = at->second, ++units_;
    else
      unit_[g] = at->second;
  }
}

/// Weighted sums over the rows of a stratum: of responses y and levels m.
struct AmountEffect::StratumSums {
  double weight = 0, y = 0, yy = 0, m = 0, mm = 0, my = 0;
};

/// Slopes of y over m by unit, within strata, shrunk to their mean by their uncertainty; all 1 if they differ
/// by no more than chance. 0 instead of a slope that is below 0 by chance.
AmountEffect::Values AmountEffect::responses(const std::vector<StratumSums>& sums,
                                             const Values& before) const {
  struct Slope {
    double mm = 0, my = 0, yy = 0, rows = 0, slope = 0, variance = 0;
  };
  std::vector<Slope> units(units_);
  for (std::size_t s = 0; s < strata_.size(); ++s) {
    const StratumSums& of = sums[s];
    if (!(of.weight > 0)) continue;
    Slope& u = units[unit_[rows_.group[strata_[s].front()]]];
    u.mm += of.mm - of.m * of.m / of.weight, u.my += of.my - of.m * of.y / of.weight;
    u.yy += of.yy - of.y * of.y / of.weight, u.rows += static_cast<double>(strata_[s].size()) - 1;
  }
  double weight = 0, weight2 = 0, mean = 0, known = 0;
  for (Slope& u : units) {
    if (!(u.mm > 0) || u.rows < 2) continue;
    u.slope = u.my / u.mm;
    u.variance = std::max(u.yy - u.slope * u.my, kMinResidual * u.yy) / (u.rows * u.mm);
    if (!(u.variance > 0)) continue;
    ++known, weight += 1 / u.variance, weight2 += 1 / (u.variance * u.variance), mean += u.slope / u.variance;
  }
  if (known < 2) return before;
  mean /= weight;
  double q = 0;
  for (const Slope& u : units)
    if (u.variance > 0) q += (u.slope - mean) * (u.slope - mean) / u.variance;
  const double between = std::max(0.0, (q - (known - 1)) / (weight - weight2 / weight));
  if (!(between > 0)) return Values(units_, 1.0);
  double all = 0, middle = 0;
  for (const Slope& u : units)
    if (u.variance > 0) all += 1 / (u.variance + between), middle += u.slope / (u.variance + between);
  middle /= all;
  Values result(units_, std::max(middle, 0.0));
  double rows = 0, sum = 0;
  for (std::size_t k = 0; k < units_; ++k) {
    const Slope& u = units[k];
    if (u.variance > 0) result[k] = (u.slope * between + middle * u.variance) / (between + u.variance);
    if (result[k] < 0 && u.slope > -kClearlyBelow * std::sqrt(u.variance)) result[k] = 0;
    rows += u.mm, sum += std::fabs(result[k]) * u.mm;
  }
  if (!(sum > 0)) return before;
  for (double& r : result)
    r *= rows / sum; // only response · m is identified: the mean |response| is set to 1
  return result;
}

/// Fits m by point, with fixed effects of strata and responses of units; starts from the responses of `from`.
AmountEffect::Level AmountEffect::level(LevelShape shape, const Values& row_weights, Level from,
                                        int rounds) const {
  const std::size_t points = first_row_.size() - 1;
  if (strata_.size() <= 1) rounds = 1;
  const double settled = kSettled * (fit_.scale == LevelScale::ns ? typical_[rows_.group.front()] : 1.0);
  Level result = std::move(from);
  std::vector<StratumSums> fixed(strata_.size());
  std::vector<std::uint32_t> unit_of(strata_.size()), rows_of(strata_.size(), 0);
  for (std::size_t s = 0; s < strata_.size(); ++s) unit_of[s] = unit_[rows_.group[strata_[s].front()]];
  for (std::size_t k = 0; k < point_.size(); ++k) rows_of[rows_.stratum[k]] += row_weights[k] > 0;
  // Rows with a weight, sorted by value. The only row of a stratum carries no information on the factor.
  struct Row {
    double weight, y;
    std::uint32_t stratum, point;
  };
  std::vector<Row> rows;
  rows.reserve(point_.size());
  for (std::size_t k = 0; k < point_.size(); ++k) {
    const auto stratum = rows_.stratum[k];
    const double weight = rows_of[stratum] > 1 ? row_weights[k] * weight_of_stratum_[stratum] : 0.0,
                 y = response_[k];
    if (!(weight > 0)) continue;
    rows.push_back({weight, y, stratum, point_[k]});
    StratumSums& of = fixed[stratum];
    of.weight += weight, of.y += weight * y, of.yy += weight * y * y;
  }
  Values sums(points), weights(points), times(strata_.size());
  std::vector<StratumSums> of_stratum;
  for (int round = 0; round < rounds && !stop_->requested(); ++round) {
    std::ranges::fill(sums, 0.0), std::ranges::fill(weights, 0.0);
    for (std::size_t s = 0; s < strata_.size(); ++s) times[s] = result.response[unit_of[s]];
    for (const Row& row : rows) {
      const double responding = row.weight * times[row.stratum];
      sums[row.point] += responding * (row.y - result.of_stratum[row.stratum]);
      weights[row.point] += responding * times[row.stratum];
    }
    result.of_point = smooth(shape, sums, weights);
    if (rounds == 1) break;
    of_stratum = fixed;
    for (const Row& row : rows) {
      StratumSums& of = of_stratum[row.stratum];
      const double m = result.of_point[row.point], weighted = row.weight * m;
      of.m += weighted, of.mm += weighted * m, of.my += weighted * row.y;
    }
    if (units_ > 1) result.response = responses(of_stratum, result.response);
    double change = 0;
    for (std::size_t s = 0; s < strata_.size(); ++s) {
      const StratumSums& of = of_stratum[s];
      if (!(of.weight > 0)) continue;
      const double again = (of.y - result.response[unit_of[s]] * of.m) / of.weight;
      change = std::max(change, std::fabs(again - result.of_stratum[s]));
      result.of_stratum[s] = again;
    }
    if (change < settled) break;
  }
  return result;
}

void AmountEffect::set_factors(Above& above) const {
  if (fit_.scale != LevelScale::log) return;
  above.factor.reserve(above.of_row.size());
  for (const double m : above.of_row) above.factor.push_back(std::exp(m));
}

AmountEffect::Above AmountEffect::above(const Level& level, const Values& row_weights) const {
  Above result;
  result.of_level = reference_level(level.of_point, row_weights);
  const double reference = result.of_level;
  const Values medians = medians_of_configurations(level.of_point);
  result.of_row.reserve(point_.size()), result.reference.reserve(point_.size());
  for (std::size_t k = 0; k < point_.size(); ++k) {
    const double times = level.response[unit_[rows_.group[k]]];
    result.of_row.push_back(times * (level.of_point[point_[k]] - reference));
    result.reference.push_back(times * (reference - medians[rows_.group[k]]));
  }
  set_factors(result);
  return result;
}

/// Same as above(), but each row is moved by a fit to the other folds; `reference`: level of the reference
/// minus the mean of all rows. Without Above::reference.
AmountEffect::Above AmountEffect::above_by_others(LevelShape shape, const Values& row_weights,
                                                  const Level& from, int rounds, double reference) const {
  const std::size_t n = point_.size();
  Above result{Values(n, 0.0), {}, Values(n, 0.0)};
  for (std::uint8_t fold = 0; fold < kFolds && !stop_->requested(); ++fold) {
    const auto mine = [&](std::size_t k) { return fold_[k] == fold; };
    Values weights = row_weights;
    for (std::size_t k = 0; k < n; ++k)
      if (mine(k)) weights[k] = 0;
    const Level fitted = level(shape, weights, from, rounds);
    const double mean = mean_of_rows(fitted.of_point); // levels are determined up to a constant
    for (std::size_t k = 0; k < n; ++k) {
      if (!mine(k)) continue;
      const double times = fitted.response[unit_[rows_.group[k]]];
      result.of_row[k] = times * (fitted.of_point[point_[k]] - mean - reference);
    }
  }
  set_factors(result);
  return result;
}

/// Remaining variability among launches with the same other causes: otherwise the few launches that one of
/// these causes makes a hundred times longer would dominate.
double AmountEffect::left_by(LevelShape shape) const {
  const Values ones(point_.size(), 1.0);
  const Above moved = shape == LevelShape::none ? above(no_level(), ones)
                                                : above_by_others(shape, ones, no_level(), kRounds, 0);
  const Values deviation = deviations(moved, 1, strata_);
  return std::accumulate(deviation.begin(), deviation.end(), 0.0);
}

/// How the deviation of launches grows with the level: 0 not at all, 1 in proportion. If durations at factor
/// f of those at the reference deviate by s f + (1 − s) times as much, |d − expected|, relative to the mean
/// of the stratum, has the slope b = s / (1 + s (mean f − 1)) over f.
double AmountEffect::stretch_of(const Above& above_reference, const Values& row_weights) const {
  if (fit_.scale == LevelScale::ns) return 0;
  const Values deviation = deviations(above_reference, 0, members_);
  const Values typical = first_typical(deviation);
  double slope = 0, squares = 0, mean_factor = 0, all = 0;
  for (const auto& rows : strata_) {
    const double far = AmountFit::kFar * typical[rows_.group[rows.front()]];
    const auto factor = [&](std::uint32_t k) { return above_reference.factor[k]; };
    const auto near = [&](std::uint32_t k) { return std::min(deviation[k], far * std::max(factor(k), 1.0)); };
    // Deviations vary about in proportion to themselves.
    const auto weight_of = [&](std::uint32_t k) { return row_weights[k] / (1 + factor(k) * factor(k)); };
    double weight = 0, mean = 0, sum = 0;
    for (const auto k : rows)
      weight += weight_of(k), mean += weight_of(k) * factor(k), sum += weight_of(k) * near(k);
    if (!(sum > 0)) continue;
    mean_factor += mean, all += weight;
    mean /= weight;
    for (const auto k : rows) {
      const double higher = factor(k) - mean;
      slope += weight_of(k) * higher * (near(k) * weight / sum - 1);
      squares += weight_of(k) * higher * higher;
    }
  }
  if (!(squares > 0)) return 1;
  const double b = slope / squares, rest = 1 - b * (mean_factor / all - 1);
  return rest > 0 ? std::clamp(b / rest, 0.0, 1.0) : b > 0 ? 1 : 0;
}

/// Shape and scale with the least variability left; each candidate is tried by one rank.
Expected<void> AmountEffect::choose_level(Communicator& communicator, const Job& job) {
  constexpr std::array kShapes = {LevelShape::rising, LevelShape::falling, LevelShape::bent};
  const bool several = std::ranges::count_if(members_, [](const auto& rows) { return !rows.empty(); }) > 1;
  const std::size_t scales = several ? 2 : 1;
  const auto left = run_replicates(
      static_cast<int>(scales * kShapes.size()), 2,
      [&](int task) {
        const auto at =
            static_cast<std::size_t>(task); // one rank tries neighbouring tasks, which differ in scale
        set_scale(at % scales == 0 ? LevelScale::log : LevelScale::ns);
        return std::vector{left_by(LevelShape::none), left_by(kShapes[at / scales])};
      },
      communicator, job);
  if (!left) return forward(left.error());
  const auto best_shape = [&](std::size_t scale) -> Choice {
    const auto by = [&](std::size_t shape) { return (*left)[shape * scales + scale].back(); };
    const double before = (*left)[scale].front(), rising = by(0), falling = by(1), bent = by(2);
    const double monotone = std::min(rising, falling), gain = std::max(before - monotone, 0.0);
    if (bent < before && before - bent > kBentIsBetter * gain) return {LevelShape::bent, bent};
    if (monotone < before) return {rising <= falling ? LevelShape::rising : LevelShape::falling, monotone};
    return {LevelShape::none, before};
  };
  const Choice factor = best_shape(0), ns = several ? best_shape(1) : Choice();
  const bool in_ns = ns.shape != LevelShape::none && ns.left < factor.left;
  set_scale(in_ns ? LevelScale::ns : LevelScale::log);
  fit_.shape = in_ns ? ns.shape : factor.shape;
  return {};
}

} // namespace jitterscope::causal
