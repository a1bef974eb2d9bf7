#pragma once

#include <cstdint>

#include "core/engine/ranks/virtual_ranks.h"

namespace jitterscope::engine {

/// Placement of ranks: nodes are filled one after the other.
struct Cluster {
  int ranks = 1;
  int ranks_per_node = 1;
};

/// Network traffic of one or several collective calls.
struct Traffic {
  std::int64_t messages = 0;         ///< sent by the rank that sends the most messages
  std::int64_t bytes = 0;            ///< sent by the rank that sends the most bytes
  std::int64_t messages_to_root = 0; ///< received by rank 0
  std::int64_t bytes_to_root = 0;
  double us = 0; ///< from the last rank's call to the last rank's return

  Traffic& operator+=(const Traffic& other);
};

/// Traffic of a call as MpiCommunicator implements it: agreement, reductions and the lengths of gathers go up
/// and down a binomial tree (libnbc's MPI_Iallreduce in place). Gathered parts also go up a binomial tree,
/// growing on the way, and down again if all ranks receive them.
Traffic traffic_of(const CollectiveCall& call, const Cluster& cluster);

} // namespace jitterscope::engine
