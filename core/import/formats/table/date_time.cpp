#include "core/import/formats/table/date_time.h"

#include <chrono>

#include "core/import/text/csv/number.h"

namespace jitterscope::import::table {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Removes pieces from the front of a text.
class Pieces {
public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  bool any_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool starts_with_any_of(std::string_view characters) const {
    return !rest_.empty() && characters.find(rest_.front()) != std::string_view::npos;
  }
  /// A number with exactly this number of digits within limits.
  std::optional<int> number(std::size_t digits, int minimum, int maximum) {
    if (rest_.size() < digits) return {};
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (!is_digit(c)) return {};
      value = 10 * value + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value < minimum || value > maximum ? std::nullopt : std::optional(value);
  }
  /// Digits after the point as nanoseconds.
  std::optional<std::int64_t> fraction() {
    if (!starts_with_any_of("0123456789")) return {};
    std::int64_t value = 0;
    for (std::int64_t place = 100'000'000; starts_with_any_of("0123456789"); place /= 10) {
      value += place * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  bool ended() const { return rest_.empty(); }

private:
  std::string_view rest_;
};

// The offset to subtract for UTC.
std::optional<std::chrono::minutes> zone(Pieces& pieces) {
  pieces.any_of(" ");
  if (pieces.ended() || pieces.any_of("Zz")) return std::chrono::minutes(0);
  const bool east = pieces.starts_with_any_of("+");
  if (!pieces.any_of("+-")) return {};
  const auto hours = pieces.number(2, 0, 14);
  if (!hours) return {};
  pieces.any_of(":");
  const auto minutes = pieces.ended() ? std::optional(0) : pieces.number(2, 0, 59);
  if (!minutes) return {};
  const auto shift = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return east ? shift : -shift;
}

} // namespace

std::optional<std::int64_t> parse_date_time(std::string_view text) {
  Pieces pieces(trimmed(text));
  const auto year = pieces.number(4, 1970, 2261);
  if (!year || !pieces.any_of("-/")) return {};
  const auto month = pieces.number(2, 1, 12);
  if (!month || !pieces.any_of("-/")) return {};
  const auto day = pieces.number(2, 1, 31);
  if (!day || !pieces.any_of("Tt ")) return {};
  const auto hour = pieces.number(2, 0, 23);
  if (!hour || !pieces.any_of(":")) return {};
  const auto minute = pieces.number(2, 0, 59);
  if (!minute) return {};
  int second = 0;
  std::int64_t fraction = 0;
  if (pieces.any_of(":")) {
    const auto written = pieces.number(2, 0, 60);
    if (!written) return {};
    second = *written;
    if (pieces.any_of(".,")) {
      const auto behind = pieces.fraction();
      if (!behind) return {};
      fraction = *behind;
    }
  }
  const auto shift = zone(pieces);
  if (!shift || !pieces.ended()) return {};
  using namespace std::chrono;
  const year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return {};
  const nanoseconds time = sys_days(date).time_since_epoch() + hours(*hour) + minutes(*minute) +
                           seconds(second) + nanoseconds(fraction) - *shift;
  return time.count() < 0 ? std::nullopt : std::optional(time.count());
}

} // namespace jitterscope::import::table
