// Fields found and read many at a time are those that are found and read byte by byte, whatever the text is,
// and nothing is read beyond the block behind it.

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "core/import/byte_masks.h"
#include "core/import/csv/field_kernels.h"

namespace jitterscope::import {
namespace {

constexpr std::size_t kMost = 512;

struct Found {
  std::vector<std::uint32_t> begins = std::vector<std::uint32_t>(kMost + kMaskBlock + 1), ends = begins;
  std::vector<std::uint16_t> records = std::vector<std::uint16_t>(kMost + kMaskBlock), others = records;
  std::vector<double> numbers = std::vector<double>(kMost + kMaskBlock);
  FieldEnds fields{begins.data(), ends.data(), records.data()};
  FieldNumbers read{begins.data(), ends.data(), 0, numbers.data(), others.data()};
};

double number_of(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::numeric_limits<double>::quiet_NaN();
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  const bool plain = !text.empty() && text.size() <= 15;
  return plain ? static_cast<double>(value) : std::numeric_limits<double>::quiet_NaN();
}

void require(bool holds) {
  if (!holds) std::abort();
}

// As many fields as were found, byte by byte.
void compare(std::string_view text, char separator, const Found& found) {
  std::size_t begin = 0, field = 0, record = 0, other = 0;
  for (std::size_t at = 0; at < text.size() && field < found.fields.field_count; ++at) {
    const bool feed_follows = at + 1 < text.size() && text[at + 1] == '\n';
    const bool ends_record = text[at] == '\n' || (text[at] == '\r' && !feed_follows);
    if (text[at] != separator && !ends_record) continue;
    require(found.begins[field] == begin && found.ends[field] == at);
    const auto expected = number_of(text.substr(begin, at - begin));
    const auto read = found.numbers[field];
    require(expected == read || (expected != expected && read != read));
    if (expected != expected) require(found.others[other++] == field);
    ++field;
    if (ends_record) require(found.records[record++] == field);
    begin = at + 1;
  }
  require(field == found.fields.field_count && record == found.fields.record_count &&
          other == found.read.other_count);
}

} // namespace
} // namespace jitterscope::import

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace jitterscope::import;
  if (size < 2) return 0;
  const char separator = ",;\t|"[bytes[0] % 4];
  const std::size_t columns = 1 + bytes[1] % 40;
  const auto length = size - 2;
  const std::unique_ptr<char[]> room(new char[length + kMaskBlock]); // to the byte, for the sanitizer
  std::memcpy(room.get(), bytes + 2, length);
  std::memset(room.get() + length, bytes[1], kMaskBlock);
  const std::string_view text(room.get(), length);
  for (const bool portably : {false, true}) {
    Found found;
    (portably ? find_field_ends_portably : find_field_ends)(text, 0, separator, kMost, found.fields);
    found.read.count = found.fields.field_count;
    (portably ? read_field_numbers_portably : read_field_numbers)(text.data(), found.read);
    compare(text, separator, found);
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
