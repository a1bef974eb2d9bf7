#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "core/base/job.h"
#include "core/efficiency/step_function.h"

namespace jitterscope::efficiency::metrics {

/// A timeline in [a, b): the first step begins at a; adjacent steps differ.
using Steps = std::vector<StepFunction::Step>;

/// Stop flag for several threads: only the thread that constructed it polls the job.
class Halt {
public:
  explicit Halt(const Job& job) : job_(job), asking_(std::this_thread::get_id()) {}
  bool requested() {
    if (!requested_ && std::this_thread::get_id() == asking_ && job_.cancelled()) requested_ = true;
    return requested_;
  }

private:
  const Job& job_;
  std::thread::id asking_;
  std::atomic<bool> requested_ = false;
};

} // namespace jitterscope::efficiency::metrics
