#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <omp.h>

#include "core/base/job.h"
#include "core/base/parallel.h"

namespace jitterscope::analysis {

/// Calls `work(thread, task)` for tasks 0, 1, … on all threads of the rank while there are tasks and
/// `time_left()` is true; returns the number of calls, nothing when cancelled. Only the calling thread polls
/// for cancellation and reports progress. An exception of a task (out of memory) stops the others and is
/// rethrown here.
template <class TimeLeft, class Work>
std::optional<std::int64_t> on_threads_while(TimeLeft&& time_left, std::int64_t tasks, const Job& job,
                                             const std::string& what, Work&& work) {
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> next = 0, done = 0;
  std::exception_ptr problem;
#pragma omp parallel
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    try {
      while (!stop && next < tasks && time_left()) {
        if (thread == 0) {
          if (job.cancelled()) {
            stop = true;
            break;
          }
          job.progress(done, tasks, what);
        }
        const std::int64_t task = next++;
        if (task >= tasks) break;
        work(thread, task);
        ++done;
      }
    } catch (...) {
      stop = true;
#pragma omp critical(jitterscope_on_threads)
      if (!problem) problem = std::current_exception();
    }
  }
  if (problem) std::rethrow_exception(problem);
  if (stop || job.cancelled()) return {};
  return done;
}

/// Runs all tasks; false when cancelled.
template <class Work>
bool on_threads(std::int64_t tasks, const Job& job, const std::string& what, Work&& work) {
  return on_threads_while([] { return true; }, tasks, job, what, std::forward<Work>(work)).has_value();
}

} // namespace jitterscope::analysis
