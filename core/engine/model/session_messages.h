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

/// How ranks are placed, if the trace does not record it; 0: unknown.
struct RankPlacement {
  std::int64_t ranks_per_node = 0;   ///< if 0, ranks of one host share a node
  std::int64_t ranks_per_socket = 0; ///< if 0, a node is one socket
};

/// A message or one rank's part of a collective, as input of the K-model.
struct SessionMessage {
  std::string operation;
  std::optional<model::Collective> collective; ///< none: point-to-point
  std::int32_t from = -1, to = -1;             ///< ranks; `to` is −1 for collectives
  std::uint32_t node = 0;                      ///< of the sender
  Distance distance = Distance::unknown;       ///< for collectives: the farthest of all ranks
  std::int64_t bytes = 0;
  std::int64_t start = 0, end = 0; ///< from the moment that both sides are ready, on the session's axis [ns]
  std::int64_t waited = 0;         ///< before `start`, in the call of the sender or of this rank [ns]
  double concurrency = 1;          ///< k: messages of this class that leave the node at the same time
};

struct SessionMessages {
  std::vector<SessionMessage> list;
  std::int64_t ranks = 0, nodes = 0;
  std::int64_t unknown_bytes = 0; ///< messages that are left out because their size is not recorded
};

/// Formula of a collective, by its name ("MPI_Allreduce"); empty for other operations. All-to-all is modelled
/// as an all-gather, one-sided trees (reduce, gather, scatter, barrier) as a broadcast.
std::optional<model::Collective> collective_kind(std::string_view name);

/// Messages of all traces, sorted by start. Point-to-point: transmissions between threads if the trace
/// records them, else sends of known size and peer. A transmission begins when it is sent and the receiver is
/// in the call that completes it. Collectives: calls of known size. The calls of all ranks with the same name
/// and ordinal form one collective, which begins when its last rank has begun.
Expected<SessionMessages> session_messages(const analysis::Session& session, const RankPlacement& placement,
                                           const Job& job);

} // namespace jitterscope::engine
