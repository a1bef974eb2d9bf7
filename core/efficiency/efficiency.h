#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/efficiency/activity.h"
#include "core/efficiency/efficiency_result.h"
#include "core/efficiency/hierarchy.h"

namespace jitterscope::efficiency {

/// Computes the efficiencies of the chosen rows in a range. Collective; the same on every rank. Errors:
/// BadUse (an empty range, or one outside the recorded time; a chosen rank or device that does not exist; no
/// row is chosen; more than kMaxCells ranges × rows; a time on an ideal network that exceeds the elapsed
/// time), Cancelled.
Expected<Result> efficiencies(const Activity& activity, const analysis::Session& session,
                              const Options& options, Communicator& communicator, const Job& job);

/// Factors of some rows in the range of a result, such as those of one rank. `devices`: their times; `hosts`:
/// indices into those of the result. A factor whose calls or states these rows do not record is unknown.
Factors factors_of(const Activity& activity, const Result& of, const std::vector<DeviceTime>& devices,
                   const std::vector<std::size_t>& hosts);

/// All recorded time of a session, from the first to the last event; efficiencies of other times are unknown.
/// In traces with MPI calls or states of threads, it begins at time 0 or earlier: they are recorded from the
/// start of the program. Nsight Systems and others may start recording the GPU much later than their clock.
Interval recorded_time(const Activity& activity, const analysis::Session& session);
/// Part of a range inside another one; empty if there is none.
Interval common_part(const Interval& range, const Interval& of);

/// Maximum of ranges × rows in one call.
inline constexpr std::int64_t kMaxCells = 4'000'000;

} // namespace jitterscope::efficiency
