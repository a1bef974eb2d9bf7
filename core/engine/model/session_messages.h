#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/job.h"
#include "core/base/network_measurement.h"
#include "core/model/network/collectives.h"

namespace jitterscope::engine {

/// How ranks are placed, where the trace does not say it; 0: unknown.
struct RankPlacement {
  std::int64_t ranks_per_node = 0;   ///< else ranks of one host share a node
  std::int64_t ranks_per_socket = 0; ///< else a node is one socket
};

/// A message or one rank's part of a collective, as the K-model takes it.
struct SessionMessage {
  std::string operation;
  std::optional<model::Collective> collective; ///< none: point-to-point
  std::int32_t from = -1, to = -1;             ///< ranks; `to` is −1 of collectives
  std::uint32_t node = 0;                      ///< of the sender
  Distance distance = Distance::unknown;       ///< of collectives: the farthest of all ranks
  std::int64_t bytes = 0;
  std::int64_t start = 0, end = 0; ///< from the moment that both sides are ready, on the session's axis [ns]
  std::int64_t waited = 0;         ///< before that, in the sender's or the own call [ns]
  double concurrency = 1;          ///< k: messages of this class that leave the node at the same time
};

struct SessionMessages {
  std::vector<SessionMessage> list;
  std::int64_t ranks = 0, nodes = 0;
  std::int64_t unknown_bytes = 0; ///< of messages that are left out because their size is not recorded
};

/// Which formula a collective takes, by its name ("MPI_Allreduce"); nothing for other operations. All-to-all
/// is charged as an all-gather, one-sided trees (reduce, gather, scatter, barrier) as a broadcast.
std::optional<model::Collective> collective_kind(std::string_view name);

/// Messages of all traces in the order of their start. Point-to-point: transmissions between threads, where
/// the trace records them, else sends of known size and peer. A transmission begins when it was sent and the
/// receiver is in the call that completes it. Collectives: calls of known size; those of all ranks with one
/// name and the same number in its order belong together and begin when the last rank has begun.
Expected<SessionMessages> session_messages(const analysis::Session& session, const RankPlacement& placement,
                                           const Job& job);

} // namespace jitterscope::engine
