#pragma once

#include <cstddef>
#include <vector>

#include "core/efficiency/activity.h"

namespace jitterscope::efficiency {

/// The processes of some analysed host threads, as indices in that list of threads.
struct Processes {
  std::vector<std::size_t> of;      ///< by thread: its process
  std::vector<std::size_t> masters; ///< by process: its first thread that calls MPI, else its first thread
  bool any_with_threads() const { return masters.size() < of.size(); }
};

/// `rows`: indices into Activity::hosts().
Processes processes_of(const Activity& activity, const std::vector<std::size_t>& rows);

} // namespace jitterscope::efficiency
