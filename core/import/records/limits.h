#pragma once

#include <cstdint>

namespace jitterscope::import {

/// Larger sizes of copies and messages are taken for damage: 1 PiB in one operation.
constexpr std::int64_t kMaxOperationBytes = std::int64_t{1} << 50;

} // namespace jitterscope::import
