#include "core/causal/statistics/partner.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::causal {
namespace {

constexpr double kMinLaunches = 30;
constexpr double kMinPart = 0.1;
constexpr double kNearlyNothing = 0.2;
/// A clear value exceeds this number of standard errors; high, as there may be many kernels.
constexpr double kClear = 4;
constexpr double kNotClear = 2.5;
constexpr double kHardlyAny = 0.02;

double mean(const EffectAtValue& e) {
  return e.gain / e.launches;
}

double standard_error(const EffectAtValue& e) {
  return std::sqrt(std::max(0.0, e.squares / e.launches - mean(e) * mean(e)) / e.launches);
}

/// Remaining effect where it should be absent, as a fraction of the effect where it is present; empty if the
/// case does not apply.
std::optional<double> left_where_absent(const EffectAtValue& absent, const EffectAtValue& present) {
  const double minimum = std::max(kMinLaunches, kMinPart * (absent.launches + present.launches));
  if (absent.launches < minimum || present.launches < kMinLaunches || present.gain <= 0) return std::nullopt;
  const double there = mean(present), left = std::max(mean(absent), 0.0);
  if (left > kNearlyNothing * there || absent.gain > kNearlyNothing * present.gain) return std::nullopt;
  if (mean(absent) + 2 * standard_error(absent) > 0.5 * (there - 2 * standard_error(present)))
    return std::nullopt;
  return left / there;
}

} // namespace

std::optional<Partner> find_partner(const std::vector<EffectByColumn>& effects) {
  std::optional<Partner> best;
  double minimum = 1;
  for (const EffectByColumn& e : effects)
    for (const bool high : {true, false}) {
      const auto left = high ? left_where_absent(e.low, e.high) : left_where_absent(e.high, e.low);
      if (!left || *left >= minimum) continue;
      minimum = *left, best = Partner{e.column, high};
    }
  return best;
}

std::vector<OnKernel> kernels_acted_on(const std::vector<EffectOnKernel>& effects) {
  const auto clear = [](double value, double error) { return std::fabs(value) > kClear * error; };
  double max_ns = 0, maximum = 0;
  for (const EffectOnKernel& e : effects) {
    if (e.launches < kMinLaunches || !(e.typical > 0)) continue;
    for (const double effect :
         {clear(e.longer, e.error) ? std::fabs(e.longer) : 0.0, clear(e.gain, e.gain_error) ? e.gain : 0.0})
      max_ns = std::max(max_ns, effect), maximum = std::max(maximum, effect / e.typical);
  }
  const double min_ns = kMinPart * max_ns, minimum = kMinPart * maximum;
  std::vector<OnKernel> on(effects.size(), OnKernel::unclear);
  double with = 0, spared = 0;
  bool acts = false;
  for (std::size_t k = 0; k < effects.size(); ++k) {
    const EffectOnKernel& e = effects[k];
    with += e.launches;
    if (e.launches < kMinLaunches || !(e.typical > 0)) continue;
    const auto felt = [&](double value, double error) {
      return clear(value, error) && (std::fabs(value) >= min_ns || std::fabs(value) >= minimum * e.typical);
    };
    const auto nothing = [&](double value, double error) {
      const double bound = std::fabs(value) + 3 * error;
      const bool tiny =
          std::fabs(value) < kHardlyAny * max_ns && std::fabs(value) < kHardlyAny * maximum * e.typical;
      return bound < min_ns && bound < minimum * e.typical && (tiny || std::fabs(value) <= kNotClear * error);
    };
    if (felt(e.longer, e.error) || (e.gain > 0 && felt(e.gain, e.gain_error)))
      on[k] = OnKernel::acts, acts = true;
    else if (nothing(e.longer, e.error) && nothing(e.gain, e.gain_error))
      on[k] = OnKernel::spares, spared += e.launches;
  }
  return acts && spared >= kMinPart * with ? on : std::vector<OnKernel>{};
}

} // namespace jitterscope::causal
