#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/error.h"

namespace jitterscope {

/// Callbacks of a long-running core function: one to cancel it and one to report its progress. Both are
/// called from the thread that runs the function, at least every 10 ms of work.
struct Job {
  /// True when the caller no longer wants the result. Cheap; may serve other requests meanwhile.
  std::function<bool()> cancelled = [] { return false; };
  /// done and total in any unit (bytes, rows); total 0 means unknown.
  std::function<void(std::int64_t done, std::int64_t total, const std::string& what)> progress =
      [](std::int64_t, std::int64_t, const std::string&) {};

  [[nodiscard]] static tl::unexpected<Error> cancelled_error() {
    return failure(ErrorKind::Cancelled, "cancelled");
  }
};

} // namespace jitterscope
