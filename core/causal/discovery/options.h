#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/causal/base/knowledge.h"
#include "core/causal/discovery/discovery.h"

namespace jitterscope::causal {

/// Error::place of errors about the target, for any source of rows.
inline constexpr const char* kTargetPlace = "target";

/// Which rows are compared.
///
/// pooled: all rows as they are. Mixes levels: signs can flip when kernels differ.
/// within: every column minus the mean of its configuration; configuration columns are left out.
/// between: configuration means only, each weighted by its rows.
/// automatic (default): answers "why do launches that should be equal differ, and which configurations vary
/// more". With groups, a column that varies within configurations is centred on the mean of the
/// configuration. A column that is constant within configurations (grid, registers …) is centred on the mean
/// of its kernel, because only configurations of one kernel can be compared. The two sets are orthogonal
/// (Mundlak 1978), so one graph holds both. Without groups: pooled.
enum class Reading { automatic, pooled, within, between };

/// Scale of numeric columns during discovery; effects are always reported in units.
///
/// automatic (default): columns with light tails (excess kurtosis at most 6, that of an exponential
/// distribution) stay unchanged; columns with heavier tails become normal scores of their ranks. Linear
/// relations between well-behaved columns stay linear, and no extreme value dominates.
enum class Scale { automatic, raw, log1p, rank_normal };

struct Options {
  /// "kernel_variability" (needs durations), "duration", or a column. Empty: kernel_variability when the
  /// source has durations, else the source's default target, else the last column. kernel_variability is
  /// measured from the mean of the configuration, in display and in `percent`. The attributable share uses
  /// the median: one extreme launch moves the mean of its configuration, which adds variability to all
  /// others.
  std::string target;
  Reading reading = Reading::automatic;
  Scale scale = Scale::automatic;
  Method method = Method::boss;
  DiscoveryOptions discovery;
  Knowledge knowledge;
  /// Knowledge of a column that these rows do not have is an error; else a warning.
  bool knowledge_must_match = true;
  std::vector<std::string> features; ///< columns to use; empty: all
  std::vector<std::string> left_out; ///< columns not to use
  /// Outcome columns (the target, durations) by whose values the rows were selected. The answer reports them;
  /// with the target among them nothing is called a cause.
  std::vector<std::string> selected_by;
  bool nonlinear = true;       ///< check whether straight lines suffice (nonlinear.h)
  bool second_opinions = true; ///< run the other methods, for the agreement on every edge
  int bootstrap = 200;         ///< replicates; 0: no intervals, nothing is called a cause
  std::uint64_t seed = 20251120;
  std::vector<std::pair<std::string, double>> interventions; ///< do(name = value)
  std::string
      part; ///< part of the variance that the reading explains, in words: " between GPUs"; empty: all of it
  std::int64_t counterfactual_row = -1; ///< with interventions: row to predict a counterfactual for; −1: none
};

Expected<Reading> reading_from(const std::string& text);
Expected<Scale> scale_from(const std::string& text);
std::string to_string(Reading reading);
std::string to_string(Scale scale);

} // namespace jitterscope::causal
