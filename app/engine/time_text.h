#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::app {

/// "10ms" → 10,000,000; plain numbers are ns. BadUse names the option.
Expected<std::int64_t> parse_time(const std::string& text, const std::string& option);
/// Parses "A:B" with times.
Expected<std::vector<std::int64_t>> parse_range(const std::string& text);

} // namespace jitterscope::app
