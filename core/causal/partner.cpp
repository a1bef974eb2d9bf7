#include "core/causal/partner.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::causal {
namespace {

constexpr double kFewest = 30;
constexpr double kLeastPart = 0.1;
constexpr double kNearlyNothing = 0.2;
constexpr int kRounds = 4;

double mean(const EffectAtValue& e) {
  return e.gain / e.launches;
}

double standard_error(const EffectAtValue& e) {
  return std::sqrt(std::max(0.0, e.squares / e.launches - mean(e) * mean(e)) / e.launches);
}

/// How much of the effect is left where it should be absent, as a part of that where it is present; none where it
/// is no such case.
std::optional<double> left_where_absent(const EffectAtValue& absent, const EffectAtValue& present) {
  const double least = std::max(kFewest, kLeastPart * (absent.launches + present.launches));
  if (absent.launches < least || present.launches < kFewest || present.gain <= 0) return std::nullopt;
  const double there = mean(present), left = std::max(mean(absent), 0.0);
  if (left > kNearlyNothing * there || absent.gain > kNearlyNothing * present.gain) return std::nullopt;
  if (mean(absent) + 2 * standard_error(absent) > 0.5 * (there - 2 * standard_error(present))) return std::nullopt;
  return left / there;
}

} // namespace

std::optional<Partner> find_partner(const std::vector<EffectByColumn>& effects) {
  std::optional<Partner> best;
  double least = 1;
  for (const EffectByColumn& e : effects)
    for (const bool high : {true, false}) {
      const auto left = high ? left_where_absent(e.low, e.high) : left_where_absent(e.high, e.low);
      if (!left || *left >= least) continue;
      least = *left, best = Partner{e.column, high};
    }
  return best;
}

std::vector<OnKernel> kernels_acted_on(const std::vector<EffectOnKernel>& effects) {
  std::vector<OnKernel> on(effects.size(), OnKernel::unclear);
  double launches_with = 0, launches_spared = 0;
  for (const EffectOnKernel& e : effects) launches_with += e.with.launches;
  for (int round = 0; round < kRounds; ++round) { // without the spared kernels the effect on the others is larger
    EffectOnKernel others;
    for (std::size_t k = 0; k < effects.size(); ++k) {
      if (on[k] == OnKernel::spares) continue;
      others.with.launches += effects[k].with.launches, others.with.gain += effects[k].with.gain;
      others.usual += effects[k].usual;
    }
    if (!(others.with.gain > 0) || !(others.usual > 0)) return {};
    const double least_ns = kNearlyNothing * mean(others.with), least = kNearlyNothing * others.with.gain / others.usual;
    launches_spared = 0;
    for (std::size_t k = 0; k < effects.size(); ++k) {
      const EffectAtValue& with = effects[k].with;
      if (with.launches < kFewest) continue;
      const double error = 2 * standard_error(with), most = mean(with) + error;
      on[k] = most < least_ns && most * with.launches < least * effects[k].usual ? OnKernel::spares
              : mean(with) > error                                               ? OnKernel::acts
                                                                                 : OnKernel::unclear;
      if (on[k] == OnKernel::spares) launches_spared += with.launches;
    }
  }
  const bool told = launches_spared >= kLeastPart * launches_with && std::count(on.begin(), on.end(), OnKernel::acts) > 0;
  return told ? on : std::vector<OnKernel>{};
}

} // namespace jitterscope::causal
