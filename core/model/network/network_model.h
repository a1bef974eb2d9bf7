#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/network_measurement.h"

namespace jitterscope::model {

/// Formula for the time of a message of n bytes while k pairs send.
enum class MessageForm : std::uint8_t {
  postal,   ///< α + β n (Hockney 1994)
  max_rate, ///< α + k n / min(R_N, k R_C) (Gropp, Olson, Samfass 2016)
  k_short,  ///< α + k β n: short messages of the K-model
  k_rate    ///< α + k n / (R_Cb + (k − 1) R_Ci): eager and rendezvous messages of the K-model
};
const char* to_string(MessageForm form);

/// Parameters for messages up to one size. Times in µs, sizes in B, rates in B/µs (MB/s).
struct MessageRegime {
  MessageForm form = MessageForm::postal;
  double last_size = std::numeric_limits<double>::infinity(); ///< the largest message of the regime [B]
  double alpha = 0;                                           ///< start-up time [µs]
  double beta = 0;                                            ///< postal, k_short: time per byte [µs/B]
  double rate = 0;       ///< max_rate: R_C of a process; k_rate: R_Cb of one pair [B/µs]
  double added_rate = 0; ///< k_rate: R_Ci of each further pair [B/µs]
  double node_rate = std::numeric_limits<double>::infinity(); ///< max_rate: R_N of a node [B/µs]

  /// Time of a message [µs]; k is at least 1.
  double time(double bytes, double k) const;
};

/// Rate of non-blocking messages in flight together, from a bandwidth benchmark.
struct PipelinedRate {
  double pairs = 1;                 ///< number of pairs that send at the same time
  std::vector<NetworkPoint> points; ///< total rate of all pairs [B/µs]; positive, sorted by size

  /// Time between two messages of a pair [µs]: pairs · n / rate. Rates between measured sizes are
  /// interpolated in the logarithms of size and rate; beyond these sizes the rate of the nearest size
  /// applies.
  double gap(double bytes) const;
};

/// Model of the messages of one class: regimes sorted by last_size, the last regime unbounded.
struct MessageModel {
  Distance distance = Distance::unknown;
  BufferMemory memory = BufferMemory::unknown;
  std::vector<MessageRegime> regimes;
  std::vector<PipelinedRate> pipelined; ///< sorted by pairs; empty: not measured
  bool scaling_unknown = false;         ///< fitted without data of several pairs: k has no effect
  std::string source;

  /// Null without regimes. The last regime is used for all larger messages.
  const MessageRegime* regime(double bytes) const;
  /// Time of a message [µs]; NaN without regimes.
  double time(double bytes, double k = 1) const;
  /// Time of a non-blocking message [µs]: α of its protocol, and the gap of the bandwidth benchmark in place
  /// of its time per byte (G of LogGP, Alexandrov et al. 1995). Between measured numbers of pairs the gap is
  /// interpolated; more pairs share the rate of the largest measured number. If only one number was measured,
  /// the gap scales with k as the time per byte of the protocol does. Same as time() if there is no bandwidth
  /// benchmark.
  double pipelined_time(double bytes, double k = 1) const;
};

/// Distance class of two ranks that are placed in order: node = rank / ranks_per_node, socket = local rank /
/// ranks_per_socket.
Distance distance_of(std::int64_t a, std::int64_t b, std::int64_t ranks_per_node,
                     std::int64_t ranks_per_socket);

} // namespace jitterscope::model
