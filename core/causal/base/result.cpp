#include "core/causal/base/result.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/similar_names.h"
#include "core/causal/base/lists.h"

namespace jitterscope::causal {

const FeatureReport* CausalResult::find(const std::string& feature) const {
  const auto found = std::ranges::find(features, feature, &FeatureReport::name);
  return found == features.end() ? nullptr : &*found;
}

namespace {

/// Whether the target is a quantity that is never negative.
bool is_a_length(const std::string& target) {
  return target == "kernel_variability" || target == "duration" || target == "memory_stall" ||
         target == "memory_stall_variability";
}

double between(double a, double b, double part) {
  return a + part * (b - a);
}

Range between(const Range& a, const Range& b, double part) {
  return {between(a.low, b.low, part), between(a.high, b.high, part)};
}

/// Linear between the settings, constant beyond them.
Setting setting_at(const std::vector<Setting>& settings, double value) {
  const auto next = std::ranges::upper_bound(settings, value, {}, &Setting::value);
  if (next == settings.begin()) return settings.front();
  if (next == settings.end()) return settings.back();
  const Setting &a = *std::prev(next), &b = *next;
  const double part = (value - a.value) / (b.value - a.value);
  return {value,
          between(a.left, b.left, part),
          between(a.left_interval, b.left_interval, part),
          between(a.std, b.std, part),
          between(a.std_interval, b.std_interval, part),
          between(a.duration_change_ns, b.duration_change_ns, part),
          between(a.duration_interval, b.duration_interval, part)};
}

/// Interval of a value that changes by an effect per unit.
Range moved(double value, const Range& effect, double step) {
  const double a = value + effect.low * step, b = value + effect.high * step;
  return {std::min(a, b), std::max(a, b)};
}

void set_amount(const CausalResult& result, const std::vector<Setting>& settings, Intervention& i) {
  const Setting s = setting_at(settings, i.value);
  if (result.variability_mean > 0)
    i.mean_before = result.variability_mean, i.std_before = result.variability_std, i.around_median = true;
  i.mean_after = i.mean_before * s.left, i.std_after = i.std_before * s.std;
  i.std_ci = {i.std_before * s.std_interval.low, i.std_before * s.std_interval.high};
  i.ci_low = i.mean_before * s.left_interval.low, i.ci_high = i.mean_before * s.left_interval.high;
  i.duration_change_ns = s.duration_change_ns, i.duration_interval = s.duration_interval;
}

void another_amount(const std::vector<Setting>& settings, const LaunchTime& launch, Counterfactual& c) {
  const Setting from = setting_at(settings, c.from), to = setting_at(settings, c.to);
  const double change = to.duration_change_ns - from.duration_change_ns;
  const auto width = [](const Range& r) { return (r.high - r.low) / 2; };
  const double unsure = std::hypot(width(from.duration_interval), width(to.duration_interval));
  const double nearer = from.left > 0 ? to.left / from.left : 1.0;
  const auto away = [&](double longer) { return (launch.duration - launch.centre + longer) * nearer; };
  c.target_after = std::fabs(away(change)), c.duration_after = launch.centre + away(change);
  const double a = away(change - unsure), b = away(change + unsure);
  c.ci_low = a * b < 0 ? 0.0 : std::min(std::fabs(a), std::fabs(b)),
  c.ci_high = std::max(std::fabs(a), std::fabs(b));
}

} // namespace

Expected<Intervention> intervene(const CausalResult& result, const std::string& feature, double value) {
  const FeatureReport* f = result.find(feature);
  if (f == nullptr) {
    return failure(ErrorKind::BadUse, fmt::format("\"{}\" is not a factor that was examined", feature), {},
                   {}, did_you_mean(feature, mapped(result.features, &FeatureReport::name)));
  }
  if (!std::isfinite(value))
    return failure(ErrorKind::BadUse,
                   fmt::format("{} cannot be set to {}, which is not a finite number", feature, value));
  if (f->representative == feature + " > 0") return intervene(result, f->representative, value > 0 ? 1 : 0);
  if (f->status != FeatureStatus::used) {
    const std::string hint =
        f->representative.empty() ? "" : fmt::format("Use {}, which represents it.", f->representative);
    return failure(ErrorKind::BadUse, fmt::format("\"{}\" is not part of the graph: {}", feature, f->reason),
                   {}, {}, hint);
  }
  if (feature == result.target) return failure(ErrorKind::BadUse, "the target itself cannot be set");
  Intervention out;
  out.feature = feature, out.value = value;
  const double step = value - f->mean;
  out.mean_before = result.target_mean;
  out.mean_after = result.target_mean + f->total_effect * step;
  const Range ci = moved(result.target_mean, f->total_effect_ci, step);
  out.ci_low = ci.low, out.ci_high = ci.high;
  out.std_before = result.target_std, out.std_after = f->target_std_if_fixed,
  out.std_ci = f->target_std_if_fixed_ci;
  for (const Contribution& c : result.contributions)
    if (c.feature == feature && !c.settings.empty()) set_amount(result, c.settings, out);
  if (is_a_length(result.target))
    for (double* bound : {&out.mean_after, &out.ci_low, &out.ci_high}) *bound = std::max(0.0, *bound);
  out.extrapolates = value < f->minimum || value > f->maximum;
  return out;
}

Expected<Counterfactual> counterfactual(const CausalResult& result, const std::string& feature, double from,
                                        double to, double target_before,
                                        const std::optional<LaunchTime>& launch) {
  const auto possible = intervene(result, feature, to);
  if (!possible) return forward(possible.error());
  const FeatureReport& f = *result.find(feature);
  const double step = to - from;
  Counterfactual c;
  c.feature = feature, c.from = from, c.to = to;
  c.target_before = target_before, c.target_after = target_before + f.total_effect * step;
  const Range ci = moved(target_before, f.total_effect_ci, step);
  c.ci_low = ci.low, c.ci_high = ci.high, c.extrapolates = possible->extrapolates;
  const auto of_amount = std::ranges::find_if(result.contributions, [&](const Contribution& one) {
    return one.feature == feature && !one.settings.empty();
  });
  if (launch && of_amount != result.contributions.end()) another_amount(of_amount->settings, *launch, c);
  c.impossible = is_a_length(result.target) && c.target_after < 0;
  if (is_a_length(result.target))
    for (double* bound : {&c.target_after, &c.ci_low, &c.ci_high}) *bound = std::max(0.0, *bound);
  return c;
}

} // namespace jitterscope::causal
