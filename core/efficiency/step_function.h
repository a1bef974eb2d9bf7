#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::efficiency {

/// A timeline of Paraver's semantic model: a piecewise constant function of time, right-open, 0 before its
/// first step.
class StepFunction {
public:
  struct Step {
    std::int64_t begin = 0; ///< [ns]; the value holds until the next step
    double value = 0;
    bool operator==(const Step&) const = default;
  };

  StepFunction() = default;
  /// Steps sorted by time; those without a change are left out.
  explicit StepFunction(std::span<const Step> steps);
  /// Number of intervals that are open at each time. They may overlap and be in any order.
  static StepFunction active(std::span<const Interval> intervals);

  const std::vector<Step>& steps() const { return steps_; }
  double at(std::int64_t time) const;
  /// ∫ over [begin, end) [value · ns], exact for integer values whose sum is below 2^53.
  double integral(std::int64_t begin, std::int64_t end) const;
  /// Applies `f` to the values; f also maps the 0 before the first step, which must be 0 again.
  StepFunction map(const std::function<double(double)>& f) const;
  bool operator==(const StepFunction&) const = default;

private:
  void add(std::int64_t time, double value);
  std::vector<Step> steps_;
};

/// At each time, `f` of the values of all functions, in the order of `functions`: Paraver's aggregators over
/// threads and tasks, sum, minimum … `f` of zeros must be 0.
StepFunction combine(std::span<const StepFunction> functions,
                     const std::function<double(std::span<const double>)>& f);
StepFunction sum(std::span<const StepFunction> functions);     ///< Paraver's Adding
StepFunction minimum(std::span<const StepFunction> functions); ///< Paraver's Minimum
StepFunction maximum(std::span<const StepFunction> functions); ///< Paraver's Maximum
StepFunction product(const StepFunction& a, const StepFunction& b);
StepFunction sign(const StepFunction& function); ///< 1 where the value is not 0
/// Cut to [begin, end): 0 elsewhere.
StepFunction within(const StepFunction& function, Interval range);
/// 1 inside the range where the function is 0, else 0: Paraver's 1-Sign.
StepFunction one_minus_sign(const StepFunction& function, Interval range);

} // namespace jitterscope::efficiency
