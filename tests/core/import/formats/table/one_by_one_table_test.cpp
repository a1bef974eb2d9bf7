// Plain tables whose records are read many at a time give the same result as when they are read one by one.

#include "tests/core/import/one_by_one.h"

namespace jitterscope::import {
namespace {

struct TableWriting {
  char separator = ',';
  const char* line_break = "\n";
  bool quotes = false, decimal_comma = false, timed = false, odd = false;
};

// Names, numbers of all kinds, invalid cells, rows with messages in the report.
std::string table(const TableWriting& writing, std::size_t bytes, Random& random) {
  const std::string titles = writing.timed
                                 ? "start_ns,end_ns,kernel,gpu,power (mW),block_x,time (ms),note"
                                 : "kernel,duration (us),power (mW),block_x,temperature,rate,note,id";
  std::string text;
  const auto put = [&](std::vector<std::string> cells) {
    std::string line;
    for (auto& text_of : cells) {
      if (writing.decimal_comma && text_of.find_first_not_of("0123456789.-") == std::string::npos)
        std::replace(text_of.begin(), text_of.end(), '.', ',');
      const bool quotes =
          writing.quotes ? random() % 8 > 0 : text_of.find(writing.separator) != std::string::npos;
      line +=
          (line.empty() ? "" : std::string(1, writing.separator)) + (quotes ? '"' + text_of + '"' : text_of);
    }
    text += line + writing.line_break;
  };
  std::vector<std::string> head;
  for (std::size_t at = 0; at <= titles.size();) {
    const auto end = std::min(titles.find(',', at), titles.size());
    head.push_back(titles.substr(at, end - at));
    at = end + 1;
  }
  put(head);
  const auto number = [&]() -> std::string {
    switch (random() % 16) {
    case 0:
      return fmt::format("{}", random() % 1'000'000);
    case 1:
      return fmt::format("-{}.{}", random() % 100, random() % 100);
    case 2:
      return "";
    case 3:
      return "n/a";
    case 4:
      return fmt::format("{:.15f}", static_cast<double>(random()) / 1e6);
    case 5:
      return fmt::format("0.{:09}", random());
    default:
      return fmt::format("{}.{}", random() % 5'000, random() % 10'000);
    }
  };
  for (std::int64_t row = 0; text.size() < bytes; ++row) {
    const auto roll = writing.odd ? random() % 500 : 400;
    const std::string kernel =
        any(random, std::array{"gemm", "void f<int, 4>(float*)", "reduce", "\xC3\xB6l"});
    if (roll == 0) {
      put(head);
      continue;
    }
    if (roll == 1) {
      text += std::string("# remark") + writing.line_break;
      continue;
    }
    if (roll == 2) {
      text += writing.line_break;
      continue;
    }
    const auto duration = roll == 3   ? std::string("soon")
                          : roll == 4 ? ""
                                      : fmt::format("{}", 1 + random() % 9'000);
    const auto load = roll == 5 ? std::string("high") : roll == 6 ? "1.2.3" : roll == 7 ? "1e3" : number();
    const auto block = fmt::format("{}", 32 << random() % 3), note = fmt::format("n{}", random() % 7);
    std::vector<std::string> cells;
    if (writing.timed)
      cells = {fmt::format("{}", row * 1'000),
               fmt::format("{}", row * 1'000 + (roll == 8 ? -5 : 700)),
               kernel,
               fmt::format("{}", random() % 3),
               load,
               block,
               number(),
               note};
    else
      cells = {kernel, duration, load, block, number(), number(), note, fmt::format("{}", row * 1'000'003)};
    if (roll == 9) cells.pop_back();
    if (roll == 10) cells.push_back("more");
    put(cells);
  }
  return text;
}

TEST_F(OneByOne, TablesOfAllKinds) {
  Random random(4);
  for (const char separator : {',', ';', '\t'})
    for (const char* line_break : {"\n", "\r\n"})
      for (int kind = 0; kind < 16; ++kind) {
        const TableWriting writing{separator,       line_break,
                                   (kind & 1) != 0, separator == ';' && (kind & 2) != 0,
                                   (kind & 4) != 0, (kind & 8) != 0};
        SCOPED_TRACE(fmt::format("{} {} {}", separator, std::string_view(line_break).size(), kind));
        ImportOptions options;
        if (!writing.timed) options.kernel_column = "kernel";
        const auto data = expect_same(table(writing, kind % 3 == 0 ? 600'000 : 20'000, random), options);
        ASSERT_TRUE(data.has_value()) << describe(data.error());
        EXPECT_GT(data->find("launches")->rows(), 100u);
        if (HasFailure()) return;
      }
}

// Rows with times are read many at a time, rows that need messages one by one. Some pieces contain both.
TEST_F(OneByOne, RowsWithTimes) {
  Random random(11);
  for (const std::int64_t base : {std::int64_t{300'000'000}, std::int64_t{1'763'748'223'000'000'000}})
    for (const bool duration : {false, true})
      for (const int odd : {0, 1, 30}) {
        std::string text = duration ? "start_ns,duration_ns,kernel,gpu,stream,power,late\n"
                                    : "start_ns,end_ns,duration_ns,kernel,gpu,stream,power,late\n";
        for (std::int64_t row = 0; row < 12'000; ++row) {
          const auto roll = odd > 0 ? static_cast<int>(random() % (36'000 / odd)) : 100;
          const auto start = roll == 1 ? -5 : base + row * 12'500;
          const auto lasts = roll == 2 ? -1 : 2'000 + row * 7'919 % 10'000;
          const auto written = roll == 3 ? std::string() : std::to_string(roll == 4 ? lasts + 50'000 : lasts);
          const auto end = roll == 5   ? "9223372036854775807"
                           : roll == 6 ? "soon"
                                       : std::to_string(start + lasts);
          text += roll == 7 ? std::string() : std::to_string(start);
          text += ',' + (duration ? std::string() : end + ',') + written;
          text += fmt::format(",\"gemm<{}, float>\",{},{},{:.3f},{}\n", row % 50, row % 2,
                              roll == 8 ? "x" : std::to_string(7 + row % 4),
                              150 + static_cast<double>(row * 31 % 150'000) / 1000,
                              row > 8'000 ? any(random, std::array{"1.25", "2.5", "", "-3.75", "0.1"}) : "");
        }
        SCOPED_TRACE(fmt::format("from {}, {}, {} odd", base, duration ? "durations" : "ends", odd));
        const auto data = expect_same(text);
        ASSERT_TRUE(data);
        const auto launches = data->find("launches")->rows();
        EXPECT_TRUE(odd == 0 ? launches == 12'000 : odd == 1 || launches < 12'000) << launches;
        if (HasFailure()) return;
      }
}

// Some records are longer than the pieces into which files are divided for threads.
TEST_F(OneByOne, TablesOfVeryManyColumns) {
  Random random(10);
  for (const std::size_t columns : {600, 3'000, 20'000}) {
    std::string text = "duration_ns";
    for (std::size_t i = 1; i < columns; ++i) text += fmt::format(",c{}", i);
    for (int row = 0; row < 80; ++row) {
      text += fmt::format("\n{}", row + 5);
      for (std::size_t i = 1; i < columns - random() % 2; ++i)
        text += i % 7 == 0            ? fmt::format(",{}.5", random() % 90)
                : i % 501 == 0        ? fmt::format(",\"t, {}\"", random() % 4)
                : random() % 999 == 0 ? ",n/a"
                                      : fmt::format(",{}", random() % 2'000);
    }
    const auto data = expect_same(text);
    ASSERT_TRUE(data.has_value());
    EXPECT_EQ(data->find("launches")->rows(), 80u);
  }
}

// Messages about configurations follow those about rows, and repeated ones appear once.
TEST_F(OneByOne, ConfigurationsThatAreInvalid) {
  const auto data =
      expect_same("kernel,grid_x,block_x,power\nk,99999999999,1,5\nk,99999999999,1,6\nk,2,-3,x\nk,2,3,7\n"
                  "k,2,3,7\nk,2,3,8\nk,2,3,9\nk,2,3,7\nk,2,3,7\nk,2,3,7\nk,2,3,7\nk,99999999999,1,5,more\n");
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(reported(*data, "bad-configuration"), 3);
  EXPECT_EQ(reported(*data, "ragged-row"), 1);
}

// Attributes are in the order in which kept rows have them.
TEST_F(OneByOne, ColumnsThatBeginInRowsThatAreLeftOut) {
  const auto data =
      expect_same("start_ns,end_ns,load,note,rate\n20,10,5,,\n20,30,6,new,\n40,10,,,1.5\n50,60,,,2.5\n");
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(reported(*data, "negative-duration"), 2);
}

// The unit of a row's times may come after them.
TEST_F(OneByOne, UnitsInAColumn) {
  Random random(6);
  for (const bool quotes : {false, true}) {
    std::string text = "name,iterations,real_time,cpu_time,time_unit,rate,label\n";
    for (int row = 0; row < 9'000; ++row) {
      const auto name = quotes ? fmt::format("\"BM/{}, x\"", row % 5) : fmt::format("BM/{}", row % 5);
      const auto cell = [&] {
        return row < 100 || random() % 40 == 0 ? "" : fmt::format("{}.{}", random() % 90, random() % 9);
      };
      text += fmt::format("{},{},{},{},{},{},\n", name, row, cell(), cell(),
                          any(random, std::array{"ns", "us", "ms"}), cell());
      if (row % 700 == 5) text += "BM/short,1,2\n";
      if (row % 900 == 7) text += "BM/odd,1,soon,3,fortnight,4,\n";
    }
    const auto data = expect_same(text);
    ASSERT_TRUE(data.has_value());
    EXPECT_EQ(reported(*data, "units-in-rows"), 2);
  }
}

TEST_F(OneByOne, TablesThatAreDamaged) {
  Random random(5);
  for (int kind = 0; kind < 16; ++kind) {
    const TableWriting writing{kind % 3 == 0 ? ';' : ',', "\n", (kind & 1) != 0, false,
                               (kind & 4) != 0,           true};
    SCOPED_TRACE(kind);
    expect_same_when_damaged(table(writing, 2'000, random), random, 40);
    expect_same_when_damaged(table(writing, 300'000, random), random, 2);
  }
}

} // namespace
} // namespace jitterscope::import
