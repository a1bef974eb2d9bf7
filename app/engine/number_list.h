#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::app {

/// "0-3,7" → 0, 1, 2, 3, 7. Errors: BadUse with the option as place: other texts, more than a million
/// numbers.
Expected<std::vector<std::int64_t>> parse_numbers(const std::string& text, const std::string& option);

} // namespace jitterscope::app
