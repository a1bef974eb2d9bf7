#include "core/causal/attribution/launch_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace jitterscope::causal {
namespace {

/// 1/ns, added to the likelihood per noise component: where both likelihoods vanish, the components are
/// weighted by their shares.
constexpr double kMinLikelihood = 1e-30;
/// Absolute parts of a launch, other than components of its time, add up to at most this many times its
/// excess or its duration at the reference, whichever is larger. Otherwise the factors of an exceptional
/// launch could multiply to any size.
constexpr double kFarthest = 4;
/// Distance beyond an outermost centre to which levels are extrapolated, as a fraction of the distance to the
/// next centre: about the width of the outermost class.
constexpr double kBeyond = 0.5;
/// Maximum ratio of this distance to that between the next two centres: a straight line does not continue the
/// levels of values of very different sizes.
constexpr double kMostUneven = 4;

} // namespace

double scaled_noise(double change, double noise, double spread) {
  return std::clamp(noise * change * (2 + change), 0.0, spread);
}

RestOfLaunch::RestOfLaunch(double noise, double scaled, double other) : variance(noise + scaled + other) {
  if (!(variance > 0)) return;
  const double of_noise = noise + scaled, growth = noise > 0 ? of_noise / noise : 1.0;
  own = of_noise / variance / std::sqrt(growth);
  missed = of_noise * other / variance / growth;
}

FitTerm::Place FitTerm::place_of(double value) const {
  const auto c = classes.of(value);
  if (c == ValueClasses::kNone || classes.category() || (classes.zero_apart() && c == 0)) return {c, c, 0};
  const std::size_t first = classes.zero_apart() ? 1 : 0, last = centre.size() - 1;
  if (first == last) return {c, c, 0};
  const std::size_t left = c == last || (value < centre[c] && c > first) ? c - 1u : c, right = left + 1;
  const double width = centre[right] - centre[left];
  if (!(width > 0)) return {c, c, 0};
  const auto even = [&](std::size_t before, std::size_t after) {
    return width <= kMostUneven * (centre[after] - centre[before]);
  };
  const double lowest = left == first && right < last && even(right, right + 1) ? -kBeyond : 0.0,
               highest = right == last && left > first && even(left - 1, left) ? 1 + kBeyond : 1.0;
  return {left, right, std::clamp((value - centre[left]) / width, lowest, highest)};
}

double reference_factor(FitTerm::Scale scale, double response, double reference) {
  return scale == FitTerm::Scale::added ? 1.0 : std::max(1 + response * reference, kMinFactor);
}

double FitTerm::change_at(double value, std::uint32_t peers, Scale form, double of_kernel,
                          std::span<const double> levels) const {
  const Place at = place_of(value), from = place_of(reference[peers]);
  if (std::max(at.right, from.right) >= levels.size()) return 0; // missing, or a rare category
  const auto level_of = [&](const Place& place) {
    return levels[place.left] + place.part * (levels[place.right] - levels[place.left]);
  };
  const double compared_with = level_of(from);
  return of_kernel * (level_of(at) - compared_with) / reference_factor(form, of_kernel, compared_with);
}

double LaunchFit::parts(std::span<const double> values, std::uint32_t peers, std::uint32_t kernel,
                        double duration_ns, std::span<double> out, const FitReplicate* replicate) const {
  const double deviation = modelled_parts(values, peers, kernel, duration_ns, out, replicate);
  const double base = replicate ? replicate->base_ns[peers] : base_ns[peers];
  double sum = 0;
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (terms[t].scale != FitTerm::Scale::part) sum += std::fabs(out[t]);
  const double limit = kFarthest * std::max(std::fabs(duration_ns - base), base);
  if (!(sum > limit)) return deviation;
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (terms[t].scale != FitTerm::Scale::part) out[t] *= limit / sum;
  return std::min(deviation, limit);
}

double LaunchFit::modelled_parts(std::span<const double> values, std::uint32_t peers, std::uint32_t kernel,
                                 double duration_ns, std::span<double> out,
                                 const FitReplicate* replicate) const {
  const double base = replicate ? replicate->base_ns[peers] : base_ns[peers];
  const auto scale_of = [&](std::size_t t) {
    return replicate && t < replicate->scale.size() ? replicate->scale[t] : terms[t].scale;
  };
  const double unit = base * base, own_noise = noise[peers] * unit;
  const auto variance = [&](std::size_t t) {
    const FitTerm& term = terms[t];
    const auto c = term.classes.of(values[t]);
    if (c == ValueClasses::kNone || c >= term.spread.size()) return 0.0;
    const double of_term = (term.scale == FitTerm::Scale::added ? 1.0 : base) * term.response[kernel];
    return term.spread[c] * of_term * of_term;
  };
  double logarithms = 0, added = 0, extra = 0, scaled = 0;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const FitTerm& term = terms[t];
    if (term.scale == FitTerm::Scale::part) {
      out[t] = std::isnan(values[t]) ? 0.0 : values[t], added += out[t];
      continue;
    }
    const auto& levels = replicate ? replicate->level[t] : term.level;
    const double response =
        replicate && t < replicate->response.size() ? replicate->response[t][kernel] : term.response[kernel];
    const auto scale = scale_of(t);
    const double change = term.change_at(values[t], peers, scale, response, levels);
    const double of_term = variance(t);
    extra += of_term;
    if (scale != FitTerm::Scale::added) scaled += scaled_noise(change, own_noise, of_term);
    if (scale == FitTerm::Scale::factor) {
      out[t] = std::log(std::max(1 + change, kMinFactor));
      logarithms += out[t];
    } else {
      out[t] = change * (scale == FitTerm::Scale::relative ? base : 1.0);
      added += out[t];
    }
  }
  const double multiplied = base * std::expm1(logarithms);
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (scale_of(t) == FitTerm::Scale::factor)
      out[t] *= std::fabs(logarithms) > 1e-9 ? multiplied / logarithms : base;
  if (!(extra > 0)) return 0;
  const double rest = duration_ns - base - multiplied - added;
  const double typical = typical_noise[peers] * unit;
  const double outlying =
      outliers > 0 ? std::max(typical, (own_noise - (1 - outliers) * typical) / outliers) : typical;
  double weight = 0, part = 0, squares = 0, missed = 0; // sums over both noise components
  for (const auto& [share, own] : {std::pair{1 - outliers, typical}, std::pair{outliers, outlying}}) {
    const RestOfLaunch of(own, own_noise > 0 ? scaled * own / own_noise : 0.0, extra - scaled);
    const double likely = share / std::sqrt(of.variance) * std::exp(-0.5 * (rest * rest) / of.variance) +
                          share * kMinLikelihood;
    const double of_causes = 1 - of.own;
    weight += likely, part += likely * of_causes, squares += likely * of_causes * of_causes,
        missed += likely * of.missed;
  }
  part /= weight, squares /= weight, missed /= weight;
  for (std::size_t t = 0; t < terms.size(); ++t) out[t] += rest * part * variance(t) / extra;
  return std::sqrt(missed + std::max(0.0, squares - part * part) * rest * rest);
}

} // namespace jitterscope::causal
