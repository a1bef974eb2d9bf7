#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// Where a resource is shown in a Chrome trace: numbers of a process and of a thread.
struct ChromePlace {
  std::int64_t pid = 0, tid = 0;
  std::int64_t device = -1, context = 0,
               stream = 0; ///< of streams: as PyTorch's kernel arguments
  std::int32_t rank = -1;  ///< rank of the process, -1 unknown
};

/// Unique numbers for processes, devices, threads and streams of a session: their own where these are free.
class ChromePlaces {
public:
  explicit ChromePlaces(const Session& session);

  const ChromePlace& of(std::size_t trace, std::uint32_t resource) const { return places_[trace][resource]; }
  /// Number of processes, without devices.
  std::size_t processes() const { return processes_; }

private:
  std::int64_t free_pid(std::int64_t preferred);
  void add_trace(const std::vector<store::Resource>& resources, std::size_t trace);

  std::vector<std::vector<ChromePlace>> places_; ///< by trace and resource
  std::set<std::int64_t> pids_;
  std::size_t processes_ = 0;
};

} // namespace jitterscope::analysis
