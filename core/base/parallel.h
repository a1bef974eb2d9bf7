#pragma once

#include <cstddef>
#include <functional>

namespace jitterscope {

/// Number of processors that this process may run on, at least 1, at most 64.
int worker_threads();

/// Number of OpenMP threads of this process: its share of the node's cores if several ranks run there.
std::size_t threads_of_rank();
/// Sets threads_of_rank(), also for OpenMP's own loops.
void use_threads(int threads);

/// Runs task(0) … task(count - 1), each once, in any order, on up to `threads` threads including the
/// caller. The calling thread polls `stop_requested` before each task that it takes and every 5 ms while it
/// waits for the other threads; once it returns true, no further task starts, and running tasks may end early
/// (Halt in stop.h). The first exception thrown by a task is rethrown after all threads have ended. Returns
/// false when stopped: then tasks are missing, and what they would have filled must not be read.
[[nodiscard]] bool parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task,
                                const std::function<bool()>& stop_requested);
/// The same without a stop.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task);

} // namespace jitterscope
