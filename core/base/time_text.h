#pragma once

#include <cstdint>
#include <string>

#include "core/base/time.h"

namespace jitterscope {

/// "6.082352213s" for a time in ns: exact, and in a form that the options of the command line accept.
std::string exact_time(std::int64_t ns);
/// "1.5s to 2s"
std::string exact_range(const Interval& range);

} // namespace jitterscope
