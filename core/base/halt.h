#pragma once

#include <atomic>
#include <thread>

#include "core/base/job.h"

namespace jitterscope {

/// Stop flag for several threads: only the thread that constructed it polls the job. Once requested, a stop
/// remains requested.
class Halt {
public:
  explicit Halt(const Job& job) : job_(job), polling_(std::this_thread::get_id()) {}
  bool requested() {
    if (!requested_ && std::this_thread::get_id() == polling_ && job_.cancelled()) requested_ = true;
    return requested_;
  }
  /// A job whose cancellation is this stop, for functions that the constructing thread calls.
  Job job_of_caller() {
    return {[this] { return requested(); }, job_.progress};
  }

private:
  const Job& job_;
  std::thread::id polling_;
  std::atomic<bool> requested_ = false;
};

} // namespace jitterscope
