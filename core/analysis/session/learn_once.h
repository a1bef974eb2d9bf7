#pragma once

#include <atomic>
#include <mutex>
#include <utility>

#include "core/base/job.h"

namespace jitterscope::analysis {

/// A value that is computed once, on first use. `learn` has the signature Expected<T> learn(const
/// Job&).
template <class T>
class LearnOnce {
public:
  /// Computes the value unless it is known. A cancelled computation stores nothing. No lock is held during
  /// the computation, since the job may serve requests that need the value.
  template <class Learn>
  Expected<void> prepare(const Job& job, Learn learn) {
    if (known_) return {};
    auto value = learn(job);
    if (!value) return forward(value.error());
    const std::lock_guard guard(lock_);
    if (!known_) value_ = std::move(*value), known_ = true;
    return {};
  }
  /// The value; if unknown, it is computed here and cannot be cancelled. Thread-safe.
  template <class Learn>
  const T& get(Learn learn) {
    if (known_) return value_;
    const std::lock_guard guard(lock_);
    if (!known_) value_ = std::move(*learn(Job())), known_ = true;
    return value_;
  }

private:
  std::atomic<bool> known_{false};
  std::mutex lock_;
  T value_;
};

} // namespace jitterscope::analysis
