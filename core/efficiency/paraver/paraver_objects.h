#pragma once

#include <cstdint>
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
  bool stream = false;
  std::string name; ///< name in the .row: "CUDA-D0.S7", "THREAD 1.2.1"
};

/// The processes of a session as tasks, sorted by rank, each with its host threads first, then its streams.
class ParaverObjects {
public:
  explicit ParaverObjects(const analysis::Session& session);

  const std::vector<ParaverThread>& threads() const { return threads_; }
  const std::vector<std::string>& tasks() const { return tasks_; } ///< names of the tasks
  /// The thread of a resource; null for other resources.
  const ParaverThread* find(std::size_t trace, std::uint32_t resource) const;
  /// The first host thread of a rank of a trace; null if there is none.
  const ParaverThread* of_rank(std::size_t trace, std::uint32_t rank) const;
  /// "0:1:2(3:1,3:1)": the part of the header after the length.
  std::string header() const;
  /// The text of the .row.
  std::string rows() const;

private:
  void add_process(const analysis::Session& session, std::size_t trace, std::uint32_t process);

  std::vector<ParaverThread> threads_;
  std::vector<std::string> tasks_;
  std::vector<std::uint32_t> threads_of_;          ///< number of threads, by task
  std::vector<std::vector<std::uint32_t>> places_; ///< by trace and resource: index into threads_, or kNone
  std::vector<std::vector<std::int32_t>> ranks_;   ///< by trace and resource: rank of its process
};

} // namespace jitterscope::efficiency
