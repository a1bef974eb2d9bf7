#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::uint32_t node = 0;                      ///< node of the sender
  Distance distance = Distance::unknown;       ///< for collectives: the farthest of all ranks
  std::int64_t bytes = 0;
  std::int64_t start = 0, end = 0; ///< from the time when both sides are ready, on the session's axis [ns]
  std::int64_t waited = 0;  ///< time waited before `start` in the call of the sender or of this rank [ns]
  double concurrency = 1;   ///< k: messages of this class that leave the node at the same time
  bool nonblocking = false; ///< the sender does not wait for it (MPI_Isend)
  std::int64_t count = 1;   ///< for a profile: number of messages with the mean size `bytes`
};

/// Calls of an MPI operation of a thread, summed.
struct OperationSum {
  double calls = 0, time_ns = 0;
  std::vector<SessionMessage> messages; ///< messages sent or received in these calls, and collectives
  bool transfers = false;               ///< the operation sends, receives, waits or is collective
};

/// A thread that calls MPI, in a profile without times.
struct ThreadSum {
  std::int32_t rank = -1;
  double computation_ns = 0;                      ///< exclusive time of all functions that are not MPI
  std::map<std::string, OperationSum> operations; ///< operations by name

  double total_ns() const;
};

struct SessionMessages {
  std::vector<SessionMessage> list;
  std::int64_t ranks = 0, nodes = 0;
  std::int64_t unknown_bytes = 0; ///< messages that are left out because their size is not recorded
  /// For sessions of summaries: the sums from which `list` was made, and the assumptions made, as sentences.
  std::vector<ThreadSum> profile;
  std::vector<std::string> assumptions;
};

std::string lower_case(std::string_view text);

/// True for operations that start a message and do not wait for it: MPI_Isend, MPI_Issend, MPI_Start.
bool is_nonblocking_send(std::string_view operation);

/// Formula of a collective, by its name ("MPI_Allreduce"); empty for other operations. All-to-all is modelled
/// as an all-gather, one-sided trees (reduce, gather, scatter, barrier) as a broadcast.
std::optional<model::Collective> collective_kind(std::string_view name);

} // namespace jitterscope::engine
