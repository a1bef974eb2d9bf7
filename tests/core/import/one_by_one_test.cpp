// Tables of nsys stats and nvprof whose records are read many at a time give the same result as when they are
// read one by one, in all variants.

#include "tests/core/import/one_by_one.h"

namespace jitterscope::import {
namespace {

// Differences between generations of nsys stats and the spreadsheet programs that saved its tables.
struct Writing {
  const char* titles;
  char separator = ',';
  const char* line_break = "\n";
  const char* missing = "";
  bool thousands = false, quotes_everything = false, decimal_comma = false;
  bool odd_names = false; ///< with quotes and line breaks: such pieces are read one by one
};

std::string cell(const Writing& writing, std::string text) {
  if (writing.decimal_comma) std::replace(text.begin(), text.end(), '.', ',');
  const bool quotes = writing.quotes_everything || text.find(writing.separator) != std::string::npos;
  return quotes ? '"' + text + '"' : text;
}

std::string whole(const Writing& writing, std::int64_t number) {
  auto text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; writing.thousands && at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), writing.decimal_comma ? "." : ",");
  return text;
}

// Kernels, copies and memsets; unusual rows, and invalid lines.
std::string row(const Writing& writing, Random& random, std::int64_t at) {
  std::vector<std::string> cells(21, writing.missing);
  const auto roll = random() % 400;
  if (roll == 0) return "Processing [report.sqlite] with [cuda_gpu_trace.py]...";
  if (roll == 1) return "";
  if (roll == 2) return "==4711== remark";
  if (roll == 3) return writing.titles;
  if (roll == 4) return fmt::format("none{}5", writing.separator);
  cells[0] = roll == 5 ? "soon" : whole(writing, at);
  cells[1] = roll == 6   ? "-5"
             : roll == 7 ? ""
             : roll == 8 ? "12.5"
                         : whole(writing, 1'000 + random() % 90'000);
  cells[2] = roll == 9 ? "99999999999" : std::to_string(random() % 100'000);
  cells[16] = roll == 10 ? "NVIDIA A100 (1)" : "NVIDIA H100 PCIe (0)";
  cells[17] = roll == 11 ? "2" : "1";
  cells[19] = std::to_string(7 + random() % 3);
  if (roll % 5 == 0) {
    cells[12] = roll == 15 ? "many" : fmt::format("{:.3f}", static_cast<double>(random() % 10'000) / 1'000);
    cells[13] = fmt::format("{:.3f}", static_cast<double>(random() % 1'000'000) / 100);
    cells[14] = "Pageable";
    cells[15] = "Device";
    cells[20] = any(random, std::array{"[CUDA memcpy Host-to-Device]", "[CUDA memset]", "[CUDA memcpy DtoH]",
                                       "[CUDA Unified Memory memcpy HtoD]"});
  } else {
    for (std::size_t i = 3; i < 9; ++i) cells[i] = std::to_string(1 + random() % 2 * (i % 3 == 0 ? 64 : 0));
    cells[9] = "32";
    cells[10] = cells[11] = fmt::format("{:.3f}", static_cast<double>(random() % 2) / 100);
    cells[20] = any(random, std::array{"void f<int, 4>(float*, int)", "gemm", "void g<int>(long)",
                                       "\xC3\xB6l", " blank "});
    if (writing.odd_names && roll < 20)
      cells[20] = any(random, std::array{"\"operator\"\"_km(int)\"", "\"two\nlines\"", "27\"", "\"a\"b"});
    if (roll == 16) cells[20] = "";
  }
  if (roll == 17) cells.push_back("more");
  if (roll == 18) cells.resize(20);
  std::string line;
  for (const auto& text : cells)
    line += (line.empty() ? "" : std::string(1, writing.separator)) +
            (text.find('"') != std::string::npos ? text : cell(writing, text));
  return line;
}

constexpr const char* kNow =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem "
    "(MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name";
constexpr const char* kBefore =
    "Start(nsec),Duration(nsec),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem,DymSMem,Bytes(MB),"
    "Throughput(MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name";
constexpr const char* kMilliseconds =
    "Start (us),Duration (us),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem "
    "(B),DymSMem (B),Bytes (KB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name";
constexpr const char* kSpreadsheet =
    "Start (ns);Duration (ns);CorrId;GrdX;GrdY;GrdZ;BlkX;BlkY;BlkZ;Reg/Trd;StcSMem (MB);DymSMem (MB);Bytes "
    "(MB);Throughput (MB/s);SrcMemKd;DstMemKd;Device;Ctx;GreenCtx;Strm;Name";

const Writing kWritings[] = {{kNow},
                             {kNow, ',', "\r\n", "-"},
                             {kBefore, ',', "\n", "", true},
                             {kNow, ',', "\n", "", true, true},
                             {kMilliseconds},
                             {kNow, ',', "\r"},
                             {kSpreadsheet, ';', "\r\n", "", false, false, true},
                             {kSpreadsheet, ';', "\n", "", true, true, true}};

std::string activities(const Writing& writing, std::size_t bytes, Random& random) {
  std::string text = "Generating 'report.sqlite'\n" + std::string(writing.titles) + writing.line_break;
  for (std::int64_t at = 1'000; text.size() < bytes; at += random() % 100'000)
    text += row(writing, random, at) + writing.line_break;
  return text;
}

TEST_F(OneByOne, ActivitiesOfAllGenerations) {
  Random random(1);
  for (auto writing : kWritings)
    for (const std::size_t bytes : {3'000, 700'000, 700'001}) {
      SCOPED_TRACE(fmt::format("{} {}", writing.titles, bytes));
      writing.odd_names = bytes % 2 == 1;
      const auto data = expect_same(activities(writing, bytes, random));
      ASSERT_TRUE(data.has_value()) << describe(data.error());
      EXPECT_GT(data->find("launches")->rows(), bytes / 400);
      EXPECT_GT(data->find("transfers")->rows(), 0u);
      if (bytes != 700'000) continue;
      EXPECT_GT(reported(*data, "not-a-row"), 0);
      EXPECT_GT(reported(*data, "missing-time"), 0);
      EXPECT_GT(reported(*data, "negative-duration"), 0);
    }
}

TEST_F(OneByOne, ActivitiesAfterOtherTables) {
  Random random(2);
  const std::string calls = "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
                            "100,20,cudaLaunchKernel_v7000,0,1,5,6,20,\"main, first\"\n";
  const auto gpu = activities(kWritings[0], 400'000, random);
  const auto other = activities(kWritings[4], 300'000, random);
  const auto data = expect_same(calls + gpu + calls + other);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(data->find("calls")->rows(), 2u);
  // Pieces of the second table are parsed before it is known that its times have another form.
  expect_same(activities(kWritings[0], 2'000'000, random) + activities(kWritings[4], 2'000'000, random));
  expect_same(activities(kWritings[4], 20'000, random) + activities(kWritings[0], 20'000, random));
}

// Host activity as printed by nsys stats: calls or ranges, and invalid lines.
struct HostWriting {
  bool ranges = false, quotes = false, decimal_comma = false, style = false;
  const char* line_break = "\n";
  std::size_t names = 7;  ///< number of distinct names
  bool odd_names = false; ///< with quotes: such pieces are read one by one
};

std::string host_titles(const HostWriting& writing) {
  std::string titles =
      !writing.ranges ? "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name"
      : writing.style ? "Start (us),Name,End (us),Duration (us),Style,PID,TID,RangeId"
                      : "Start (ns),End (ns),Duration (ns),DurChild (ns),Name,PID,TID,Lvl,RangeId";
  if (writing.decimal_comma) std::replace(titles.begin(), titles.end(), ',', ';');
  return titles;
}

std::string host_rows(const HostWriting& writing, std::size_t bytes, Random& random) {
  const char separator = writing.decimal_comma ? ';' : ',';
  std::string text;
  std::int64_t at = 1'000;
  for (int row = 0; text.size() < bytes; ++row) {
    const auto roll = random() % 300;
    at += static_cast<std::int64_t>(random() % 10'000);
    if (roll == 0) text += std::string("==4711== remark") + writing.line_break;
    if (roll == 1) text += writing.line_break;
    if (roll == 2) text += host_titles(writing) + writing.line_break;
    if (roll == 3) text += std::string("==4712== remark") + writing.line_break;
    if (roll == 4) text += "Processing [report.sqlite]..." + std::string(writing.line_break);
    const auto start = roll == 5   ? std::string("soon")
                       : roll == 6 ? ""
                       : roll == 7 ? "-20"
                                   : std::to_string(at);
    const auto duration = roll == 8    ? std::string("-3")
                          : roll == 9  ? "1.5"
                          : roll == 10 ? "2000000000000000000"
                                       : std::to_string(random() % 5'000);
    const auto number = random() % writing.names;
    auto name = writing.ranges ? fmt::format("{}step {}", number % 3 == 0 ? "solver:" : "", number)
                               : fmt::format("cudaCall{}_v{}", number, 3'020 + number % 2);
    if (roll == 11) name = "";
    if (roll == 12) name = "\xC3\xB6l";
    if (roll == 13) name = "a::b c";
    if (roll == 14 && writing.odd_names) name = "two \"\" quotes";
    const auto process = roll == 15 ? "" : std::to_string(5 + random() % 2),
               thread = std::to_string(6 + random() % 3);
    std::vector<std::string> cells;
    if (!writing.ranges)
      cells = {start,
               duration,
               name,
               roll % 16 == 0 ? "700" : "0",
               roll == 17 ? "many" : std::to_string(row),
               process,
               thread,
               "20",
               "main"};
    else if (writing.style)
      cells = {start,
               name,
               "7",
               duration,
               number % 4 == 0 ? "StartEnd" : "PushPop",
               process,
               thread,
               std::to_string(row)};
    else
      cells = {start, "7", duration, "0", name, process, thread, "0", std::to_string(row)};
    if (roll == 18) cells.push_back("more");
    if (roll == 19) cells.pop_back();
    std::string line;
    for (const auto& cell : cells) {
      const bool quotes = (writing.quotes && random() % 8 > 0) || cell.find('"') != std::string::npos;
      line += (&cell == cells.data() ? "" : std::string(1, separator)) + (quotes ? '"' + cell + '"' : cell);
    }
    text += line + writing.line_break;
  }
  return text;
}

const HostWriting kHostWritings[] = {{},
                                     {false, true, false, false, "\r\n"},
                                     {false, false, true},
                                     {true},
                                     {true, true, false, true},
                                     {true, false, true, true, "\r\n"},
                                     {false, true, false, false, "\n", 7, true},
                                     {false, false, false, false, "\n", 100'000},
                                     {true, false, false, false, "\n", 100'000}};

TEST_F(OneByOne, CallsAndRanges) {
  Random random(7);
  for (const auto& writing : kHostWritings)
    for (const std::size_t bytes : {3'000, 900'000}) {
      SCOPED_TRACE(fmt::format("{} {}", &writing - kHostWritings, bytes));
      const auto data =
          expect_same(host_titles(writing) + writing.line_break + host_rows(writing, bytes, random));
      ASSERT_TRUE(data.has_value()) << describe(data.error());
      const auto rows = data->find(writing.ranges ? "ranges" : "calls")->rows();
      EXPECT_GT(rows, bytes / 100);
      if (bytes < 900'000) continue;
      EXPECT_GT(reported(*data, "missing-time"), 0);
      EXPECT_GT(reported(*data, "negative-duration"), 0);
      EXPECT_TRUE(writing.style || reported(*data, "impossible-time") > 0);
    }
}

// Launches are linked to calls by correlation number, whether numbers ascend or not.
TEST_F(OneByOne, CallsOfLaunches) {
  for (const std::int64_t step : {1, 1'000'003}) {
    std::string text = host_titles({}) + "\n";
    for (std::int64_t i = 1; i < 4'000; ++i)
      text += fmt::format("{},5,cudaLaunchKernel,0,{},4,5,20,main\n", i * 10, i * step % 4'000'000'000);
    text += std::string(kNow) + "\n";
    for (std::int64_t i = 1; i < 4'000; ++i)
      text += fmt::format("{},5,{},1,1,1,32,1,1,16,0.000,0.000,,,,,GPU (0),1,,7,k\n", i * 10 + 7,
                          i * step % 4'000'000'000);
    const auto data = expect_same(text);
    ASSERT_TRUE(data.has_value());
    const auto& calls = column<std::uint32_t>(*data, "launches", "call");
    for (std::uint32_t i = 0; i < calls.size(); ++i) ASSERT_EQ(calls[i], i);
  }
}

// Several tables in one file, in which the same texts have different meanings.
TEST_F(OneByOne, CallsAndRangesAfterOtherTables) {
  Random random(8);
  std::string text = "Generating 'report.sqlite'\n";
  for (int i = 0; i < 3; ++i)
    for (const std::size_t which : {0u, 3u, 4u})
      text += host_titles(kHostWritings[which]) + "\n" + host_rows(kHostWritings[which], 150'000, random);
  text += activities(kWritings[0], 200'000, random);
  const auto data = expect_same(text);
  ASSERT_TRUE(data.has_value());
  EXPECT_GT(data->find("calls")->rows(), 1'000u);
  EXPECT_GT(data->find("ranges")->rows(), 1'000u);
}

TEST_F(OneByOne, CallsAndRangesThatAreDamaged) {
  Random random(9);
  for (const auto& writing : kHostWritings) {
    SCOPED_TRACE(&writing - kHostWritings);
    const auto titles = host_titles(writing) + writing.line_break;
    expect_same_when_damaged(titles + host_rows(writing, 2'500, random), random, 30);
    expect_same_when_damaged(titles + host_rows(writing, 300'000, random), random, 2);
  }
}

// Rows with the same text belong to two processes.
TEST_F(OneByOne, ActivitiesOfSeveralProcesses) {
  const std::string row = ",5,1,1,1,1,32,1,1,16,0.000,0.000,,,,,GPU (0),1,,7,k\n";
  std::string text = std::string(kNow) + "\n";
  for (int i = 0; i < 3'000; ++i) {
    if (i % 1'000 == 0) text += fmt::format("=={}== remark\n", 100 + i % 2'000);
    text += std::to_string(i * 10) + row;
  }
  const auto data = expect_same(text);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(std::set<std::uint32_t>(column<std::uint32_t>(*data, "launches", "stream").begin(),
                                    column<std::uint32_t>(*data, "launches", "stream").end())
                .size(),
            2u);
}

// Whether MB means 10^6 B or 2^20 B follows from all copies, including repeated texts.
TEST_F(OneByOne, PrefixesOfBytes) {
  std::string text = std::string(kMilliseconds) + "\n0,5,1,1,1,1,32,1,1,16,0,0,,,,,GPU (0),1,,7,k\n";
  for (int i = 0; i < 12; ++i)
    text += fmt::format("{},1000,1,,,,,,,,,,1000,{},Pageable,Device,GPU (0),1,,7,[CUDA memcpy HtoD]\n",
                        i * 2'000 + 10, i == 0 ? "1000" : "976.5625");
  const auto data = expect_same(text);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(column<std::int64_t>(*data, "transfers", "bytes").back(), 1'024'000);
}

// Each row has a different configuration: none repeats.
TEST_F(OneByOne, ActivitiesOfWhichNoneIsLikeAnother) {
  std::string text = std::string(kNow) + "\n";
  for (int i = 0; i < 20'000; ++i)
    text += fmt::format("{},5,{},{},1,1,32,1,1,16,0.000,0.000,,,,,GPU (0),1,,7,k\n", i * 10, i, i + 1);
  const auto data = expect_same(text);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(data->find("configurations")->rows(), 20'000u);
}

TEST_F(OneByOne, ActivitiesThatAreDamaged) {
  Random random(3);
  for (const auto& writing : kWritings) {
    SCOPED_TRACE(&writing - kWritings);
    expect_same_when_damaged(activities(writing, 2'500, random), random, 40);
    expect_same_when_damaged(activities(writing, 300'000, random), random, 4);
  }
}

} // namespace
} // namespace jitterscope::import
