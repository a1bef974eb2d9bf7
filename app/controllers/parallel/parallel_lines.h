#pragma once

#include <vector>

#include "app/session/selection_hub.h"
#include "core/base/error.h"
#include "core/engine/messages/messages.h"
#include "views/parallel/parallel_data.h"

namespace jitterscope::app {

/// Rows are drawn as lines of their own up to so many.
inline constexpr std::uint64_t kMostLines = 200;

/// The rows of an answer of "launches" as lines through these axes: its columns are theirs, in their order.
/// On axes of categories values become numbers of categories. Errors: Engine.
Expected<std::vector<views::ParallelLine>> lines_of(const engine::Answer& launches,
                                                    const std::vector<views::ParallelAxis>& axes,
                                                    const CategoryCodes& codes);

} // namespace jitterscope::app
