#pragma once

#include <cstddef>
#include <functional>

namespace jitterscope {

/// Number of processors that this process may run on, at least 1, at most 64.
int worker_threads();

/// Runs task(0) … task(count - 1), each once, in any order, on up to `threads` threads including the
/// caller. The calling thread polls `stop_requested` before each task that it takes; once it returns true, no
/// further task starts. The first exception thrown by a task is rethrown after all threads have ended.
/// Returns false when stopped.
bool parallel_for(
    std::size_t count, int threads, const std::function<void(std::size_t)>& task,
    const std::function<bool()>& stop_requested = [] { return false; });

} // namespace jitterscope
