#pragma once

#include <cstdint>

namespace jitterscope::engine {

/// The K-model of messages between two processes (Choi et al., ICS 2020), times in µs, rates in B/µs:
///
///   short       n ≤ short_limit   T = α + k β n
///   eager       n < eager_limit   T = α + k n / (base + (k − 1) more)
///   rendezvous  otherwise         T as for eager, with other constants
///
/// k: number of pairs of processes of one node that communicate at the same time.
struct LinkClass {
  struct Rate {
    double alpha_us = 0;
    double base = 0; ///< rate of one pair [B/µs]
    double more = 0; ///< rate added by each further pair [B/µs]
  };
  double short_alpha_us = 0, short_beta_us = 0; ///< µs, µs/B
  std::int64_t short_limit = 0, eager_limit = 0;
  Rate eager, rendezvous;
};

double message_us(const LinkClass& link, std::int64_t bytes, double pairs);

/// Fitted to published measurements of Lassen (InfiniBand EDR), up to four pairs per node.
const LinkClass& between_nodes();
/// Fitted to published measurements of Summit, two processes of one socket.
const LinkClass& within_node();

} // namespace jitterscope::engine
