#include "core/import/formats/paraver/fields.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "core/import/text/plain_number.h"

namespace jitterscope::import::paraver {
namespace {

std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Number of digits at the front of eight bytes, the first one lowest.
std::size_t digits_of(std::uint64_t bytes) {
  const auto values = bytes ^ 0x3030303030303030u;
  // A byte beyond 9 sets its highest bit; a carry changes only bytes after it.
  const auto others = ((values + 0x7676767676767676u) | values) & 0x8080808080808080u;
  return static_cast<std::size_t>(std::countr_zero(others)) / 8;
}

// Reads a number of 1 to 15 digits and returns their count; 0 for everything else. Most numbers have few
// digits: a loop over them would be slower, because the processor cannot predict where it ends.
std::size_t read_digits(const char* at, std::uint64_t& number) {
  if constexpr (std::endian::native != std::endian::little) return 0;
  constexpr std::array<std::uint64_t, 8> kPowers = {1,      10,      100,       1'000,
                                                    10'000, 100'000, 1'000'000, 10'000'000};
  const auto first = word_at(at);
  const auto count = digits_of(first);
  if (count == 0) return 0;
  if (count < 8) return eight_digits(first, count, number) ? count : 0;
  const auto second = word_at(at + 8);
  const auto more = digits_of(second);
  std::uint64_t low = 0;
  if (more == 8 || !eight_digits(first, 8, number)) return 0;
  if (more == 0) return 8;
  if (!eight_digits(second, more, low)) return 0;
  number = number * kPowers[more] + low;
  return 8 + more;
}

} // namespace

// Any number that from_chars() accepts. Null for other text.
const char* Fields::read_slowly(const char* at, const char* end, std::int64_t& number) {
  const auto result = std::from_chars(at, end, number);
  if (result.ec == std::errc::result_out_of_range) {
    huge_ = true;
    number = *at == '-' ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
  } else if (result.ec != std::errc()) {
    return nullptr;
  }
  return result.ptr;
}

bool Fields::read(std::string_view line) {
  count_ = 0;
  huge_ = false;
  const char* at = line.data();
  const char* end = at + line.size();
  while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == ':')) --end;
  if (const auto most = line.size() / 2 + 1; numbers_.size() < most) numbers_.resize(most);
  auto* out = numbers_.data();
  while (at < end) {
    std::uint64_t digits = 0;
    if (const auto length = read_digits(at, digits); length > 0) {
      *out = static_cast<std::int64_t>(digits);
      at += length;
    } else if (at = read_slowly(at, end, *out); !at) {
      return false;
    }
    ++out;
    if (at == end) break;
    if (*at++ != ':') return false;
  }
  count_ = static_cast<std::size_t>(out - numbers_.data());
  return true;
}

} // namespace jitterscope::import::paraver
