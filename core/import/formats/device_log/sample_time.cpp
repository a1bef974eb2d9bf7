#include "core/import/formats/device_log/sample_time.h"

#include <algorithm>
#include <string>

#include "core/import/formats/table/date_time.h"
#include "core/import/records/units.h"
#include "core/import/text/csv/number.h"

namespace jitterscope::import::device_log {
namespace {

bool are_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Seconds, ms, µs and ns since 1970 differ by factors of 1000, and the years 2001 to 2286 by less than 10.
std::int64_t scale_since_1970(double number) {
  for (const auto& [scale, seconds] :
       {std::pair(std::int64_t{1'000'000'000}, 1.0), std::pair(std::int64_t{1'000'000}, 1e3),
        std::pair(std::int64_t{1'000}, 1e6)})
    if (number >= 1e9 * seconds && number < 1e10 * seconds) return scale;
  return 1;
}

} // namespace

SampleClock::SampleClock(std::string_view unit) : scale_(nanoseconds_in(unit).value_or(0)) {}

std::optional<std::int64_t> SampleClock::date(std::string_view text) {
  const auto time = table::parse_date_time(text);
  constexpr std::size_t kLengthOfDate = 11; // "2026-11-26 "
  if (time && text.find_first_of("+-Zz", kLengthOfDate) == std::string_view::npos) zone_known_ = false;
  return time;
}

std::optional<std::int64_t> SampleClock::time_of(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.size() > 8 && cell.find(':') != std::string_view::npos) return date(cell);
  if (scale_ == 0) {
    const auto number = parse_number(cell);
    if (!number) return {};
    scale_ = scale_since_1970(*number);
  }
  return parse_decimal(cell, scale_);
}

std::optional<std::int64_t> SampleClock::time_of(std::string_view day, std::string_view time_of_day) {
  day = trimmed(day);
  if (day.size() != 8 || !are_digits(day)) return {};
  std::string text(day);
  text.insert(6, "-").insert(4, "-");
  return date(text + " " + std::string(trimmed(time_of_day)));
}

} // namespace jitterscope::import::device_log
