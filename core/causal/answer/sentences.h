#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/causal/base/result.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// The answer in words. A feature is called a cause only with stability ≥ 0.8, an interval without 0 and at
/// least 10 % of the variability; all conditions are in resources/help/causal.md.
inline constexpr double kStableEdge = 0.8;
inline constexpr double kMinPercent = 10.0;

/// How a column acts on the target.
enum class Acts : std::uint8_t {
  column,        ///< on a target that is a column
  configuration, ///< launches of its configurations vary more
  event,
  spread_by_event,
  spread,   ///< launches at higher or lower values vary more
  shift,    ///< launches at higher or lower values take longer
  bend,     ///< launches at some of its values take longer
  both_ways ///< launches of some configurations take longer at higher values, those of others at lower ones
};

/// Input of the wording other than the result.
struct SentenceContext {
  TargetKind target = TargetKind::column;
  std::string of_what;         ///< follows "the variability": " of `reset_d_changed`", or empty
  std::string part;            ///< Options::part
  bool besides_groups = false; ///< Options::besides_groups
  std::string call_sites;      ///< RowSource::call_sites_in_words
  std::vector<Acts> acts;      ///< by contribution
};

/// Text for a column at one of its two values: "read only = 1", "with host-to-device copies during the
/// launch", "without stream 13".
std::string words_for_condition(const Column& column, double value);

/// The only condition under which the cause acts, as a note with the code "interaction".
Warning note_on_condition(const Contribution& cause);

/// Share that no cause of the result accounts for, in percent: of the variability, or of the variance for
/// targets without attributable shares.
double percent_without_cause(const CausalResult& result);

std::vector<std::string> sentences(const CausalResult& result, const SentenceContext& context);

} // namespace jitterscope::causal
