#pragma once

#include <cstdint>

namespace jitterscope::import {

/// Maximum size of one copy or message (1 PiB); larger sizes are invalid and treated as unknown.
constexpr std::int64_t kMaxOperationBytes = std::int64_t{1} << 50;

} // namespace jitterscope::import
