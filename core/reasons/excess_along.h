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
  std::vector<std::array<double, Excess::kKinds>> ns;
  /// By Excess::Kind [ns]: half the mean excess of the launches with a positive one. Launches above this
  /// limit count as slowed down by the cause; most others have a small excess due to scatter of its values.
  /// 0: no launch has a positive excess.
  std::array<std::int64_t, Excess::kKinds> minimum{};
};

/// Maximum time before the window at which a launch in it may have begun: this number of window lengths, at
/// least kMinReach_ns.
inline constexpr std::int64_t kReach = 64, kMinReach_ns = 2'000'000'000;

/// Sums the excess of the launches that run in the window. Launches that began earlier than the maximum time
/// before it are ignored. Integers are summed, so that the result is the same for any number of ranks
/// and threads. Collective. Errors: BadUse for tables without times, Cancelled.
Expected<ExcessAlong> excess_along(const Session& session, const Excess& excess, Interval window, int columns,
                                   Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
