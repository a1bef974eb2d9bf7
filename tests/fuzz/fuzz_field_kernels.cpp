// Fields found and read many at a time equal those found and read byte by byte, for any text,
// and nothing is read beyond the block after it.

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/import/text/byte_masks.h"
#include "core/import/text/csv/field_kernels.h"

namespace jitterscope::import {
namespace {

constexpr std::size_t kMaxFields = 512;

struct Found {
  std::vector<std::uint32_t> begins = std::vector<std::uint32_t>(kMaxFields + kMaskBlock + 1), ends = begins;
  std::vector<std::uint16_t> records = std::vector<std::uint16_t>(kMaxFields + kMaskBlock), others = records,
                             fractions = records;
  std::vector<double> numbers = std::vector<double>(kMaxFields + kMaskBlock);
  FieldEnds fields{begins.data(), ends.data(), records.data()};
  std::vector<std::uint8_t> requested = std::vector<std::uint8_t>((kMaxFields + kMaskBlock) / 8 + 1, 0xFF);
  FieldNumbers read{begins.data(), ends.data(), 0, true, numbers.data(), others.data(), fractions.data()};
};

double number_of(std::string_view text) {
  const auto point = text.find('.');
  const bool fraction = point != std::string_view::npos && point > 0 && point + 1 < text.size();
  const auto digits = text.size() - (fraction ? 1 : 0);
  std::string plain(text);
  if (fraction) plain.erase(point, 1);
  if (plain.empty() || digits > 15 || plain.find_first_not_of("0123456789") != std::string::npos)
    return std::numeric_limits<double>::quiet_NaN();
  return std::strtod(std::string(text).c_str(), nullptr);
}

void require(bool holds) {
  if (!holds) std::abort();
}

// Compares the fields that were found with those found byte by byte. All quotes must enclose complete fields.
void compare(std::string_view text, char separator, bool quotes, const Found& found) {
  std::size_t begin = 0, field = 0, record = 0, other = 0, fraction = 0;
  bool inside = false;
  for (std::size_t at = 0; at < text.size() && field < found.fields.field_count; ++at) {
    const bool feed_follows = at + 1 < text.size() && text[at + 1] == '\n';
    const bool ends_record = text[at] == '\n' || (text[at] == '\r' && !feed_follows);
    if (quotes && text[at] == '"') {
      const char next = at + 1 < text.size() ? text[at + 1] : '\n';
      require(inside ? next == separator || next == '\n' || next == '\r' : at == begin);
      inside = !inside;
    }
    if (inside) require(text[at] != '\n' && text[at] != '\r');
    if ((text[at] != separator && !ends_record) || inside) continue;
    require(found.begins[field] == begin && found.ends[field] == at);
    const bool requested = (found.requested[field / 8] >> field % 8 & 1) != 0;
    const auto expected =
        requested ? number_of(text.substr(begin, at - begin)) : std::numeric_limits<double>::quiet_NaN();
    const auto read = found.numbers[field];
    require(expected == read || (expected != expected && read != read));
    if (expected != expected && !requested)
      ; // neither read nor listed
    else if (expected != expected)
      require(found.others[other++] == field);
    else if (text.substr(begin, at - begin).find('.') != std::string_view::npos)
      require(found.fractions[fraction++] == field);
    ++field;
    if (ends_record) require(found.records[record++] == field);
    begin = at + 1;
  }
  require(field == found.fields.field_count && record == found.fields.record_count &&
          other == found.read.other_count && fraction == found.read.fraction_count);
}

} // namespace
} // namespace jitterscope::import

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace jitterscope::import;
  if (size < 2) return 0;
  const char separator = ",;\t|"[bytes[0] % 4];
  const std::size_t columns = 1 + bytes[1] % 40;
  const auto length = size - 2;
  const std::unique_ptr<char[]> room(new char[length + kMaskBlock]); // exact size for the sanitizer
  std::memcpy(room.get(), bytes + 2, length);
  std::memset(room.get() + length, bytes[1], kMaskBlock);
  const std::string_view text(room.get(), length);
  for (const int way : {0, 1, 2, 3, 4, 5}) { // the last two: numbers of selected columns only
    const bool portably = (way & 1) != 0, quotes = (way & 2) != 0, some = (way & 4) != 0;
    Found found;
    if (some) {
      for (std::size_t field = 0; field < kMaxFields; ++field)
        if ((field % columns * bytes[0] & 4) != 0)
          found.requested[field / 8] &= static_cast<std::uint8_t>(~(1u << field % 8));
      found.read.requested = found.requested.data();
    }
    found.read.columns = way < 2 ? 0 : columns; // a guess, wrong for most texts
    found.fields.quotes = quotes;
    (portably ? find_field_ends_portably : find_field_ends)(text, 0, separator, kMaxFields, found.fields);
    found.read.count = found.fields.field_count;
    (portably ? read_field_numbers_portably : read_field_numbers)(text.data(), found.read);
    if (!found.fields.irregular)
      compare(text, separator, quotes, found);
    else
      require(quotes && text.find('"') != std::string_view::npos);
    const auto rows = found.read.count / columns;
    std::vector<std::vector<double>> out(columns, std::vector<double>(rows));
    std::vector<double*> to;
    for (auto& column : out) to.push_back(column.data());
    (portably ? put_into_columns_portably : put_into_columns)(found.numbers.data(), columns, rows, to.data());
    for (std::size_t i = 0; i < rows * columns; ++i)
      require(std::bit_cast<std::uint64_t>(out[i % columns][i / columns]) ==
              std::bit_cast<std::uint64_t>(found.numbers[i]));
  }
  return 0;
}
