#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include <omp.h>
#include <sched.h>

namespace jitterscope {

int worker_threads() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return std::clamp(CPU_COUNT(&allowed), 1, 64);
}

std::size_t threads_of_rank() {
  return static_cast<std::size_t>(std::max(::omp_get_max_threads(), 1));
}

void use_threads(int threads) {
  ::omp_set_num_threads(std::max(threads, 1));
}

namespace {

/// Runs tasks until none is left, a stop is requested or a task fails.
class Tasks {
public:
  Tasks(std::size_t count, const std::function<void(std::size_t)>& task) : count_(count), task_(task) {}

  void work(const std::function<bool()>& stop_requested) {
    while (!ended_) {
      if (stop_requested()) {
        stopped_ = ended_ = true;
        return;
      }
      const auto next = next_++;
      if (next >= count_) return;
      try {
        task_(next);
      } catch (...) {
        const std::lock_guard guard(lock_);
        if (!failure_) failure_ = std::current_exception();
        ended_ = true;
      }
    }
  }
  /// Body of an additional thread: runs tasks, then reports that it has ended.
  void help() {
    work([] { return false; });
    const std::lock_guard guard(lock_);
    ++helped_;
    helper_ended_.notify_one();
  }
  void wait_for(std::size_t helpers, const std::function<bool()>& stop_requested) {
    std::unique_lock guard(lock_);
    while (!helper_ended_.wait_for(guard, std::chrono::milliseconds(5), [&] { return helped_ == helpers; })) {
      guard.unlock();
      if (stop_requested()) stopped_ = ended_ = true;
      guard.lock();
    }
  }
  bool finish() const {
    if (failure_) std::rethrow_exception(failure_);
    return !stopped_;
  }

private:
  std::size_t count_;
  const std::function<void(std::size_t)>& task_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> ended_{false}, stopped_{false};
  std::mutex lock_;
  std::condition_variable helper_ended_;
  std::size_t helped_ = 0;
  std::exception_ptr failure_;
};

} // namespace

bool parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task,
                  const std::function<bool()>& stop_requested) {
  Tasks tasks(count, task);
  {
    std::vector<std::jthread> helpers;
    const auto requested = std::min(static_cast<std::size_t>(std::max(threads, 1)), count);
    for (std::size_t i = 1; i < requested; ++i) helpers.emplace_back([&] { tasks.help(); });
    tasks.work(stop_requested);
    tasks.wait_for(helpers.size(), stop_requested);
  }
  return tasks.finish();
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task) {
  std::ignore = parallel_for(count, threads, task, [] { return false; });
}

} // namespace jitterscope
