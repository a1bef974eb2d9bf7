#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <utility>

#include "core/base/job.h"

namespace jitterscope {

/// A part of a job that runs on a second thread. The functions of the job are called only from the thread
/// that created this object; the second thread sees a cancellation through a job of its own, which reports no
/// progress.
template <class Result>
class BackgroundTask {
public:
  /// Starts `work` at once, or in result() if the system provides no further thread.
  BackgroundTask(const Job& job, std::function<Result(const Job&)> work) : job_(job), work_(std::move(work)) {
    own_.cancelled = [this] { return cancelled_.load(); };
    result_ = std::async(std::launch::async | std::launch::deferred, [this] { return work_(own_); });
  }
  /// Cancels the work and waits for it.
  ~BackgroundTask() {
    cancelled_ = true;
    if (result_.valid()) result_.wait();
  }
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  /// Whether the job was cancelled while this object waited: the result may then be unfinished.
  bool cancelled() const { return cancelled_; }
  /// Blocks until the work has ended; polls the job for cancellation every 5 ms meanwhile.
  void wait() {
    while (result_.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout)
      if (!cancelled_ && job_.cancelled()) cancelled_ = true;
  }
  /// Waits, then returns the result or throws what `work` threw. May be called once.
  Result result() {
    wait();
    return result_.get();
  }

private:
  const Job& job_;
  const std::function<Result(const Job&)> work_;
  std::atomic<bool> cancelled_{false};
  Job own_;
  std::future<Result> result_;
};

} // namespace jitterscope
