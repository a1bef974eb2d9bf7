#pragma once

#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Surveys the source (collective). Features that leave at once (missing, constant, not asked for, computed
/// from the target) are listed in `reports` with the reason.
Expected<Frame> survey_frame(const RowSource& source, const Options& options, Communicator& communicator,
                             const Job& job);

} // namespace jitterscope::causal
