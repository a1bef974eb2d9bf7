#pragma once

#include <cstdint>
#include <vector>

#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Surveys the source (collective). Features that are dropped at once (missing, constant, not requested,
/// computed from the target) are listed in `reports` with the reason.
Expected<Frame> survey_frame(const RowSource& source, const Options& options, Communicator& communicator,
                             const Job& job);

/// Counts and extrema of every source column over all rows; merging over ranks is exact.
class SourceSurvey {
public:
  struct Summary {
    std::int64_t rows = 0;
    std::int64_t missing = 0;
    std::int64_t zeros = 0;
    double minimum = 0; ///< minimum of the values that are not missing
    double maximum = 0;
    bool only_zero_or_one = true;
    std::vector<std::int64_t> levels; ///< category: number of rows by code
  };

  explicit SourceSurvey(const std::vector<FeatureInfo>& features);
  void add(const RowBlock& block);
  Expected<void> combine(Communicator& communicator);
  const Summary& operator[](std::size_t feature) const { return summaries_[feature]; }

private:
  std::vector<Summary> summaries_;
};

/// Chooses the columns of the frame from the survey, and reports the dropped ones.
Expected<void> make_columns(Frame& frame, const RowSource& source, const Options& options,
                            const SourceSurvey& survey);

} // namespace jitterscope::causal
