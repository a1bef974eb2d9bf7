#pragma once

#include <optional>
#include <vector>

namespace jitterscope::causal {

/// What a cause does to the launches of one value of another column.
struct EffectAtValue {
  double launches = 0;    ///< that the cause acts on
  double gain = 0;        ///< Σ of the variability that would vanish without it, ns
  double squares = 0;     ///< Σ of the squares of that
  double variability = 0; ///< Σ of their variability, ns
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
/// cause (at most a fifth of what vanishes at the other value, per launch and altogether, and per launch clearly less
/// than half of it: two standard errors), and those are no few launches (a tenth, at least 30). Of several, the one that leaves
/// least; none without such a column.
std::optional<Partner> find_partner(const std::vector<EffectByColumn>& effects);

/// What an event does to the launches of one kernel.
struct EffectOnKernel {
  EffectAtValue with; ///< launches with the event
  double usual = 0;   ///< Σ of their usual durations, ns
};

enum class OnKernel { unclear, acts, spares };

/// On which kernels an event acts, where it clearly does not act on all that meet it; empty otherwise. It spares a
/// kernel if with at least 30 launches what would vanish per launch is, with two standard errors, less than a fifth
/// of what vanishes on the others, in ns and relative to the usual durations, and the spared kernels have at least a
/// tenth of the event's launches; it acts where something would vanish beyond two standard errors.
std::vector<OnKernel> kernels_acted_on(const std::vector<EffectOnKernel>& effects);

} // namespace jitterscope::causal
