// Files that are read by several threads give the same trace, report and error for any number of them.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <type_traits>
#include <variant>

#include <fmt/core.h>

#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"
#include "tests/generator/generator.h"

namespace jitterscope::import {
namespace {

Expected<store::TraceData> import_by(int threads, const std::string& path) {
  ImportOptions options;
  options.threads = threads;
  return import_files({path}, Job{}, options);
}

class AnyThreads : public testing::Test {
protected:
  Expected<store::TraceData> expect_same(const std::string& path) {
    auto one = import_by(1, path);
    const auto expected = written(one);
    for (const int threads : {2, 3, 7}) {
      const auto several = import_by(threads, path);
      EXPECT_TRUE(written(several) == expected)
          << path << " by " << threads << " threads: " << report_of(several) << "by one: " << report_of(one);
    }
    return one;
  }
  Expected<store::TraceData> expect_same_text(const std::string& text, const std::string& name) {
    write_bytes(folder_.path(name), text);
    return expect_same(folder_.path(name));
  }
  TemporaryFolder folder_;
};

constexpr std::size_t kPiece = std::size_t{256} << 10; // bytes that a thread takes at a time

struct Style {
  const char* line_break = "\n";
  bool quotes = false, odd_rows = false;
};

// Numbers of all kinds, texts, kernels; rows and cells with messages in the report.
std::string table(std::size_t bytes, const Style& style, unsigned seed) {
  std::mt19937 random(seed);
  std::string text = "kernel,block_x,time (ms),note,duration (us),rate\n";
  for (int row = 0; text.size() < bytes; ++row) {
    const auto roll = random() % 1000;
    if (style.odd_rows && roll == 1)
      text += "kernel,block_x,time (ms),note,duration (us),rate";
    else if (style.odd_rows && roll == 2)
      text += "# a remark";
    else if (style.odd_rows && roll == 3)
      text += "";
    else if (style.odd_rows && roll == 4)
      text += "short,1";
    else {
      const auto name = style.quotes && roll % 3 == 0
                            ? fmt::format("\"gemm<{}, \"\"half\"\">(int)\"", random() % 9)
                            : fmt::format("reduce_{}", random() % 17);
      const auto note = style.quotes && roll % 7 == 0
                            ? fmt::format("\"two{}lines, {}\"", style.line_break, row % 5)
                        : roll % 11 == 0 ? std::string("n/a")
                                         : fmt::format("h\xC3\xB6he {}", random() % 23);
      text +=
          fmt::format("{},{},{}.{:03},{},{},{}", name, 32 << random() % 4, random() % 5000, random() % 1000,
                      note, style.odd_rows && roll == 5 ? "soon" : fmt::format("{}", 1 + random() % 900),
                      style.odd_rows && roll == 6 ? "fast" : fmt::format("{}", random()));
      if (style.odd_rows && roll == 7) text += ",more";
    }
    text += style.line_break;
  }
  return text;
}

TEST_F(AnyThreads, Tables) {
  for (const char* line_break : {"\n", "\r\n"})
    for (const bool quotes : {false, true})
      for (const bool odd_rows : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} {}", std::strlen(line_break), quotes, odd_rows));
        const auto data = expect_same_text(table(7 * kPiece, {line_break, quotes, odd_rows}, 5), "table.csv");
        ASSERT_TRUE(data.has_value()) << describe(data.error());
        EXPECT_GT(data->find("launches")->rows(), 20'000u);
        EXPECT_EQ(odd_rows, reported(*data, "bad-duration") > 0) << report_of(data);
        EXPECT_EQ(odd_rows, reported(*data, "repeated-titles") > 0);
        EXPECT_EQ(odd_rows, reported(*data, "ragged-row") > 0);
      }
}

// Nearly all cells are whole numbers, which are read many at a time; a few other cells are in between.
// `quoted` of a thousand rows have a quote and are read separately.
std::string numbers_with_others(std::size_t bytes, unsigned quoted, const char* line_break, unsigned seed) {
  static const char* const kOthers[] = {"",    "n/a",  "-3", "1.5", "soon", "12345678901234567", "0x1F",
                                        "1e3", "-0.0", "+8", " 9 ", "inf",  "999999999999999"};
  std::mt19937 random(seed);
  std::string text = fmt::format("id,load,late,step (us),\"note\",duration (us),rare{}", line_break);
  for (int row = 0; text.size() < bytes; ++row) {
    const auto roll = random() % 1000, other = random() % std::size(kOthers), place = random() % 7;
    const auto quote = random() % 1000 < quoted ? "\"" : "";
    const auto cell = [&](std::size_t column, long long number) {
      return roll < 50 && place == column ? std::string(kOthers[other]) : std::to_string(number);
    };
    if (roll == 990)
      text += "# a remark";
    else if (roll == 991)
      text += "";
    else if (roll == 992)
      text += "1,2,3";
    else if (roll == 993)
      text += "id,load,late,step (us),note,duration (us),rare";
    else if (roll == 994)
      text += "1,2,3,4,5,6,7,8";
    else
      text += fmt::format("{},{},{},{},{}{}{},{},{}", cell(0, row), cell(1, random() % 100),
                          row < 9'000 ? "" : cell(2, row - 9'000), cell(3, row * 77LL), quote,
                          cell(4, row % 7), quote, cell(5, 1 + random() % 900),
                          row % 4'001 == 17 ? cell(6, row * 1'000'000'007LL) : "");
    text += line_break;
  }
  return text;
}

TEST_F(AnyThreads, NumbersThatAreReadManyAtATimeAreThoseReadOneByOne) {
  for (const char* line_break : {"\n", "\r\n", "\r"}) {
    SCOPED_TRACE(std::strlen(line_break));
    const auto quick = expect_same_text(numbers_with_others(6 * kPiece, 0, line_break, 21), "table.csv");
    ASSERT_TRUE(quick.has_value()) << describe(quick.error());
    for (const unsigned quoted : {1u, 300u, 1'000u}) {
      const auto slow =
          expect_same_text(numbers_with_others(6 * kPiece, quoted, line_break, 21), "table.csv");
      EXPECT_GT(slow->find("launches")->rows(), 10'000u);
      // Fewer rows, because quotes take space. The common rows are equal.
      const auto rows = std::min(slow->find("launches")->rows(), quick->find("launches")->rows());
      for (const auto& column : quick->find("launches")->columns) {
        const auto* other = slow->find("launches")->find(column.name);
        ASSERT_TRUE(other && other->values.index() == column.values.index()) << column.name;
        std::visit(
            [&](const auto& values) {
              const auto& others = std::get<std::decay_t<decltype(values)>>(other->values);
              EXPECT_EQ(std::memcmp(values.data(), others.data(), rows * sizeof values[0]), 0) << column.name;
            },
            column.values);
      }
    }
    for (const char* code :
         {"not-a-number", "bad-duration", "ragged-row", "repeated-titles", "rounded-integer"})
      EXPECT_GT(reported(*quick, code), 0) << code;
  }
}

TEST_F(AnyThreads, TablesWhoseLinesEndWithReturns) {
  auto text = table(5 * kPiece, {"\n", true, true}, 6);
  std::replace(text.begin(), text.end(), '\n', '\r');
  EXPECT_TRUE(expect_same_text(text, "table.csv").has_value());
}

// Line numbers in messages are those of the file, however far after the first piece.
TEST_F(AnyThreads, LinesCountFromTheBeginning) {
  std::string text = "name,size,duration_ns\n";
  for (int row = 2; row <= 100'000; ++row)
    text += row == 77'777 ? std::string("a,much,5\n") : row % 10 == 0 ? "\"a\nb\",1,5\n" : "a,123456,5\n";
  const auto data = expect_same_text(text, "table.csv");
  ASSERT_TRUE(data.has_value());
  const auto line = 77'777 + (77'777 - 1) / 10;
  EXPECT_NE(report_of(data).find(fmt::format("line {}: \"much\"", line)), std::string::npos)
      << report_of(data);
}

// A quote inside an unquoted field does not count, not even where it makes a piece end inside a record.
TEST_F(AnyThreads, QuotesInsideFields) {
  std::mt19937 random(7);
  for (const int every : {3, 1'000, 20'000}) {
    std::string text = "screen,note,duration_ns\n";
    for (int row = 0; row < 60'000; ++row) {
      text += row % every == 1 ? "27\" wide," : "plain,";
      text += random() % 5 == 0 ? "\"two\nlines, one \"\"field\"\"\"" : "none";
      text += fmt::format(",{}\n", row);
    }
    const auto data = expect_same_text(text, "table.csv");
    ASSERT_TRUE(data.has_value()) << describe(data.error());
    EXPECT_EQ(data->find("launches")->rows(), 60'000u) << every;
  }
}

TEST_F(AnyThreads, QuotesThatAreNeverClosed) {
  auto text = table(5 * kPiece, {}, 8);
  const auto at = text.find('\n', 3 * kPiece) + 1;
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  text.insert(at, "\"");
  const auto data = expect_same_text(text, "table.csv");
  ASSERT_FALSE(data.has_value());
  EXPECT_EQ(data.error().place, fmt::format("line {}", lines + 1));
}

TEST_F(AnyThreads, RecordsLongerThanPieces) {
  auto text = table(2 * kPiece, {"\n", true, false}, 9);
  for (const std::size_t size : {2 * kPiece, 40 * kPiece}) {
    text += "long,1,1.5,\"" + std::string(size, 'x') + "\n" + std::string(size, 'y') + "\",7,7\n";
    text += table(2 * kPiece, {"\n", true, false}, 10);
  }
  EXPECT_TRUE(expect_same_text(text, "table.csv").has_value());
}

TEST_F(AnyThreads, TablesWithTimes) {
  std::mt19937 random(11);
  std::string text = "start_ns,end_ns,kernel,gpu,stream,tag,load\n";
  for (std::int64_t row = 0, at = 1'700'000'000'000'000'000; text.size() < 6 * kPiece;
       ++row, at += random() % 9'000) {
    const auto end = row % 997 == 5 ? at - 1 : at + 1 + random() % 5'000;
    text += row % 499 == 2 ? fmt::format("never,{},", end) : fmt::format("{},{},", at, end);
    // New texts and columns start in rows that are left out.
    text += fmt::format("kernel {},{},q{},{},{}\n", row / 499, row % 3, row % 5,
                        row % 499 < 4 ? fmt::format("t{}", row / 499) : "t", row > 3'000 ? "17" : "");
  }
  const auto data = expect_same_text(text, "trace.csv");
  ASSERT_TRUE(data.has_value()) << describe(data.error());
  EXPECT_GT(reported(*data, "negative-duration"), 0);
  EXPECT_GT(reported(*data, "missing-time"), 0);
}

TEST_F(AnyThreads, TablesThatAreDamaged) {
  const auto good = table(4 * kPiece, {"\r\n", true, true}, 12);
  std::mt19937 random(13);
  for (int damage = 0; damage < 40; ++damage) {
    auto text = good;
    for (int i = 0; i < 3; ++i)
      text[1'000 + random() % (text.size() - 1'000)] = "\"\n\r\0\xFF,"[random() % 6];
    if (damage % 4 == 0) text.resize(2 * kPiece + random() % kPiece);
    expect_same_text(text, "damaged.csv");
  }
}

std::string event(int i) {
  if (i % 211 == 3) return R"({"ph":"i","name":"mark \"quoted\" \\ \u00e9","pid":1,"tid":2,"ts":5})";
  if (i % 97 == 5) return R"({"ph":"X","cat":"cpu_op","name":"no time","pid":1,"tid":2})";
  if (i % 5 == 0)
    return fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":{},"ts":{},"dur":2,)"
        R"("args":{{"correlation":{}}}}})",
        i % 3, 10 * i, i + 1);
  return fmt::format(
      R"({{"ph":"X","cat":"kernel","name":"kernel [{}] {{","pid":0,"tid":{},"ts":{}.125,"dur":{}.5,)"
      R"("args":{{"device":{},"stream":{},"correlation":{},"registers per thread":32,"grid":[{},1,1],"block":[128,1,1],)"
      R"("queued":{},"extra {}":{}{}}}}})",
      i % 97, i % 5, 10 * i, 3 + i % 7, i % 2, i % 5, i, i % 13 + 1, i % 4, i / 3'000, i,
      i % 50 == 1 ? R"(,"Collective name":"all[reduce")" : "");
}

std::string trace(int events) {
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [\n";
  for (int i = 0; i < events; ++i) text += (i ? ",\n  " : "  ") + event(i);
  return text + "\n], \"after\": [1, 2], \"distributedInfo\": {\"rank\": 3}}\n";
}

TEST_F(AnyThreads, Traces) {
  const auto data = expect_same_text(trace(12'000), "trace.json");
  ASSERT_TRUE(data.has_value()) << describe(data.error());
  EXPECT_GT(data->find("launches")->rows(), 9'000u);
  EXPECT_GT(reported(*data, "missing-time"), 0);
}

TEST_F(AnyThreads, TracesThatAreCutOffOrDamaged) {
  const auto good = trace(6'000);
  std::mt19937 random(17);
  for (int damage = 0; damage < 40; ++damage) {
    auto text = good;
    if (damage % 2) text.resize(kPiece + random() % (text.size() - kPiece));
    for (int i = 0; i < damage % 4; ++i)
      text[1'000 + random() % (text.size() - 1'000)] = "\"\\{}[],:\0\xFF\x01x"[random() % 12];
    expect_same_text(text, "damaged.json");
  }
}

TEST_F(AnyThreads, EventsLongerThanPieces) {
  std::string text = "{\"traceEvents\":[";
  for (int i = 0; i < 4'000; ++i) {
    text += (i ? "," : "") + event(i);
    if (i % 1'000 == 10)
      text += R"(,{"ph":"X","cat":"cpu_op","pid":1,"tid":2,"ts":1,"dur":1,"name":")" +
              std::string(3 * kPiece, '[') + R"(","args":{"list":[)" + std::string(kPiece, ' ') + "1]}}";
  }
  const auto data = expect_same_text(text + "]}", "trace.json");
  ASSERT_TRUE(data.has_value());
}

TEST_F(AnyThreads, Databases) {
  generator::Options options;
  options.launches = 60'000;
  options.causes = {generator::Cause::Migration, generator::Cause::Clock};
  ASSERT_TRUE(generator::generate(options, folder_.path("trace.sqlite"), {}));
  EXPECT_TRUE(expect_same(folder_.path("trace.sqlite")).has_value());
}

TEST_F(AnyThreads, DatabasesThatAreDamaged) {
  generator::Options options;
  options.launches = 8'000;
  ASSERT_TRUE(generator::generate(options, folder_.path("trace.sqlite"), {}));
  const auto good = read_bytes(folder_.path("trace.sqlite"));
  std::mt19937 random(19);
  for (int damage = 0; damage < 40; ++damage) {
    auto bytes = good;
    for (int i = 0; i <= damage % 3; ++i)
      bytes[4'096 + random() % (bytes.size() - 4'096)] = static_cast<char>(random());
    if (damage % 5 == 0) bytes.resize(bytes.size() / 4 + random() % (bytes.size() / 2));
    write_bytes(folder_.path("damaged.sqlite"), bytes);
    expect_same(folder_.path("damaged.sqlite"));
  }
}

TEST_F(AnyThreads, RealFiles) {
  for (const char* file :
       {"nsys/gtls-cupy/report1.sqlite", "nsys/h100-2gpu/mfu_2gpu_before.sqlite", "kineto", "ncu"}) {
    REQUIRE_REAL_DATA(path, file);
    if (!std::filesystem::is_directory(path)) {
      expect_same(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      const auto ending = entry.path().extension();
      if (entry.is_regular_file() && (ending == ".json" || ending == ".csv" || ending == ".gz"))
        expect_same(entry.path().string());
    }
  }
}

// Cancels at the n-th progress report: nothing of the import remains, in any state of the threads.
TEST_F(AnyThreads, StoppedInTheMiddleNothingIsLeft) {
  write_bytes(folder_.path("table.csv"), table(8 * kPiece, {}, 21));
  write_bytes(folder_.path("trace.json"), trace(12'000));
  std::string activities = "Start (ns),Duration (ns),CorrId,GrdX,BlkX,Device,Ctx,Strm,Name\n";
  for (int row = 0; activities.size() < 8 * kPiece; ++row)
    activities += fmt::format("{},5,{},1,32,GPU (0),1,7,\"k<{}, int>\"\n", 10 * row, row, row % 9);
  write_bytes(folder_.path("activities.csv"), activities);
  generator::Options options;
  options.launches = 60'000;
  ASSERT_TRUE(generator::generate(options, folder_.path("trace.sqlite"), {}));
  const auto before = folder_.names();
  for (const char* name : {"table.csv", "trace.json", "activities.csv", "trace.sqlite"})
    for (const int after : {0, 1, 3, 6}) {
      int reports = 0;
      Job job;
      job.cancelled = [&] { return reports > after; };
      job.progress = [&](std::int64_t, std::int64_t, const std::string&) { ++reports; };
      ImportOptions by_three;
      by_three.threads = 3;
      const auto data = import_files({folder_.path(name)}, job, by_three);
      ASSERT_FALSE(data.has_value());
      EXPECT_EQ(data.error().kind, ErrorKind::Cancelled);
    }
  EXPECT_EQ(folder_.names(), before);
}

} // namespace
} // namespace jitterscope::import
