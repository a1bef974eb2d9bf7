#pragma once

#include <vector>

#include "app/session/selection_hub.h"
#include "core/base/error.h"
#include "core/engine/messages/table_answers.h"
#include "views/parallel/parallel_data.h"

namespace jitterscope::app {

/// Maximum number of rows drawn as single lines.
inline constexpr std::uint64_t kMaxLines = 200;

/// Converts the rows of a "launches" answer to lines through these axes; its columns are the axes, in order.
/// On categorical axes, values become category numbers. Errors: Engine.
Expected<std::vector<views::ParallelLine>> lines_of(const engine::answers::LaunchesAnswer& launches,
                                                    const std::vector<views::ParallelAxis>& axes,
                                                    const CategoryCodes& codes);

} // namespace jitterscope::app
