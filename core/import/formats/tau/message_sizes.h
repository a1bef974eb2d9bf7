#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/import/formats/tau/profile_file.h"

namespace jitterscope::import::tau {

/// Sizes of several messages [B].
struct Sizes {
  double count = 0, sum = 0, minimum = 0, maximum = 0, squares = 0;

  void add(const Event& event);
  double mean() const { return count > 0 ? sum / count : 0; }
  /// Population standard deviation.
  double deviation() const;
};

/// An MPI operation of a thread and the number of its calls.
struct OperationCalls {
  std::string operation; ///< "MPI_Send"
  double calls = 0;
};

/// A user event such as "Message size for broadcast : main => MPI_Bcast()".
struct EventName {
  std::string_view name, path; ///< name without the call path, and path; empty path: sum over all call paths
};
EventName event_name(std::string_view event);

/// The receiver (3) in "Message size sent to node 3"; nothing for other events and its call paths.
std::optional<std::int64_t> receiver_of(std::string_view event);

/// Sizes of the messages of each operation of a thread, from its user events. Sizes recorded by call path are
/// those of their operation. Otherwise operations with one event share its messages in proportion to their
/// calls: a send cannot be distinguished from a non-blocking send, and a received message belongs to a call
/// of MPI_Recv or else to a call that waits. Old versions of TAU record the sizes of MPI_Allreduce in the
/// event for gather: it is used if the thread does not call MPI_Gather.
struct OperationSizes {
  std::map<std::string, Sizes> of; ///< operation → sizes of its messages
  bool shared = false;             ///< several operations share an event
};
OperationSizes sizes_of(std::span<const OperationCalls> operations, std::span<const Event> events);

} // namespace jitterscope::import::tau
