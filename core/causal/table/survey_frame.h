#pragma once

#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Surveys the source (collective). Features that are dropped at once (missing, constant, not requested,
/// computed from the target) are listed in `reports` with the reason.
Expected<Frame> survey_frame(const RowSource& source, const Options& options, Communicator& communicator,
                             const Job& job);

} // namespace jitterscope::causal
