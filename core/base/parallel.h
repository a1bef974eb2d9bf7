#pragma once

#include <cstddef>
#include <functional>

namespace jitterscope {

/// Processors that this process may run on, at least 1, at most 64.
int worker_threads();

/// Runs task(0) … task(count - 1), each once, in any order, on up to `threads` threads of which the calling
/// one is the first. `stop_wanted` is asked by the calling thread alone, before each task it takes; once it
/// says true, no further task begins. The first exception that leaves a task is thrown again here after all
/// threads have ended. Returns false when stopped.
bool parallel_for(
    std::size_t count, int threads, const std::function<void(std::size_t)>& task,
    const std::function<bool()>& stop_wanted = [] { return false; });

} // namespace jitterscope
