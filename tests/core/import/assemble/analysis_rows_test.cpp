#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/import/analysis_rows/present.h"
#include "core/import/records/table_mapping.h"
#include "core/reasons/rows/launch_rows.h"
#include "tests/core/efficiency/program.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::import;
using store::AnalysisRows;
using test::OpenSession;
using test::Program;

namespace {

/// A row of analysis in an opened trace.
struct Row {
  std::string name;
  std::int64_t start = 0, duration = 0;
  bool operator==(const Row&) const = default;
};

std::vector<Row> rows_of(const OpenSession& open) {
  const auto& store = open.session->traces().front().store;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < store.table("launches").rows; ++i) {
    const auto c = store.column<std::uint32_t>("launches", "configuration")[i];
    const auto k = store.column<std::uint32_t>("configurations", "kernel")[c];
    rows.push_back({std::string(store.string({store.column<std::uint32_t>("kernels", "name")[k]})),
                    store.starts("launches")[i], store.column<std::int64_t>("launches", "duration")[i]});
  }
  return rows;
}

std::unique_ptr<OpenSession> presented(store::TraceData data, AnalysisRows rows) {
  if (auto done = present_all(data, rows, {}); !done) throw std::runtime_error(describe(done.error()));
  return std::make_unique<OpenSession>(std::vector{std::move(data)});
}

std::vector<double> values(const OpenSession& open, const char* column) {
  return open.columns->read(column, {0, 0, open.session->launches()});
}

Program computing_and_communicating(bool states) {
  Program program;
  program.add_rank(0);
  const auto thread = program.thread(0);
  for (const auto& [begin, end] : {std::pair{0, 10}, {15, 25}, {30, 45}})
    if (states) program.state(thread, {begin, end, "Running"});
  if (states) program.state(thread, {10, 15, "Waiting a message"});
  program.mpi(thread, {10, 15, "MPI_Recv"});
  program.mpi(thread, {25, 30, "MPI_Allreduce"});
  return program;
}

} // namespace

TEST(AnalysisRows, BurstsAreRunningStatesNamedByTheCallsAroundThem) {
  const auto open = presented(computing_and_communicating(true).trace(), AnalysisRows::Bursts);
  EXPECT_EQ(rows_of(*open), (std::vector<Row>{{"begin → MPI_Recv", 0, 10},
                                              {"MPI_Recv → MPI_Allreduce", 15, 10},
                                              {"MPI_Allreduce → end", 30, 15}}));
  EXPECT_EQ(store::analysis_rows(open->session->traces().front().store), AnalysisRows::Bursts);
}

TEST(AnalysisRows, WithoutStatesBurstsAreTheTimeBetweenCalls) {
  const auto open = presented(computing_and_communicating(false).trace(), AnalysisRows::Bursts);
  EXPECT_EQ(rows_of(*open), (std::vector<Row>{{"MPI_Recv → MPI_Allreduce", 15, 10}}));
}

TEST(AnalysisRows, BurstsBetweenOverlappingCallsAreWhatTheirUnionLeaves) {
  std::mt19937 random(3);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 30; ++round) {
    Program program;
    std::vector<std::vector<char>> inside(2, std::vector<char>(500));
    std::vector<int> first(2, 1000), last(2, 0);
    for (int rank = 0; rank < 2; ++rank) {
      program.add_rank(0);
      for (int call = number(1, 20); call > 0; --call) {
        const int begin = number(0, 450), end = begin + number(0, 40);
        program.mpi(program.thread(rank), {begin, end, "MPI_Wait"});
        for (int t = begin; t < end; ++t)
          inside[static_cast<std::size_t>(rank)][static_cast<std::size_t>(t)] = 1;
        first[static_cast<std::size_t>(rank)] = std::min(first[static_cast<std::size_t>(rank)], end);
        last[static_cast<std::size_t>(rank)] = std::max(last[static_cast<std::size_t>(rank)], begin);
      }
    }
    std::int64_t outside = 0;
    for (std::size_t rank = 0; rank < 2; ++rank)
      for (int t = first[rank]; t < last[rank]; ++t) outside += !inside[rank][static_cast<std::size_t>(t)];
    auto data = program.trace();
    store::ImportReport report;
    ASSERT_TRUE(present_rows(data, AnalysisRows::Bursts, report, {}));
    std::int64_t sum = 0;
    for (const auto duration : data.find("launches")->get<std::int64_t>("duration")) sum += duration;
    EXPECT_EQ(sum, outside) << round;
    const auto& starts = data.find("launches")->get<std::int64_t>("start");
    EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  }
}

TEST(AnalysisRows, HaveWhatTheCountersOfTheirThreadCounted) {
  auto program = computing_and_communicating(true);
  const auto thread = program.thread(0);
  for (const auto& [time, instructions, cycles] :
       {std::tuple{0, 7., 9.}, {10, 100., 50.}, {15, 5., 5.}, {25, 60., 40.}}) {
    program.sample(thread, "PAPI_TOT_INS (Instr completed)", time, instructions);
    program.sample(thread, "PAPI_TOT_CYC (Total cycles)", time, cycles);
  }
  const auto open = presented(program.trace(), AnalysisRows::Bursts);
  const auto instructions = values(*open, "papi_tot_ins"), ipc = values(*open, "ipc"),
             frequency = values(*open, "frequency_ghz");
  EXPECT_EQ(instructions[0], 100);
  EXPECT_EQ(instructions[1], 60);
  EXPECT_TRUE(std::isnan(instructions[2]));
  EXPECT_EQ(ipc[0], 2);
  EXPECT_EQ(ipc[1], 1.5);
  EXPECT_EQ(frequency[0], 5);
  EXPECT_EQ(frequency[1], 4);
}

TEST(AnalysisRows, CountsSinceTheStartBecomeCountsOfTheRow) {
  Program program;
  program.add_rank(0);
  const auto thread = program.thread(0);
  double instructions = 0;
  for (int burst = 0; burst < 40; ++burst) {
    program.state(thread, {20 * burst, 20 * burst + 10, "Running"});
    program.sample(thread, "PAPI_TOT_INS", 20 * burst + 10, instructions += 100 + burst);
    program.sample(thread, "queue length", 20 * burst + 10, burst); // no count of hardware events
  }
  program.state(thread, {900, 900, "Running"});
  auto data = program.trace();
  store::ImportReport report;
  ASSERT_TRUE(present_rows(data, AnalysisRows::Bursts, report, {}));
  const auto& table = *data.find("launches");
  const auto& counted = table.get<double>("papi_tot_ins");
  ASSERT_EQ(counted.size(), 40u);
  EXPECT_EQ(counted[1], 101);
  EXPECT_EQ(counted[39], 139);
  EXPECT_EQ(table.get<double>("queue_length")[39], 39);
  const auto count = [&](std::string_view code) {
    std::int64_t found = 0;
    for (const auto& entry : report.entries()) found += entry.code == code ? entry.count : 0;
    return found;
  };
  EXPECT_EQ(count("cumulative-counters"), 1);
  EXPECT_EQ(count("bursts-of-length-0"), 1);
}

TEST(AnalysisRows, RangesOfOneKindDifferInNumbersOnly) {
  Program program;
  program.add_rank(0);
  const auto thread = program.thread(0);
  for (int step = 0; step < 3; ++step)
    program.range(thread, {10 * step, 10 * step + 5 + step, "step " + std::to_string(step)});
  program.range(thread, {40, 50, "write"});
  program.state(thread, {0, 60, "Running"});
  const auto open = presented(program.trace(), AnalysisRows::Ranges);
  EXPECT_EQ(rows_of(*open),
            (std::vector<Row>{{"step #", 0, 5}, {"step #", 10, 6}, {"step #", 20, 7}, {"write", 40, 10}}));
  EXPECT_EQ(open->session->kernels().size(), 2u);
  EXPECT_EQ(open->columns->text("range", values(*open, "range")[1]), "step 1");
}

TEST(AnalysisRows, CallsAreThoseOfMpiAndOfTheRuntime) {
  Program program;
  program.add_rank(1);
  program.call(program.thread(0), {5, 6, "cudaMalloc"});
  program.mpi(program.thread(0), {0, 4, "MPI_Send"});
  program.mpi(program.thread(0), {10, 14, "MPI_Recv"});
  program.kernel(0, 0, {0, 3, "k"});
  auto data = program.trace();
  test::column<std::int64_t>(data, "messages", "bytes")[1] = 64;
  const auto open = presented(std::move(data), AnalysisRows::Calls);
  EXPECT_EQ(rows_of(*open),
            (std::vector<Row>{{"MPI_Send", 0, 4}, {"cudaMalloc", 5, 1}, {"MPI_Recv", 10, 4}}));
  const auto bytes = values(*open, "bytes");
  EXPECT_TRUE(std::isnan(bytes[0]) && std::isnan(bytes[1]));
  EXPECT_EQ(bytes[2], 64);
  bool reported = false;
  for (const auto& entry : open->session->traces().front().store.manifest().report)
    reported = reported || (entry.code == "launches-not-presented" && entry.count == 1);
  EXPECT_TRUE(reported) << "the kernel is not a row any more";
}

TEST(AnalysisRows, HaveContextLikeLaunches) {
  const auto open = presented(computing_and_communicating(true).trace(), AnalysisRows::Bursts);
  const auto gap = values(*open, "gap_ns"), rank = values(*open, "rank");
  EXPECT_TRUE(std::isnan(gap[0]));
  EXPECT_EQ(gap[1], 5);
  EXPECT_EQ(rank[0], 0);
}

TEST(AnalysisRows, TheWaitBeforeABurstIsNoFactorUnlessItIsNamed) {
  const auto open = presented(computing_and_communicating(true).trace(), AnalysisRows::Bursts);
  const auto left_out = [&](const std::vector<std::string>& named) {
    const auto rows = analysis::LaunchRows::make(*open->session, *open->columns, {}, "", *open->communicator,
                                                 {}, {}, nullptr, named);
    EXPECT_TRUE(rows);
    for (const auto& feature : rows->features())
      if (feature.name == "gap_ns") return !feature.leaves.empty();
    ADD_FAILURE() << "bursts have no gap";
    return false;
  };
  EXPECT_TRUE(left_out({}));
  EXPECT_FALSE(left_out({"gap_ns"}));
}

TEST(AnalysisRows, StateWhyThereAreNone) {
  Program program;
  program.add_rank(1);
  program.kernel(0, 0, {0, 3, "k"});
  auto data = program.trace();
  for (const auto rows : {AnalysisRows::Bursts, AnalysisRows::Ranges, AnalysisRows::Calls}) {
    const auto done = present_all(data, rows, {});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::BadUse);
  }
  EXPECT_EQ(data.find("launches")->rows(), 1u) << "rows that cannot be replaced are kept";
  data.manifest.launch_order = true;
  EXPECT_EQ(present_all(data, AnalysisRows::Calls, {}).error().kind, ErrorKind::BadUse);
  auto computing = computing_and_communicating(true).trace();
  Job cancelled;
  cancelled.cancelled = [] { return true; };
  EXPECT_EQ(present_all(computing, AnalysisRows::Bursts, cancelled).error().kind, ErrorKind::Cancelled);
}

TEST(AnalysisRows, AreChosenByAnEntryOfTheMapping) {
  EXPECT_EQ(rows_of_mapping(std::vector<std::string>{"kernel=k"}), AnalysisRows::Launches);
  EXPECT_EQ(rows_of_mapping(std::vector<std::string>{"rows=bursts", "rows=calls"}), AnalysisRows::Calls);
  EXPECT_TRUE(parse_mapping(std::vector<std::string>{"rows=bursts"}));
  EXPECT_FALSE(parse_mapping(std::vector<std::string>{"rows=nonsense"}));
}
