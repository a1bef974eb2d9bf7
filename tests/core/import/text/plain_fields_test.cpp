// Fields that are found and read many at a time equal those that are read one by one.

#include <bit>
#include <memory>
#include <random>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "core/import/records/number_column.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/field_kernels.h"
#include "core/import/text/csv/plain_fields.h"
#include "core/import/text/json/structure.h"
#include "core/import/text/plain_number.h"

namespace jitterscope::import {
namespace {

// Mostly digits, of all lengths, and near-numbers; records of any width, line breaks of all kinds.
std::string fields_of_all_kinds(std::mt19937& random, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    const auto roll = random() % 32;
    if (roll < 24) {
      for (auto digits = 1 + random() % (roll < 3 ? 20 : 6); digits > 0; --digits)
        text += static_cast<char>('0' + random() % 10);
    } else if (roll < 30) {
      static const char* const kOthers[] = {"",
                                            "-5",
                                            "1.5",
                                            "12345.678",
                                            "0.000001",
                                            ".5",
                                            "5.",
                                            "1.2.3",
                                            "12345678.9",
                                            "1.2345678.123",
                                            "1.23.45678901",
                                            "1.12345678901234",
                                            "1.123456789012345",
                                            "99999999999999.9",
                                            "999999999999999.9",
                                            "1234567.x",
                                            "/9",
                                            ":0",
                                            "12345678x",
                                            "x12345678",
                                            " 7",
                                            "7 ",
                                            "+1",
                                            "-",
                                            "\2601",
                                            "999999999999999",
                                            "0000000000000001"};
      text += kOthers[random() % std::size(kOthers)];
    }
    static const char* const kEnds[] = {",",  ",",    ",",  ",",  ",",    ",",
                                        "\n", "\r\n", "\n", "\r", "\n\n", "\r\r\n"};
    text += kEnds[random() % std::size(kEnds)];
  }
  return text;
}

using Records = std::vector<std::vector<std::string>>;

// Empty lines are skipped, as by the reader.
Records records_of(const PlainFields& fields) {
  Records records;
  for (std::size_t record = 0, field = 0; record < fields.records(); ++record) {
    std::vector<std::string> texts;
    for (; field < fields.fields_to(record); ++field) texts.emplace_back(fields.text(field));
    if (texts.size() > 1 || !texts[0].empty()) records.push_back(std::move(texts));
  }
  return records;
}

class PlainFieldsTest : public testing::Test {
protected:
  std::string padded(const std::string& text) { return text + std::string(CsvReader::kPadding, '3'); }
  std::unique_ptr<PlainFields> fields_ = std::make_unique<PlainFields>();
};

TEST_F(PlainFieldsTest, AreThoseOfTheReader) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto text = fields_of_all_kinds(random, 1 + random() % 9'000);
    const auto room = padded(text);
    const std::string_view view(room.data(), text.size());
    Records records;
    std::size_t at = 0;
    for (; fields_->find(view, at, ',', true, false); at = fields_->end()) {
      for (auto& record : records_of(*fields_)) records.push_back(std::move(record));
      ASSERT_GT(fields_->end(), at);
    }
    const auto stream = open_memory(view.substr(0, at));
    CsvReader csv(*stream, "table.csv");
    std::size_t record = 0;
    for (; *csv.next(); ++record) {
      ASSERT_LT(record, records.size());
      EXPECT_EQ(records[record], std::vector<std::string>(csv.fields().begin(), csv.fields().end()))
          << record;
    }
    EXPECT_EQ(record, records.size());
    EXPECT_EQ(view.find_first_of("\r\n", at), std::string_view::npos);
  }
}

TEST_F(PlainFieldsTest, NumbersAreThoseOfOneAtATime) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    const auto text = fields_of_all_kinds(random, 9'000);
    const auto room = padded(text);
    ASSERT_TRUE(fields_->find({room.data(), text.size()}, round % 3, ',', true, false));
    std::size_t other = 0;
    for (std::size_t field = 0; field < fields_->fields_to(fields_->records() - 1); ++field) {
      const auto expected = few_digits(fields_->text(field));
      const auto number = fields_->numbers()[field];
      if (expected) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(number),
                  std::bit_cast<std::uint64_t>(static_cast<double>(*expected)))
            << fields_->text(field);
      } else {
        EXPECT_TRUE(number != number) << fields_->text(field);
        ASSERT_LT(other, fields_->others());
        EXPECT_EQ(fields_->other(other++), field);
      }
    }
    EXPECT_EQ(other, fields_->others());
  }
}

TEST_F(PlainFieldsTest, FractionsAreThoseOfOneAtATime) {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    const auto text = fields_of_all_kinds(random, 9'000);
    const auto room = padded(text);
    ASSERT_TRUE(fields_->find({room.data(), text.size()}, round % 3, ',', true, true));
    std::size_t other = 0, fraction = 0;
    for (std::size_t field = 0; field < fields_->fields_to(fields_->records() - 1); ++field) {
      const auto written = fields_->text(field);
      const auto places = plain_number(written).value_or(PlainNumber{0, -1, false}).places;
      const bool requested =
          places >= 0 && !written.starts_with('-') && written.size() <= (places > 0 ? 16 : 15);
      const auto read = fields_->numbers()[field];
      ASSERT_EQ(requested, read == read) << written;
      if (requested) {
        EXPECT_EQ(read, std::strtod(std::string(written).c_str(), nullptr)) << written;
      } else {
        EXPECT_EQ(fields_->other(other++), field);
      }
      if (requested && places > 0) {
        ASSERT_LT(fraction, fields_->fractions().size());
        EXPECT_EQ(fields_->fractions()[fraction++], field);
      }
    }
    EXPECT_EQ(other, fields_->others());
    EXPECT_EQ(fraction, fields_->fractions().size());
    EXPECT_GT(fraction, 0u);
  }
}

// The decimal point is expected where it was in the records above. Columns have the same number of digits in
// all rows, and occasionally others.
TEST_F(PlainFieldsTest, FractionsBelowEachOtherAreThoseOfOneAtATime) {
  std::mt19937 random(5);
  for (const std::size_t columns : {1, 2, 3, 6, 7, 8, 12, 31, 33}) {
    std::vector<std::uint8_t> requested(columns), places(columns);
    for (std::size_t i = 0; i < columns; ++i)
      requested[i] = i == 0 || random() % 4 != 0, places[i] = random() % 10;
    std::string text;
    std::size_t records = 0;
    for (; text.size() < 12'000; ++records)
      for (std::size_t i = 0; i < columns; ++i) {
        const auto roll = random() % 64;
        const auto behind = roll < 2 ? random() % 9 : places[i];
        for (auto digits = roll == 3 ? 0 : 1 + random() % (roll == 4 ? 12 : 5); digits > 0; --digits)
          text += static_cast<char>('0' + random() % 10);
        if (behind > 0 || roll == 5) text += '.';
        for (auto digits = behind; digits > 0; --digits) text += static_cast<char>('0' + random() % 10);
        if (roll == 6) text += 'x';
        text += i + 1 < columns ? ',' : '\n';
      }
    const auto size = text.size();
    text.resize(size + kMaskBlock, '5');
    std::size_t read = 0;
    for (std::size_t at = 0; at < size; at = fields_->end()) {
      ASSERT_TRUE(fields_->find({text.data(), size}, at, ',', false, true, requested));
      std::size_t other = 0;
      for (std::size_t field = 0; field < fields_->fields_to(fields_->records() - 1); ++field) {
        const auto written = fields_->text(field);
        const auto number = fields_->numbers()[field];
        const auto known = requested[field % columns] && written.size() <= 16 && !written.starts_with('-')
                               ? plain_number(written)
                               : std::nullopt;
        const bool fits = known && written.size() - (known->places > 0 ? 1 : 0) <= 15;
        ASSERT_EQ(fits, number == number) << written;
        if (fits) {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(*nearest(*known)), std::bit_cast<std::uint64_t>(number))
              << written;
        } else if (requested[field % columns]) {
          ASSERT_LT(other, fields_->others());
          ASSERT_EQ(fields_->other(other++), field);
        }
      }
      ASSERT_EQ(other, fields_->others());
      read += fields_->records();
    }
    EXPECT_EQ(read, records);
  }
}

// Fractions are scaled by a multiplication, which must be as accurate as a division.
TEST_F(PlainFieldsTest, FractionsAreRoundedAsADivisionDoes) {
  std::mt19937_64 random(9);
  for (const std::size_t places : {1, 2, 3, 4, 5, 6, 7}) {
    std::string text;
    std::vector<std::uint64_t> digits;
    while (text.size() < 14'000) {
      const auto whole = places + 1 + random() % (15 - places);
      std::uint64_t bound = 1;
      for (std::size_t i = 0; i < whole; ++i) bound *= 10;
      digits.push_back(bound / 10 + random() % (bound - bound / 10));
      auto written = std::to_string(digits.back());
      text += written.insert(written.size() - places, ".") + '\n';
    }
    const auto size = text.size();
    text.resize(size + kMaskBlock);
    const std::uint8_t requested[] = {1};
    std::size_t row = 0;
    for (std::size_t at = 0; at < size; at = fields_->end()) {
      ASSERT_TRUE(fields_->find({text.data(), size}, at, ',', false, true, requested));
      for (std::size_t i = 0; i < fields_->records(); ++i, ++row)
        ASSERT_EQ(fields_->numbers()[i], static_cast<double>(digits[row]) / kExactPowers[places])
            << fields_->text(i);
    }
    EXPECT_EQ(row, digits.size());
  }
}

// Quotes around complete fields are removed; other uses of quotes are left to the reader.
TEST_F(PlainFieldsTest, QuotedFieldsAreThoseOfTheReader) {
  static const char* const kRegular[] = {"\"\"", "\"a\"", "\"1,5\"", "\"void f<int, 4>(float*, int)\"",
                                         "b",    "17",    ""};
  static const char* const kIrregular[] = {"\"a\"\"b\"", "x\"y\"",   " \"c\"", "\"d\" ",
                                           "\"e\nf\"",   "\"g\rh\"", "27\""};
  std::mt19937 random(5);
  int regular = 0, irregular = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    const bool odd = round % 2 == 0;
    for (auto records = 1 + random() % 30; records > 0; --records) {
      for (auto fields = 1 + random() % 12; fields > 0; --fields) {
        text += odd && random() % 200 == 0 ? kIrregular[random() % std::size(kIrregular)]
                                           : kRegular[random() % std::size(kRegular)];
        text += fields > 1 ? "," : "";
      }
      text += round % 3 == 0 ? "\r\n" : "\n";
    }
    for (const bool portably : {false, true}) {
      std::vector<std::uint32_t> begins(4'000), ends(4'000);
      std::vector<std::uint16_t> ended(4'000);
      const auto room = padded(text);
      FieldEnds found{begins.data(), ends.data(), ended.data(), true};
      (portably ? find_field_ends_portably : find_field_ends)({room.data(), text.size()}, 0, ',', 3'000,
                                                              found);
      const bool is_irregular =
          std::any_of(std::begin(kIrregular), std::end(kIrregular), [&](const std::string& one) {
            return (',' + text).find(',' + one) != std::string::npos ||
                   ('\n' + text).find('\n' + one) != std::string::npos;
          });
      EXPECT_EQ(found.irregular, is_irregular) << text;
    }
    const auto room = padded(text);
    if (!fields_->find({room.data(), text.size()}, 0, ',', true, true)) {
      ++irregular;
      continue;
    }
    ++regular;
    const auto records = records_of(*fields_);
    const auto stream = open_memory(text);
    CsvReader csv(*stream, "table.csv");
    std::size_t record = 0;
    for (; *csv.next(); ++record) {
      if (csv.fields().size() == 1 && csv.fields()[0].empty()) { // a line of two quotes
        --record;
        continue;
      }
      ASSERT_LT(record, records.size());
      EXPECT_EQ(records[record], std::vector<std::string>(csv.fields().begin(), csv.fields().end()));
    }
    EXPECT_EQ(record, records.size());
  }
  EXPECT_GT(regular, 1'000);
  EXPECT_GT(irregular, 100);
}

TEST_F(PlainFieldsTest, QuotesAreExaminedAcrossBlocks) {
  for (std::size_t before = 0; before < 150; ++before)
    for (const bool portably : {false, true})
      for (const auto& [field, irregular] : {std::pair("\"d\"", false),
                                             {"\"d\"x", true},
                                             {"x\"d\"", true},
                                             {"\"d\"\"\"", true},
                                             {"\"a\nb\"", true},
                                             {"\"a,b\"", false}}) {
        const auto text = std::string(before, 'x') + "," + field + ",e\n";
        const auto room = padded(text);
        std::vector<std::uint32_t> begins(500), ends(500);
        std::vector<std::uint16_t> records(500);
        FieldEnds found{begins.data(), ends.data(), records.data(), true};
        (portably ? find_field_ends_portably : find_field_ends)({room.data(), text.size()}, 0, ',', 400,
                                                                found);
        EXPECT_EQ(found.irregular, irregular) << text;
        EXPECT_TRUE(irregular || found.field_count == 3) << text;
      }
}

TEST_F(PlainFieldsTest, EveryProcessorFindsTheSame) {
  constexpr std::size_t kMaxFields = PlainFields::kMaxFields, kRoom = kMaxFields + kMaskBlock;
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    const auto text = fields_of_all_kinds(random, 1 + random() % 9'000);
    const auto room = padded(text);
    const std::string_view view(room.data(), text.size());
    std::vector<std::uint32_t> begins[2], ends[2];
    std::vector<std::uint16_t> records[2];
    for (const int way : {0, 1}) {
      ends[way].resize(kRoom);
      records[way].resize(kRoom);
      begins[way].resize(kRoom + 1);
      FieldEnds out{begins[way].data(), ends[way].data(), records[way].data()};
      (way == 0 ? find_field_ends : find_field_ends_portably)(view, 0, ',', kMaxFields, out);
      ends[way].resize(out.field_count);
      begins[way].resize(out.field_count + 1);
      records[way].resize(out.record_count);
    }
    EXPECT_EQ(begins[0], begins[1]);
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_EQ(records[0], records[1]);
    const auto count = ends[0].size();
    begins[0].resize(kRoom);
    ends[0].resize(kRoom);
    std::vector<double> numbers[2];
    std::vector<std::uint16_t> others[2], fractions[2];
    for (const int way : {0, 1}) {
      numbers[way].resize(kRoom);
      others[way].resize(kRoom);
      fractions[way].resize(kRoom);
      FieldNumbers fields{begins[0].data(),     ends[0].data(),      count,
                          round % 2 == 0,       numbers[way].data(), others[way].data(),
                          fractions[way].data()};
      (way == 0 ? read_field_numbers : read_field_numbers_portably)(room.data(), fields);
      others[way].resize(fields.other_count);
      fractions[way].resize(fields.fraction_count);
    }
    EXPECT_EQ(others[0], others[1]);
    EXPECT_EQ(fractions[0], fractions[1]);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(numbers[0][i]), std::bit_cast<std::uint64_t>(numbers[1][i]))
          << i;
  }
}

TEST_F(PlainFieldsTest, NothingWithoutALineBreak) {
  EXPECT_FALSE(fields_->find(std::string_view(padded("1,2,3")).substr(0, 5), 0, ',', true, false));
  EXPECT_FALSE(fields_->find(std::string_view(padded("")).substr(0, 0), 0, ',', true, false));
}

void expect_equal_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i << ": " << a[i];
}

TEST(NumberColumn, KeepsEveryBit) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> kinds = {{0, 1, 254, kNone},
                                                  {0, 255, kNone},
                                                  {65'534, 3, kNone},
                                                  {65'535, kNone, 1},
                                                  {4294967294.0, 1, kNone},
                                                  {4294967295.0, 1},
                                                  {-1, kNone, 7},
                                                  {-0.0, 0, 1},
                                                  {0.5, kNone, 16777217.0},
                                                  {0.1, 1e300, kNone, 1},
                                                  {16777217.0, 0.25},
                                                  {0.1, -0.25, kNone, 12.5},
                                                  {327.67, -327.67, kNone},
                                                  {327.68, 0.01},
                                                  {2147483.646, -2147483.646, 0.001},
                                                  {2147483.647, 0.001},
                                                  {2147483.648, 0.001},
                                                  {0.5, -0.0},
                                                  {0.1 + 0.2, 0.3},
                                                  {0.1, 1.0 / 3},
                                                  {1e-7, 2, 3.5},
                                                  {1e-8, 0.5},
                                                  {0.25, std::numeric_limits<double>::infinity()},
                                                  {0.25, 1e300},
                                                  {kNone, kNone},
                                                  {std::numeric_limits<double>::infinity(), 1, kNone}};
  NumberBuffers rooms;
  NumberColumn column;
  std::vector<double> expected;
  for (const auto& values : kinds) {
    std::vector<double> many;
    for (int i = 0; i < 100; ++i) many.insert(many.end(), values.begin(), values.end());
    expected.resize(expected.size() + 3, kNone); // padding rows
    ASSERT_TRUE(column.accepts_pieces(expected.size()));
    column.append(expected.size(), NarrowNumbers(many, rooms));
    expected.insert(expected.end(), many.begin(), many.end());
  }
  // A number that is not a short decimal follows short ones, within or after a group of them.
  for (const std::size_t size : {100, 127, 128, 129, 300})
    for (const auto other : {-0.0, 0.1 + 0.2, 1e300}) {
      std::vector<double> many(size, 0.3);
      many.back() = other;
      column.append(expected.size(), NarrowNumbers(many, rooms));
      expected.insert(expected.end(), many.begin(), many.end());
    }
  expect_equal_bits({column.values().begin(), column.values().end()}, expected);
  EXPECT_FALSE(column.accepts_pieces(expected.size()));
}

/// Memory between two inaccessible pages.
class Fenced {
public:
  Fenced() {
    all_ = static_cast<char*>(
        ::mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(all_, MAP_FAILED);
    EXPECT_EQ(::mprotect(all_, kPage, PROT_NONE) + ::mprotect(all_ + 2 * kPage, kPage, PROT_NONE), 0);
  }
  ~Fenced() { ::munmap(all_, 3 * kPage); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  /// below(): a text right after the lower inaccessible page. above(): a text with `bytes` bytes between it
  /// and the upper one.
  std::string_view below(const std::string& text) { return put(all_ + kPage, text); }
  std::string_view above(const std::string& text, std::size_t bytes) {
    return put(all_ + 2 * kPage - bytes - text.size(), text);
  }

private:
  static constexpr std::size_t kPage = 65'536; // multiple of the page size of all supported systems

  static std::string_view put(char* place, const std::string& text) {
    std::copy(text.begin(), text.end(), place);
    return {place, text.size()};
  }
  char* all_ = nullptr;
};

TEST_F(PlainFieldsTest, NothingIsReadBeyondTheBlockAfterTheText) {
  Fenced fenced;
  std::mt19937 random(7);
  for (std::size_t size = 1; size < 400; ++size) {
    auto text = fields_of_all_kinds(random, size);
    text.resize(size - 1);
    text += '\n';
    for (const auto view : {fenced.below(text), fenced.above(text, kMaskBlock)})
      for (const bool portably : {false, true}) {
        std::vector<std::uint32_t> begins(1'000), ends(1'000);
        std::vector<std::uint16_t> records(1'000), others(1'000), fractions(1'000);
        std::vector<double> numbers(1'000);
        FieldEnds found{begins.data(), ends.data(), records.data()};
        (portably ? find_field_ends_portably : find_field_ends)(view, 0, ',', 800, found);
        ASSERT_GT(found.field_count, 0u);
        FieldNumbers fields{begins.data(),  ends.data(),   found.field_count, true,
                            numbers.data(), others.data(), fractions.data()};
        (portably ? read_field_numbers_portably : read_field_numbers)(view.data(), fields);
      }
  }
}

TEST_F(PlainFieldsTest, BordersOfElementsAreFoundUpToTheLastByte) {
  Fenced fenced;
  for (std::size_t size = 1; size < 300; ++size) {
    const auto text = std::string(size, ',');
    for (const auto view : {fenced.below(text), fenced.above(text, 0)}) {
      json::ScanState state;
      ASSERT_EQ(json::scan(view, state).last_comma, size - 1);
    }
  }
}

TEST(Columns, HoldTheContentOfTheRecords) {
  for (const std::size_t columns : {1, 2, 7, 8, 9, 14, 16, 33})
    for (const std::size_t rows : {0, 1, 7, 8, 9, 100}) {
      std::vector<double> numbers(rows * columns);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
      for (const auto put : {put_into_columns, put_into_columns_portably}) {
        std::vector<std::vector<double>> out(columns, std::vector<double>(rows + 1, -1));
        std::vector<double*> to;
        for (std::size_t column = 0; column < columns; ++column)
          to.push_back(column % 5 == 3 ? nullptr : out[column].data());
        put(numbers.data(), columns, rows, to.data());
        for (std::size_t column = 0; column < columns; ++column) {
          for (std::size_t row = 0; row < rows; ++row)
            ASSERT_EQ(out[column][row], column % 5 == 3 ? -1.0 : static_cast<double>(row * columns + column));
          ASSERT_EQ(out[column][rows], -1.0); // nothing after the last row is written
        }
      }
    }
}

} // namespace
} // namespace jitterscope::import
