#pragma once

#include <optional>
#include <vector>

namespace jitterscope::causal {

/// Effect of a cause on the launches with one value of another column.
struct EffectAtValue {
  double launches = 0; ///< launches that the cause acts on
  double gain = 0;     ///< Σ of the variability that would vanish without the cause, ns
  double squares = 0;  ///< Σ of the squared gains of the launches, ns²
};

/// A column with two values as a possible partner of a cause.
struct EffectByColumn {
  int column = 0;
  EffectAtValue low, high; ///< at the smaller and at the larger value
};

struct Partner {
  int column = 0;
  bool high = false; ///< the cause acts at the larger value only
};

/// The column with one value at which a cause does not act; empty if there is none. At that value, the
/// variability that would vanish is at most a fifth of that at the other value, per launch and in total. Per
/// launch, it is also less than half, by two standard errors of each. The value has at least a tenth of the
/// launches and at least 30. Of several columns, the one with the smallest remaining effect is returned.
std::optional<Partner> find_partner(const std::vector<EffectByColumn>& effects);

/// Effect of an event, per launch, on the launches of one kernel with comparable launches without the event.
struct EffectOnKernel {
  double launches = 0;
  double typical = 0; ///< mean of the launches' typical durations, ns
  /// Excess over comparable launches without the event, and its standard error, ns.
  double longer = 0, error = 0;
  double gain = 0, gain_error = 0; ///< variability that would vanish without the event, ns
};

enum class OnKernel { unclear, acts, spares };

/// On which kernels an event acts, if it clearly does not act on all kernels that have it; empty otherwise.
/// - It acts on a kernel if the launches are longer, shorter or more variable by more than four standard
///   errors and by a tenth of the maximum over kernels, in ns or relative to the typical durations.
/// - It spares a kernel of at least 30 launches if both effects, plus three standard errors, are less than a
///   tenth of the maximum, in ns and relatively. They must also be less than a fiftieth or within 2.5
///   standard errors of 0.
/// Empty if the spared kernels have less than a tenth of the event's launches.
std::vector<OnKernel> kernels_acted_on(const std::vector<EffectOnKernel>& effects);

} // namespace jitterscope::causal
