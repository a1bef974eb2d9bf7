#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jitterscope::import::device_log {

/// The times of a log. Dates are nanoseconds since 1970, and so are numbers large enough to count from then.
class SampleClock {
public:
  /// `unit`: of the column with the times, empty if it states none.
  explicit SampleClock(std::string_view unit);

  /// Nanoseconds of a cell: "2026/11/26 16:20:59.789", "1795710066.25". A number without a unit counts in s,
  /// ms, µs or ns since 1970, by its size, else in ns; the first number decides for all.
  std::optional<std::int64_t> time_of(std::string_view cell);
  /// Same for a date and a time of day in two cells: "20261126", "16:20:59".
  std::optional<std::int64_t> time_of(std::string_view date, std::string_view time_of_day);

  /// False once a date without a zone was read.
  bool zone_known() const { return zone_known_; }

private:
  std::optional<std::int64_t> date(std::string_view text);

  std::int64_t scale_; // ns per unit, 0 while unknown
  bool zone_known_ = true;
};

/// Times from 2001 on count from 1970.
inline constexpr std::int64_t kEarliestAbsolute = 1'000'000'000'000'000'000;

} // namespace jitterscope::import::device_log
