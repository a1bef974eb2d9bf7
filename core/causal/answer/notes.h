#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/causal/answer/sentences.h"
#include "core/causal/base/result.h"
#include "core/causal/effects/model.h"
#include "core/causal/statistics/configurations.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// A column whose rank correlation with the target is far larger than its linear correlation: outlying rows
/// determine the latter.
struct FarValues {
  std::string label;
  double by_ranks = 0, in_units = 0; ///< correlations with the target
  double farthest = 0, mean = 0;     ///< values in the unit of the column
};

/// With fewer configurations of a kernel than this, no column that is constant within configurations is
/// called a cause: any column can follow their order by chance.
inline constexpr std::int64_t kMinConfigurations = 10;

inline bool few_configurations(const ConfigurationCount& count) {
  return count.effective() < static_cast<double>(kMinConfigurations);
}

/// Note "few-configurations" for the columns with these labels; empty if there are enough configurations.
std::optional<Warning> note_on_configurations(const ConfigurationCount& count,
                                              const std::vector<std::string>& labels);

/// Number of used launches that hold half of Σ |d − median of the configuration|, counted from the largest
/// deviation: with a heavy tail every share mainly describes few launches. Computed from sums by classes of
/// |d − median| that are at most 1.6 % wide: exact to the launches of one class. 0 if nothing varies.
/// Collective; needs durations and groups.
Expected<std::int64_t> launches_with_half_of_the_variability(const Frame& frame, Communicator& communicator);

/// Number of used rows that hold half of Σ (target − mean)², counted from the largest deviation, for targets
/// other than the launches' variability. 0 if nothing varies, and for more than 200,000 rows. Collective.
Expected<std::int64_t> rows_with_half_of_the_variance(const Frame& frame, Communicator& communicator,
                                                      const Job& job);

/// Input of the notes other than the result, the frame and the model.
struct NoteFacts {
  const std::vector<Acts>& acts; ///< by contribution
  std::size_t features = 0;      ///< columns of the row source
  /// Launches that hold half of the variability; 0: not computed.
  std::int64_t half_of_variability = 0;
  std::vector<FarValues> far_values = {};
};

/// Adds the notes to a finished result:
/// - left out: rows, columns, dropped columns that may carry information;
/// - data: few rows, heavy tails, autocorrelation, guessed tiers;
/// - result: open directions, flipped signs, methods that disagree, bends.
/// More than three notes on column families, determined columns or flipped signs become one note that counts
/// them.
void add_notes(CausalResult& result, const Frame& frame, const Model& model, const NoteFacts& facts);

} // namespace jitterscope::causal
