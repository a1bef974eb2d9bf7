// Tables of nvprof: traces with real timestamps, and summaries.

#include <fmt/core.h>

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using store::TraceData;

class NvprofCsv : public TableTest {};

using Times = std::vector<std::int64_t>;

const std::string kNvprof =
    "==4242== NVPROF is profiling process 4242, command: ./pagerank --secret\n==4242== Profiling "
    "application: "
    "./pagerank\n==4242== Profiling result:\n"
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers "
    "Per Thread\","
    "\"Static SMem\",\"Dynamic "
    "SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\",\"Context\",\"Stream\","
    "\"System\",\"Name\",\"Correlation_ID\"\n"
    "s,ms,,,,,,,,B,B,KB,GB/s,,,,,,,,\n"
    "0.245000,,,,,,,,,,,,,,,\"TITAN V (0)\",,,\"135/850\",\"[SM/Memory Clock (MHz)]\",\n"
    "0.245100,,,,,,,,,,,,,,,\"TITAN V (0)\",,,\"58\",\"[Temperature (C)]\",\n"
    "0.245200,,,,,,,,,,,,,,,\"TITAN V (0)\",,,\"46188/250000\",\"[Power/Limit (mW)]\",\n"
    "0.250000,0.001568,,,,,,,,,,1.003906,0.610586,\"Pageable\",\"Device\",\"TITAN V "
    "(0)\",\"1\",\"7\",,\"[CUDA memcpy HtoD]\",274\n"
    "0.251000,2.500000,5793,1,1,256,1,1,32,48,0,,,,,\"TITAN V (0)\",\"1\",\"7\",,\"spmv(int, float*) "
    "[280]\",\n";

TEST_F(NvprofCsv, KernelsCopiesAndSamples) {
  const auto data = import_good_text(kNvprof);
  EXPECT_EQ(launch_starts(data), Times{251'000'000});
  EXPECT_EQ(launch_durations(data), Times{2'500'000});
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "correlation")[0], 280u);
  EXPECT_EQ(launches_by_kernel(data, "name"), (std::map<std::string, int>{{"spmv(int, float*)", 1}}));
  EXPECT_EQ(configuration_value(data, "grid_x", 0), 5793u);
  EXPECT_EQ(configuration_value(data, "static_shared_memory", 0), 48u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), Times{1028});
  EXPECT_EQ(data.resources[1].number, 4242);
  std::map<std::string, double> samples;
  for (std::size_t i = 0; i < column<double>(data, "samples", "value").size(); ++i) {
    const auto counter = column<std::uint32_t>(data, "samples", "counter")[i];
    samples[string_at(data, "counters", "name", counter) + " " +
            string_at(data, "counters", "unit", counter)] = column<double>(data, "samples", "value")[i];
  }
  EXPECT_EQ(samples, (std::map<std::string, double>{{"SM Clock Hz", 135e6},
                                                    {"Memory Clock Hz", 850e6},
                                                    {"Temperature C", 58},
                                                    {"Power W", 46.188},
                                                    {"Power Limit W", 250}}));
  for (const auto& text : data.strings.all()) EXPECT_EQ(text.find("secret"), std::string::npos);
}

// The sizes of migrations are in a separate column, which contains counts for page faults.
TEST_F(NvprofCsv, MigrationsStateHowMuchTheyMoved) {
  const auto data = import_good_text(
      "==2119== Profiling result:\n"
      "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block "
      "Z\",\"Registers Per Thread\","
      "\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"Device\",\"Context\",\"Stream\",\"Unified "
      "Memory\","
      "\"Virtual Address\",\"Name\"\n"
      "s,us,,,,,,,,B,B,KB,GB/s,,,,KB,,\n"
      "0.300,2.5,32,1,1,64,1,1,8,0,0,,,\"Tesla V100 (0)\",\"1\",\"7\",,,\"k(int)\"\n"
      "0.301,,,,,,,,,,,,,,,,\"PC 0x401af8\",\"0x7f0000000000\",\"[Unified Memory CPU page faults]\"\n"
      "0.302,3.2,,,,,,,,,,,,\"Tesla V100 (0)\",,,\"64.000000\",\"0x7f0000000000\",\"[Unified Memory Memcpy "
      "HtoD]\"\n"
      "0.303,4.2,,,,,,,,,,,,\"Tesla V100 (0)\",,,,\"0x7f0000000000\",\"[Unified Memory Memcpy DtoH]\"\n"
      "0.304,4.2,,,,,,,,,,,,\"Tesla V100 (0)\",,,\"12\",\"0x7f0000000000\",\"[Unified Memory GPU page "
      "faults]\"\n"
      "0.305,4.2,,,,,,,,,,2.000000,0.5,\"Tesla V100 (0)\",\"1\",\"7\",,,\"[CUDA memcpy HtoD]\"\n");
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Times{65'536, store::kUnknownBytes, 2'048}));
  EXPECT_EQ(column<double>(data, "samples", "value"), (std::vector<double>{12}));
  expect_reported(data, {{"missing-bytes", 1}, {"not-a-number", 1}});
}

TEST_F(NvprofCsv, DecimalPrefixesOfOlderVersionsAreSeenFromTheThroughput) {
  auto text = kNvprof;
  text.replace(text.find("1.003906,0.610586"), 17, "1.028000,0.655612");
  EXPECT_EQ(column<std::int64_t>(import_good_text(text), "transfers", "bytes"), Times{1028});
}

TEST_F(NvprofCsv, OldestTitlesWithoutSystemColumn) {
  const auto data =
      import_good_text("======== Profiling result:\n\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid "
                       "Z\",\"Block X\",\"Block Y\",\"Block Z\","
                       "\"Registers Per Thread\",\"Static SMem\",\"Dynamic "
                       "SMem\",\"Size\",\"Throughput\",\"Device\",\"Context\",\"Stream\",\"Name\"\n"
                       "us,us,,,,,,,,KB,KB,MB,GB/s,,,,\n10.5,1.25,2,1,1,32,1,1,8,1,0,,,\"K40 "
                       "(1)\",\"1\",\"7\",\"k(int) [12]\"\n");
  EXPECT_EQ(launch_starts(data), Times{10'500});
  EXPECT_EQ(configuration_value(data, "static_shared_memory", 0), 1024u);
}

TEST_F(NvprofCsv, ASummaryIsATable) {
  const auto data = import_good_text(
      "==1== Profiling result:\n\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
      ",%,ms,,us,us,us,\n\"GPU activities\",90.5,1.5,2,750,700,800,\"k(int)\"\n"
      "\"API calls\",9.5,0.5,1,500,500,500,\"cudaMalloc\"\n");
  EXPECT_EQ(launches_of(data), 2u);
  EXPECT_EQ(numbers(data, "avg")[0], 750'000);
  EXPECT_EQ(unit_of(data, "avg"), "ns");
}

TEST_F(NvprofCsv, TablesAfterASummaryAreReported) {
  const auto data = import_good_text(
      "==7== Profiling result:\n\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
      ",%,ms,,us,us,us,\n\"GPU activities\",100.0,0.2,2,100.0,90.0,110.0,\"k(int)\"\n\n"
      "==7== Unified Memory profiling result:\n\"Device\",\"Count\",\"Avg Size\",\"\"\n"
      "\"A100 (0)\",3,4.0KB,\"Host To Device\"\n\"A100 (0)\",2,4.0KB,\"Device To Host\"\n"
      "Total CPU Page faults: 4\n");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"k", 1}}));
  EXPECT_EQ(reported(data, "other-tables"), 1);
}

TEST_F(NvprofCsv, CallsAloneAndAmongActivities) {
  const auto calls = import_good_text("==42== NVPROF is profiling process 42, command: ./a.out planted\n"
                                      "\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"\nms,us,,\n"
                                      "100.5,2.0,\"cuInit\",1\n101.5,12.0,\"cudaMalloc\",2\n");
  EXPECT_EQ(column<std::int64_t>(calls, "calls", "duration"), (Times{2'000, 12'000}));
  EXPECT_EQ(launches_of(calls), 0u);
  EXPECT_EQ(reported(calls, "no-kernels"), 1);
  for (const auto& text : calls.strings.all()) EXPECT_EQ(text.find("planted"), std::string::npos);
  const auto both = import_good_text(
      "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\","
      "\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"Device\","
      "\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\nms,us,,,,,,,,B,B,KB,GB/s,,,,,\n"
      "100,2,,,,,,,,,,,,,,,\"cudaLaunchKernel\",7\n"
      "101,12,16,1,1,256,1,1,32,0,0,,,\"V100 (0)\",\"1\",\"7\",\"k(int)\",7\n"
      "102,12,,,,,,,,,,,,\"V100 (0)\",\"1\",\"7\",\"[CUDA memcpy HtoD]\",8\n");
  EXPECT_EQ(launches_by_kernel(both), (std::map<std::string, int>{{"k", 1}}));
  EXPECT_EQ(column<std::uint32_t>(both, "launches", "call"), Rows{0});
  EXPECT_EQ(column<std::int64_t>(both, "transfers", "bytes"), Times{store::kUnknownBytes});
  EXPECT_EQ(reported(both, "missing-bytes"), 1);
}

TEST_F(NvprofCsv, MetricsOverAllLaunchesAndOfEach) {
  const auto data = import_good_text(
      "==42== NVPROF is profiling process 42, command: ./a.out\n==42== Metric result:\n"
      "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n"
      "\"V100 (0)\",\"k(int)\",10,\"ipc\",\"Executed IPC\",0.5,0.6,0.55\n"
      "\"V100 (0)\",\"k(int)\",10,\"dram_read_throughput\",\"Read\",1.5GB/s,2GB/s,1.75GB/s\n"
      "\"V100 (0)\",\"k(int)\",10,\"sm_efficiency\",\"Activity\",91%,95%,93.5%\n"
      "\"V100 (0)\",\"k(int)\",10,\"dram_utilization\",\"Level\",Low (1),Mid (5),Low (2)\n"
      "\"V100 (0)\",\"h(int)\",1,\"ipc\",\"Executed IPC\",1,1,<OVERFLOW>\n");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"h", 1}, {"k", 1}}));
  EXPECT_EQ(numbers(data, "ipc")[0], 0.55);
  EXPECT_TRUE(std::isnan(numbers(data, "ipc")[1]));
  EXPECT_EQ(numbers(data, "dram_read_throughput")[0], 1.75e9);
  EXPECT_EQ(unit_of(data, "dram_read_throughput"), "B/s");
  EXPECT_EQ(unit_of(data, "sm_efficiency"), "%");
  EXPECT_EQ(numbers(data, "dram_utilization")[0], 2);
  EXPECT_EQ(numbers(data, "invocations")[0], 10);
  expect_reported(data, {{"not-a-number", 1}, {"sums-over-launches", 1}});
  const auto events = import_good_text(
      "==42== Event result:\n\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\",\"Max\",\"Avg\","
      "\"Total\"\n\"V100 (0)\",\"k(int)\",10,\"warps_launched\",90,110,100,1000\n");
  EXPECT_EQ(numbers(events, "warps_launched_total")[0], 1000);
  const auto each = import_good_text(
      "==42== Profiling result:\n\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\",\"ipc\"\n"
      "\"V100 (0)\",\"1\",\"7\",\"k(int)\",12,0.5\n\"V100 (0)\",\"1\",\"7\",\"k(int)\",13,0.6\n");
  EXPECT_EQ(launches_by_kernel(each), (std::map<std::string, int>{{"k", 2}}));
  EXPECT_EQ(numbers(each, "ipc"), (std::vector<double>{0.5, 0.6}));
  EXPECT_EQ(reported(each, "sums-over-launches"), 0);
}

// Text copied from a terminal has no quotes.
TEST_F(NvprofCsv, NamesWithoutQuotesAreWhole) {
  const auto data =
      import_good_text("Time(%),Time,Calls,Avg,Min,Max,Name\n"
                       "47.79%,542.36ms,45,12.052ms,12.007ms,12.110ms,[CUDA memcpy HtoD]\n"
                       "20.92%,237.43ms,150,1.5829ms,1.5103ms,2.1174ms,sor(float*, float*, int)\n"
                       "20.91%,237.26ms,150,1.5817ms,1.5084ms,2.1159ms,sor(float*, float*, long)\n");
  EXPECT_EQ(launches_by_kernel(data, "name"),
            (std::map<std::string, int>{{"sor(float*, float*, int)", 1}, {"sor(float*, float*, long)", 1}}));
  EXPECT_EQ(numbers(data, "avg"), (std::vector<double>{1.5829e6, 1.5817e6}));
  EXPECT_EQ(reported(data, "unquoted-name"), 2);
}

TEST_F(NvprofCsv, TwoProcessesInOneLog) {
  const auto log = [](int process) {
    return fmt::format("=={0}== NVPROF is profiling process {0}, command: ./a\n=={0}== Profiling result:\n"
                       "\"Start\",\"Duration\",\"Grid X\",\"Registers Per Thread\",\"Device\",\"Context\","
                       "\"Stream\",\"Name\",\"Correlation_ID\"\nms,us,,,,,,,\n"
                       "100.5,20.25,64,32,\"Tesla V100 (0)\",\"1\",\"7\",\"k(int*)\",10\n",
                       process);
  };
  const auto data = import_good_text(log(4711) + log(4712));
  EXPECT_EQ(data.find("launches")->rows(), 2u);
  std::set<std::int64_t> processes;
  for (const auto& resource : data.resources)
    if (resource.kind == store::ResourceKind::Process) processes.insert(resource.number);
  EXPECT_EQ(processes, (std::set<std::int64_t>{4711, 4712}));
  EXPECT_EQ(reported(data, "overlapping-launches"), 0);
}

TEST_F(NvprofCsv, WithoutUnitsItIsDoubted) {
  const auto data = import_good_text("==1== NVPROF is profiling process 1, command: ./a\n"
                                     "\"Start\",\"Duration\",\"Grid X\",\"Registers Per Thread\",\"Name\"\n"
                                     "100,20,64,32,\"k(int*)\"\n");
  EXPECT_EQ(launch_durations(data), Times{20});
  EXPECT_EQ(reported(data, "no-units"), 1);
}

TEST_F(NvprofCsv, DataLostByTheProfilerAreReported) {
  const std::string rows = "==1== Profiling result:\n\"Start\",\"Duration\",\"Grid X\",\"Registers Per "
                           "Thread\",\"Size\",\"Name\"\n"
                           "ms,us,,,KB,\n1,2,3,4,,\"k\"\n";
  const auto lossy = import_good_text(
      "==1== Warning: 17 records have invalid timestamps due to insufficient device buffer space.\n" + rows);
  EXPECT_EQ(reported(lossy, "profiler-warning"), 1);
  EXPECT_EQ(launches_of(lossy), 1u);
  const auto whole = import_good_text("==1== Warning: Some kernel(s) will be replayed on device 0.\n" + rows);
  EXPECT_EQ(reported(whole, "profiler-warning"), 0);
}

TEST_F(NvprofCsv, DecimalCommas) {
  const auto data =
      import_good_text("==1== NVPROF is profiling process 1, command: ./a\n"
                       "Start;Duration;Grid X;Registers Per Thread;Size;Name\n"
                       "ms;us;;;KB;\n100,5;20,25;64;32;;k(int*)\n"
                       "1.100,5;20,125;64;32;;k(int*)\n1.200,5;20,5;;;2,5;[CUDA memcpy HtoD]\n");
  EXPECT_EQ(launch_durations(data), (Times{20'250, 20'125}));
  EXPECT_EQ(launch_starts(data), (Times{100'500'000, 1'100'500'000}));
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), Times{2'560});
  EXPECT_EQ(reported(data, "decimal-comma"), 1);
}

TEST_F(NvprofCsv, MetricsNextToATraceAndAlone) {
  const auto data = import_good_text(
      "==9== NVPROF is profiling process 9\n\"Start\",\"Duration\",\"Grid X\",\"Registers Per Thread\","
      "\"Size\",\"Device\",\"Name\",\"Correlation_ID\",\"achieved_occupancy\",\"ipc\"\ns,us,,,KB,,,,,\n"
      "1.0,10.5,4,8,,\"P (0)\",\"k(int) [7]\",7,0.40,1.10\n1.1,11.5,4,8,,\"P (0)\",\"k(int) "
      "[8]\",8,0.41,1.25\n");
  EXPECT_EQ(numbers(data, "ipc"), (std::vector<double>{1.10, 1.25}));
  EXPECT_EQ(numbers(data, "achieved_occupancy")[0], 0.4);
  const auto alone =
      import_good_text("==9== NVPROF is profiling process 9\n"
                       "\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\",\"ipc\"\n"
                       "\"P (0)\",\"1\",\"7\",\"k(int) [7]\",7,1.10\n\"P (0)\",\"1\",\"7\",\"k(int) "
                       "[8]\",8,1.25\n");
  EXPECT_EQ(launches_by_kernel(alone, "name"), (std::map<std::string, int>{{"k(int)", 2}}));
  EXPECT_EQ(alone.manifest.sources[0].format, "nvprof GPU trace");
  EXPECT_EQ(numbers(alone, "ipc")[1], 1.25);
}

TEST_F(NvprofCsv, CommasBeforeThreeDigits) {
  const auto data = import_good_text("Start;Duration;Grid X;Registers Per Thread;Name\n"
                                     "ms;us;;;\n100;5,125;64;32;k(int*)\n101;5,250;64;32;k(int*)\n");
  EXPECT_EQ(launch_durations(data), (Times{5'125, 5'250}));
  EXPECT_EQ(reported(data, "decimal-comma"), 1);
}

TEST_F(NvprofCsv, Damage) {
  expect_damage_is_survived(kNvprof, 7);
}

} // namespace
} // namespace jitterscope::import
