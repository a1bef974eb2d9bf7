#include <cmath>

#include "core/causal/amounts/amount_effect.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kSettings = 16; ///< quantile intervals between settings

} // namespace

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

double AmountEffect::value_of_setting(std::size_t setting) const {
  return rows_.x[first_row_[settings()[setting]]];
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
