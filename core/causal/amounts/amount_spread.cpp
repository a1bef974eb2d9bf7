#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/median.h"
#include "core/causal/amounts/amount_effect.h"
#include "core/causal/base/bootstrap.h"

namespace jitterscope::causal {
namespace {

constexpr int kRoundsOfTypical = 6;      ///< alternating fits of typical deviations and spread
constexpr double kMeanOverMedian = 1.18; ///< mean / median of |z| for normal z

/// Sign of the sum over blocks; 0 if its bootstrap interval contains 0.
int sign_of_sum(const std::vector<double>& of_block, const std::vector<std::vector<int>>& resamples,
                Stop& stop) {
  const double all = std::accumulate(of_block.begin(), of_block.end(), 0.0);
  if (resamples.empty()) return all > 0 ? 1 : all < 0 ? -1 : 0;
  std::vector<double> sums;
  for (const auto& weights : resamples) {
    if (stop.requested()) return 0;
    double sum = 0;
    for (std::size_t b = 0; b < of_block.size(); ++b) sum += weights[b] * of_block[b];
    sums.push_back(sum);
  }
  const Range range = percentile_interval(std::move(sums));
  return range.low > 0 ? 1 : range.high < 0 ? -1 : 0;
}

} // namespace

/// Sign of the trend of |d − typical|, relative to the stratum, over the ranks of the factor. Launches at the
/// two ends must differ in the same direction: 0 if the interval of the trend, or that of the difference
/// between the ends, contains 0. A spread that is wide only in between (values averaged across a change) is
/// not a trend.
int AmountEffect::trend_of_spread(const Values& deviation,
                                  const std::vector<std::vector<int>>& resamples) const {
  Values trend_of_block(blocks_, 0.0), ends_of_block(blocks_, 0.0);
  const double in_low = static_cast<double>(first_row_[low_points_]);
  const double in_high = static_cast<double>(point_.size() - first_row_[high_points_]);
  for (const auto& rows : strata_) {
    double sum = 0, rank = 0;
    const auto count = static_cast<double>(rows.size());
    for (const auto k : rows)
      sum += deviation[k], rank += static_cast<double>(first_row_[point_[k]] + first_row_[point_[k] + 1]);
    if (!(sum > 0)) continue;
    for (const auto k : rows) {
      const double place =
          static_cast<double>(first_row_[point_[k]] + first_row_[point_[k] + 1]) - rank / count;
      const double beyond = deviation[k] * count / sum - 1;
      trend_of_block[rows_.block[k]] += place * beyond;
      if (point_[k] < low_points_) ends_of_block[rows_.block[k]] -= beyond / in_low;
      if (point_[k] >= high_points_) ends_of_block[rows_.block[k]] += beyond / in_high;
    }
  }
  const int trend = sign_of_sum(trend_of_block, resamples, *stop_);
  return trend == sign_of_sum(ends_of_block, resamples, *stop_) ? trend : 0;
}

/// Starting value for fits of the typical deviation: from the median, which is robust to outliers; from the
/// mean if most launches take the same time.
AmountEffect::Values AmountEffect::first_typical(const Values& deviation) const {
  Values typical(members_.size(), 0.0), known;
  for (std::size_t g = 0; g < members_.size(); ++g) {
    known.clear();
    for (const auto k : members_[g]) known.push_back(deviation[k]);
    if (known.empty()) continue;
    typical[g] = kMeanOverMedian * median_of(known);
    if (!(typical[g] > 0))
      typical[g] = std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
  }
  return typical;
}

/// Deviations, limited to what the spread can account for; `spread` by point.
AmountEffect::Values AmountEffect::capped(const Values& deviation, const Values& typical,
                                          const Values& spread) const {
  Values result = deviation;
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k] = std::min(result[k], AmountFit::kFar * typical[rows_.group[k]] * spread[point_[k]]);
  return result;
}

/// s by point: one mean at the reference end, a monotone fit beyond it; alternates with fits of strata.
AmountEffect::Spread AmountEffect::spread(const Values& deviation, const Values& row_weights,
                                          Values of_stratum, int rounds) const {
  const std::size_t points = first_row_.size() - 1;
  if (strata_.size() <= 1) rounds = 1;
  Spread result;
  result.of_point.assign(points, 1.0);
  for (int round = 0; round < rounds; ++round) {
    Values sums(points, 0.0), weights(points, 0.0);
    double reference_sum = 0, reference_weight = 0;
    for (std::size_t k = 0; k < point_.size(); ++k) {
      const double weight = row_weights[k] * of_stratum[rows_.stratum[k]];
      if (in_reference(point_[k]))
        reference_sum += row_weights[k] * deviation[k], reference_weight += weight;
      else
        sums[point_[k]] += row_weights[k] * deviation[k], weights[point_[k]] += weight;
    }
    result.of_point =
        smooth(fit_.spread_direction > 0 ? LevelShape::rising : LevelShape::falling, sums, weights);
    result.reference = reference_weight > 0 ? reference_sum / reference_weight : 0.0;
    for (std::size_t p = 0; p < points; ++p)
      if (in_reference(p)) result.of_point[p] = result.reference;
    if (rounds == 1) break;
    for (std::size_t g = 0; g < strata_.size(); ++g) {
      double sum = 0, expected = 0;
      for (const auto k : strata_[g])
        sum += row_weights[k] * deviation[k], expected += row_weights[k] * result.of_point[point_[k]];
      if (expected > 0) of_stratum[g] = sum / expected;
    }
  }
  result.of_stratum = std::move(of_stratum);
  return result;
}

AmountEffect::Values AmountEffect::means_of_strata(const Values& deviation) const {
  Values means(strata_.size(), 0.0);
  for (std::size_t g = 0; g < strata_.size(); ++g)
    for (const auto k : strata_[g]) means[g] += deviation[k] / static_cast<double>(strata_[g].size());
  return means;
}

/// Fits the spread. Returns the sum of the deviations that remain at the reference spread.
double AmountEffect::fit_spread(const Values& deviation) {
  const Values ones(point_.size(), 1.0);
  Values of_point(first_row_.size() - 1, 1.0);
  fit_.typical = first_typical(deviation);
  for (int round = 0; round < kRoundsOfTypical; ++round) {
    const Values near = capped(deviation, fit_.typical, of_point);
    if (round == 0) stratum_spread_ = means_of_strata(near);
    Spread s = spread(near, ones, std::move(stratum_spread_), round == 0 ? kRounds : kRoundsAgain);
    stratum_spread_ = std::move(s.of_stratum);
    for (std::size_t p = 0; p < of_point.size(); ++p)
      of_point[p] = s.reference > 0     ? (s.of_point[p] > 0 ? s.of_point[p] / s.reference : 1.0)
                    : s.of_point[p] > 0 ? std::numeric_limits<double>::infinity()
                                        : 1.0;
    for (std::size_t g = 0; g < members_.size(); ++g) {
      double sum = 0, expected = 0;
      for (const auto k : members_[g]) sum += near[k], expected += of_point[point_[k]];
      if (expected > 0) fit_.typical[g] = sum / expected;
    }
  }
  fit_.spread = steps(of_point);
  double left = 0;
  for (std::size_t k = 0; k < deviation.size(); ++k)
    left += fit_.steadied(deviation[k], rows_.x[k], rows_.group[k]);
  return left;
}

/// The level is set to that of the median: the spread is, too.
void AmountEffect::refer_spread_to_median() {
  const double at_median = reference_level(spread_of_points(), Values(point_.size(), 1.0));
  if (!std::isfinite(at_median) || !(at_median > 0)) return;
  for (double& wider : fit_.spread.values) wider /= at_median;
  for (double& deviation : fit_.typical) deviation *= at_median;
}

/// Deviations if all rows had the spread of the reference, from a fit to weighted rows. Sets
/// `spread_of_point` to the fitted spread by point.
AmountEffect::Steadied AmountEffect::steadied_again(const Values& deviation, const Values& row_weights,
                                                    Values& spread_of_point) const {
  const Values near = capped(deviation, fit_.typical, spread_of_points());
  const Spread s = spread(near, row_weights, stratum_spread_, kRoundsAgain);
  const double at_median = spread_at_median_ ? reference_level(s.of_point, row_weights) : 0.0,
               reference = at_median > 0 ? at_median : s.reference;
  Steadied result{deviation, {}};
  for (std::size_t k = 0; k < deviation.size(); ++k) {
    const double of_point = s.of_point[point_[k]];
    result.near.push_back(of_point > 0 ? near[k] * reference / of_point
                                       : reference * s.of_stratum[rows_.stratum[k]]);
    result.left[k] += result.near.back() - near[k];
  }
  for (std::size_t p = 0; p < spread_of_point.size(); ++p)
    spread_of_point[p] = reference > 0 ? s.of_point[p] / reference : 1.0;
  return result;
}

} // namespace jitterscope::causal
