#pragma once

#include <optional>
#include <vector>

namespace jitterscope::causal {

/// What a cause does to the launches of one value of another column.
struct EffectAtValue {
  double launches = 0; ///< that the cause acts on
  double gain = 0;     ///< Σ of the variability that would vanish without it, ns
  double squares = 0;  ///< Σ of the squares of that
};

/// A column of two values as a partner of a cause.
struct EffectByColumn {
  int column = 0;
  EffectAtValue low, high; ///< at the smaller and at the larger value
};

struct Partner {
  int column = 0;
  bool high = false; ///< the cause acts at the larger value only
};

/// The column without whose one value a cause does not act: there hardly anything would vanish without the
/// cause (at most a fifth of what vanishes at the other value, per launch and altogether, and per launch
/// clearly less than half of it: two standard errors), and those are no few launches (a tenth, at least 30).
/// Of several, the one that leaves least; none without such a column.
std::optional<Partner> find_partner(const std::vector<EffectByColumn>& effects);

/// What an event does to the launches of one kernel that have equal launches without it, per launch.
struct EffectOnKernel {
  double launches = 0;
  double usual = 0;                ///< mean of their usual durations, ns
  double longer = 0, error = 0;    ///< than equal launches without it, and the standard error of that, ns
  double gain = 0, gain_error = 0; ///< variability that would vanish without it, ns
};

enum class OnKernel { unclear, acts, spares };

/// On which kernels an event acts, where it clearly does not act on all that meet it; empty otherwise. It
/// acts where launches are longer, shorter or more variable beyond four standard errors and by a tenth of
/// what they are where it acts most, in ns or relative to the usual durations. It spares a kernel (of at
/// least 30 launches) where both are, with three standard errors, less than a tenth of that, in ns and
/// relatively, and less than a fiftieth or within two and a half of 0. Nothing is told where the spared
/// kernels have less than a tenth of the event's launches.
std::vector<OnKernel> kernels_acted_on(const std::vector<EffectOnKernel>& effects);

} // namespace jitterscope::causal
