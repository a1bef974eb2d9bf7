#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/reasons/excess.h"

namespace jitterscope::analysis {

/// Excess of launches in equal time columns of a window, per kind of cause.
struct ExcessAlong {
  std::vector<std::int64_t> borders; ///< columns + 1; begin + length · i / columns, rounded down [ns]
  /// By column and Excess::Kind [ns]: the excess of a launch is distributed over columns in proportion to its
  /// time in each. Negative where launches took less than their typical duration.
  std::vector<std::array<std::int64_t, Excess::kKinds>> ns;
  /// By Excess::Kind [ns]: half the mean excess of the launches with a positive one. Launches above this
  /// limit count as slowed down by the cause; most others have a small excess due to scatter of its values.
  /// 0: no launch has a positive excess.
  std::array<std::int64_t, Excess::kKinds> minimum{};
};

inline constexpr std::int64_t kReach = 64; ///< maximum time before the window, in window lengths

/// Sums the excess of the launches that run in the window. Launches that began more than kReach window
/// lengths before it are ignored. Integers are summed, so that the result is the same for any number of ranks
/// and threads. Collective. Errors: BadUse for tables without times, Cancelled.
Expected<ExcessAlong> excess_along(const Session& session, const Excess& excess, Interval window, int columns,
                                   Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
