#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/reasons/excess.h"

namespace jitterscope::analysis {

/// Excess of launches in equal columns of a window of time, by kind of cause.
struct ExcessAlong {
  std::vector<std::int64_t> borders; ///< columns + 1; begin + length · i / columns, rounded down [ns]
  /// By column and Excess::Kind, ns: the part of a launch's excess that falls in a column is in proportion to
  /// the time that the launch spends there. Below 0 where launches took less than usual.
  std::vector<std::array<std::int64_t, Excess::kKinds>> ns;
  /// By Excess::Kind: half the mean of the excess of the launches that have any, ns. Launches above it are
  /// those that the cause slowed down; most of the others have a little of it by the spread of their values.
  /// 0: no launch has any.
  std::array<std::int64_t, Excess::kKinds> least{};
};

/// Of the launches that run in the window; those that began more than kReach windows before it are left out.
/// Whole numbers are added, so that the sums are the same for any number of ranks and threads. Collective.
/// Errors: BadUse for tables without time, Cancelled.
inline constexpr std::int64_t kReach = 64;
Expected<ExcessAlong> excess_along(const Session& session, const Excess& excess, Interval window, int columns,
                                   Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
