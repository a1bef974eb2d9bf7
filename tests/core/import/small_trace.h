#pragma once

#include <string>

namespace jitterscope::import {

/// SQL that makes a small, valid export: one process with one device, three kernels on stream 7 launched
/// by three calls inside a range, one copy, one memset. Tests damage parts of it.
extern const std::string kSmallTrace;

} // namespace jitterscope::import
