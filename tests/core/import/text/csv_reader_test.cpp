#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/import/records/units.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/decimal_commas.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import {
namespace {

using Records = std::vector<std::vector<std::string>>;

// Delivers a few bytes at a time, so that every border between two reads is tested.
class Trickle final : public ByteStream {
public:
  Trickle(std::string bytes, std::size_t step) : bytes_(std::move(bytes)), step_(step) {}
  Expected<std::size_t> read(std::span<char> into) override {
    const auto count = std::min({into.size(), step_, bytes_.size() - at_});
    std::copy_n(bytes_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }
  std::int64_t consumed() const override { return static_cast<std::int64_t>(at_); }

private:
  std::string bytes_;
  std::size_t step_, at_ = 0;
};

Records records_of(const std::string& text, char separator = ',',
                   std::vector<std::int64_t>* lines = nullptr) {
  Trickle stream(text, 7);
  CsvReader csv(stream, "table.csv", separator);
  Records records;
  for (;;) {
    const auto more = csv.next();
    if (!more) ADD_FAILURE() << describe(more.error());
    if (!more || !*more) return records;
    auto& record = records.emplace_back();
    for (const auto field : csv.fields()) record.emplace_back(field);
    if (lines) lines->push_back(csv.line());
  }
}

TEST(CsvReader, LineBreaksOfAllKinds) {
  const Records expected = {{"a", "b"}, {"1", "2"}, {"3", "4"}};
  EXPECT_EQ(records_of("a,b\n1,2\n3,4\n"), expected);
  EXPECT_EQ(records_of("a,b\r\n1,2\r\n3,4\r\n"), expected);
  EXPECT_EQ(records_of("a,b\r1,2\r3,4\r"), expected);
  EXPECT_EQ(records_of("a,b\n1,2\n3,4"), expected);
  EXPECT_EQ(records_of("\xEF\xBB\xBF"
                       "a,b\n\n1,2\r\n\r\n3,4\n\n"),
            expected);
}

TEST(CsvReader, QuotedFields) {
  std::vector<std::int64_t> lines;
  const auto records =
      records_of("\"a,b\",\"say \"\"hi\"\"\",\"\"\n\"two\r\nlines\", \"after blank\",5\" disk\n"
                 "\"\"\"\",\"a\"b,\"x\n\n\"\nlast,1,2",
                 ',', &lines);
  EXPECT_EQ(records, (Records{{"a,b", "say \"hi\"", ""},
                              {"two\r\nlines", "after blank", "5\" disk"},
                              {"\"", "ab", "x\n\n"},
                              {"last", "1", "2"}}));
  EXPECT_EQ(lines, (std::vector<std::int64_t>{1, 2, 4, 7}));
}

TEST(CsvReader, EmptyFieldsNulAndOtherSeparators) {
  EXPECT_EQ(records_of(",\n,,\n"), (Records{{"", ""}, {"", "", ""}}));
  EXPECT_EQ(records_of("a;b,c;d", ';'), (Records{{"a", "b,c", "d"}}));
  EXPECT_EQ(records_of(std::string("a\0b,\0\n", 6)),
            (Records{{std::string("a\0b", 3), std::string("\0", 1)}}));
  EXPECT_TRUE(records_of("").empty());
  EXPECT_TRUE(records_of("\n\r\n").empty());
  EXPECT_EQ(records_of("\"\"\n").size(), 1u);
}

TEST(CsvReader, AnOpenQuoteIsReportedWithItsLine) {
  const auto stream = open_memory("a,b\n1,\"2\n3,4\n");
  CsvReader csv(*stream, "cut.csv");
  ASSERT_TRUE(csv.next().has_value());
  const auto more = csv.next();
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(more.error().place, "line 2");
  EXPECT_EQ(more.error().file, "cut.csv");
}

TEST(CsvReader, TooLongRecordsAndTooManyFieldsAreRefused) {
  for (const char filler : {'x', ','}) {
    const std::string text = "a,b\n\"" + std::string(filler == 'x' ? "" : "\"") +
                             std::string(CsvReader::kMaxRecordBytes + (std::size_t{40} << 20), filler);
    const auto stream = open_memory(text);
    CsvReader csv(*stream, "long.csv");
    ASSERT_TRUE(csv.next().has_value());
    const auto more = csv.next();
    ASSERT_FALSE(more.has_value());
    EXPECT_EQ(more.error().place, "line 2");
  }
}

TEST(CsvReader, RecordsLongerThanTheBuffer) {
  const std::string big(3'000'000, 'y');
  const auto text = "a,\"" + big + "\",b\n1,2,3\n";
  const auto stream = open_memory(text);
  CsvReader csv(*stream, "big.csv");
  const auto first = csv.next();
  ASSERT_TRUE(first.has_value()) << describe(first.error());
  ASSERT_EQ(csv.fields().size(), 3u);
  EXPECT_TRUE(csv.fields()[0] == "a" && csv.fields()[1] == big && csv.fields()[2] == "b");
  ASSERT_TRUE(csv.next().value());
  EXPECT_EQ(csv.fields()[2], "3");
}

TEST(CsvReader, SkipsToALine) {
  Trickle stream("==PROF== \"odd\nmore, text\r\n\nID,Name\n1,\"x\"\n", 5);
  CsvReader csv(stream, "log.csv");
  ASSERT_TRUE(csv.skip_to([](std::string_view line) { return line.starts_with("ID,"); }).value());
  ASSERT_TRUE(csv.next().value());
  EXPECT_EQ(csv.fields()[1], "Name");
  EXPECT_EQ(csv.line(), 4);
  ASSERT_TRUE(csv.next().value());
  EXPECT_EQ(csv.fields()[1], "x");
  EXPECT_FALSE(csv.skip_to([](std::string_view) { return true; }).value());
}

// The simplest possible reader, as the reference for random text.
Records plain_records(const std::string& text) {
  Records records;
  std::vector<std::string> record;
  std::string field;
  bool quoted = false, inside = false, any = false;
  const auto end_record = [&] {
    record.push_back(field);
    if (record.size() > 1 || any) records.push_back(record);
    record.clear(), field.clear(), quoted = any = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      field += text[i++];
    else if (inside && c == '"')
      inside = false;
    else if (inside)
      field += c;
    else if (c == '"' && field.empty() && !quoted)
      inside = quoted = any = true;
    else if (c == ',')
      record.push_back(field), field.clear(), quoted = false, any = true;
    else if (c == '\n')
      end_record();
    else
      field += c, any = true;
  }
  if (any) end_record();
  return records;
}

TEST(CsvReader, AgreesWithAPlainReaderOnRandomText) {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (auto fields = random() % 60; fields > 0; --fields) {
      switch (random() % 4) {
      case 0:
        text += "\"" + std::string(random() % 40, 'q') + (random() % 2 ? "\"\"" : ",\n") + "z\"";
        break;
      default:
        text += std::string(random() % 5, 'p');
      }
      text += random() % 3 ? "," : "\n";
    }
    SCOPED_TRACE(text);
    ASSERT_EQ(records_of(text), plain_records(text));
  }
}

TEST(Number, ParsesWhatToolsWrite) {
  EXPECT_EQ(parse_number("32,746,880"), 32746880.0);
  EXPECT_EQ(parse_number("-1,234.5"), -1234.5);
  EXPECT_EQ(parse_number(" +7 "), 7.0);
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("123456789012345678"), 123456789012345678.0);
  for (const auto* text :
       {"",    "n/a", "1,23", "1,2345", ",123",  "1,,234",   "12 3",   "0x10",    "nan", "inf", "1e999",
        "--1", "-",   "+",    ".",      "1.2.3", "1234,567", "1,234,", "1.5,234", "-+1", "+-1"})
    EXPECT_FALSE(parse_number(text).has_value()) << text;
  for (const auto* text : {"", " ", "n/a", "N/A", "nan", "NaN", "no data", "NULL"})
    EXPECT_TRUE(is_missing(text));
  EXPECT_TRUE(is_missing("(!) n/a"));
  EXPECT_FALSE(is_missing("(!) 0"));
  EXPECT_FALSE(is_missing("0"));
  EXPECT_EQ(parse_integer("9,223,372,036,854,775,807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(parse_integer("9223372036854775808").has_value());
  EXPECT_FALSE(parse_integer("1.5").has_value());
}

TEST(Number, UnitsScaleExactly) {
  EXPECT_EQ(parse_number("6.27", 1e3), 6270.0);
  EXPECT_EQ(parse_number("+1.005", 1e9), 1005000000.0);
  EXPECT_EQ(parse_number("0.3", 1e-3), 0.0003);
  EXPECT_EQ(parse_number("1,234.56", 1e6), 1234560000.0);
  EXPECT_EQ(parse_number("7", 1024), 7168.0);
  EXPECT_FALSE(parse_number("n/a", 1e3).has_value());
}

TEST(Number, DecimalsAreExact) {
  EXPECT_EQ(parse_decimal("1712195495519689.047", 1000), 1712195495519689047);
  EXPECT_EQ(parse_decimal("1.2345", 1000), 1235);
  EXPECT_EQ(parse_decimal("-1.2345", 1000), -1235);
  EXPECT_EQ(parse_decimal("0.000006", 1'000'000'000), 6000);
  EXPECT_EQ(parse_decimal("1.5e-3", 1'000'000'000), 1'500'000);
  EXPECT_EQ(parse_decimal("2e3", 1), 2000);
  EXPECT_EQ(parse_decimal("9223372036854775807", 1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_decimal("-9223372036854775808", 1), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_decimal("0." + std::string(500, '3'), 1), 0);
  EXPECT_EQ(parse_decimal("0.99999999999999999999999999999999999999999999", 1), 1);
  EXPECT_EQ(parse_decimal("1e-9999", 1), 0);
  EXPECT_EQ(parse_decimal("0e9999", 1), 0);
  for (const auto* text :
       {"", "x", "1e", "1e9999", "9223372036854775808", "1e19", "1.2.3", "nan", "e5", "1e99999"})
    EXPECT_FALSE(parse_decimal(text, 1).has_value()) << text;
}

TEST(Units, SpellingsOfAllTools) {
  const auto expect = [](const char* spelling, const char* base, double factor) {
    const auto unit = normalised_unit(spelling);
    EXPECT_EQ(unit.base, base) << spelling;
    EXPECT_DOUBLE_EQ(unit.factor, factor) << spelling;
  };
  expect("nsecond", "ns", 1);
  expect("usecond", "ns", 1e3);
  expect("msecond", "ns", 1e6);
  expect("second", "ns", 1e9);
  expect("us", "ns", 1e3);
  expect("Kbyte/block", "B/block", 1e3);
  expect("Gbyte/second", "B/s", 1e9);
  expect("Gbyte/s", "B/s", 1e9);
  expect("Gb/s", "B/s", 0.125e9);
  expect("Mbps", "B/s", 0.125e6);
  expect("Gbit/s", "B/s", 0.125e9);
  expect("gb/s", "B/s", 1e9);
  expect("GBps", "B/s", 1e9);
  expect("byte/nsecond", "B/s", 1e9);
  expect("cycle/nsecond", "Hz", 1e9);
  expect("cycle/usecond", "Hz", 1e6);
  expect("Ghz", "Hz", 1e9);
  expect("MiB", "B", 1048576);
  expect("MBps", "B/s", 1e6);
  expect("%", "%", 1);
  expect("inst/cycle", "inst/cycle", 1);
  expect("register/thread", "register/thread", 1);
  expect("Kinst", "inst", 1e3);
  expect("", "", 1);
  expect("furlong", "furlong", 1);
  EXPECT_EQ(nanoseconds_in("ms"), 1'000'000);
  EXPECT_FALSE(nanoseconds_in("byte").has_value());
}

TEST(Units, AreSplitOffTitles) {
  const auto expect = [](const char* title, const char* name, const char* unit) {
    EXPECT_EQ(split_unit(title).title, name) << title;
    EXPECT_EQ(split_unit(title).unit, unit) << title;
  };
  expect("Duration (ns)", "Duration", "ns");
  expect("duration_s", "duration", "s");
  expect("power_w", "power", "w");
  expect("gpu_temp_c", "gpu_temp", "c");
  expect("energy_uj", "energy", "uj");
  expect("matrix_c", "matrix_c", "");
  expect("temp_w", "temp_w", "");
  expect("wall time_s", "wall time", "s");
  expect("KERNEL_TIME_s", "KERNEL_TIME", "s");
  expect("durationNs", "duration", "Ns");
  expect("kernelTimeUs", "kernelTime", "Us");
  expect("k.latencyMs", "k.latency", "Ms");
  expect("grid_s", "grid_s", "");
  expect("overtimes_s", "overtimes_s", "");
  expect("columnMs", "columnMs", "");
  expect("Ns", "Ns", "");
  expect("runtime [us]", "runtime", "us");
  expect("time_ms", "time", "ms");
  expect("Time(%)", "Time", "%");
  expect("class_s", "class_s", "");
  expect("pipe_fma", "pipe_fma", "");
  expect("(ns)", "(ns)", "");
}

TEST(LineEnd, IsTheFirstFeedOrReturn) {
  EXPECT_EQ(line_end("ab\ncd"), 2u);
  EXPECT_EQ(line_end("ab\rcd\n"), 2u);
  EXPECT_EQ(line_end("ab\r\ncd\r", 4), 6u);
  EXPECT_EQ(line_end("ab\n", 2), 2u);
  EXPECT_EQ(line_end("abc"), 3u);
  EXPECT_EQ(line_end("abc", 7), 3u);
  EXPECT_EQ(line_end({}), 0u);
}

} // namespace
TEST(DecimalCommasTest, OnlyNumbersDecide) {
  for (const std::string_view text : {"x\u20191,5", "it's 1,5", "k<1,5>"}) {
    DecimalCommas commas(';');
    EXPECT_TRUE(commas.add(0, text));
    EXPECT_EQ(commas.meaning(), CommaMeaning::None) << text;
  }
  for (const std::string_view text : {"1\u2019234,5", "1'234,5", "12\u202F345,5", "1,5"}) {
    DecimalCommas commas(';');
    EXPECT_TRUE(commas.add(0, text));
    EXPECT_EQ(commas.meaning(), CommaMeaning::Decimal) << text;
  }
}

} // namespace jitterscope::import
