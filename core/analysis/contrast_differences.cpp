#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/analysis/contrast.h"
#include "core/causal/earlier.h"
#include "core/causal/tiers.h"
#include "core/causal/wording.h"

namespace jitterscope::analysis {
namespace {

constexpr std::size_t kFewestInMoment = 8, kMostMoments = 400, kMostListed = 5;
constexpr double kFalseDiscoveries = 0.1;  ///< rate among the listed columns (Benjamini, Hochberg 1995)
constexpr double kBeyondAll = 1.5;         ///< times the largest difference of other moments: only here
constexpr double kLeastPart = 0.1;         ///< of the excess, that a column's relation to durations has to account for

/// One column over the sample, centred within configurations on launches outside the selection.
struct Centred {
  std::vector<double> mean, n; ///< by configuration
  std::vector<double> z;       ///< by launch of the sample; NaN inside the selection or missing
};

Centred centre(const causal::FitRows& sample, std::size_t feature, const std::vector<std::uint8_t>& outside) {
  Centred c;
  c.mean.assign(sample.typical_ns.size(), 0.0), c.n.assign(sample.typical_ns.size(), 0.0), c.z.assign(sample.rows(), causal::kMissing);
  for (std::size_t i = 0; i < sample.rows(); ++i)
    if (const auto x = static_cast<double>(sample.values[feature][i]); outside[i] && !std::isnan(x))
      c.mean[sample.peers[i]] += x, c.n[sample.peers[i]] += 1;
  for (std::size_t g = 0; g < c.n.size(); ++g) c.mean[g] /= std::max(c.n[g], 1.0);
  for (std::size_t i = 0; i < sample.rows(); ++i)
    if (outside[i]) c.z[i] = static_cast<double>(sample.values[feature][i]) - c.mean[sample.peers[i]];
  return c;
}

/// |mean| of other moments of the same number of launches.
std::vector<double> other_moments(const std::vector<double>& z, const std::vector<std::size_t>& order, std::size_t length) {
  std::vector<double> sum{0}, means;
  for (const auto i : order)
    if (!std::isnan(z[i])) sum.push_back(sum.back() + z[i]);
  const std::size_t rows = sum.size() - 1;
  if (rows < 2 * length) return means;
  const std::size_t step = std::max<std::size_t>(1, (rows - length) / kMostMoments);
  for (std::size_t first = 0; first + length <= rows; first += step)
    means.push_back(std::fabs(sum[first + length] - sum[first]) / static_cast<double>(length));
  return means;
}

struct Slope {
  double value = 0;   ///< relative excess per unit
  bool clear = false; ///< against as many independent launches as there are blocks of time
};

Slope slope_of(const causal::FitRows& sample, const std::vector<double>& z) {
  double zz = 0, zy = 0, yy = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (std::isnan(z[i]) || !(sample.typical_ns[sample.peers[i]] > 0)) continue;
    const double y = std::clamp(sample.duration_ns[i] / sample.typical_ns[sample.peers[i]] - 1, -1.0, 5.0);
    zz += z[i] * z[i], zy += z[i] * y, yy += y * y;
  }
  if (!(zz > 0) || !(yy > 0)) return {};
  return {zy / zz, std::fabs(zy) / std::sqrt(zz * yy) > 2 / std::sqrt(static_cast<double>(sample.blocks))};
}

} // namespace

void Contrasts::add_differences(Contrast& contrast, const FittedLaunches& launches, std::span<const std::size_t> chosen,
                                const std::function<bool(std::int64_t)>& inside) const {
  const auto& sample = reasons_.sample();
  const auto& sampled = reasons_.sampled().launches;
  std::vector<std::uint8_t> outside(sample.rows());
  std::vector<std::size_t> order(sample.rows());
  std::size_t within = 0;
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    const bool in = inside(sampled[i].row);
    within += in, outside[i] = !in && peer_[i];
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sampled[a].start_ns < sampled[b].start_ns; });
  const std::size_t length = std::max(kFewestInMoment, within);
  const auto is_term = [&](const causal::FeatureInfo& feature) {
    const auto& terms = reasons_.fit().terms;
    return std::any_of(terms.begin(), terms.end(), [&](const auto& term) { return causal::cause_of(term.feature) == causal::cause_of(feature); });
  };
  std::vector<Difference> found;
  std::size_t tested = 0;
  for (std::size_t f = 0; f < sample.features.size(); ++f) {
    if (cancelled_()) return;
    const auto& feature = sample.features[f];
    if (feature.role == causal::FeatureRole::category || feature.name == causal::kEarlierDeviation || is_term(feature)) continue;
    const Centred centred = centre(sample, f, outside);
    double sum = 0, n = 0, typical = 0, elsewhere = 0;
    std::size_t passed = 0;
    for (const auto k : chosen) {
      if (++passed % 65'536 == 0 && cancelled_()) return;
      const auto& launch = launches.launches[k];
      const double x = launches.of(k)[f];
      if (std::isnan(x) || centred.n[launch.peers] < static_cast<double>(LaunchReasons::kFewestPeers)) continue;
      sum += x - centred.mean[launch.peers], elsewhere += centred.mean[launch.peers], n += 1;
      if (const double t = sample.typical_ns[launch.peers]; t > 0) typical += t;
    }
    if (n < 1) continue;
    const double mean = sum / n;
    if (cancelled_()) return;
    const auto others = other_moments(centred.z, order, length);
    if (others.size() < 20) continue;
    ++tested;
    const auto as_far = std::count_if(others.begin(), others.end(), [&](double other) { return other >= std::fabs(mean); });
    Difference d;
    d.feature = feature.name, d.label = causal::words_for(feature.name), d.unit = feature.unit;
    d.here = (sum + elsewhere) / n, d.elsewhere = elsewhere / n;
    d.here_text = causal::value_in_words(d.here, d.unit),
    d.elsewhere_text = causal::value_in_words(d.elsewhere, d.unit);
    d.chance = (1.0 + static_cast<double>(as_far)) / (1.0 + static_cast<double>(others.size()));
    const Slope slope = slope_of(sample, centred.z);
    const double explained = slope.value * mean * typical;
    const bool of_rest = contrast.excess_ns != 0 && explained / contrast.excess_ns >= kLeastPart && contrast.rest_ns * explained > 0;
    if (slope.clear && of_rest)
      d.kind = Difference::Kind::may_explain;
    else if (std::fabs(mean) > kBeyondAll * *std::max_element(others.begin(), others.end()))
      d.kind = Difference::Kind::only_here;
    found.push_back(std::move(d));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.chance < b.chance; });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found[k].chance <= kFalseDiscoveries * static_cast<double>(k + 1) / static_cast<double>(tested)) kept = k + 1;
  found.resize(std::min(kept, kMostListed));
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
  contrast.differences = std::move(found);
}

} // namespace jitterscope::analysis
