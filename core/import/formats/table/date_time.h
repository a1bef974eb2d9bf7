#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jitterscope::import::table {

/// Nanoseconds since 1970 of a date with a time of day as ISO 8601 and its relatives write it:
/// "2024-05-01T10:00:01.25Z", "2024-05-01 10:00:01,25 +0200", "2024/05/01 10:00". Without a zone it is UTC.
/// Digits beyond nanoseconds are cut off. Nothing for any other text and outside the years 1970 to 2261.
std::optional<std::int64_t> parse_date_time(std::string_view text);

} // namespace jitterscope::import::table
