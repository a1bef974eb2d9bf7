#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/store/tracks/track_index.h"

namespace jitterscope::efficiency {

/// A thread of a .prv: a host thread, or one that represents a stream of a device.
struct ParaverThread {
  std::size_t trace = 0;
  std::uint32_t resource = 0; ///< row of the store's resources
  std::uint32_t task = 0;     ///< number of its task, from 1
  std::uint32_t number = 0;   ///< number in its task, from 1
  bool stream = false;        ///< of a device: a stream, or samples
  std::string name;           ///< name in the .row: "CUDA-D0.S7", "THREAD 1.2.1"
};

/// The processes of a session as tasks, each with its host threads first, then its streams, then one thread
/// for the samples of each device. A task has the number of its rank plus 1, also if other ranks are missing:
/// these are tasks with one empty thread. Processes without a rank, and further processes of the same rank,
/// follow. Hosts are nodes; those of a Paraver trace keep their numbers.
class ParaverObjects {
public:
  explicit ParaverObjects(const analysis::Session& session);

  const std::vector<ParaverThread>& threads() const { return threads_; }
  /// Number of processes whose rank differs from that of their task, because it is taken or too large.
  std::int64_t other_ranks() const { return other_ranks_; }
  /// The thread of a resource; null for other resources.
  const ParaverThread* find(std::size_t trace, std::uint32_t resource) const;
  /// A host thread of a rank of a trace by its number from 0, or the first if there is no such thread; null
  /// if the rank has no host thread.
  const ParaverThread* of_rank(std::size_t trace, std::uint32_t rank, std::uint32_t thread = 0) const;
  /// "0:1:2(3:1,3:1)", with several nodes "2(1,1):1:2(3:1,3:2)": the part of the header after the length.
  std::string header() const;
  /// "# ranks of tasks: 0,1,-": a comment with the rank of each task, for reading the trace again.
  std::string ranks() const;
  /// The comment prv::kRecordedInWhole; empty if the session is not a part of a trace.
  std::string recorded_in_whole(const analysis::Session& session) const;
  /// The text of the .row.
  std::string rows() const;

private:
  struct Task {
    std::string name;
    std::uint32_t threads = 1, node = 1;
    bool ranked = false; ///< its process is a rank, not only a task
    bool empty = true;   ///< has one thread without a resource
  };
  struct Process {
    std::int32_t rank;
    std::size_t trace;
    std::uint32_t resource;
  };
  void add_nodes(const analysis::Session& session);
  void add_process(const analysis::Session& session, const Process& process, std::uint32_t task,
                   const std::vector<std::uint32_t>& members);

  std::vector<ParaverThread> threads_;
  std::vector<Task> tasks_;
  std::vector<std::string> nodes_;               ///< names
  std::vector<std::vector<std::uint32_t>> node_; ///< by trace and resource: number of a host's node
  std::int64_t other_ranks_ = 0;
  std::vector<std::vector<std::uint32_t>> places_; ///< by trace and resource: index into threads_, or kNone
  /// By trace and rank: index into threads_ of the rank's first host thread.
  std::vector<std::map<std::int32_t, std::size_t>> first_of_rank_;
};

} // namespace jitterscope::efficiency
