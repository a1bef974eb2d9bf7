#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// Column recent_idle, by launch: 9 minus the number of launches on the stream since the stream was idle for
/// at least kIdle, 8 for the first of them; 0 from the ninth on. Caches that went cold and clocks that fell
/// in an idle time lengthen several launches, of which only the first has a long gap.
inline constexpr std::string_view kRecentIdle = "recent_idle";
constexpr std::int64_t kIdle = 100'000; ///< ns
constexpr std::int64_t kAfterIdle = 8;  ///< launches

/// Values for the rows of a segment. `gaps`: idle gaps of the rows of a segment (TypicalWindows::idle_gaps).
/// The gap of the first launch of a stream is the time since the first launch of the trace. Idle times more
/// than 1,024 rows earlier do not count, so that values do not depend on which rows are read together.
std::vector<double> recent_idle(const Session& session, const Segment& segment,
                                const std::function<std::vector<double>(const Segment&)>& gaps);

} // namespace jitterscope::analysis
