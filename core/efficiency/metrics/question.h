#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "core/efficiency/metrics/tree.h"

namespace jitterscope::efficiency::metrics {

/// A query of a metric.
struct Question {
  Interval range;                     ///< [begin, end) of the session's axis
  Level level = Level::Application;   ///< one of Definition::levels()
  std::vector<std::uint32_t> objects; ///< objects of `level`, in the order of the answers; empty: all
};

} // namespace jitterscope::efficiency::metrics
