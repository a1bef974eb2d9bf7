#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "core/efficiency/metrics/tree.h"

namespace jitterscope::efficiency::metrics {

/// What a metric is asked for.
struct Question {
  Interval range;                     ///< [begin, end) of the session's axis
  Level level = Level::Application;   ///< one of Definition::levels()
  std::vector<std::uint32_t> objects; ///< of that level, in the order of answers; empty: all
};

} // namespace jitterscope::efficiency::metrics
