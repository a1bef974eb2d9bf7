#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <utility>

#include "core/base/job.h"

namespace jitterscope {

/// A part of a job that another thread does meanwhile. The job's functions are called from the thread that
/// made this object alone: the other one learns of a wish to stop through an own job, which tells nothing of
/// its progress.
template <class Result>
class Beside {
public:
  /// `work` begins at once, or in result() where the system gives no other thread.
  Beside(const Job& job, std::function<Result(const Job&)> work) : job_(job), work_(std::move(work)) {
    own_.cancelled = [this] { return unwanted_.load(); };
    result_ = std::async(std::launch::async | std::launch::deferred, [this] { return work_(own_); });
  }
  /// Waits for the work, which is told to stop.
  ~Beside() {
    unwanted_ = true;
    if (result_.valid()) result_.wait();
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// The job was cancelled while this waited: the result may be unfinished.
  bool cancelled() const { return unwanted_; }
  /// Until the work has ended; meanwhile the job is asked whether it is still wanted.
  void wait() {
    while (result_.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout)
      if (!unwanted_ && job_.cancelled()) unwanted_ = true;
  }
  /// Waits, and throws what the work threw. Once.
  Result result() {
    wait();
    return result_.get();
  }

private:
  const Job& job_;
  const std::function<Result(const Job&)> work_;
  std::atomic<bool> unwanted_{false};
  Job own_;
  std::future<Result> result_;
};

} // namespace jitterscope
