#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "core/base/spill_memory.h"
#include "core/efficiency/cut/reduce.h"
#include "core/efficiency/efficiency.h"
#include "tests/core/efficiency/program.h"
#include "tests/core/efficiency/software_counters.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::efficiency;
using namespace jitterscope::test;

namespace {

/// A row of an event table as text, so that rows of different stores can be compared.
struct Row {
  std::string table, name, track;
  int rank = -1;
  std::int64_t device = -1, start = 0, duration = 0;
  bool state = false;
  auto operator<=>(const Row&) const = default;
};

std::string track_of(const store::Store& store, std::uint32_t resource) {
  const auto& r = store.resources()[resource];
  return std::to_string(static_cast<int>(r.kind)) + ":" + std::to_string(r.number);
}

void place(const store::Store& store, std::uint32_t resource, Row& row) {
  row.track = track_of(store, resource);
  for (; resource < store.resources().size(); resource = store.resources()[resource].parent) {
    const auto& r = store.resources()[resource];
    if (r.kind == store::ResourceKind::Device) row.device = r.number;
    if (r.kind == store::ResourceKind::Process) row.rank = r.rank;
  }
}

std::vector<Row> rows_of(const store::Store& store) {
  std::vector<Row> rows;
  for (const std::string table : {"launches", "transfers", "calls", "ranges", "messages"}) {
    const bool of_device = table == "launches" || table == "transfers";
    const auto start = store.starts(table);
    const auto duration = store.column<std::int64_t>(table, "duration");
    const auto resource = store.column<std::uint32_t>(table, of_device ? "stream" : "thread");
    for (std::size_t i = 0; i < start.size(); ++i) {
      Row row{table, "", "", -1, -1, start[i], duration[i], false};
      place(store, resource[i], row);
      if (table == "launches") {
        const auto c = store.column<std::uint32_t>("launches", "configuration")[i];
        const auto k = store.column<std::uint32_t>("configurations", "kernel")[c];
        row.name = store.string({store.column<std::uint32_t>("kernels", "short_name")[k]});
      } else if (table == "transfers") {
        row.name = store::to_string(
            static_cast<store::TransferKind>(store.column<std::uint8_t>("transfers", "kind")[i]));
      } else {
        row.name = store.string({store.column<std::uint32_t>(table, "name")[i]});
      }
      row.state = table == "ranges" && store.column<std::uint8_t>("ranges", "kind")[i] == 3;
      rows.push_back(row);
    }
  }
  return rows;
}

/// Samples of each counter: (track, name) → (time, value).
using Samples = std::map<std::pair<std::string, std::string>, std::vector<std::pair<std::int64_t, double>>>;
Samples samples_of(const store::Store& store) {
  Samples samples;
  const auto times = store.starts("samples");
  const auto of = store.column<std::uint32_t>("samples", "counter");
  for (std::size_t i = 0; i < times.size(); ++i) {
    Row row;
    place(store, store.column<std::uint32_t>("counters", "device")[of[i]], row);
    const auto name = store.string({store.column<std::uint32_t>("counters", "name")[of[i]]});
    samples[{std::to_string(row.rank) + "/" + row.track, std::string(name)}].emplace_back(
        times[i], store.column<double>("samples", "value")[i]);
  }
  return samples;
}

/// The reduced trace, written and opened again.
std::unique_ptr<OpenSession> reduced(const OpenSession& open, const ReductionOptions& requested) {
  const SpillMemory spill_memory;
  auto reduction = reduce(*open.session, *open.columns, requested, {});
  if (!reduction) throw std::runtime_error(describe(reduction.error()));
  return std::make_unique<OpenSession>(std::vector{std::move(reduction->data)});
}
const store::Store& store_of(const OpenSession& open) {
  return open.session->traces().front().store;
}
Error error_of(const OpenSession& open, const ReductionOptions& requested, const Job& job = {}) {
  auto reduction = reduce(*open.session, *open.columns, requested, job);
  return reduction ? Error{ErrorKind::Internal, "no error", {}, {}, {}} : reduction.error();
}

ReductionOptions in(std::int64_t begin, std::int64_t end) {
  ReductionOptions requested;
  requested.range = Interval{{begin}, {end}};
  return requested;
}

Result efficiencies_in(const OpenSession& open, std::int64_t begin, std::int64_t end) {
  auto activity = Activity::make(*open.session, *open.communicator, {});
  if (!activity) throw std::runtime_error(describe(activity.error()));
  Options options;
  options.range = Interval{{begin}, {end}};
  auto result = efficiencies(*activity, *open.session, options, *open.communicator, {});
  if (!result) throw std::runtime_error(describe(result.error()));
  return *result;
}

/// Ranks whose threads alternate between computing and MPI, with devices, calls and ranges.
store::TraceData random_program(unsigned seed, bool states) {
  std::mt19937 random(seed);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Program program;
  for (int rank = 0; rank < 3; ++rank) {
    program.add_rank(2);
    const auto thread = program.thread(rank);
    for (std::int64_t t = number(0, 5); t < 2000;) {
      const auto computes = number(0, 40), waits = number(1, 15);
      if (states) {
        program.state(thread, {t, t + computes, "Running"});
        program.state(thread, {t + computes, t + computes + waits, "Waiting"});
      }
      const char* functions[] = {"MPI_Send", "MPI_Recv", "MPI_Allreduce"};
      program.mpi(thread, {t + computes, t + computes + waits, functions[number(0, 2)]});
      if (number(0, 2) == 0)
        program.call(thread, {t, t + number(0, 3), number(0, 1) ? "cudaMalloc" : "write"});
      if (number(0, 3) == 0) program.range(thread, {t, t + number(0, 30), number(0, 1) ? "step" : "halo"});
      t += computes + waits;
    }
    for (int stream = 0; stream < 2; ++stream)
      for (std::int64_t t = number(0, 9); t < 2000; t += number(1, 60)) {
        const char* kernels[] = {"gemm", "axpy", "ncclDevKernel_AllReduce"};
        program.kernel(rank, stream, {t, t + number(0, 50), kernels[number(0, 2)]});
      }
    for (std::int64_t t = 0; t < 2000; t += number(5, 80)) program.copy(rank, {t, t + number(1, 20), ""});
    for (std::int64_t t = 0; t < 2000; t += 100) program.sample(thread, "instructions", t, number(0, 1000));
  }
  return program.trace();
}

std::multiset<Row> set_of(const std::vector<Row>& rows) {
  return {rows.begin(), rows.end()};
}

/// True if a reduction keeps the row: its rules, applied to one row.
bool stays(const Row& row, const ReductionOptions& requested) {
  const auto end = row.start + row.duration;
  if (requested.range) {
    const auto from = requested.range->begin.count, to = requested.range->end.count;
    if (row.start >= to || (end <= from && row.start < from)) return false;
  }
  if (!requested.ranks.empty() && std::ranges::count(requested.ranks, row.rank) == 0) return false;
  if (!requested.devices.empty() && row.device >= 0 && std::ranges::count(requested.devices, row.device) == 0)
    return false;
  const bool collective = row.name == "ncclDevKernel_AllReduce" || row.table == "messages";
  const bool burst = row.state && row.name == "Running";
  const std::map<RowKind, bool> kinds = {{RowKind::Kernels, row.table == "launches"},
                                         {RowKind::Collectives, collective},
                                         {RowKind::Transfers, row.table == "transfers"},
                                         {RowKind::Calls, row.table == "calls"},
                                         {RowKind::Mpi, row.table == "messages"},
                                         {RowKind::Ranges, row.table == "ranges" && !row.state},
                                         {RowKind::States, row.state},
                                         {RowKind::Bursts, burst}};
  bool kept = false;
  for (const auto& [kind, is] : kinds) kept = kept || (is && (requested.kinds & bit_of(kind)));
  if (burst && row.duration < requested.bursts_above) kept = false;
  if (row.table == "launches" && row.duration < requested.kernels_above) kept = false;
  return kept;
}

} // namespace

TEST(Cut, OfEverythingIsTheSameTrace) {
  const OpenSession open({random_program(1, true)});
  const auto after = reduced(open, {});
  EXPECT_EQ(rows_of(store_of(*after)), rows_of(store_of(open)));
  EXPECT_EQ(samples_of(store_of(*after)), samples_of(store_of(open)));
  EXPECT_TRUE(store_of(*after).manifest().report.empty());
}

TEST(Cut, KeepsTheRowsThatAModelKeepsRowByRow) {
  std::mt19937 random(7);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const OpenSession open({random_program(2, true)});
  const auto all = rows_of(store_of(open));
  for (int round = 0; round < 60; ++round) {
    ReductionOptions requested;
    if (number(0, 1)) requested = in(number(0, 900), number(901, 2100));
    if (number(0, 2) == 0) requested.ranks = {number(0, 1), 2};
    if (number(0, 3) == 0) requested.devices = {0};
    if (number(0, 1)) requested.kinds = static_cast<unsigned>(number(1, 255)) | bit_of(RowKind::Kernels);
    requested.kernels_above = number(0, 1) * number(1, 30);
    requested.bursts_above = number(0, 1) * number(1, 30);
    std::vector<Row> expected;
    for (const auto& row : all)
      if (stays(row, requested)) expected.push_back(row);
    const auto after = reduced(open, requested);
    ASSERT_EQ(set_of(rows_of(store_of(*after))), set_of(expected)) << round;
    std::int64_t dropped = 0;
    for (const auto& entry : store_of(*after).manifest().report)
      if (entry.severity == store::Severity::Drop && entry.code.find("samples") == std::string::npos)
        dropped += entry.count;
    EXPECT_EQ(dropped, static_cast<std::int64_t>(all.size() - expected.size())) << round;
  }
}

TEST(Cut, HasTheEfficienciesOfTheRangeThatItWasCutTo) {
  const OpenSession open({test::worked_example().trace()});
  for (const auto borders : {Borders::Full, Borders::Clip})
    for (const auto& [begin, end] : {std::pair{0, 100}, {20, 60}, {45, 85}, {61, 62}}) {
      auto requested = in(begin, end);
      requested.borders = borders;
      const auto after = reduced(open, requested);
      const auto expected = efficiencies_in(open, begin, end), found = efficiencies_in(*after, begin, end);
      for (int f = 0; f < kFactors; ++f) {
        const auto factor = static_cast<Factor>(f);
        EXPECT_EQ(found.factors[factor], expected.factors[factor]) << id_of(factor) << begin;
      }
    }
  // The exact fractions of the worked example, after a cut to the whole range.
  const auto whole = efficiencies_in(*reduced(open, in(0, 100)), 0, 100);
  EXPECT_EQ(whole.factors[Factor::DeviceParallel], (Ratio{31, 60}));
  EXPECT_EQ(whole.factors[Factor::DeviceLoadBalance], (Ratio{31, 36}));
  EXPECT_EQ(whole.factors[Factor::HostMpi], (Ratio{23, 30}));
  EXPECT_EQ(whole.factors[Factor::HostOffload], (Ratio{13, 23}));
}

TEST(Cut, KeepsDevicesAndThreadsWithoutRowsInTheRange) {
  Program program;
  for (const int rank : {0, 1}) {
    program.add_rank(1);
    program.call(program.thread(rank), {0, 5, "cudaLaunchKernel"});
    program.kernel(rank, 0, {10, rank == 0 ? 90 : 30, "k"});
    program.mpi(program.thread(rank), {rank == 0 ? 50 : 30, 40 + (rank == 0 ? 20 : 0), "MPI_Barrier"});
  }
  const OpenSession open({program.trace()});
  const auto expected = efficiencies_in(open, 45, 85);
  const auto part = reduced(open, in(45, 85));
  const auto again = reduced(*part, in(45, 84));
  ASSERT_EQ(expected.devices.size(), 2u);
  ASSERT_EQ(expected.hosts.size(), 2u);
  for (const auto* found : {part.get(), again.get()}) {
    const auto end = found == part.get() ? 85 : 84;
    const auto whole = efficiencies_in(open, 45, end), after = efficiencies_in(*found, 45, end);
    EXPECT_EQ(after.hosts.size(), 2u);
    EXPECT_EQ(after.devices.size(), 2u);
    for (int f = 0; f < kFactors; ++f)
      EXPECT_EQ(after.factors[static_cast<Factor>(f)], whole.factors[static_cast<Factor>(f)])
          << id_of(static_cast<Factor>(f)) << end;
  }
  auto kernels = in(45, 85);
  kernels.kinds = bit_of(RowKind::Mpi);
  EXPECT_EQ(efficiencies_in(*reduced(open, kernels), 45, 85).devices.size(), 0u) << "filtered, not recorded";
}

TEST(Cut, OfARankEndsWithTheWholeTrace) {
  Program program;
  program.add_rank(1);
  program.add_rank(1);
  program.state(program.thread(0), {0, 1'000, "Running"});
  program.state(program.thread(1), {0, 400, "Running"});
  auto data = program.trace();
  data.manifest.sources.emplace_back();
  const OpenSession open({std::move(data)});
  ReductionOptions requested;
  requested.ranks = {1};
  const auto part = reduced(open, requested);
  EXPECT_EQ(part->session->span(), (Interval{{0}, {1'000}}));
  requested.range = Interval{{100}, {900}};
  requested.borders = Borders::Clip;
  EXPECT_EQ(reduced(open, requested)->session->span(), (Interval{{100}, {900}}));
  requested.from_zero = true;
  EXPECT_EQ(reduced(open, requested)->session->span(), (Interval{{0}, {800}}));
}

TEST(Cut, CanCutRowsAtTheBordersAndMoveThemToZero) {
  Program program;
  program.add_rank(1);
  program.kernel(0, 0, {0, 30, "k"});
  program.kernel(0, 0, {40, 70, "k"});
  program.state(program.thread(0), {10, 90, "Running"});
  const OpenSession open({program.trace()});
  auto requested = in(20, 60);
  requested.borders = Borders::Clip;
  requested.from_zero = true;
  const auto rows = rows_of(store_of(*reduced(open, requested)));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(std::pair(rows[0].start, rows[0].duration), std::pair(std::int64_t{0}, std::int64_t{10}));
  EXPECT_EQ(std::pair(rows[1].start, rows[1].duration), std::pair(std::int64_t{20}, std::int64_t{20}));
  EXPECT_EQ(std::pair(rows[2].start, rows[2].duration), std::pair(std::int64_t{0}, std::int64_t{40}));
}

TEST(Cut, LeavesOutTracksAndWhatOnlyTheyName) {
  const OpenSession open({random_program(3, true)});
  ReductionOptions requested;
  requested.ranks = {1};
  const auto after = reduced(open, requested);
  int processes = 0;
  for (const auto& resource : store_of(*after).resources())
    processes += resource.kind == store::ResourceKind::Process;
  EXPECT_EQ(processes, 1);
  for (const auto& row : rows_of(store_of(*after))) EXPECT_EQ(row.rank, 1);
  EXPECT_LT(store_of(*after).table("counters").rows, store_of(open).table("counters").rows);
}

TEST(Cut, KeepsTheTracksWhoseNamesMatch) {
  test::Program program;
  program.add_rank(3);
  for (int stream = 0; stream < 3; ++stream) program.kernel(0, stream, {10 * stream, 10 * stream + 5, "k"});
  program.range(program.thread(0), {1, 4, "step", "Phase"});
  const OpenSession open({program.trace()});
  const auto names_in = [&](const std::string& tracks) {
    ReductionOptions requested;
    requested.tracks = tracks;
    const auto part = reduce(*open.session, *open.columns, requested, {});
    EXPECT_TRUE(part) << describe(part.error());
    std::multiset<std::string> rows;
    const OpenSession smaller({part->data});
    for (const auto& row : rows_of(smaller.session->traces().front().store)) rows.insert(row.name);
    return rows;
  };
  EXPECT_EQ(names_in("^stream 1$"), (std::multiset<std::string>{"k"}));
  EXPECT_EQ(names_in("stream"), (std::multiset<std::string>{"k", "k", "k"}));
  EXPECT_EQ(names_in("stream 2|thread"), (std::multiset<std::string>{"k", "step"}));
  ReductionOptions none;
  none.tracks = "nothing of this name";
  const auto failed = reduce(*open.session, *open.columns, none, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().place, "--tracks");
  none.tracks = "(";
  EXPECT_FALSE(reduce(*open.session, *open.columns, none, {}));
}

TEST(Cut, ReadsReferencesToCallsThatAreLeftOutAsNone) {
  Program program;
  program.add_rank(1);
  program.call(program.thread(0), {0, 5, "cudaLaunchKernel"});
  program.kernel(0, 0, {50, 60, "k"});
  const OpenSession open({program.trace()});
  ASSERT_EQ(store_of(open).column<std::uint32_t>("launches", "call")[0], 0u);
  const auto after = reduced(open, in(40, 100));
  EXPECT_EQ(store_of(*after).column<std::uint32_t>("launches", "call")[0], kNone);
  bool counted = false;
  for (const auto& entry : store_of(*after).manifest().report)
    counted = counted || (entry.code == "calls-left-out" && entry.count == 1);
  EXPECT_TRUE(counted);
}

TEST(Cut, StatesThatSamplesAfterAClippedBurstAreWhole) {
  Program program;
  program.add_rank(0);
  program.state(program.thread(0), {0, 100, "Running"});
  program.sample(program.thread(0), "PAPI_TOT_INS", 100, 400);
  const OpenSession open({program.trace()});
  for (const auto borders : {Borders::Full, Borders::Clip}) {
    auto requested = in(90, 110);
    requested.borders = borders;
    const auto after = reduced(open, requested);
    EXPECT_EQ(std::ranges::count(store_of(*after).manifest().report, "samples-kept-whole",
                                 &store::ReportEntry::code),
              borders == Borders::Clip);
  }
}

TEST(Cut, OfAConditionKeepsTheLaunchesThatItSelects) {
  const OpenSession open({random_program(4, false)});
  ReductionOptions requested;
  auto where = analysis::Filter::parse("name = \"gemm\" and duration >= 20", *open.columns);
  ASSERT_TRUE(where);
  requested.where = std::move(*where);
  std::size_t launches = 0, expected = 0;
  for (const auto& row : rows_of(store_of(*reduced(open, requested))))
    if (row.table == "launches") {
      ++launches;
      EXPECT_EQ(row.name, "gemm");
      EXPECT_GE(row.duration, 20);
    }
  for (const auto& row : rows_of(store_of(open)))
    expected += row.table == "launches" && row.name == "gemm" && row.duration >= 20;
  EXPECT_EQ(launches, expected);
  EXPECT_GT(launches, 0u);
}

TEST(Cut, IsTheSameBytesEachTime) {
  const OpenSession open({random_program(5, true)});
  auto requested = in(100, 1500);
  requested.kinds = bit_of(RowKind::Bursts) | bit_of(RowKind::Collectives);
  requested.bursts_above = 20;
  requested.software_counters = true;
  std::string contents[2];
  for (auto& content : contents) {
    const auto after = reduced(open, requested);
    std::ifstream in(store_of(*after).path(), std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(in), {});
  }
  EXPECT_EQ(contents[0], contents[1]);
  EXPECT_FALSE(contents[0].empty());
}

TEST(Cut, HasErrorsThatStateWhatToDo) {
  const OpenSession open({random_program(6, true)});
  EXPECT_EQ(error_of(open, in(5'000, 6'000)).kind, ErrorKind::BadUse);
  EXPECT_NE(error_of(open, in(5'000, 6'000)).hint.find("extends"), std::string::npos);
  EXPECT_EQ(error_of(open, in(-100, -10)).place, "range");
  EXPECT_EQ(error_of(open, in(10, 10)).place, "range");
  ReductionOptions nothing;
  nothing.kinds = bit_of(RowKind::Kernels);
  nothing.kernels_above = 1'000'000;
  EXPECT_EQ(error_of(open, nothing).message, "no row of the trace would be left");
  ReductionOptions rank, device;
  rank.ranks = {9};
  device.devices = {9};
  EXPECT_EQ(error_of(open, rank).place, "ranks");
  EXPECT_EQ(error_of(open, rank).message, "the trace has no rank 9");
  EXPECT_EQ(error_of(open, device).place, "devices");
  Job cancelled;
  cancelled.cancelled = [] { return true; };
  EXPECT_EQ(error_of(open, {}, cancelled).kind, ErrorKind::Cancelled);
  const OpenSession two({random_program(1, true), random_program(2, true)});
  EXPECT_EQ(error_of(two, {}).kind, ErrorKind::BadUse);
  EXPECT_FALSE(kinds_from({"kernels", "nonsense"}));
}

TEST(BurstCounters, OfTheExampleOfTheSpecification) {
  Program program;
  program.add_rank(1);
  const auto thread = program.thread(0);
  for (const auto& [begin, end] : {std::pair{0, 10}, {25, 27}, {30, 45}})
    program.state(thread, {begin, end, "Running"});
  for (const int t : {12, 13, 14}) program.call(thread, {t, t, "K"});
  program.mpi(thread, {20, 25, "MPI_Allreduce"});
  const OpenSession open({program.trace()});
  ReductionOptions requested;
  requested.bursts_above = 5;
  requested.kinds = bit_of(RowKind::Bursts) | bit_of(RowKind::Mpi);
  requested.software_counters = true;
  const auto after = reduced(open, requested);
  std::vector<std::pair<std::int64_t, std::int64_t>> bursts;
  for (const auto& row : rows_of(store_of(*after)))
    if (row.state) bursts.emplace_back(row.start, row.start + row.duration);
  EXPECT_EQ(bursts, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 10}, {30, 45}}));
  const auto samples = samples_of(store_of(*after));
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples.begin()->first.second, "K_counter");
  EXPECT_EQ(samples.begin()->second, (std::vector<std::pair<std::int64_t, double>>{{30, 3}, {45, 0}}));
}

TEST(BurstCounters, OfThreadsAreThoseOfTheFilterOfWholeThreads) {
  const OpenSession open({random_program(8, true)});
  ReductionOptions requested;
  requested.bursts_above = 15;
  requested.kinds = bit_of(RowKind::Bursts) | bit_of(RowKind::Kernels) | bit_of(RowKind::Transfers);
  requested.software_counters = true;
  const auto found = samples_of(store_of(*reduced(open, requested)));
  for (int rank = 0; rank < 3; ++rank) {
    std::vector<Interval> bursts;
    std::vector<TypedEvent> events;
    std::map<std::string, std::int64_t> number;
    BurstFilter filter;
    filter.minimum_burst = 15;
    filter.count = {1};
    std::string track;
    for (const auto& row : rows_of(store_of(open))) {
      if (row.rank != rank || row.device >= 0) continue;
      track = std::to_string(rank) + "/" + row.track;
      if (row.state && row.name == "Running") bursts.push_back({{row.start}, {row.start + row.duration}});
      if (row.state) continue;
      number.try_emplace(row.name, static_cast<std::int64_t>(number.size()) + 1);
      events.push_back({row.start, 1, number[row.name]});
    }
    std::ranges::stable_sort(events, {}, &TypedEvent::time);
    std::map<std::string, std::vector<std::pair<std::int64_t, double>>> expected;
    for (const auto& sample : filter_bursts(bursts, events, filter).counters)
      for (const auto& [name, value] : number)
        if (counter_type(CounterKind::PerValue, 1, value) == sample.type)
          expected[name].emplace_back(sample.time, sample.value);
    std::map<std::string, std::int64_t> counted;
    for (const auto& event : events)
      for (const auto& [name, value] : number) counted[name] += value == event.value;
    for (auto& [name, samples] : expected) {
      auto here = found.at({track, name + "_counter"});
      std::int64_t sum = 0;
      for (const auto& [time, value] : here) sum += static_cast<std::int64_t>(value);
      EXPECT_EQ(sum, counted[name]) << name; // samples after the last burst count as well
      if (here.size() == samples.size() + 1) here.pop_back();
      EXPECT_EQ(here, samples) << name;
    }
    EXPECT_FALSE(expected.empty());
  }
}

TEST(BurstCounters, OfRangesIgnoreNumbersInTheirNames) {
  Program program;
  program.add_rank(1);
  const auto thread = program.thread(0);
  for (const auto& [begin, end] : {std::pair{0, 10}, {30, 45}})
    program.state(thread, {begin, end, "Running"});
  for (const int t : {12, 16, 20}) program.range(thread, {t, t + 2, "step " + std::to_string(t)});
  const OpenSession open({program.trace()});
  ReductionOptions requested;
  requested.kinds = bit_of(RowKind::Bursts);
  requested.software_counters = true;
  const auto samples = samples_of(store_of(*reduced(open, requested)));
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples.begin()->first.second, "step #_counter");
  EXPECT_EQ(samples.begin()->second, (std::vector<std::pair<std::int64_t, double>>{{30, 3}, {45, 0}}));
}

TEST(BurstCounters, OfADeviceCountShortKernelsAtTheBordersOfLongOnes) {
  Program program;
  program.add_rank(2);
  program.kernel(0, 0, {0, 50, "long"});
  program.kernel(0, 1, {40, 90, "long"}); // overlaps: one burst [0, 90)
  program.kernel(0, 1, {60, 61, "short"});
  program.kernel(0, 1, {95, 97, "short"});
  program.kernel(0, 1, {98, 99, "short"});
  program.kernel(0, 0, {100, 150, "long"});
  program.kernel(0, 0, {160, 162, "short"});
  const OpenSession open({program.trace()});
  ReductionOptions requested;
  requested.kernels_above = 10;
  requested.software_counters = true;
  const auto samples = samples_of(store_of(*reduced(open, requested)));
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples.begin()->first.second, "short_counter");
  EXPECT_EQ(samples.begin()->second,
            (std::vector<std::pair<std::int64_t, double>>{{90, 1}, {100, 2}, {150, 0}, {162, 1}}));
}

TEST(BurstCounters, WithoutStatesHaveTheBordersOfKeptCalls) {
  Program program;
  program.add_rank(1);
  const auto thread = program.thread(0);
  program.mpi(thread, {10, 20, "MPI_Allreduce"});
  program.call(thread, {5, 6, "cudaMalloc"});
  program.call(thread, {12, 13, "cudaMalloc"});
  const OpenSession open({program.trace()});
  ReductionOptions requested;
  requested.kinds = bit_of(RowKind::Mpi);
  requested.software_counters = true;
  const auto samples = samples_of(store_of(*reduced(open, requested)));
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples.begin()->second, (std::vector<std::pair<std::int64_t, double>>{{10, 1}, {20, 1}}));
}
