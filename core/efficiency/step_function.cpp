#include "core/efficiency/step_function.h"

#include <algorithm>
#include <map>

namespace jitterscope::efficiency {

StepFunction::StepFunction(std::span<const Step> steps) {
  for (const auto& step : steps) add(step.begin, step.value);
}

// A later step at the same time replaces the earlier one.
void StepFunction::add(std::int64_t time, double value) {
  if (!steps_.empty() && steps_.back().begin == time) steps_.pop_back();
  if ((steps_.empty() ? 0.0 : steps_.back().value) != value) steps_.push_back({time, value});
}

StepFunction StepFunction::active(std::span<const Interval> intervals) {
  std::map<std::int64_t, std::int64_t> changes;
  for (const auto& interval : intervals) {
    if (interval.empty()) continue;
    ++changes[interval.begin.count];
    --changes[interval.end.count];
  }
  StepFunction function;
  std::int64_t open = 0;
  for (const auto& [time, change] : changes) function.add(time, static_cast<double>(open += change));
  return function;
}

double StepFunction::at(std::int64_t time) const {
  const auto after = std::ranges::upper_bound(steps_, time, {}, &Step::begin);
  return after == steps_.begin() ? 0 : (after - 1)->value;
}

double StepFunction::integral(std::int64_t begin, std::int64_t end) const {
  double area = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto from = std::max(begin, steps_[i].begin);
    const auto to = i + 1 < steps_.size() ? std::min(end, steps_[i + 1].begin) : end;
    if (to > from) area += steps_[i].value * static_cast<double>(to - from);
  }
  return area;
}

StepFunction StepFunction::map(const std::function<double(double)>& f) const {
  StepFunction mapped;
  for (const auto& step : steps_) mapped.add(step.begin, f(step.value));
  return mapped;
}

StepFunction combine(std::span<const StepFunction> functions,
                     const std::function<double(std::span<const double>)>& f) {
  struct Change {
    std::int64_t time;
    std::size_t function;
    double value;
  };
  std::vector<Change> changes;
  for (std::size_t i = 0; i < functions.size(); ++i)
    for (const auto& step : functions[i].steps()) changes.push_back({step.begin, i, step.value});
  std::ranges::stable_sort(changes, {}, &Change::time);
  std::vector<double> values(functions.size());
  std::vector<StepFunction::Step> steps;
  for (std::size_t i = 0; i < changes.size();) {
    const auto time = changes[i].time;
    for (; i < changes.size() && changes[i].time == time; ++i) values[changes[i].function] = changes[i].value;
    steps.push_back({time, f(values)});
  }
  return StepFunction(steps);
}

StepFunction sum(std::span<const StepFunction> functions) {
  return combine(functions, [](std::span<const double> values) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
  });
}

StepFunction minimum(std::span<const StepFunction> functions) {
  return combine(functions, [](std::span<const double> values) { return std::ranges::min(values); });
}

StepFunction maximum(std::span<const StepFunction> functions) {
  return combine(functions, [](std::span<const double> values) { return std::ranges::max(values); });
}

StepFunction product(const StepFunction& a, const StepFunction& b) {
  const StepFunction both[] = {a, b};
  return combine(both, [](std::span<const double> values) { return values[0] * values[1]; });
}

StepFunction sign(const StepFunction& function) {
  return function.map([](double value) { return value != 0 ? 1.0 : 0.0; });
}

StepFunction within(const StepFunction& function, Interval range) {
  const Interval one[] = {range};
  return product(function, StepFunction::active(one));
}

StepFunction one_minus_sign(const StepFunction& function, Interval range) {
  const Interval one[] = {range};
  const StepFunction both[] = {StepFunction::active(one), sign(function)};
  return combine(both, [](std::span<const double> values) { return values[0] * (1 - values[1]); });
}

} // namespace jitterscope::efficiency
