#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/time.h"
#include "core/model/network/network_model.h"

namespace jitterscope::model {

enum class Collective : std::uint8_t { all_reduce, all_gather, reduce_scatter, broadcast };

/// Time [µs] of a collective of p processes on n bytes from a point-to-point model, if only point-to-point
/// messages were measured. Ring all-reduce: 2 (p − 1) α + 2 (p − 1)/p · n β, in 2 (p − 1) messages of n/p;
/// ring all-gather and reduce-scatter: half; tree broadcast: ceil(log2 p) messages of n. `slowest`: model of
/// the slowest class of links in the ring. 0 for fewer than two processes.
double collective_time(Collective collective, double processes, double bytes, const MessageModel& slowest);

/// Interval from the moment a message is sent to the moment it is received.
struct Flight {
  std::int64_t start = 0, end = 0; ///< times of sending and receiving, ns
};

/// k of each message: the number of messages of the list in flight, averaged over its own interval; at least
/// 1. Messages of zero length have the k of their moment. Exact: sums of integers.
std::vector<double> concurrency_of(std::span<const Flight> messages);

} // namespace jitterscope::model
