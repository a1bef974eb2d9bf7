#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jitterscope::import::table {

/// Nanoseconds since 1970 of a date with a time of day in ISO 8601 and similar formats:
/// "2024-05-01T10:00:01.25Z", "2024-05-01 10:00:01,25 +0200", "2024/05/01 10:00". UTC without a zone.
/// Digits beyond nanoseconds are truncated. Nothing for any other text and outside the years 1970 to 2261.
std::optional<std::int64_t> parse_date_time(std::string_view text);

} // namespace jitterscope::import::table
