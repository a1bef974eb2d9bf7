// Paraver traces: real ones compared with the efficiencies of the analysts' own tools, and forms without
// a real sample file.

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using store::TransferKind;

/// Parallel efficiency and its factors from the states alone (state Running is useful time).
struct Efficiency {
  double parallel = 0, balance = 0, communication = 0;
};

Efficiency efficiency_of(const store::TraceData& data) {
  const auto& ranges = *data.find("ranges");
  const auto& start = ranges.get<std::int64_t>("start");
  const auto& duration = ranges.get<std::int64_t>("duration");
  const auto& thread = ranges.get<std::uint32_t>("thread");
  std::map<std::uint32_t, std::int64_t> useful;
  std::int64_t end = 0;
  for (std::size_t row = 0; row < start.size(); ++row) {
    if (ranges.get<std::uint8_t>("kind")[row] != kStateRange) continue;
    end = std::max(end, start[row] + duration[row]);
    const bool running = data.strings[StringId{ranges.get<std::uint32_t>("name")[row]}] == "Running";
    useful[thread[row]] += running ? duration[row] : 0;
  }
  std::int64_t total = 0, maximum = 0;
  for (const auto& [row, time] : useful) {
    total += time;
    maximum = std::max(maximum, time);
  }
  const auto mean = static_cast<double>(total) / static_cast<double>(useful.size());
  return {mean / static_cast<double>(end), mean / static_cast<double>(maximum),
          static_cast<double>(maximum) / static_cast<double>(end)};
}

std::string name_of(const store::TraceData& data, const char* table, std::size_t row) {
  return data.strings[StringId{column<std::uint32_t>(data, table, "name")[row]}];
}

std::int64_t count(const store::TraceData& data, ResourceKind kind) {
  return std::count_if(data.resources.begin(), data.resources.end(),
                       [&](const store::Resource& r) { return r.kind == kind; });
}

struct Golden {
  const char* file;
  double parallel, balance, communication;
  std::int64_t processes, threads;
};
class RealParaver : public testing::TestWithParam<Golden> {};

TEST_P(RealParaver, StatesGiveTheGoldenEfficiencies) {
  const auto& golden = GetParam();
  REQUIRE_REAL_DATA(path, golden.file);
  const auto data = import_good({path});
  const auto found = efficiency_of(data);
  EXPECT_NEAR(found.parallel, golden.parallel, 5e-5 + (golden.parallel == 0 ? 1 : 0));
  EXPECT_NEAR(found.balance, golden.balance, 5e-5);
  EXPECT_NEAR(found.communication, golden.communication, 5e-5);
  EXPECT_EQ(count(data, ResourceKind::Process), golden.processes);
  EXPECT_EQ(count(data, ResourceKind::Thread), golden.threads);
  expect_reported(data, {{"no-kernels", 1}, {"no-names", 0}, {"no-rows", 0}});
}

INSTANTIATE_TEST_SUITE_P(
    All, RealParaver,
    testing::Values(Golden{"paraver/epoch-mpi/epoch_1proc.prv.gz", 0.9993, 1.0, 0.9993, 1, 1},
                    Golden{"paraver/epoch-mpi/epoch_2proc.prv.gz", 0.9938, 0.9976, 0.9962, 2, 2},
                    Golden{"paraver/epoch-mpi/epoch_4proc.prv.gz", 0.9735, 0.9869, 0.9864, 4, 4},
                    Golden{"paraver/imagemagick-openmp/omp1.prv.gz", 0.9953, 1.0, 0.9953, 1, 1},
                    Golden{"paraver/imagemagick-openmp/omp4.prv.gz", 0.4954 * 0.9861, 0.4954, 0.9861, 1, 4}));

TEST(RealParaverFiles, HaveMessagesCallsCountersAndNames) {
  REQUIRE_REAL_DATA(path, "paraver/epoch-mpi/epoch_2proc.prv.gz");
  const auto data = import_good({path});
  const auto& kind = column<std::uint8_t>(data, "messages", "kind");
  EXPECT_EQ(std::count(kind.begin(), kind.end(), kTransmission), 1156);
  EXPECT_GT(std::count(kind.begin(), kind.end(), kCollective), 100);
  EXPECT_EQ(data.resources.front().name, "s01r2b02");
  EXPECT_EQ(data.resources[1].rank, 0);
  std::map<std::string, int> calls;
  for (std::size_t row = 0; row < kind.size(); ++row) ++calls[name_of(data, "messages", row)];
  EXPECT_EQ(data.find("calls")->rows(), 0u);
  EXPECT_GT(calls["MPI_Sendrecv"], 100);
  EXPECT_EQ(calls["MPI_Init"], 2);
  EXPECT_FALSE(calls.contains("MPI_Send")) << "50000061 is the alias of a communicator";
  EXPECT_EQ(data.find("counters")->rows(), 2u * 8u);
  EXPECT_EQ(name_of(data, "counters", 0).substr(0, 5), "PAPI_");
  for (const auto& c : data.find("launches")->columns) EXPECT_NE(c.name.substr(0, 5), "mean_");
}

class Paraver : public testing::Test {
protected:
  store::TraceData import_text(const std::string& prv, const std::string& pcf = {},
                               const std::string& row = {}) {
    write_bytes(folder_.path("t.prv"), prv);
    if (!pcf.empty()) write_bytes(folder_.path("t.pcf"), pcf);
    if (!row.empty()) write_bytes(folder_.path("t.row"), row);
    return import_good({folder_.path("t.prv")});
  }
  TemporaryFolder folder_;
};

TEST_F(Paraver, HeadersOfAllFormsNameTheirTasks) {
  struct Form {
    const char* header;
    std::int64_t hosts, processes;
  };
  for (const auto& form : {Form{"#Paraver (01/02/2020 at 10:11):100_ns:1(4):1:4(1:1,1:1,1:1,1:1),5", 1, 4},
                           Form{"#Paraver (01/02/20 at 10:11):100:2(4,4):2:1(1:1):1(1:2),14", 2, 2},
                           Form{"#Paraver (01/02/2020 at 10:11):100_ns:2(1,1,):2:1(1:1),1(1:2),14", 2, 2},
                           Form{"#Paraver (01/02/2020 at 10:11):100_ns:0:1:2(1:0,1:0)", 1, 2},
                           Form{"#Paraver (01/02/2020 at 10:11):100_ns:0:1:2:(1:1,6:1)", 1, 2}}) {
    const bool two = std::string(form.header).find(":2:1(1:1)") != std::string::npos;
    std::string body = "\n\n# a comment\nc:1:1:2:1:2\n";
    for (int task = 1; task <= form.processes; ++task)
      body += two ? fmt::format("1:0:{}:1:1:0:10:1\n", task) : fmt::format("1:0:1:{}:1:0:10:1\n", task);
    const auto data = import_text(form.header + body);
    EXPECT_EQ(count(data, ResourceKind::Host), form.hosts) << form.header;
    EXPECT_EQ(count(data, ResourceKind::Process), form.processes) << form.header;
    EXPECT_EQ(reported(data, "undeclared-objects"), 0) << form.header;
    EXPECT_EQ(reported(data, "bad-record"), 0) << form.header;
  }
}

TEST_F(Paraver, MicrosecondsWrongDurationsAndNegativeValues) {
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):5:1(1):1:1(1:1)\n"
                                "1:1:1:1:1:2:9:1\n"
                                "2:1:1:1:1:4:42000050:-16862\n"
                                "2:1:1:1:1:4:777:1\n");
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "start"), (Integers{2000}));
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration"), (Integers{7000}));
  EXPECT_EQ(name_of(data, "ranges", 0), "Running");
  EXPECT_EQ(column<double>(data, "samples", "value"), (std::vector<double>{-16862}));
  expect_reported(data, {{"wrong-duration", 1}, {"no-names", 1}, {"no-rows", 1}, {"other-events", 1}});
}

TEST_F(Paraver, TheOnlyTaskIsARankIfAnythingShowsMpi) {
  const std::string header = "#Paraver (01/02/2020 at 10:11):9_ns:1(1):1:1(2:1)\n",
                    state = "1:1:1:1:1:0:9:1\n", call = "2:1:1:1:1:2:50000003:31\n2:1:1:1:1:3:50000003:0\n",
                    types = "EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n0 End\n1 MPI_Send\n",
                    others = "EVENT_TYPE\n9 60000018 Executed OpenMP parallel function\nVALUES\n0 End\n";
  const auto rank_of = [&](const std::string& prv, const std::string& pcf) {
    for (const auto& one : import_text(prv, pcf).resources)
      if (one.kind == ResourceKind::Process) return one.rank;
    return -9;
  };
  EXPECT_EQ(rank_of(header + state, others), -1);
  EXPECT_EQ(rank_of(header + state + call, others), 0);
  EXPECT_EQ(rank_of(header + "c:1:1:1:1\n" + state, others), 0);
  EXPECT_EQ(rank_of(header + state, types), 0);
  EXPECT_EQ(rank_of(header + "# ranks of tasks: 0\n" + state, others), 0);
  EXPECT_EQ(rank_of(header + "# ranks of tasks: -\n" + state + call, others), -1);
  EXPECT_EQ(rank_of(header + "# ranks of tasks: 7,x,,99999999999\n" + state, others), 7);
}

TEST_F(Paraver, TasksWithoutRecordsAreReported) {
  const std::string header = "#Paraver (01/02/2020 at 10:11):20_ns:1(4):1:4(1:1,1:1,1:1,1:1)\n";
  const std::string body = "1:1:1:1:1:0:20:1\n1:1:1:3:1:0:20:1\n";
  const auto data = import_text(header + body);
  EXPECT_EQ(count(data, ResourceKind::Process), 2);
  expect_reported(data, {{"tasks-without-records", 2}});
  const auto part = import_text(header + "# ranks of tasks: 0,-,2,-\n" + body);
  expect_reported(part, {{"tasks-without-records", 0}});
}

TEST_F(Paraver, NodesWithoutANameAreDifferent) {
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):20_ns:2(1,1):1:2(1:1,1:2)\n"
                                "1:1:1:1:1:0:20:1\n1:2:1:2:1:0:20:1\n");
  std::set<std::string> names;
  for (const auto& r : data.resources)
    if (r.kind == ResourceKind::Host) names.insert(r.name.substr(0, r.name.find(" of ")));
  EXPECT_EQ(names, (std::set<std::string>{"host 1", "host 2"}));
}

TEST_F(Paraver, ValuesNamedBeginHaveTheNameOfTheirType) {
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):20_ns:1(1):1:1(1:1)\n"
                                "2:1:1:1:1:5:40000003:1\n2:1:1:1:1:9:40000003:0\n",
                                "EVENT_TYPE\n6 40000003 Flushing Traces\nVALUES\n0 End\n1 Begin\n");
  const auto& names = data.find("ranges")->get<std::uint32_t>("name");
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(data.strings[StringId{names[0]}], "Flushing Traces");
}

TEST_F(Paraver, UnsortedEventsAreReported) {
  const std::string header = "#Paraver (01/02/2020 at 10:11):20_ns:1(2):1:2(1:1,1:1)\n";
  const auto sorted = import_text(header + "2:1:1:1:1:5:50000002:8\n2:2:1:2:1:3:50000002:8\n"
                                           "2:2:1:2:1:9:50000002:0\n2:1:1:1:1:9:50000002:0\n");
  expect_reported(sorted, {{"unsorted-records", 0}});
  const auto unsorted = import_text(header + "2:1:1:1:1:9:50000002:0\n2:1:1:1:1:5:50000002:8\n");
  expect_reported(unsorted, {{"unsorted-records", 1}});
}

TEST_F(Paraver, KindsOfRowsOfTheWholeTraceAreRead) {
  const std::string header = "#Paraver (01/02/2020 at 10:11):20_ns:1(3):1:2(2:1,1:1)\n";
  const auto kinds_of = [&](const std::string& comment) {
    std::map<std::string, std::uint32_t> kinds;
    const auto data = import_text(header + comment + "1:1:1:1:1:0:20:1\n");
    for (const auto& r : data.resources)
      if (r.kind == ResourceKind::Thread)
        kinds[fmt::format("{}.{}", data.resources[r.parent].number, r.number)] = r.recorded;
    return kinds;
  };
  using Kinds = std::map<std::string, std::uint32_t>;
  EXPECT_EQ(kinds_of(""), (Kinds{{"1.1", 0}}));
  EXPECT_EQ(kinds_of("# recorded in the whole trace: 1.1:1152,2.1:128\n"),
            (Kinds{{"1.1", 1152}, {"2.1", 128}}));
  EXPECT_EQ(kinds_of("# recorded in the whole trace: 1.2:7,9.1:3,1.9:3,x\n"),
            (Kinds{{"1.1", 0}, {"1.2", 7}}));
  EXPECT_EQ(kinds_of("# recorded in the whole trace: 1.2\n"), (Kinds{{"1.1", 0}}));
  EXPECT_EQ(kinds_of("# recorded in the whole trace: -1.-1:5,99999999999999999999.1:1\n"),
            (Kinds{{"1.1", 0}}));
}

TEST_F(Paraver, SeveralApplicationsAreReportedAndNamed) {
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):20_ns:1(3):2:2(1:1,1:1):1(1:1)\n"
                                "1:1:1:1:1:0:20:1\n1:1:1:2:1:0:20:1\n1:1:2:1:1:0:20:1\n",
                                {}, "LEVEL TASK SIZE 3\nTASK 1.1\nsolver\nTASK 2.1\n");
  std::vector<std::string> names;
  for (const auto& r : data.resources)
    if (r.kind == ResourceKind::Process) names.push_back(fmt::format("{}: {}", r.rank, r.name));
  EXPECT_EQ(names, (std::vector<std::string>{"0: application 1, rank 0", "1: application 1, rank 1: solver",
                                             "2: application 2, rank 0"}));
  expect_reported(data, {{"several-applications", 1}, {"tasks-without-records", 0}});
}

TEST_F(Paraver, TheTraceEndsWhereItsHeaderStates) {
  const std::string body = "2:1:1:1:1:1:50000002:0\n2:1:1:1:1:2:50000002:8\n2:1:1:1:1:4:50000002:0\n"
                           "2:1:1:1:1:9:50000002:8\n";
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):20_ns:1(1):1:1(1:1)\n" + body);
  EXPECT_EQ(column<std::int64_t>(data, "messages", "start"), (Integers{2, 9}));
  EXPECT_EQ(column<std::int64_t>(data, "messages", "duration"), (Integers{2, 11}));
  EXPECT_EQ(data.manifest.sources.front().end_ns, 20);
  expect_reported(data, {{"open-range", 1}, {"end-without-begin", 1}, {"wrong-duration", 0}});
  const auto shorter = import_text("#Paraver (01/02/2020 at 10:11):5_ns:1(1):1:1(1:1)\n" + body);
  EXPECT_EQ(column<std::int64_t>(shorter, "messages", "duration"), (Integers{2, 0}));
  EXPECT_FALSE(shorter.manifest.sources.front().end_ns);
  expect_reported(shorter, {{"wrong-duration", 1}});
}

TEST_F(Paraver, NumbersOfExtraeHaveNamesWithoutLabels) {
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):100_ns:1(1):1:1(1:1)\n"
                                "2:1:1:1:1:0:50000003:31:42000050:7:42000059:9:42000107:3:45000006:2\n"
                                "2:1:1:1:1:2:50000003:0\n2:1:1:1:1:4:50000002:30\n2:1:1:1:1:5:50000002:0\n"
                                "2:1:1:1:1:6:50000001:999:42009999:1\n2:1:1:1:1:7:50000001:0\n");
  std::vector<std::string> calls, counters;
  for (std::size_t row = 0; row < 3; ++row) calls.push_back(name_of(data, "messages", row));
  EXPECT_EQ(calls, (std::vector<std::string>{"MPI_Init", "MPI_Scan", "event 50000001 999"}));
  for (std::size_t row = 0; row < data.find("counters")->rows(); ++row)
    counters.push_back(name_of(data, "counters", row));
  std::ranges::sort(counters);
  EXPECT_EQ(counters, (std::vector<std::string>{"PAPI_REF_CYC", "PAPI_TOT_CYC", "PAPI_TOT_INS",
                                                "Soft page faults", "event 42009999"}));
}

TEST_F(Paraver, OnlyTypesOfMpiCallsAreCalls) {
  const std::string prv = "#Paraver (01/02/2020 at 10:11):100_ns:1(1):1:1(1:1)\n"
                          "2:1:1:1:1:0:50000003:31\n2:1:1:1:1:2:50000061:1\n2:1:1:1:1:3:50000061:0\n"
                          "2:1:1:1:1:4:50000003:0\n2:1:1:1:1:5:50000007:1\n2:1:1:1:1:6:50000007:0\n";
  const auto without = import_text(prv);
  ASSERT_EQ(without.find("messages")->rows(), 1u);
  EXPECT_EQ(column<std::int64_t>(without, "messages", "duration"), (Integers{4}));
  EXPECT_EQ(reported(without, "other-events"), 4);
  const auto named =
      import_text(prv, "EVENT_TYPE\n9 50000007 MPI Dynamic\nVALUES\n1 MPI_Comm_spawn\n0 End\n");
  ASSERT_EQ(named.find("messages")->rows(), 2u);
  EXPECT_EQ(name_of(named, "messages", 1), "MPI_Comm_spawn");
}

TEST_F(Paraver, KnownButUnreadRecordsAreCounted) {
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):9_ns:1(1):1:1(1:1)\n"
                                "2:1:1:1:1:2:50000001:1:50100001:8:70000001:5:80000001:6\n"
                                "2:1:1:1:1:4:50000001:0:70000001:0\n");
  EXPECT_EQ(reported(data, "details-left-out"), 3) << report_of(data); // without the size of the message
  EXPECT_EQ(reported(data, "other-events"), 0);
  EXPECT_EQ(column<std::int64_t>(data, "messages", "bytes")[0], 8);
}

TEST_F(Paraver, HeadersInCapitalsAndInMilliseconds) {
  const auto data = import_text(
      "#PARAVER (1/2/2024 at 1:1):9.500000_ms:1(4):1:1:(1:1)\n1:1:1:1:1:0:4:1\n1:1:1:1:1:4:9:0\n");
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration").front(), 4'000'000);
  EXPECT_EQ(reported(data, "undeclared-objects"), 0);
}

TEST_F(Paraver, CommunicationsOutOfPlaceAndFunctionsInEachOther) {
  const auto data =
      import_text("#Paraver (01/02/2020 at 10:11):900_ns:1(2):1:2(1:1,1:1),2\n"
                  "2:1:1:1:1:100:60000019:5\n"
                  "2:1:1:1:1:200:60000019:6:50000001:1\n"
                  "2:1:1:1:1:300:50000001:0\n"
                  "2:1:1:1:1:400:60000019:0\n"
                  "2:1:1:1:1:500:60000019:0\n"
                  "3:1:1:1:1:210:220:2:1:2:1:260:250:4096:7\n"
                  "3:1:1:1:1:210:270:2:1:2:1:260:250:8:7\n",
                  "EVENT_TYPE\n0 60000019 User function\nVALUES\n0 End\n5 outer\n 6  inner one\n");
  EXPECT_EQ(name_of(data, "ranges", 0), "outer");
  EXPECT_EQ(name_of(data, "ranges", 1), "inner one");
  EXPECT_EQ(column<std::uint8_t>(data, "ranges", "depth"), (Codes{0, 1}));
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration"), (Integers{400, 200}));
  EXPECT_EQ(data.find("calls")->rows(), 0u);
  EXPECT_EQ(name_of(data, "messages", 0), "MPI_Send");
  EXPECT_EQ(column<std::uint8_t>(data, "messages", "kind"),
            (Codes{kPointToPoint, kTransmission, kTransmission}));
  EXPECT_EQ(column<std::int64_t>(data, "messages", "bytes"), (Integers{-1, 4096, 8}));
  EXPECT_EQ(column<std::int64_t>(data, "messages", "duration"), (Integers{100, 30, 0}));
  EXPECT_EQ(column<std::uint32_t>(data, "messages", "peer")[1], 1u);
  EXPECT_EQ(reported(data, "early-receive"), 1);
  EXPECT_EQ(column<std::int64_t>(data, "messages", "sent_before"), (Integers{0, 10, 60}))
      << "logical times, relative to the physical ones";
  EXPECT_EQ(column<std::int64_t>(data, "messages", "received_after"), (Integers{0, 10, -10}));
}

TEST_F(Paraver, ExtraeStreamsRunKernelsInStates) {
  const auto data =
      import_text("#Paraver (01/02/2020 at 10:11):900_ns:1(2):1:1(3:1)\n"
                  "1:1:1:1:1:0:900:1\n"
                  "1:0:1:1:2:0:100:0\n"
                  "1:0:1:1:2:100:200:1\n"
                  "2:0:1:1:2:100:63000019:3\n"
                  "2:0:1:1:2:200:63000019:0\n"
                  "1:0:1:1:2:300:350:17\n"
                  "1:0:1:1:2:360:370:17\n"
                  "1:0:1:1:2:380:390:17\n"
                  "1:0:1:1:3:400:450:1\n"
                  "2:1:1:1:1:80:63000001:1\n2:1:1:1:1:90:63000001:0\n"
                  "3:1:1:1:1:85:85:0:1:1:2:100:100:0:1\n"
                  "3:1:1:1:1:95:95:0:1:1:2:300:300:4096:1\n"
                  "3:0:1:1:2:370:370:1:1:1:1:390:390:64:1\n",
                  "EVENT_TYPE\n9 63000019 CUDA kernel\nVALUES\n0 End\n3 axpy\n\n"
                  "EVENT_TYPE\n9 63000001 CUDA library call\nVALUES\n0 End\n1 cudaLaunch\n",
                  "LEVEL NODE SIZE 1\nnode7\n\nLEVEL THREAD SIZE 3\nTHREAD 1.1.1\nCUDA-D1.S1-node7\n"
                  "HIP-D2.S4-node7\n");
  EXPECT_EQ(launch_starts(data), (Integers{100, 400}));
  EXPECT_EQ(name_of(data, "kernels", 0), "axpy");
  EXPECT_EQ(reported(data, "missing-name"), 1);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "duration"), (Integers{50, 10, 10}));
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096, 64, store::kUnknownBytes}));
  using enum TransferKind;
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(HostToDevice), static_cast<std::uint8_t>(DeviceToHost),
                   static_cast<std::uint8_t>(Unknown)}));
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, kNone}));
  EXPECT_EQ(reported(data, "missing-bytes"), 1);
  EXPECT_EQ(count(data, ResourceKind::Device), 2);
  EXPECT_EQ(count(data, ResourceKind::Thread), 1);
  EXPECT_EQ(data.resources.front().name, "node7");
  EXPECT_EQ(reported(data, "no-kernels"), 0);
}

// States of the host say nothing about streams without states; events may precede the states of their
// stream.
TEST_F(Paraver, StatesDescribeTheStreamsThatHaveThem) {
  const std::string names = "EVENT_TYPE\n0 63000006 CUDA kernel\nVALUES\n0 End\n3 axpy\n4 gemm\n";
  const std::string rows =
      "LEVEL NODE SIZE 1\nnode7\nLEVEL THREAD SIZE 3\nTHREAD 1.1.1\nCUDA-D0.S7\nCUDA-D0.S13\n";
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):900_ns:1(2):1:1(3:1)\n"
                                "1:1:1:1:1:0:900:1\n"
                                "2:0:1:1:2:100:63000006:3\n2:0:1:1:2:200:63000006:0\n"
                                "2:0:1:1:3:300:63000006:4\n1:0:1:1:3:300:400:1\n2:0:1:1:3:400:63000006:3\n"
                                "1:0:1:1:3:400:450:1\n2:0:1:1:3:450:63000006:0\n1:0:1:1:3:500:550:1\n",
                                names, rows);
  EXPECT_EQ(launch_starts(data), (Integers{100, 300, 400, 500}));
  EXPECT_EQ(launch_durations(data), (Integers{100, 100, 50, 50}));
  std::vector<std::string> found;
  for (const auto configuration : column<std::uint32_t>(data, "launches", "configuration"))
    found.push_back(
        name_of(data, "kernels", column<std::uint32_t>(data, "configurations", "kernel")[configuration]));
  EXPECT_EQ(found, (std::vector<std::string>{"axpy", "gemm", "axpy", "(unknown kernel)"}));
  EXPECT_EQ(reported(data, "missing-name"), 1);
}

TEST_F(Paraver, NodesKeepTheirNames) {
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):900_ns:2(1,1):1:2(1:1,1:2)\n"
                                "1:1:1:1:1:0:900:1\n1:2:1:2:1:0:900:1\n",
                                {}, "LEVEL NODE SIZE 2\nnode7\nnode8\n");
  std::vector<std::string> hosts;
  for (const auto& resource : data.resources)
    if (resource.kind == ResourceKind::Host) hosts.push_back(resource.name);
  EXPECT_EQ(hosts, (std::vector<std::string>{"node7", "node8"}));
}

TEST_F(Paraver, Nsys2prvOfBothVersions) {
  const std::string row = "LEVEL NODE SIZE 1\nnode1\nLEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D0.S7\n";
  const auto old = import_text(
      "#Paraver (01/02/2024 at 10:11):900_ns:0:1:1:(2:1)\n"
      "2:0:1:1:1:50:63000000:4:9200:11\n2:0:1:1:1:60:63000000:0:9200:0\n"
      "2:0:1:1:2:100:63000006:1:9101:4:9102:2:9103:1:9104:128:9105:1:9106:1:9107:32:9200:11\n"
      "2:0:1:1:2:300:63000006:0:9101:0:9102:0:9103:0:9104:0:9105:0:9106:0:9107:0:9200:0\n"
      "2:0:1:1:2:400:63000006:2:63000002:4096:9200:12\n2:0:1:1:2:450:63000006:0:63000002:0:9200:0\n",
      "EVENT_TYPE\n0 63000000 CUDA library call\nVALUES\n0 End\n4 cudaLaunchKernel\n\n"
      "EVENT_TYPE\n0 63000006 CUDA kernel\nVALUES\n0 End\n1 axpy\n2 [CUDA memcpy HtoD]\n\n"
      "EVENT_TYPE\n0 9107 Registers per thread\n0 63000002 Bytes\n",
      row);
  EXPECT_EQ(launch_durations(old), (Integers{200}));
  EXPECT_EQ(column<std::uint32_t>(old, "configurations", "grid_x")[0], 4u);
  EXPECT_EQ(column<std::uint32_t>(old, "configurations", "block_x")[0], 128u);
  EXPECT_EQ(column<std::uint32_t>(old, "configurations", "registers")[0], 32u);
  EXPECT_EQ(column<float>(old, "launches", "queue_delay_ns")[0], 40.0f);
  EXPECT_EQ(column<std::int64_t>(old, "transfers", "bytes"), (Integers{4096}));
  EXPECT_EQ(column<std::uint8_t>(old, "transfers", "kind")[0],
            static_cast<std::uint8_t>(TransferKind::HostToDevice));

  const auto recent = import_text(
      "#Paraver (01/02/2025 at 10:11):900_ns:0:1:1:(2:1)\n"
      "2:0:1:1:2:100:63000006:1:9101:4:9102:2:9103:1:9104:128:9105:1:9106:1:9107:512:9108:64:9110:32:9200:"
      "11\n"
      "2:0:1:1:2:300:63000006:0\n"
      "2:0:1:1:2:310:63000007:9\n2:0:1:1:2:320:63000007:0\n"
      "2:0:1:1:2:400:63000001:3:63000002:64\n2:0:1:1:2:450:63000001:0:63000002:0\n",
      "EVENT_TYPE\n  0   63000006   CUDA kernel\nVALUES\n  0 End\n  1 axpy\n\nEVENT_TYPE\n 0 63000007 NCCL "
      "kernel\nVALUES\n"
      " 0 End\n 9 ncclKernel_AllReduce\n\nEVENT_TYPE\n 0 63000001 CUDA memcpy and memset\nVALUES\n 0 End\n 3 "
      "Memset\n\nEVENT_TYPE\n 0 9107 Static shared memory\n 0 9108 Dynamic shared memory\n 0 9110 "
      "Registers\n",
      row);
  EXPECT_EQ(launch_durations(recent), (Integers{200, 10}));
  EXPECT_EQ(column<std::uint32_t>(recent, "configurations", "static_shared_memory")[0], 512u);
  EXPECT_EQ(column<std::uint32_t>(recent, "configurations", "dynamic_shared_memory")[0], 64u);
  EXPECT_EQ(column<std::uint32_t>(recent, "configurations", "registers")[0], 32u);
  EXPECT_EQ(column<std::uint8_t>(recent, "transfers", "kind")[0],
            static_cast<std::uint8_t>(TransferKind::Memset));
}

// States show when a stream was busy, even with overlapping kernels; events at the same time name the
// kernels.
TEST_F(Paraver, StatesAndEventsWithParametersAreReadTogether) {
  const auto data = import_text(
      "#Paraver (01/02/2025 at 10:11):900_ns:0:1:1(2:1)\n"
      "1:0:1:1:2:100:300:1\n2:0:1:1:2:100:63000006:1:9101:4:9104:128:9110:32:9200:11\n"
      "1:0:1:1:2:200:400:1\n2:0:1:1:2:200:63000006:2:9101:8:9104:64:9110:16:9200:12\n"
      "2:0:1:1:2:300:63000006:0\n2:0:1:1:2:400:63000006:0\n"
      "1:0:1:1:2:500:600:17\n2:0:1:1:2:500:63000001:1:63000002:4096:9200:13\n2:0:1:1:2:600:63000001:0\n",
      "EVENT_TYPE\n0 63000006 CUDA kernel\nVALUES\n0 End\n1 axpy\n2 gemm\n\n"
      "EVENT_TYPE\n0 63000001 CUDA memcpy kernel\nVALUES\n0 End\n1 [CUDA memcpy DtoH]\n",
      "LEVEL NODE SIZE 1\nnode1\nLEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D0.S7\n");
  EXPECT_EQ(launch_durations(data), (Integers{200, 200}));
  std::vector<std::uint32_t> grids;
  for (const auto configuration : column<std::uint32_t>(data, "launches", "configuration"))
    grids.push_back(column<std::uint32_t>(data, "configurations", "grid_x")[configuration]);
  EXPECT_EQ(grids, (Rows{4, 8}));
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "correlation"), (Rows{11, 12}));
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4096}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind")[0],
            static_cast<std::uint8_t>(TransferKind::DeviceToHost));
  EXPECT_EQ(reported(data, "missing-bytes"), 0);
}

// Samples are in a row of their own, whose number may differ from that of the device.
TEST_F(Paraver, MetricsOfAGpuAreOfTheDeviceOfItsStreams) {
  const auto devices_of_metrics = [&](const std::string& streams, const std::string& metrics) {
    const auto data = import_text(
        "#Paraver (01/02/2024 at 10:11):900_ns:0:1:1:(4:1)\n"
        "2:0:1:1:4:50:9400:55\n2:0:1:1:4:150:9400:60:9401:1410000000\n"
        "2:0:1:1:2:100:63000006:4\n2:0:1:1:2:200:63000006:0\n"
        "2:0:1:1:3:300:63000006:4\n2:0:1:1:3:400:63000006:0\n",
        "EVENT_TYPE\n0 63000006 CUDA kernels\nVALUES\n4 gemm\n\n"
        "EVENT_TYPE\n7 9400 SMs Active [Throughput %]\n7 9401 GPC Clock Frequency [MHz]\n",
        "LEVEL NODE SIZE 1\nnode1\nLEVEL THREAD SIZE 4\nTHREAD 1.1.1\n" + streams + metrics + "\n");
    const auto* counters = data.find("counters");
    const auto& resource = data.resources[counters->get<std::uint32_t>("device")[0]];
    EXPECT_EQ(data.strings[StringId{counters->get<std::uint32_t>("unit")[1]}], "%");
    EXPECT_EQ(data.strings[StringId{counters->get<std::uint32_t>("unit")[0]}], "Hz");
    return resource.kind == ResourceKind::Device ? resource.number : -1;
  };
  EXPECT_EQ(devices_of_metrics("CUDA-D0.S7\nCUDA-D1.S7\n", "Metrics GPU1"), 1);
  EXPECT_EQ(devices_of_metrics("CUDA-D0.S7\nCUDA-D0.S8\n", "Metrics GPU3"), 0);
  EXPECT_EQ(devices_of_metrics("CUDA-D0.S7\nCUDA-D1.S7\n", "Metrics GPU3"), -1);
}

TEST_F(Paraver, NamesAloneAreRefused) {
  write_bytes(folder_.path("a.pcf"), "DEFAULT_OPTIONS\n\nLEVEL THREAD\n");
  write_bytes(folder_.path("a.row"), "LEVEL CPU SIZE 1\n1.node\n");
  for (const auto* file : {"a.pcf", "a.row"}) {
    const auto data = import_files({folder_.path(file)}, Job{});
    ASSERT_FALSE(data.has_value());
    EXPECT_EQ(data.error().kind, ErrorKind::BadInput);
    EXPECT_NE(data.error().hint.find("Open the .prv"), std::string::npos);
  }
}

TEST_F(Paraver, DamageIsDroppedAndCounted) {
  const auto data = import_text("#Paraver (01/02/2020 at 10:11):900_ns:1(1):1:1(1:1)\n"
                                "1:1:1:1:1:0:100:1\n"
                                "1:1:1:1:1:100\n"          // too short
                                "1:1:1:1:1:300:200:1\n"    // ends before it begins
                                "1:1:1:0:1:300:400:1\n"    // task 0
                                "1:1:1:1:1:x:400:1\n"      // not a number
                                "9:1:1:1:1:300:400:1\n"    // unknown kind of record
                                "2:1:1:1:1:300:42000050\n" // type without value
                                "2:1:1:1:1:300:42000050:99999999999999999999\n"
                                "3:1:1:1:1:1:2\n"       // too short
                                "1:1:7:8:9:100:200:1\n" // not in the header
                                "1:1:1:1:1:9000000000000000000:9100000000000000000:1\n"
                                "2:1:1:1:1:500:50000002:8\n" // never ends
                                "1:1:1:1:1:600:7"            // truncated
  );
  EXPECT_EQ(data.find("ranges")->rows(), 2u);
  expect_reported(data, {{"negative-duration", 1},
                         {"unknown-object", 1},
                         {"undeclared-objects", 1},
                         {"impossible-time", 1},
                         {"huge-value", 1},
                         {"open-range", 1},
                         {"bad-record", 6}});
}

TEST_F(Paraver, AnyBeginningOfATraceOpensOrStatesWhyNot) {
  const std::string prv =
      "#Paraver (01/02/2020 at 10:11):900_ns:1(2):1:2(1:1,1:1),2\n"
      "2:1:1:1:1:100:60000019:5\n3:1:1:1:1:210:220:2:1:2:1:260:250:4096:7\n1:1:1:1:1:0:900:1\n";
  for (std::size_t length = 1; length < prv.size(); ++length) {
    write_bytes(folder_.path("cut.prv"), prv.substr(0, length));
    const auto data = import_files({folder_.path("cut.prv")}, Job{});
    if (!data) {
      EXPECT_EQ(data.error().kind, ErrorKind::BadInput) << length;
    }
  }
}

} // namespace
} // namespace jitterscope::import
