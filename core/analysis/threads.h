#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>

#include <omp.h>

#include "core/base/job.h"

namespace jitterscope::analysis {

/// How many threads work on a rank's share.
inline std::size_t threads_of_rank() {
  return static_cast<std::size_t>(omp_get_max_threads());
}

/// Calls `work(thread, task)` for tasks 0 … tasks − 1 on all threads of the rank. Only the calling thread looks for
/// cancellation and tells progress; false when it was cancelled. What a task throws (no memory left) stops the others
/// and is thrown again here.
template <class Work>
bool on_threads(std::int64_t tasks, const Job& job, const std::string& what, Work&& work) {
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> done = 0;
  std::exception_ptr problem;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t task = 0; task < tasks; ++task) {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    try {
      if (stop) continue;
      if (thread == 0) {
        if (job.cancelled()) {
          stop = true;
          continue;
        }
        job.progress(done, tasks, what);
      }
      work(thread, task);
      ++done;
    } catch (...) {
      stop = true;
#pragma omp critical(jitterscope_on_threads)
      if (!problem) problem = std::current_exception();
    }
  }
  if (problem) std::rethrow_exception(problem);
  return !stop && !job.cancelled();
}

} // namespace jitterscope::analysis
