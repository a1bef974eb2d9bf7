// Tables of Nsight Compute: the long form with its five headers and the wide one.

#include <filesystem>

#include <fmt/core.h>

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using store::TraceData;

class NcuLong : public TableTest {};
class NcuWide : public TableTest {};

const std::string kH1 =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\","
    "\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"";
const std::string kH4 =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
    "\"Metric Value\"";
const std::string kRules = ",\"Rule Name\",\"Rule Type\",\"Rule Description\"";
const std::string kSpeedup = ",\"Estimated Speedup Type\",\"Estimated Speedup\"";

std::string h1_row(int id, const std::string& metric, const std::string& unit, const std::string& value,
                   const std::string& end = "") {
  return "\"" + std::to_string(id) + "\",\"77\",\"app\",\"127.0.0.1\",\"void ns::f<int, 2>(float *)\"," +
         "\"2023-Mar-07 11:00:43\",\"1\",\"7\",\"Command line profiler metrics\",\"" + metric + "\",\"" +
         unit + "\",\"" + value + "\"" + end + "\n";
}

std::string h4_row(int id, const std::string& section, const std::string& metric, const std::string& unit,
                   const std::string& value, const std::string& end = "", int process = 77) {
  return "\"" + std::to_string(id) + "\",\"" + std::to_string(process) +
         "\",\"app\",\"127.0.0.1\",\"void ns::f<int, 2>(float *)\",\"1\",\"7\",\"(256, 2, 1)\",\"(64, 1, "
         "3)\","
         "\"0\",\"8.0\",\"" +
         section + "\",\"" + metric + "\",\"" + unit + "\",\"" + value + "\"" + end + "\n";
}

TEST_F(NcuLong, DurationsFollowFromCyclesWhereNoMetricStatesThem) {
  const auto data =
      import_good_text(kH4 + "\n" + h4_row(0, "S", "sm__cycles_elapsed.avg", "cycle", "3,000") +
                       h4_row(0, "S", "sm__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.5") +
                       h4_row(1, "S", "sm__cycles_elapsed.avg", "cycle", "3,000") +
                       h4_row(2, "S", "sm__cycles_elapsed.avg", "cycle", "3,000") +
                       h4_row(2, "S", "sm__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.5") +
                       h4_row(2, "S", "gpu__time_duration.sum", "nsecond", "1,999"));
  EXPECT_EQ(launch_durations(data), (Integers{2000, store::kMissingDuration, 1999}));
  expect_reported(data, {{"duration-from-cycles", 1}, {"missing-duration", 1}});
}

TEST_F(NcuLong, TheOldestHeaderAfterAPreamble) {
  const auto data = import_good_text("==PROF== Connected to process 77 (/bin/app)\n==WARNING== No kernels "
                                     "were profiled.\nresult, \"3\n0.5\n" +
                                     kH1 + "\n" + h1_row(0, "dram__bytes.sum", "byte", "4,194,688") +
                                     h1_row(0, "gpu__time_duration.sum", "nsecond", "1,024") +
                                     h1_row(1, "dram__bytes.sum", "Kbyte", "1.5") +
                                     h1_row(1, "gpu__time_duration.sum", "usecond", "6.27") +
                                     h1_row(1, "sm__cycles_active.avg", "cycle", "n/a"));
  EXPECT_EQ(launches_of(data), 2u);
  EXPECT_EQ(numbers(data, "dram_bytes_sum"), (std::vector<double>{4194688, 1500}));
  EXPECT_EQ(unit_of(data, "dram_bytes_sum"), "B");
  EXPECT_EQ(launch_durations(data), (Integers{1024, 6270}));
  EXPECT_TRUE(std::isnan(numbers(data, "sm_cycles_active_avg")[1]));
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"f", 2}}));
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(data.resources[1].number, 77);
  EXPECT_EQ(data.resources[1].name, "app");
}

TEST_F(NcuLong, RuleRowsAreNotMetricsInAnyHeader) {
  const std::string rule =
      R"_("0","77","app","127.0.0.1","void ns::f<int, 2>(float *)","1","7","(256, 2, 1)",)_"
      R"_("(64, 1, 3)","0","8.0","LaunchStats","","","","SmallGrid","OPT","Too small, ""by far""")_";
  const auto row = [](const char* end) {
    return h4_row(0, "GPU Speed Of Light Throughput", "Duration", "us", "5.5", end) +
           h4_row(0, "GPU Speed Of Light Throughput", "Memory Throughput", "%", "40", end) +
           h4_row(0, "Memory Workload Analysis", "Memory Throughput", "Gbyte/s", "2.5", end) +
           h4_row(0, "Launch Statistics", "Registers Per Thread", "register/thread", "32", end) +
           h4_row(0, "Launch Statistics", "Static Shared Memory Per Block", "Kbyte/block", "1.02", end) +
           h4_row(0, "Launch Statistics", "Function Cache Configuration", "", "CachePreferNone", end);
  };
  for (const auto& text : {kH4 + "\n" + row(""), kH4 + kRules + "\n" + row(",") + rule + "\n",
                           kH4 + kRules + kSpeedup + "\n" + row(",") + rule + ",\"\",\"\"\n"}) {
    const auto data = import_good_text(text);
    EXPECT_EQ(launches_of(data), 1u);
    EXPECT_EQ(attributes_of(data), 6u);
    EXPECT_EQ(numbers(data, "memory_throughput"), std::vector<double>{40});
    EXPECT_EQ(numbers(data, "memory_throughput_b_s"), std::vector<double>{2.5e9});
    EXPECT_EQ(unit_of(data, "memory_throughput_b_s"), "B/s");
    EXPECT_EQ(text_at(data, "function_cache_configuration", 0), "CachePreferNone");
    EXPECT_EQ(configuration_value(data, "registers", 0), 32u);
    EXPECT_EQ(configuration_value(data, "static_shared_memory", 0), 1020u);
    EXPECT_EQ(configuration_value(data, "block_y", 0), 2u);
    EXPECT_EQ(configuration_value(data, "grid_x", 0), 64u);
    EXPECT_EQ(configuration_value(data, "grid_z", 0), 3u);
  }
}

TEST_F(NcuLong, InterleavedLaunchesOfTwoProcesses) {
  const auto data =
      import_good_text(kH4 + "\n" + h4_row(0, "S", "m", "inst", "1", "", 77) +
                       h4_row(0, "S", "m", "inst", "2", "", 78) + h4_row(1, "S", "m", "inst", "3", "", 77) +
                       h4_row(0, "S", "k", "inst", "4", "", 77) + h4_row(0, "S", "k", "inst", "5", "", 78));
  EXPECT_EQ(launches_of(data), 3u);
  EXPECT_EQ(numbers(data, "m"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(numbers(data, "k")[1], 5);
  EXPECT_TRUE(std::isnan(numbers(data, "k")[2]));
  EXPECT_EQ(reported(data, "missing-duration"), 3);
}

TEST_F(NcuLong, ConcatenatedReports) {
  const auto one = kH4 + "\n" + h4_row(0, "S", "m", "inst", "1");
  const auto data = import_good_text(one + "==PROF== Disconnected\n" + one + "\r\n" + one);
  EXPECT_EQ(launches_of(data), 3u);
  EXPECT_EQ(reported(data, "not-a-row"), 0);
}

// As written by spreadsheets and by ncu under a German or French locale.
TEST_F(NcuLong, DecimalCommasAndSemicolons) {
  const auto row = [](const std::string& metric, const std::string& unit, const std::string& value) {
    return h4_row(0, "S", metric, unit, value);
  };
  const auto text = kH4 + "\n" + row("Duration", "us", "5,12") + row("Elapsed Cycles", "cycle", "6.219") +
                    row("Bytes", "byte", "1.306.219") + row("Registers Per Thread", "register/thread", "32");
  const auto expect = [&](const TraceData& data) {
    EXPECT_EQ(launch_durations(data), Integers{5120});
    EXPECT_EQ(numbers(data, "elapsed_cycles"), std::vector<double>{6219});
    EXPECT_EQ(numbers(data, "bytes"), std::vector<double>{1306219});
    EXPECT_EQ(configuration_value(data, "registers", 0), 32u);
    EXPECT_EQ(reported(data, "decimal-comma"), 1);
  };
  expect(import_good_text(text));
  for (const char separator : {';', '\t'}) {
    auto other = text;
    for (std::size_t at = 0; (at = other.find("\",\"", at)) != std::string::npos;) other[at + 1] = separator;
    expect(import_good_text(other));
  }
  // Two points can only separate thousands, so the other points do so as well.
  const auto whole =
      import_good_text(kH4 + "\n" + row("Duration", "ns", "117.344") + row("Bytes", "byte", "1.306.219"));
  EXPECT_EQ(launch_durations(whole), Integers{117'344});
  EXPECT_EQ(numbers(whole, "bytes"), std::vector<double>{1306219});
  EXPECT_EQ(reported(whole, "decimal-comma"), 1);
  // The meaning of these points is ambiguous.
  const auto doubtful =
      import_good_text(kH4 + "\n" + row("Duration", "ns", "117.344") + row("Bytes", "byte", "32"));
  EXPECT_EQ(launch_durations(doubtful), Integers{117});
  EXPECT_EQ(reported(doubtful, "decimal-comma"), 1);
  for (const char* other : {"5.12", "0.125", "1234.125", "1,125"}) {
    SCOPED_TRACE(other);
    EXPECT_EQ(reported(import_good_text(kH4 + "\n" + row("Duration", "us", "117.344") +
                                        row("Bytes", "byte", other)),
                       "decimal-comma"),
              0);
  }
  // One value has a point before its fraction, so commas separate thousands.
  const auto english =
      import_good_text(kH4 + "\n" + row("Duration", "us", "5.12") + row("Bytes", "byte", "6,219"));
  EXPECT_EQ(numbers(english, "bytes"), std::vector<double>{6219});
  EXPECT_EQ(reported(english, "decimal-comma"), 0);
}

TEST_F(NcuLong, ACutOffLastRowIsLeftOut) {
  const auto row = h4_row(0, "S", "m", "inst", "1");
  const auto data = import_good_text(kH4 + "\n" + row + row.substr(0, row.size() - 2));
  EXPECT_EQ(launches_of(data), 1u);
  EXPECT_EQ(reported(data, "cut-off-row"), 1);
}

TEST_F(NcuWide, CommasBeforeThreeDigitsBetweenSemicolons) {
  const auto data =
      import_good_text("ID;Process ID;Process Name;Host Name;Kernel Name;Context;Stream;Block Size;Grid "
                       "Size;Device;CC;gpu__time_duration.sum\n;;;;;;;;;;;us\n"
                       "0;1;a;h;k;1;7;(32, 1, 1);(4, 1, 1);0;8,0;1,125\n");
  EXPECT_EQ(launch_durations(data), Integers{1'125});
}

TEST_F(NcuWide, RangesOfNvtxAreAmongTheNames) {
  const std::string nvtx =
      "\"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Id:Domain:Start/"
      "Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",";
  const auto data = import_good_text(
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\"," + nvtx +
      "\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
      "\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
      "\"nsecond\"\n"
      "\"0\",\"7\",\"app\",\"h\",\"(1,forward)\",\"\",\"k(int)\",\"1\",\"9\",\"(32, 1, 1)\",\"(4, 1, "
      "1)\",\"0\","
      "\"8.0\",\"5120\"\n");
  EXPECT_EQ(launch_durations(data), Integers{5120});
  EXPECT_EQ(attributes_of(data), 3u);
  EXPECT_EQ(text_at(data, "nvtx_push_pop_ranges", 0), "(1,forward)");
  EXPECT_EQ(data.resources[1].name, "app");
  const auto details =
      import_good_text("\"ID\",\"Process ID\",\"Kernel Name\"," + nvtx +
                       "\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                       "\"0\",\"7\",\"k(int)\",\"(1,forward)\",\"\",\"Duration\",\"us\",\"5\"\n");
  EXPECT_EQ(text_at(details, "nvtx_push_pop_ranges", 0), "(1,forward)");
}

TEST_F(NcuWide, NumbersAndTextsOfOneColumnAreTwoColumnsAndReported) {
  const std::string rows =
      "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"odd\",\"other\"\n"
      "\"\",\"\",\"\",\"ns\",\"\",\"\"\n\"0\",\"7\",\"k\",\"10\",\"1\",\"n/a\"\n";
  const auto data = import_good_text(rows + "\"1\",\"7\",\"k\",\"12\",\"none at all\",\"5\"\n");
  EXPECT_EQ(reported(data, "mixed-column"), 1);
  EXPECT_EQ(numbers(data, "odd")[0], 1);
  EXPECT_EQ(text_at(data, "odd_text", 1), "none at all");
  EXPECT_EQ(reported(import_good_text(rows), "mixed-column"), 0);
  const std::string header = "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric "
                             "Name\",\"Metric Unit\",\"Metric Value\"\n";
  const auto details = import_good_text(header + "\"0\",\"7\",\"k\",\"S\",\"Cache\",\"\",\"PreferNone\"\n"
                                                 "\"1\",\"7\",\"k\",\"S\",\"Cache\",\"\",\"3\"\n");
  EXPECT_EQ(reported(details, "mixed-column"), 1);
}

// ncu --print-summary per-kernel
TEST_F(NcuLong, SummariesPerKernel) {
  const auto data = import_good_text(
      "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\","
      "\"Grid Size\",\"Device\",\"CC\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
      "\"Minimum\",\"Maximum\",\"Average\"\n"
      "\"7\",\"app\",\"h\",\"k(int)\",\"1\",\"7\",\"(32, 1, 1)\",\"(4, 1, "
      "1)\",\"0\",\"8.0\",\"10\",\"S\",\"Duration\","
      "\"us\",\"5.12\",\"6.1\",\"5.5\"\n"
      "\"7\",\"app\",\"h\",\"f(int)\",\"1\",\"7\",\"(32, 1, 1)\",\"(4, 1, "
      "1)\",\"0\",\"8.0\",\"3\",\"S\",\"Duration\","
      "\"us\",\"1\",\"3\",\"2\"\n");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"f", 1}, {"k", 1}}));
  EXPECT_EQ(launch_durations(data), (Integers{5500, 2000}));
  EXPECT_EQ(numbers(data, "duration_minimum"), (std::vector<double>{5120, 1000}));
  EXPECT_EQ(numbers(data, "invocations"), (std::vector<double>{10, 3}));
  EXPECT_EQ(reported(data, "sums-over-launches"), 1);
}

// The sections of a report and some of its metrics, written to two files.
TEST_F(NcuLong, TwoPagesOfOneReportAreOneReport) {
  const auto details = kH4 + "\n" + h4_row(0, "S", "Duration", "us", "5.12") +
                       h4_row(0, "S", "Registers Per Thread", "register/thread", "32") +
                       h4_row(1, "S", "Duration", "us", "6.12");
  const auto metrics = kH4 + "\n" + h4_row(0, "M", "Duration", "ns", "5124") +
                       h4_row(0, "M", "dram__bytes.sum", "byte", "7") +
                       h4_row(2, "M", "dram__bytes.sum", "byte", "9");
  write_bytes(folder_.path("a.details.csv"), details);
  write_bytes(folder_.path("b.metrics.csv"), metrics);
  const auto data = import_good({folder_.path("a.details.csv"), folder_.path("b.metrics.csv")});
  EXPECT_EQ(launches_of(data), 3u);
  EXPECT_EQ(numbers(data, "dram_bytes_sum")[0], 7);
  EXPECT_TRUE(std::isnan(numbers(data, "dram_bytes_sum")[1]));
  EXPECT_EQ(numbers(data, "dram_bytes_sum")[2], 9);
  EXPECT_EQ(launch_durations(data)[0], 5124); // of b: not rounded
  EXPECT_EQ(reported(data, "joined-reports"), 1);
  EXPECT_EQ(std::count_if(data.resources.begin(), data.resources.end(),
                          [](const auto& r) { return r.kind == store::ResourceKind::Host; }),
            1);
}

// The name of the GPU is on the page that is read second.
TEST_F(NcuLong, TheNameOfADeviceMayComeLate) {
  write_bytes(folder_.path("a.csv"), kH4 + "\n" + h4_row(0, "S", "Duration", "us", "5.12"));
  write_bytes(
      folder_.path("b.csv"),
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Device\",\"CC\",\"device__attribute_display_name\",\"x\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"\"\n\"7\",\"7\",\"k\",\"0\",\"9.0\",\"NVIDIA H100\",\"1\"\n");
  const auto data = import_good({folder_.path("a.csv"), folder_.path("b.csv")});
  ASSERT_FALSE(data.manifest.devices.empty());
  EXPECT_EQ(data.manifest.devices[0].name, "NVIDIA H100");
  for (const auto& resource : data.resources) {
    if (resource.kind != store::ResourceKind::Device) continue;
    EXPECT_EQ(resource.name, "NVIDIA H100");
  }
}

TEST_F(NcuLong, TwoRunsStayTwoRuns) {
  const auto run = [](const char* time) { return kH4 + "\n" + h4_row(0, "S", "Duration", "us", time); };
  for (const auto* second : {"5.12", "9.5"}) {
    write_bytes(folder_.path("a.csv"), run("5.12"));
    write_bytes(folder_.path("b.csv"), run(second));
    const auto data = import_good({folder_.path("a.csv"), folder_.path("b.csv")});
    EXPECT_EQ(launches_of(data), 2u);
    EXPECT_EQ(reported(data, "numbered-alike"), 1);
  }
}

// The same metrics of `launches` launches: rounded to 2 digits after the point or, with `base`, nearly exact.
// `other` changes the values.
std::string metrics_page(int launches, bool base, double other = 0) {
  std::string page = kH4 + "\n";
  for (int id = 0; id < launches; ++id) {
    const double ns = 5'123'456 + 7'777 * id + other;
    page += base ? h4_row(id, "S", "Duration", "ns", fmt::format("{:.0f}", ns))
                 : h4_row(id, "S", "Duration", "ms", fmt::format("{:.2f}", ns / 1e6));
    for (int metric = 0; metric < 4; ++metric) {
      const double value = 31.41592 * (metric + 1) + 0.0123 * id + other / 1e5;
      page += h4_row(id, "S", fmt::format("m{}__x.sum", metric), "%",
                     fmt::format("{:.{}f}", value, base ? 5 : 2));
    }
  }
  return page;
}

TEST_F(NcuLong, AReportExportedTwiceIsOneReportWithTheExactValues) {
  write_bytes(folder_.path("rounded.csv"), metrics_page(8, false));
  write_bytes(folder_.path("exact.csv"), metrics_page(8, true));
  for (const auto& [a, b] : {std::pair{"rounded.csv", "exact.csv"}, {"exact.csv", "rounded.csv"}}) {
    const auto data = import_good({folder_.path(a), folder_.path(b)});
    ASSERT_EQ(launches_of(data), 8u);
    EXPECT_EQ(reported(data, "repeated-report"), 8);
    EXPECT_EQ(launch_durations(data)[1], 5'131'233);
    EXPECT_DOUBLE_EQ(numbers(data, "m0_x_sum")[1], 31.42822);
  }
}

TEST_F(NcuLong, TwoRunsThatDifferByMoreThanRoundingStayTwoRuns) {
  write_bytes(folder_.path("a.csv"), metrics_page(8, false));
  write_bytes(folder_.path("b.csv"), metrics_page(8, true, 20'000));
  const auto data = import_good({folder_.path("a.csv"), folder_.path("b.csv")});
  EXPECT_EQ(launches_of(data), 16u);
  EXPECT_EQ(reported(data, "numbered-alike"), 1);
}

TEST_F(NcuLong, AllPagesOfARealReportInOneFolderAreOneReport) {
  REQUIRE_REAL_DATA(folder, "ncu/wide-a100");
  const auto data = import_good({folder});
  EXPECT_EQ(launches_of(data), 154u);
  expect_reported(data, {{"joined-reports", 154}, {"repeated-report", 154}});
}

TEST_F(NcuLong, AFolderOfPagesHoldsEachKernelOnce) {
  REQUIRE_REAL_DATA(folder, "ncu/details-rtx5090");
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().find("__ncu.") != std::string::npos) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  ASSERT_EQ(files.size(), 20u);
  const auto data = import_good(files);
  EXPECT_EQ(launches_of(data), 10u);
  EXPECT_EQ(reported(data, "joined-reports"), 10);
  for (const auto value : numbers(data, "dram_bytes_read_sum")) EXPECT_EQ(value, value);
}

TEST_F(NcuLong, RewrittenByOtherTools) {
  // As written by pandas, with a column of row numbers, other line breaks and no unnecessary quotes.
  const auto data = import_good_text(
      ",ID,Process ID,Process Name,Host Name,Kernel Name,Kernel Time,Context,Stream,Section Name,Metric "
      "Name,Metric "
      "Unit,Metric Value,Rule Name\r\n0,0,7,app,h,\"f(int, int)\",t,1,7,S,x,byte,\"1,000\",\r\n"
      "1,0,7,app,h,\"f(int, int)\",t,1,7,S,y,byte,5,\r\n");
  EXPECT_EQ(launches_of(data), 1u);
  EXPECT_EQ(numbers(data, "x"), std::vector<double>{1000});
  EXPECT_EQ(numbers(data, "y"), std::vector<double>{5});
}

TEST_F(NcuLong, ClockUnitsAreOne) {
  const auto data = import_good_text(kH4 + "\n" + h4_row(0, "S", "SM Frequency", "cycle/nsecond", "1.23") +
                                     h4_row(1, "S", "SM Frequency", "cycle/usecond", "773.75") +
                                     h4_row(2, "S", "SM Frequency", "Ghz", "2") +
                                     h4_row(3, "S", "SM Frequency", "cycle/second", "1,000,000"));
  EXPECT_EQ(numbers(data, "sm_frequency"), (std::vector<double>{1.23e9, 773.75e6, 2e9, 1e6}));
  EXPECT_EQ(unit_of(data, "sm_frequency"), "Hz");
}

TEST_F(NcuLong, ErrorsAreCounted) {
  const auto data = import_good_text(
      kH4 + "\n" + h4_row(0, "S", "m", "inst", "1") + "garbage,1\n" + h4_row(0, "S", "m", "inst", "2") +
      R"_("1","77","app","h","g","1","7","(a, b)","(64, 1, 3)","0","8.0","S","m","","5")_"
      "\n");
  expect_reported(data, {{"not-a-row", 1}, {"repeated-metric", 1}, {"bad-configuration", 1}});
}

TEST_F(NcuLong, OutputWithoutATableIsReported) {
  EXPECT_NE(error_of("==PROF== Connected to process 7\n==WARNING== No kernels were profiled.\n")
                .message.find("no table"),
            std::string::npos);
  EXPECT_NE(error_of(kH4 + "\n").message.find("no launch"), std::string::npos);
}

TEST_F(NcuLong, Damage) {
  expect_damage_is_survived("==PROF== x\n" + kH4 + kRules + "\n" +
                                h4_row(0, "S", "Duration", "us", "1,234.5", ",") +
                                h4_row(1, "S", "Block Size", "", "9,999,999,999,999,999,999", ","),
                            3);
}

std::string wide(const std::string& titles, const std::string& units, const std::vector<std::string>& rows) {
  std::string text =
      R"_("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",)_"
      R"_("Grid Size","Device","CC")_" +
      titles + "\n" + R"_("","","","","","","","","","","")_" + units + "\n";
  int id = 0;
  for (const auto& row : rows)
    text +=
        "\"" + std::to_string(id++) +
        R"_(","5","main","127.0.0.1","void k<int>(int)","1","15","(512, 1, 1)","(2048, 1, 1)","0","8.0")_" +
        row + "\n";
  return text;
}

TEST_F(NcuWide, UnitsRowTextsAndMissingValues) {
  const auto data = import_good_text(wide(
      R"_(,"device__attribute_display_name","gpu__time_duration.sum","launch__registers_per_thread","x.sum","all_missing")_",
      R"_(,"","usecond","register/thread","Kbyte","")_",
      {R"_(,"A100","6.272","32","1.5","no data")_", R"_(,"A100","7","32","","")_"}));
  EXPECT_EQ(launch_durations(data), (Integers{6272, 7000}));
  EXPECT_EQ(numbers(data, "x_sum")[0], 1500);
  EXPECT_TRUE(std::isnan(numbers(data, "x_sum")[1]));
  EXPECT_EQ(text_at(data, "device_attribute_display_name", 1), "A100");
  EXPECT_EQ(configuration_value(data, "registers", 0), 32u);
  ASSERT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(data.manifest.devices[0].name, "A100");
  EXPECT_EQ(attributes_of(data), 5u);
}

TEST_F(NcuWide, WithoutARowOfUnitsItIsDoubted) {
  auto text = wide(R"_(,"gpu__time_duration.sum","x.sum")_", R"_(,"nsecond","byte")_",
                   {R"_(,"6272","15")_", R"_(,"7000","16")_"});
  const auto first = text.find('\n') + 1;
  text.erase(first, text.find('\n', first) + 1 - first);
  const auto data = import_good_text(text);
  EXPECT_EQ(launch_durations(data), (Integers{6272, 7000}));
  EXPECT_EQ(reported(data, "no-units"), 1);
}

TEST_F(NcuWide, RoundedTimesAreDoubted) {
  const auto data = import_good_text(wide(",\"gpu__time_duration.sum\"", ",\"second\"", {",\"0.000006\""}));
  EXPECT_EQ(reported(data, "rounded-times"), 1);
  EXPECT_EQ(launch_durations(data)[0], 6000);
}

TEST_F(NcuWide, ReportsWithOtherMetricsShareTheirColumns) {
  const auto data = import_good_text(wide(",\"a\",\"b\"", ",\"\",\"\"", {",\"1\",\"2\""}) +
                                     wide(",\"b\",\"c\"", ",\"\",\"\"", {",\"3\",\"4\"", ",\"5\",\"6\""}));
  EXPECT_EQ(launches_of(data), 3u);
  EXPECT_EQ(numbers(data, "b"), (std::vector<double>{2, 3, 5}));
  EXPECT_TRUE(std::isnan(numbers(data, "c")[0]));
  EXPECT_TRUE(std::isnan(numbers(data, "a")[2]));
}

TEST_F(NcuWide, EightThousandColumns) {
  std::string titles, units, row;
  for (int i = 0; i < 8000; ++i) {
    titles += ",\"metric_" + std::to_string(i) + ".sum\"";
    units += i % 3 ? ",\"%\"" : ",\"byte\"";
    row += ",\"" + std::to_string(i * 7) + ".25\"";
  }
  const auto data = import_good_text(wide(titles, units, std::vector<std::string>(20, row)));
  EXPECT_EQ(launches_of(data), 20u);
  EXPECT_EQ(attributes_of(data), 8000u);
  EXPECT_EQ(numbers(data, "metric_7999_sum")[19], 7999 * 7 + 0.25);
}

TEST_F(NcuWide, TooManyColumnsAreRefused) {
  std::string titles;
  for (int i = 0; i < 1'000'000; ++i) titles += ",m" + std::to_string(i);
  EXPECT_NE(error_of(wide(titles, "", {})).message.find("columns"), std::string::npos);
}

TEST_F(NcuWide, Damage) {
  expect_damage_is_survived(wide(",\"gpu__time_duration.sum\",\"b\"", ",\"usecond\",\"Kbyte\"",
                                 {",\"1,234\",\"x\"", ",\"1\",\"2\""}),
                            3);
}

struct NcuOracle {
  const char* file;
  std::size_t launches, metrics;
  std::int64_t rule_rows;
  std::size_t kernels;
};

std::size_t cells_of(const TraceData& data) {
  std::size_t cells = 0;
  bool own = false; // attributes follow the columns that every launch has
  for (const auto& column : data.find("launches")->columns) {
    if (own)
      std::visit(
          [&](const auto& values) {
            for (const auto value : values)
              cells += column.unit == store::kTextUnit
                           ? static_cast<double>(value) != static_cast<double>(kNone)
                           : !std::isnan(static_cast<double>(value));
          },
          column.values);
    own = own || column.name == "flags";
  }
  return cells;
}

// Rows of rules have an empty metric name, which is not counted: only metrics with values are.
TEST(NcuReal, LongTables) {
  for (const auto& oracle : {NcuOracle{"ncu/long-operators/nsightV.csv", 198, 21, 0, 1},
                             NcuOracle{"ncu/long-operators/nsight162.csv", 162, 21, 0, 1},
                             NcuOracle{"ncu/long-operators/pooling_nsight16.csv", 240, 38, 283, 2},
                             NcuOracle{"ncu/long-operators/sam_decoder_nsight.csv", 72, 60, 99, 17},
                             NcuOracle{"ncu/long-small/metrics.csv", 9, 5, 0, 8},
                             NcuOracle{"ncu/wide-a100/profile.details.csv", 154, 28, 380, 5}}) {
    SCOPED_TRACE(oracle.file);
    REQUIRE_REAL_DATA(path, oracle.file);
    const auto data = import_good({path});
    EXPECT_EQ(launches_of(data), oracle.launches);
    EXPECT_EQ(attributes_of(data), oracle.metrics);
    EXPECT_EQ(cells_of(data),
              oracle.launches * oracle.metrics); // every row of a metric has a value in these files
    EXPECT_EQ(reported(data, "rule-rows"), oracle.rule_rows);
    EXPECT_EQ(launches_by_kernel(data, "name").size(), oracle.kernels);
    expect_reported(data, {{"not-a-row", 0}, {"repeated-metric", 0}});
  }
}

TEST(NcuReal, DetailsOfTwentyKernels) {
  REQUIRE_REAL_DATA(folder, "ncu/details-rtx5090");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto path = entry.path().string();
    if (!path.ends_with("details.csv")) continue;
    SCOPED_TRACE(path);
    const auto data = import_good({path});
    EXPECT_EQ(launches_of(data), 1u);
    EXPECT_EQ(attributes_of(data), 44u); // 43 names, one of them with two units
    EXPECT_EQ(launches_by_kernel(data).size(), 1u);
    EXPECT_EQ(reported(data, "rule-rows"), 4);
    EXPECT_GT(launch_durations(data)[0], 0);
    ++files;
  }
  EXPECT_GE(files, 10);
}

TEST(NcuReal, WideTable) {
  REQUIRE_REAL_DATA(path, "ncu/wide-a100/profile.raw.base-units.csv");
  const auto data = import_good({path});
  EXPECT_EQ(launches_of(data), 154u);
  EXPECT_EQ(attributes_of(data), 272u - 11u);
  EXPECT_EQ(launch_durations(data)[0], 995'518'880);
  EXPECT_EQ(reported(data, "rounded-times"), 0);
  std::map<std::string, int> counts;
  for (const auto& [name, count] : launches_by_kernel(data)) counts[name.substr(0, 18)] += count;
  EXPECT_EQ(launches_by_kernel(data).size(), 5u);
  const auto by_name = launches_by_kernel(data);
  EXPECT_EQ(by_name.at("DeviceRadixSortOnesweepKernel"), 88);
  EXPECT_EQ(by_name.at("DeviceRadixSortHistogramKernel"), 22);
  EXPECT_EQ(by_name.at("DeviceRadixSortExclusiveSumKernel"), 22);
  EXPECT_EQ(by_name.at("distanceCalculationsKernel"), 11);
  ASSERT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(data.manifest.devices[0].name, "NVIDIA A100-PCIE-40GB");
}

TEST(NcuReal, AutomaticUnitsLoseDigitsAndAreDoubted) {
  REQUIRE_REAL_DATA(exact_path, "ncu/wide-a100/profile.raw.base-units.csv");
  REQUIRE_REAL_DATA(rounded_path, "ncu/wide-a100/profile.raw.csv");
  const auto exact = import_good({exact_path}), rounded = import_good({rounded_path});
  EXPECT_EQ(reported(rounded, "rounded-times"), 1);
  const auto& right = launch_durations(exact);
  const auto& wrong = launch_durations(rounded);
  double worst = 0;
  int off = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto error = std::abs(static_cast<double>(wrong[i] - right[i])) / static_cast<double>(right[i]);
    worst = std::max(worst, error);
    off += error > 0.01;
  }
  EXPECT_EQ(off, 46);
  EXPECT_NEAR(worst, 0.076, 0.001);
  EXPECT_EQ(attributes_of(exact), attributes_of(rounded));
  const auto& x = numbers(exact, "profiler_replayer_bytes_mem_accessible_sum");
  EXPECT_NEAR(numbers(rounded, "profiler_replayer_bytes_mem_accessible_sum")[0] / x[0], 1, 1e-6);
}

TEST(NcuReal, WideTableWithMissingCells) {
  REQUIRE_REAL_DATA(path, "ncu/long-small/profile.raw.csv");
  const auto data = import_good({path});
  EXPECT_EQ(launches_of(data), 12u);
  EXPECT_EQ(attributes_of(data), 374u - 11u);
  EXPECT_EQ(launches_by_kernel(data, "name").size(), 11u);
  EXPECT_EQ(reported(data, "rounded-times"), 1);
}

} // namespace
} // namespace jitterscope::import
