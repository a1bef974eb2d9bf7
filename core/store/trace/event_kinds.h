#pragma once

#include <cstdint>

namespace jitterscope::store {

/// Values of ranges.kind.
inline constexpr std::uint8_t kPushPopRange = 0, kStartEndRange = 1, kMark = 2, kStateRange = 3;

/// Values of messages.kind; kTransmission: from the thread to its peer.
inline constexpr std::uint8_t kPointToPoint = 0, kCollective = 1, kWait = 2, kOtherMessage = 3,
                              kTransmission = 4;

} // namespace jitterscope::store
