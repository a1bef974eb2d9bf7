#pragma once

#include <cstdint>
#include <string_view>

namespace jitterscope::store {

/// Values of ranges.kind.
inline constexpr std::uint8_t kPushPopRange = 0, kStartEndRange = 1, kMark = 2, kStateRange = 3;

/// Values of messages.kind; kTransmission: from the thread to its peer.
inline constexpr std::uint8_t kPointToPoint = 0, kCollective = 1, kWait = 2, kOtherMessage = 3,
                              kTransmission = 4;
/// Optional columns of messages [ns]: from the logical send to the start of a transmission, and from its end
/// to the logical receive. Only in stores of traces in which these times differ.
inline constexpr std::string_view kSentBefore = "sent_before", kReceivedAfter = "received_after";
/// Optional column of messages: number of the receiving thread among the host threads of its rank, from 0.
/// Only in stores of traces in which not all receivers are the first threads.
inline constexpr std::string_view kPeerThread = "peer_thread";
/// Optional column of counters: the number of its event type in a Paraver trace.
inline constexpr std::string_view kCounterType = "paraver_type";

} // namespace jitterscope::store
