#pragma once

#include <cstdint>
#include <vector>

#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Counts and extremes of every source column over all rows, mergeable over ranks without rounding.
class SourceSurvey {
public:
  struct Summary {
    std::int64_t rows = 0;
    std::int64_t missing = 0;
    std::int64_t zeros = 0;
    double minimum = 0; ///< of the values that are there
    double maximum = 0;
    bool only_zero_or_one = true;
    std::vector<std::int64_t> levels; ///< category: rows of every code
  };

  explicit SourceSurvey(const std::vector<FeatureInfo>& features);
  void add(const RowBlock& block);
  Expected<void> combine(Communicator& communicator);
  const Summary& operator[](std::size_t feature) const { return summaries_[feature]; }

private:
  std::vector<Summary> summaries_;
};

/// Decides from the survey which columns the frame has, and reports those that leave.
Expected<void> make_columns(Frame& frame, const RowSource& source, const Options& options,
                            const SourceSurvey& survey);

} // namespace jitterscope::causal
