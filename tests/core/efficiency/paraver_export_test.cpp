#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <utility>

#include "core/efficiency/cut/reduce.h"
#include "core/efficiency/efficiency.h"
#include "core/efficiency/paraver/paraver_export.h"
#include "core/import/import.h"
#include "tests/core/efficiency/program.h"
#include "tests/support/open_session.h"
#include "tests/support/real_data.h"

using namespace jitterscope;
using namespace jitterscope::efficiency;
using test::OpenSession;

namespace {

store::TraceData imported(const std::string& path) {
  auto data = import::import_files({path}, {}, {});
  if (!data) throw std::runtime_error(describe(data.error()));
  return std::move(*data);
}

/// The trace written for Paraver and read again.
store::TraceData again(const OpenSession& open) {
  const auto path = open.folder.file("again.prv");
  const auto report = export_paraver(*open.session, path, {});
  if (!report) throw std::runtime_error(describe(report.error()));
  return imported(path);
}

/// A line for each row, with the values that an export must keep. Rows with the same start are sorted by
/// line.
std::vector<std::string> launches_of(const analysis::Session& session) {
  std::vector<std::string> lines;
  const auto& trace = session.traces().front();
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  for (std::size_t row = 0; row < trace.starts().size(); ++row) {
    const auto& c = session.configurations()[trace.configuration[trace.configurations()[row]]];
    const auto& stream = trace.store.resources()[streams[row]];
    std::string line = std::to_string(trace.starts()[row]) + " " + std::to_string(trace.durations()[row]) +
                       " " + session.kernels()[c.kernel].name + " " + std::to_string(stream.number) + " " +
                       std::to_string(trace.store.resources()[stream.parent].number);
    for (const auto value : {c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2],
                             c.static_shared_memory, c.dynamic_shared_memory, c.registers})
      line += " " + std::to_string(value);
    lines.push_back(line);
  }
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> transfers_of(const analysis::Session& session) {
  std::vector<std::string> lines;
  const auto& store = session.traces().front().store;
  const auto starts = store.starts("transfers");
  const auto durations = store.column<std::int64_t>("transfers", "duration");
  const auto bytes = store.column<std::int64_t>("transfers", "bytes");
  const auto kinds = store.column<std::uint8_t>("transfers", "kind");
  for (std::size_t row = 0; row < starts.size(); ++row) {
    if (store::is_migration(static_cast<store::TransferKind>(kinds[row]))) continue;
    lines.push_back(std::to_string(starts[row]) + " " + std::to_string(durations[row]) + " " +
                    std::to_string(bytes[row]) + " " + std::to_string(kinds[row]));
  }
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> named_rows(const analysis::Session& session, const char* table) {
  std::vector<std::string> lines;
  const auto& store = session.traces().front().store;
  const auto starts = store.starts(table);
  const auto durations = store.column<std::int64_t>(table, "duration");
  const auto names = store.column<std::uint32_t>(table, "name");
  for (std::size_t row = 0; row < starts.size(); ++row)
    lines.push_back(std::to_string(starts[row]) + " " + std::to_string(durations[row]) + " " +
                    std::string(store.string({names[row]})));
  std::ranges::sort(lines);
  return lines;
}

void expect_equal_after_export(store::TraceData data) {
  const OpenSession before({std::move(data)});
  const OpenSession after({again(before)});
  EXPECT_EQ(launches_of(*before.session), launches_of(*after.session));
  EXPECT_EQ(transfers_of(*before.session), transfers_of(*after.session));
  EXPECT_EQ(named_rows(*before.session, "calls"), named_rows(*after.session, "calls"));
  EXPECT_EQ(named_rows(*before.session, "messages"), named_rows(*after.session, "messages"));
}

} // namespace

namespace {

/// "node / rank / name" of every process.
std::vector<std::string> processes_of(const store::TraceData& data) {
  std::vector<std::string> lines;
  for (const auto& r : data.resources)
    if (r.kind == store::ResourceKind::Process)
      lines.push_back(data.resources[r.parent].name + " / " + std::to_string(r.rank) + " / " + r.name);
  std::ranges::sort(lines);
  return lines;
}

/// Three ranks on two nodes; a state of each task.
std::string three_ranks(const test::TemporaryFolder& folder) {
  const auto path = folder.file("three.prv");
  std::ofstream(path) << "#Paraver (01/01/2026 at 00:00):400_ns:2(2,2):1:3(1:1,1:2,1:2)\n"
                         "1:1:1:1:1:100:300:1\n1:2:1:2:1:100:300:1\n1:3:1:3:1:100:300:1\n";
  std::ofstream(folder.file("three.row")) << "LEVEL NODE SIZE 2\nalpha\nbeta\n\nLEVEL TASK SIZE 3\n"
                                             "first\nsecond\nthird\n\nLEVEL THREAD SIZE 3\na\nb\nc\n";
  return path;
}

} // namespace

TEST(ParaverExport, KeepsTheEndOfTheTrace) {
  const test::TemporaryFolder folder;
  const OpenSession open({imported(three_ranks(folder))});
  EXPECT_EQ(open.session->span().end.count, 400) << "the header states it; the last record ends at 300 ns";
  const OpenSession read({again(open)});
  EXPECT_EQ(read.session->span().end.count, 400);
  ReductionOptions requested;
  requested.range = Interval{{150}, {350}};
  auto reduction = reduce(*open.session, *open.columns, requested, {});
  ASSERT_TRUE(reduction) << describe(reduction.error());
  const OpenSession cut({std::move(reduction->data)});
  EXPECT_EQ(cut.session->span().end.count, 350);
}

TEST(ParaverExport, KeepsMessages) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("messages.prv"), copy = folder.file("copy.prv");
  const std::string records = "1:0:1:1:1:0:400:1\n1:0:1:2:1:0:400:1\n1:0:1:2:2:0:400:1\n"
                              "3:0:1:1:1:90:100:0:1:2:2:120:150:64:3\n"
                              "3:0:1:2:1:200:200:0:1:1:1:260:250:8:-1\n"
                              "3:0:1:2:2:210:210:0:1:1:1:270:270:8:0\n";
  std::ofstream(path) << "#Paraver (01/01/2026 at 00:00):400_ns:1(2):1:2(1:1,2:1)\n" << records;
  const OpenSession open({imported(path)});
  ASSERT_TRUE(export_paraver(*open.session, copy, {}));
  std::ifstream file(copy);
  std::string messages;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("3:")) messages += line + "\n";
  EXPECT_EQ(messages, records.substr(records.find("3:0"))) << "logical times, threads, tags";
}

TEST(ParaverExport, KeepsTheEventTypesOfCounters) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("counters.prv"), copy = folder.file("copy.prv");
  std::ofstream(path) << "#Paraver (01/01/2026 at 00:00):400_ns:0:1:1(1:1)\n"
                         "1:0:1:1:1:0:400:1\n2:0:1:1:1:100:42000000:5:42001047:6:42000050:7\n";
  std::ofstream(folder.file("counters.pcf"))
      << "EVENT_TYPE\n7 42000000 PAPI_L1_DCM\n7 42001047 native\n7 42000050 PAPI_TOT_INS\n";
  const OpenSession open({imported(path)});
  ASSERT_TRUE(export_paraver(*open.session, copy, {}));
  std::ifstream file(copy);
  std::set<std::string> samples;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("2:")) samples.insert(line);
  EXPECT_EQ(samples, (std::set<std::string>{"2:0:1:1:1:100:42000000:5", "2:0:1:1:1:100:42000050:7",
                                            "2:0:1:1:1:100:42001047:6"}));
}

TEST(ParaverExport, WritesSamplesOfDevicesLikeNsys2prv) {
  test::Program program;
  program.add_rank(2);
  program.kernel(0, 0, {0, 50, "a"}), program.kernel(0, 1, {60, 90, "b"});
  constexpr std::uint32_t kDevice = 2; // after host and process
  for (const char* counter : {"SM Active", "DRAM Read"})
    for (int i = 0; i < 3; ++i) program.sample(kDevice, counter, 10 + 20 * i, 3.0 * i);
  const OpenSession open({program.trace()});
  const auto path = open.folder.file("metrics.prv");
  const auto report = export_paraver(*open.session, path, {});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->left_out.empty()) << report->left_out.front();
  std::ifstream in(path), rows(open.folder.file("metrics.row"));
  const std::string text{std::istreambuf_iterator<char>(in), {}},
      names{std::istreambuf_iterator<char>(rows), {}};
  EXPECT_NE(names.find("\nCUDA-D0.S1\nMetrics GPU0\n"), std::string::npos) << names;
  EXPECT_NE(text.find("):90_ns:0:1:1(4:1)"), std::string::npos) << text.substr(0, 80);
  for (const char* sample : {":30:9400:3\n", ":30:9401:3\n", ":50:9400:6\n"})
    EXPECT_NE(text.find(sample), std::string::npos) << sample << text;
  const auto samples_of = [](const analysis::Session& session) {
    std::multiset<std::string> lines;
    const auto& store = session.traces().front().store;
    const auto times = store.column<std::int64_t>("samples", "time");
    const auto counters = store.column<std::uint32_t>("samples", "counter");
    const auto values = store.column<double>("samples", "value");
    const auto labels = store.column<std::uint32_t>("counters", "name"),
               places = store.column<std::uint32_t>("counters", "device");
    for (std::size_t row = 0; row < times.size(); ++row)
      lines.insert(std::to_string(times[row]) + " " + std::string(store.string({labels[counters[row]]})) +
                   " " + std::to_string(values[row]) + " " +
                   std::to_string(static_cast<int>(store.resources()[places[counters[row]]].kind)));
    return lines;
  };
  EXPECT_EQ(samples_of(*OpenSession({imported(path)}).session), samples_of(*open.session));
}

TEST(ParaverExport, KeepsTheTypeOfUserFunctions) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("functions.prv"), copy = folder.file("copy.prv");
  std::ofstream(path) << "#Paraver (01/01/2026 at 00:00):400_ns:0:1:1(1:1)\n"
                         "2:0:1:1:1:100:60000019:1\n2:0:1:1:1:150:60000019:2\n2:0:1:1:1:200:60000019:0\n"
                         "2:0:1:1:1:200:60000019:2\n2:0:1:1:1:300:60000019:0\n2:0:1:1:1:300:60000019:0\n";
  std::ofstream(folder.file("functions.pcf"))
      << "EVENT_TYPE\n9 60000019 User function\nVALUES\n0 End\n1 main\n2 solve\n";
  const OpenSession open({imported(path)});
  ASSERT_TRUE(export_paraver(*open.session, copy, {}));
  std::ifstream file(copy);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text.find(":9600:"), std::string::npos) << text;
  const OpenSession read({imported(copy)});
  EXPECT_EQ(named_rows(*read.session, "ranges"), named_rows(*open.session, "ranges"));
  EXPECT_EQ(named_rows(*open.session, "ranges"),
            (std::vector<std::string>{"100 200 main", "150 50 solve", "200 100 solve"}));
}

TEST(ParaverExport, KeepsNumbersAndLabelsOfStatesAndRanges) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("phases.prv"), copy = folder.file("copy.prv");
  const std::string records = "1:0:1:1:1:0:100:12\n2:0:1:1:1:20:7000001:3\n1:0:1:1:1:100:300:1\n"
                              "2:0:1:1:1:150:7000002:1\n2:0:1:1:1:160:7000001:0\n2:0:1:1:1:250:7000002:0\n"
                              "1:0:1:1:1:300:400:40\n";
  std::ofstream(path) << "#Paraver (01/01/2026 at 00:00):400_ns:0:1:1(1:1)\n" << records;
  std::ofstream(folder.file("phases.pcf"))
      << "STATES\n1 Computing\n12 Group Communication\n40 Odd\n\nEVENT_TYPE\n0 7000001 Phase\nVALUES\n0 End\n"
         "3 setup\n\nEVENT_TYPE\n0 7000002 Lock\nVALUES\n0 End\n1 outer\n";
  const OpenSession open({imported(path)});
  ASSERT_TRUE(export_paraver(*open.session, copy, {}));
  std::ifstream file(copy), names(folder.file("copy.pcf"));
  const std::string text{std::istreambuf_iterator<char>(file), {}},
      labels{std::istreambuf_iterator<char>(names), {}};
  for (const char* part : {"1:0:1:1:1:0:100:12\n", "1:0:1:1:1:100:300:1\n", "1:0:1:1:1:300:400:40\n",
                           ":20:7000001:1\n", ":160:7000001:0\n", ":150:7000002:1\n", ":250:7000002:0\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  for (const char* part :
       {"\n12    Group Communication\n", "\n1    Computing\n", "\n40    Odd\n", " Phase\n", " Lock\n"})
    EXPECT_NE(labels.find(part), std::string::npos) << part << labels;
  EXPECT_EQ(labels.find("\n1    Running"), std::string::npos) << "the trace has another name for this number";
  const OpenSession read({imported(copy)});
  EXPECT_EQ(named_rows(*read.session, "ranges"), named_rows(*open.session, "ranges"));
}

TEST(ParaverExport, OfAPartHasTheEfficienciesOfThePart) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("whole.prv"), part = folder.file("part.prv");
  // The first thread calls MPI before the range; rank 2 has nothing after 400 ns.
  std::ofstream(path) << "#Paraver (01/01/2026 at 00:00):1000_ns:1(4):1:3(2:1,1:1,1:1)\n"
                         "1:1:1:1:1:0:900:1\n1:2:1:1:2:0:1000:1\n1:3:1:2:1:0:1000:1\n1:4:1:3:1:0:300:1\n"
                         "2:1:1:1:1:100:50000002:8\n2:1:1:1:1:200:50000002:0\n"
                         "2:4:1:3:1:300:50000001:1\n2:4:1:3:1:400:50000001:0\n"
                         "2:2:1:1:2:500:50000002:8\n2:3:1:2:1:550:50000002:8\n"
                         "2:2:1:1:2:700:50000002:0\n2:3:1:2:1:700:50000002:0\n";
  const auto numbers_in = [](const OpenSession& open, Interval range) {
    const auto activity = Activity::make(*open.session, *open.communicator, {});
    Options options;
    options.range = range;
    const auto result = efficiencies(*activity, *open.session, options, *open.communicator, {});
    EXPECT_TRUE(result) << describe(result.error());
    std::vector<double> numbers{static_cast<double>(result->hosts.size()),
                                static_cast<double>(result->range.length().count)};
    for (const auto factor : {Factor::HostParallel, Factor::MpiParallel, Factor::MpiLoadBalance})
      numbers.push_back(result->factors[factor].value());
    return numbers;
  };
  const OpenSession whole({imported(path)});
  ReductionOptions requested;
  requested.range = Interval{{450}, {1'000}};
  requested.borders = Borders::Clip;
  auto reduction = reduce(*whole.session, *whole.columns, requested, {});
  ASSERT_TRUE(reduction) << describe(reduction.error());
  const OpenSession cut({std::move(reduction->data)});
  ASSERT_TRUE(export_paraver(*cut.session, part, {}));
  const OpenSession read({imported(part)});
  const auto expected = numbers_in(whole, *requested.range);
  EXPECT_EQ(expected[0], 4);
  EXPECT_EQ(numbers_in(cut, *requested.range), expected);
  EXPECT_EQ(numbers_in(read, *requested.range), expected);
}

TEST(ParaverExport, StatesItsTimeZero) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("late.prv");
  std::ofstream(path) << "#Paraver (01/01/2026 at 00:00):9000000000500_ns:1(1):1:1(1:1)\n"
                         "1:1:1:1:1:9000000000007:9000000000300:1\n";
  const OpenSession open({imported(path)});
  const auto report = export_paraver(*open.session, open.folder.file("copy.prv"), {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->left_out,
            std::vector<std::string>{"time 0 of the Paraver trace is 9000000000007 ns on the clock of the "
                                     "file that the trace was imported from"});
  EXPECT_EQ(open.session->span().end.count, 493);
  EXPECT_EQ(open.session->traces().front().store.manifest().sources.front().alignment,
            "zero is the first activity, at 9000000000007 ns on the clock of the file");
}

TEST(ParaverExport, KeepsRanksAndNodes) {
  test::TemporaryFolder folder;
  const OpenSession open({imported(three_ranks(folder))});
  EXPECT_EQ(processes_of(again(open)),
            (std::vector<std::string>{"alpha / 0 / first", "beta / 1 / second", "beta / 2 / third"}));
}

TEST(ParaverExport, KeepsProcessesWithoutARank) {
  for (const int processes : {1, 3}) {
    test::Program program;
    for (int rank = 0; rank < processes; ++rank) {
      program.add_rank(1);
      program.kernel(rank, 0, {10, 20, "gemm"});
      program.state(program.thread(rank), {0, 30, "Running"});
    }
    auto data = program.trace();
    for (auto& one : data.resources)
      if (one.rank == 1 || processes == 1) one.rank = -1;
    const OpenSession open({std::move(data)});
    std::multiset<std::int32_t> ranks;
    for (const auto& one : again(open).resources)
      if (one.kind == store::ResourceKind::Process) ranks.insert(one.rank);
    EXPECT_EQ(ranks,
              processes == 1 ? (std::multiset<std::int32_t>{-1}) : (std::multiset<std::int32_t>{-1, 0, 2}));
  }
}

TEST(ParaverExport, OfSomeRanksKeepsTheirNumbersAndNodes) {
  test::TemporaryFolder folder;
  const OpenSession whole({imported(three_ranks(folder))});
  ReductionOptions requested;
  requested.ranks = {2};
  auto part = reduce(*whole.session, *whole.columns, requested, {});
  ASSERT_TRUE(part) << describe(part.error());
  const OpenSession open({std::move(part->data)});
  EXPECT_EQ(processes_of(again(open)), std::vector<std::string>{"beta / 2 / third"});
  std::ifstream file(open.folder.file("again.prv"));
  std::string header;
  std::getline(file, header);
  EXPECT_NE(header.find(":2(1,1):1:3(1:1,1:1,1:2)"), std::string::npos) << header;
}

TEST(ParaverExport, StatesWhichRanksItCannotKeep) {
  test::TemporaryFolder folder;
  const OpenSession open({imported(three_ranks(folder)), imported(three_ranks(folder))});
  const auto report = export_paraver(*open.session, open.folder.file("both.prv"), {});
  ASSERT_TRUE(report) << describe(report.error());
  ASSERT_EQ(report->left_out.size(), 1u);
  EXPECT_NE(report->left_out[0].find("3 processes have another rank"), std::string::npos)
      << report->left_out[0];
  EXPECT_EQ(processes_of(imported(open.folder.file("both.prv"))).size(), 6u);
}

TEST(ParaverExport, KeepsSamplesOutsideTheOtherRecords) {
  test::TemporaryFolder folder;
  const auto path = folder.file("p.prv");
  std::ofstream(path) << "#Paraver (01/01/2026 at 00:00):400_ns:1(1):1:1(1:1)\n"
                         "2:1:1:1:1:50:42000050:7\n1:1:1:1:1:100:300:1\n2:1:1:1:1:200:42000050:8\n"
                         "2:1:1:1:1:390:42000050:9\n";
  std::ofstream(folder.file("p.pcf")) << "EVENT_TYPE\n7 42000050 PAPI_TOT_INS\n";
  const OpenSession open({imported(path)});
  auto written = again(open);
  const auto& times = test::column<std::int64_t>(written, "samples", "time");
  EXPECT_EQ(std::vector<std::int64_t>(times.begin(), times.end()), (std::vector<std::int64_t>{50, 200, 390}));
  std::ifstream file(open.folder.file("again.prv"));
  std::string header;
  std::getline(file, header);
  EXPECT_NE(header.find(":400_ns:"), std::string::npos) << header;
}

TEST(ParaverExport, OfTheWorkedExampleIsReadAgainEqual) {
  auto program = test::worked_example();
  program.state(program.thread(0), {0, 40, "Running"});
  program.state(program.thread(0), {40, 100, "Waiting a message"});
  program.range(program.thread(1), {5, 95, "step 1"});
  expect_equal_after_export(program.trace());
}

TEST(ParaverExport, KeepsKernelsOfOneStreamThatOverlap) {
  test::Program program;
  program.add_rank(1);
  program.call(program.thread(0), {0, 5, "cudaLaunchKernel"});
  program.kernel(0, 0, {10, 30, "first"});
  program.kernel(0, 0, {20, 50, "second"});
  program.kernel(0, 0, {60, 60, "without length"});
  program.kernel(0, 0, {60, 70, "third"});
  program.copy(0, {15, 25, ""});
  program.copy(0, {20, 28, ""});
  const OpenSession before({program.trace()});
  const OpenSession after({again(before)});
  EXPECT_EQ(launches_of(*before.session).size(), launches_of(*after.session).size());
  EXPECT_EQ(transfers_of(*before.session), transfers_of(*after.session));
}

TEST(ParaverExport, KeepsTheNamesOfKernelsThatBeginTogether) {
  test::Program program;
  program.add_rank(1);
  program.kernel(0, 0, {10, 10, "alone"});
  program.kernel(0, 0, {60, 60, "without length"});
  program.kernel(0, 0, {60, 70, "third"});
  expect_equal_after_export(program.trace());
}

TEST(ParaverExport, WritesCallsNamedMpiThatAreNoMessages) {
  test::Program program;
  program.add_rank(1);
  program.kernel(0, 0, {10, 30, "kernel"});
  program.call(program.thread(0), {0, 40, "MPI_Init"});
  expect_equal_after_export(program.trace());
}

TEST(ParaverExport, KeepsTheCallThatFollowsOneOfZeroLength) {
  test::Program program;
  program.add_rank(1);
  program.kernel(0, 0, {10, 30, "kernel"});
  program.call(program.thread(0), {0, 0, "cudaGetDevice"});
  program.call(program.thread(0), {0, 40, "cudaDeviceSynchronize"});
  program.mpi(program.thread(0), {50, 50, "MPI_Comm_rank"});
  program.mpi(program.thread(0), {50, 80, "MPI_Comm_size"});
  expect_equal_after_export(program.trace());
}

TEST(ParaverExport, WritesTheNumbersThatParaversConfigurationsExpect) {
  const OpenSession open({test::worked_example().trace()});
  const auto path = open.folder.file("numbers.prv");
  ASSERT_TRUE(export_paraver(*open.session, path, {}));
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(text.find("):100_ns:0:1:3(4:1,4:1,4:1)\n"), std::string::npos) << text.substr(0, 80);
  EXPECT_NE(text.find("\n1:0:1:1:2:0:30:1\n"), std::string::npos) << "state of a kernel";
  EXPECT_NE(text.find("\n2:0:1:1:2:0:63000006:1:9101:1:9102:1"), std::string::npos) << "a kernel begins";
  EXPECT_NE(text.find("\n2:0:1:1:4:60:63000007:1:"), std::string::npos) << "a collective begins";
  EXPECT_NE(text.find(":55001\n"), std::string::npos) << "from a call to its kernel";
  EXPECT_NE(text.find(":50000002:1"), std::string::npos) << "an MPI collective";
}

TEST(ParaverExport, NumbersMpiCallsLikeExtrae) {
  test::Program program;
  program.add_rank(1);
  std::int64_t time = 0;
  for (const char* call : {"MPI_Init", "MPI_Own_call", "MPI_Allreduce", "MPI_Send", "MPI_Put",
                           "MPI_File_open", "MPI_Win_fence", "MPI_Ialltoallw"}) {
    program.mpi(program.thread(0), {time, time + 5, call});
    time += 10;
  }
  const OpenSession open({program.trace()});
  const auto path = open.folder.file("mpi.prv");
  ASSERT_TRUE(export_paraver(*open.session, path, {}));
  std::ifstream in(path), names(open.folder.file("mpi.pcf"));
  const std::string text{std::istreambuf_iterator<char>(in), {}},
      labels{std::istreambuf_iterator<char>(names), {}};
  // Extrae 4, MPI_EventEncoding.h; 173 is the first number that it does not use.
  for (const char* event :
       {":0:50000003:31\n", ":10:50000002:173\n", ":20:50000002:10\n", ":30:50000001:1\n",
        ":40:50000004:65\n", ":50:50000005:141\n", ":60:50000004:68\n", ":70:50000002:171\n"})
    EXPECT_NE(text.find(event), std::string::npos) << event << text;
  for (const char* label :
       {"\n173      MPI_Own_call\n", "\n65      MPI_Put\n", " MPI One-sided\n", " MPI I/O\n"})
    EXPECT_NE(labels.find(label), std::string::npos) << label << labels;
  const auto calls = named_rows(*open.session, "messages");
  EXPECT_EQ(named_rows(*OpenSession({imported(path)}).session, "messages"), calls);
  std::filesystem::remove(open.folder.file("mpi.pcf"));
  auto renamed = named_rows(*OpenSession({imported(path)}).session, "messages");
  ASSERT_EQ(renamed.size(), calls.size());
  EXPECT_EQ(std::exchange(renamed[1], calls[1]), "10 5 event 50000002 173");
  EXPECT_EQ(renamed, calls) << "only the name of the own call is lost";
}

TEST(ParaverExport, ComesInTheOrderOfTime) {
  const OpenSession open({test::worked_example().trace()});
  const auto path = open.folder.file("order.prv");
  ASSERT_TRUE(export_paraver(*open.session, path, {}));
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  std::int64_t last = 0;
  while (std::getline(in, line)) {
    if (line.front() == '#' || line.front() == '3') continue; // a message is placed at its arrival
    std::int64_t time = 0;
    std::stringstream fields(line);
    for (int f = 0; f < 6; ++f) {
      std::string field;
      std::getline(fields, field, ':');
      time = std::stoll(field);
    }
    EXPECT_GE(time, last) << line;
    last = time;
  }
}

TEST(ParaverExport, RefusesOtherNamesAndIsCancelled) {
  const OpenSession open({test::worked_example().trace()});
  EXPECT_EQ(export_paraver(*open.session, open.folder.file("trace.txt"), {}).error().kind, ErrorKind::BadUse);
  Job job;
  job.cancelled = [] { return true; };
  EXPECT_EQ(export_paraver(*open.session, open.folder.file("no.prv"), job).error().kind,
            ErrorKind::Cancelled);
  EXPECT_FALSE(std::filesystem::exists(open.folder.file("no.prv")));
}

TEST(ParaverExport, OfTwentyThousandLaunchesIsReadAgainEqual) {
  REQUIRE_REAL_DATA(path, "nsys/gtls-cupy/report1.sqlite");
  const OpenSession before({imported(path)});
  const OpenSession after({again(before)});
  const auto launches = launches_of(*before.session);
  EXPECT_EQ(launches.size(), 23'419u);
  EXPECT_EQ(launches, launches_of(*after.session));
  EXPECT_EQ(transfers_of(*before.session), transfers_of(*after.session));
}

TEST(ParaverExport, OfAnMpiRunHasTheSameEfficiencies) {
  REQUIRE_REAL_DATA(path, "paraver/epoch-mpi/epoch_4proc.prv.gz");
  const OpenSession before({imported(path)});
  const OpenSession after({again(before)});
  std::array<Factors, 2> factors;
  for (const auto& [open, place] : {std::pair{&before, &factors[0]}, {&after, &factors[1]}}) {
    auto activity = Activity::make(*open->session, *open->communicator, {});
    ASSERT_TRUE(activity);
    auto result = efficiencies(*activity, *open->session, {}, *open->communicator, {});
    ASSERT_TRUE(result);
    *place = result->factors;
  }
  for (int f = 0; f < kFactors; ++f)
    EXPECT_EQ(factors[0][static_cast<Factor>(f)], factors[1][static_cast<Factor>(f)])
        << id_of(static_cast<Factor>(f));
}
