#include <gtest/gtest.h>

#include "core/efficiency/chosen_numbers.h"
#include "core/efficiency/efficiency.h"
#include "core/efficiency/efficiency_json.h"
#include "tests/core/efficiency/program.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::efficiency;
using test::OpenSession;
using test::Program;

namespace {

/// A session with its activity, on one rank.
struct Measured {
  OpenSession open;
  Activity activity;

  explicit Measured(store::TraceData data) : Measured(std::vector{std::move(data)}) {}
  explicit Measured(const std::vector<store::TraceData>& data) : open(data), activity(make(*open.session)) {}

  Expected<Result> ask(const Options& options = {}) {
    return efficiencies(activity, *open.session, options, *open.communicator, {});
  }
  Result in(std::int64_t begin, std::int64_t end, Collectives collectives = Collectives::Communication) {
    Options options;
    options.range = Interval{{begin}, {end}};
    options.collectives = collectives;
    auto result = ask(options);
    if (!result) throw std::runtime_error(describe(result.error()));
    return *result;
  }

private:
  static Activity make(const analysis::Session& session) {
    const auto alone = local_communicator();
    auto made = Activity::make(session, *alone, {});
    if (!made) throw std::runtime_error(describe(made.error()));
    return std::move(*made);
  }
};

const Loss& loss_of(const Result& result, Factor factor) {
  for (const auto& loss : result.losses)
    if (loss.factor == factor) return loss;
  throw std::runtime_error("no such loss");
}

} // namespace

TEST(Efficiency, ContainsProcessesWithoutStates) {
  Program program;
  for (int rank = 0; rank < 3; ++rank) program.add_rank(1);
  const auto helper = program.add_thread(0); // of a process with states: not analysed
  program.state(program.thread(0), {0, 900, "Running"});
  program.mpi(program.thread(0), {900, 1'000, "MPI_Barrier"});
  program.mpi(program.thread(1), {500, 1'000, "MPI_Barrier"});
  program.mpi(helper, {100, 200, "MPI_Test"});
  Measured measured(program.trace());
  const auto r = measured.in(0, 1'000);
  ASSERT_EQ(r.hosts.size(), 2u) << "rank 2 records nothing";
  EXPECT_EQ(r.hosts[0].time.useful, 900);
  EXPECT_EQ(r.hosts[1].time.useful, 500) << "outside MPI";
  EXPECT_DOUBLE_EQ(r.factors[Factor::HostParallel].value(), 0.7);
  const auto document = to_json(measured.activity, *measured.open.session, r, 10);
  EXPECT_EQ(document.at("recorded").at("hosts_without_states"), 1);
}

TEST(Efficiency, OfTheWorkedExampleWithCollectivesAsCommunication) {
  Measured measured(test::worked_example().trace());
  const auto r = measured.in(0, 100);
  ASSERT_EQ(r.devices.size(), 3u);
  const std::int64_t useful[] = {60, 60, 35}, exposed[] = {25, 30, 32}, idle[] = {15, 10, 33},
                     hidden[] = {5, 5, 0};
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(r.devices[d].time.useful, useful[d]) << d;
    EXPECT_EQ(r.devices[d].time.communication, exposed[d]) << d;
    EXPECT_EQ(r.devices[d].time.idle, idle[d]) << d;
    EXPECT_EQ(r.devices[d].time.hidden, hidden[d]) << d;
  }
  EXPECT_EQ(r.factors[Factor::DeviceParallel], (Ratio{31, 60}));
  EXPECT_EQ(r.factors[Factor::DeviceLoadBalance], (Ratio{31, 36}));
  EXPECT_EQ(r.factors[Factor::DeviceCommunication], (Ratio{2, 3}));
  EXPECT_EQ(r.factors[Factor::DeviceOrchestration], (Ratio{9, 10}));
}

TEST(Efficiency, OfTheWorkedExampleWithCollectivesAsUseful) {
  Measured measured(test::worked_example().trace());
  const auto r = measured.in(0, 100, Collectives::Useful);
  const std::int64_t useful[] = {75, 80, 65}, exposed[] = {10, 10, 2}, idle[] = {15, 10, 33};
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(r.devices[d].time.useful, useful[d]) << d;
    EXPECT_EQ(r.devices[d].time.communication, exposed[d]) << d;
    EXPECT_EQ(r.devices[d].time.idle, idle[d]) << d;
  }
  EXPECT_EQ(r.factors[Factor::DeviceParallel], (Ratio{11, 15}));
  EXPECT_EQ(r.factors[Factor::DeviceLoadBalance], (Ratio{11, 12}));
  EXPECT_EQ(r.factors[Factor::DeviceCommunication], (Ratio{8, 9}));
  EXPECT_EQ(r.factors[Factor::DeviceOrchestration], (Ratio{9, 10}));
}

TEST(Efficiency, OfTheHostsOfTheWorkedExample) {
  Measured measured(test::worked_example().trace());
  const auto r = measured.in(0, 100);
  EXPECT_EQ(r.factors[Factor::HostParallel], (Ratio{13, 30}));
  EXPECT_EQ(r.factors[Factor::HostMpi], (Ratio{23, 30}));
  EXPECT_EQ(r.factors[Factor::HostLoadBalance], (Ratio{23, 27}));
  EXPECT_EQ(r.factors[Factor::HostCommunication], (Ratio{9, 10}));
  EXPECT_EQ(r.factors[Factor::HostOffload], (Ratio{13, 23}));
  EXPECT_FALSE(r.factors[Factor::HostRuntime].known()) << "no states are recorded";
  EXPECT_EQ(r.factors[Factor::MpiParallel], (Ratio{23, 30}));
  EXPECT_FALSE(r.factors[Factor::MpiTransfer].known()) << "no replay on an ideal network is given";
}

TEST(Efficiency, CostsOfFactorsAddUpToTheTimeThatIsNotUseful) {
  Measured measured(test::worked_example().trace());
  const auto r = measured.in(0, 100);
  const auto cost = [&](Factor factor) { return loss_of(r, factor).cost_ns; };
  EXPECT_DOUBLE_EQ(cost(Factor::DeviceParallel), 100 - 155 / 3.0);
  EXPECT_DOUBLE_EQ(cost(Factor::DeviceLoadBalance) + cost(Factor::DeviceCommunication) +
                       cost(Factor::DeviceOrchestration),
                   cost(Factor::DeviceParallel));
  EXPECT_DOUBLE_EQ(cost(Factor::HostLoadBalance) + cost(Factor::HostCommunication), cost(Factor::HostMpi));
  EXPECT_DOUBLE_EQ(cost(Factor::HostMpi) + cost(Factor::HostOffload), cost(Factor::HostParallel));
}

TEST(Efficiency, PlacesNameTheRowAndTheMomentThatCostMost) {
  Measured measured(test::worked_example().trace());
  const auto r = measured.in(0, 100);
  const auto& balance = loss_of(r, Factor::DeviceLoadBalance).place;
  ASSERT_TRUE(balance);
  EXPECT_TRUE(balance->device);
  EXPECT_EQ(balance->row, 2u) << "device 2 computes least";
  EXPECT_EQ(balance->other, 0u) << "device 0 computes most";
  EXPECT_EQ(balance->lost, 25);
  const auto& orchestration = loss_of(r, Factor::DeviceOrchestration).place;
  ASSERT_TRUE(orchestration);
  EXPECT_EQ(orchestration->row, 1u) << "the busiest device";
  EXPECT_GE(orchestration->when.begin.count, 89);
  EXPECT_EQ(orchestration->lost, 10);
  const auto& mpi = loss_of(r, Factor::HostLoadBalance).place;
  ASSERT_TRUE(mpi);
  EXPECT_FALSE(mpi->device);
  EXPECT_EQ(mpi->row, 2u) << "rank 2 waits longest";
  EXPECT_EQ(mpi->other, 1u) << "rank 1 waits least: the others wait for it";
}

TEST(Efficiency, ARangeCutsWhatCrossesItsBorders) {
  Measured measured(test::worked_example().trace());
  const auto r = measured.in(25, 47);
  EXPECT_EQ(r.devices[0].time.useful, 15);
  EXPECT_EQ(r.devices[0].time.communication, 7);
  EXPECT_EQ(r.devices[1].time.useful, 22);
  EXPECT_EQ(r.devices[1].time.communication, 0);
  EXPECT_EQ(r.devices[1].time.hidden, 2);
  EXPECT_EQ(r.devices[2].time.useful, 5);
  EXPECT_EQ(r.devices[2].time.communication, 2);
  EXPECT_EQ(r.devices[2].time.idle, 15);
}

TEST(Efficiency, WithoutARangeIsFromTheFirstToTheLastActivityOfTheDevices) {
  auto program = test::worked_example();
  program.call(program.thread(0), {-500, -400, "cudaMalloc"});
  Measured measured(program.trace());
  const auto r = measured.ask();
  ASSERT_TRUE(r);
  EXPECT_EQ(r->range.begin.count, 0);
  EXPECT_EQ(r->range.end.count, 100);
  EXPECT_FALSE(r->range_given);
}

TEST(Efficiency, OfSomeRanksOnly) {
  Measured measured(test::worked_example().trace());
  Options options;
  options.range = Interval{{0}, {100}};
  options.ranks = {0, 2};
  const auto r = measured.ask(options);
  ASSERT_TRUE(r);
  ASSERT_EQ(r->devices.size(), 2u);
  EXPECT_EQ(r->factors[Factor::DeviceParallel], (Ratio{95, 200}));
  EXPECT_EQ(r->hosts.size(), 2u);
  options.ranks = {0, 7, 8, 11};
  const auto absent = measured.ask(options).error();
  EXPECT_EQ(absent.message, "the trace has no ranks 7-8, 11");
  EXPECT_EQ(absent.hint, "Recorded ranks: 0-2.");
  options.ranks = {0, 2};
  options.devices = {5};
  EXPECT_EQ(measured.ask(options).error().message, "the chosen ranks have no device 5");
}

TEST(Efficiency, OfOneRankHasTheDefaultRangeOfAll) {
  test::Program program;
  for (int rank = 0; rank < 2; ++rank) program.add_rank(1);
  program.kernel(0, 0, {0, 100, "early"});
  program.kernel(1, 0, {80, 100, "late"});
  Measured measured(program.trace());
  Options options;
  options.ranks = {1};
  const auto late = measured.ask(options);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->range, (Interval{{0}, {100}}));
  EXPECT_EQ(late->factors[Factor::DeviceParallel], (Ratio{20, 100}));
}

TEST(Efficiency, RecordedTimeBeginsAtTimeZeroOnlyWithMpiOrStates) {
  for (const bool mpi : {false, true}) {
    test::Program program;
    program.add_rank(1);
    program.kernel(0, 0, {60, 80, "compute"});
    program.call(program.thread(0), {58, 59, "cudaLaunchKernel"});
    if (mpi) program.mpi(program.thread(0), {70, 90, "MPI_Wait"});
    Measured measured(program.trace());
    Options options;
    options.range = Interval{{0}, {80}};
    const auto found = measured.ask(options);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->range.begin.count, mpi ? 0 : 58);
  }
}

TEST(ChosenNumbers, AreWrittenAsRanges) {
  EXPECT_EQ(as_ranges({}), "");
  EXPECT_EQ(as_ranges({4}), "4");
  EXPECT_EQ(as_ranges({0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
  EXPECT_EQ(as_ranges({0, 2, 4, 6, 8, 10, 12, 14, 16}), "0, 2, 4, 6, 8, 10, 12, …, 16");
}

TEST(Efficiency, OfPartsIsThatOfTheirRanges) {
  Measured measured(test::worked_example().trace());
  Options options;
  options.range = Interval{{0}, {100}};
  options.parts = {{{0}, {40}}, {{25}, {47}}, {{40}, {100}}};
  const auto r = measured.ask(options);
  ASSERT_TRUE(r);
  ASSERT_EQ(r->parts.size(), 3u);
  for (const auto& part : r->parts) {
    const auto alone = measured.in(part.range.begin.count, part.range.end.count);
    for (int f = 0; f < kFactors; ++f)
      EXPECT_EQ(part.factors.values[static_cast<std::size_t>(f)],
                alone.factors.values[static_cast<std::size_t>(f)])
          << f;
  }
}

TEST(Efficiency, AnEmptyOrImpossibleRangeIsAnError) {
  Measured measured(test::worked_example().trace());
  for (const auto& [begin, end] :
       {std::pair<std::int64_t, std::int64_t>{50, 50}, {60, 50}, {INT64_MIN, INT64_MAX}, {0, INT64_MAX}}) {
    Options options;
    options.range = Interval{{begin}, {end}};
    const auto r = measured.ask(options);
    ASSERT_FALSE(r) << begin << " " << end;
    EXPECT_EQ(r.error().kind, ErrorKind::BadUse);
  }
}

// Nothing is known about time outside the recording: it is neither useful nor lost.
TEST(Efficiency, ARangeIsReducedToTheRecordedTime) {
  Measured measured(test::worked_example().trace());
  const auto exact = measured.in(0, 100), beyond = measured.in(-50, 1'000'000'000);
  EXPECT_FALSE(exact.requested);
  EXPECT_EQ(beyond.range, exact.range);
  ASSERT_TRUE(beyond.requested);
  EXPECT_EQ(beyond.requested->end.count, 1'000'000'000);
  EXPECT_EQ(beyond.factors[Factor::HostParallel], (Ratio{13, 30}));
  Options options;
  options.range = Interval{{1'000}, {2'000}};
  const auto outside = measured.ask(options);
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().kind, ErrorKind::BadUse);
  options.range = Interval{{0}, {100}};
  options.parts = {{{50}, {200}}, {{100}, {200}}};
  const auto parts = measured.ask(options);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->parts[0].factors[Factor::HostParallel],
            measured.in(50, 100).factors[Factor::HostParallel]);
  EXPECT_FALSE(parts->parts[1].factors[Factor::HostParallel].known());
}

TEST(Efficiency, WithoutARangeStatesTheHostActivityOutsideIt) {
  auto program = test::worked_example();
  program.mpi(program.thread(0), {-500, -400, "MPI_Init"});
  program.call(program.thread(1), {200, 230, "cudaFree"});
  Measured measured(program.trace());
  const auto r = measured.ask();
  ASSERT_TRUE(r);
  EXPECT_EQ(r->range, (Interval{{0}, {100}}));
  EXPECT_EQ(r->recorded, (Interval{{-500}, {230}}));
  EXPECT_EQ(r->hosts_outside.mpi, 100);
  EXPECT_EQ(r->hosts_outside.all, 130);
  EXPECT_EQ(r->recorded_hosts.mpi, 170);
  EXPECT_EQ(r->recorded_hosts.all, 300) << "MPI 170, calls of the GPU's runtime 130";
}

TEST(Efficiency, TheTimeOnAnIdealNetworkIsNotLongerThanTheElapsedTime) {
  Measured measured(test::worked_example().trace());
  Options options;
  options.range = Interval{{0}, {100}};
  for (const std::int64_t ideal : {-1, 0, 101, 1'000'000'000}) {
    options.ideal = ideal;
    const auto r = measured.ask(options);
    ASSERT_FALSE(r) << ideal;
    EXPECT_EQ(r.error().kind, ErrorKind::BadUse);
    EXPECT_EQ(r.error().place, "ideal-time");
  }
  options.ideal = 100;
  EXPECT_TRUE(measured.ask(options));
}

TEST(Efficiency, ARangeWithoutActivityLosesAllOfItsTime) {
  auto program = test::worked_example();
  program.range(program.thread(0), {900, 2'100, "later"});
  Measured measured(program.trace());
  const auto r = measured.in(1'000, 2'000);
  EXPECT_EQ(r.factors[Factor::DeviceParallel], (Ratio{0, 1}));
  EXPECT_EQ(r.factors[Factor::DeviceOrchestration], (Ratio{0, 1}));
  EXPECT_FALSE(r.factors[Factor::DeviceLoadBalance].known());
  EXPECT_EQ(loss_of(r, Factor::DeviceOrchestration).cost_ns, 1'000);
}

TEST(Efficiency, StatesDecideWhatIsUsefulWhereTheyAreRecorded) {
  Program program;
  for (int rank = 0; rank < 2; ++rank) program.add_rank(0);
  program.state(program.thread(0), {0, 80, "Running"});
  program.state(program.thread(0), {80, 100, "Group Communication"});
  program.mpi(program.thread(0), {80, 100, "MPI_Barrier"});
  program.state(program.thread(1), {0, 50, "Running"});
  program.state(program.thread(1), {50, 60, "I/O"});
  program.state(program.thread(1), {60, 100, "Group Communication"});
  program.mpi(program.thread(1), {60, 100, "MPI_Barrier"});
  Measured measured(program.trace());
  const auto r = measured.ask();
  ASSERT_TRUE(r);
  EXPECT_EQ(r->range.length().count, 100);
  EXPECT_TRUE(r->devices.empty());
  EXPECT_EQ(r->factors[Factor::MpiParallel], (Ratio{130, 200}));
  EXPECT_EQ(r->factors[Factor::MpiLoadBalance], (Ratio{130, 160}));
  EXPECT_EQ(r->factors[Factor::MpiCommunication], (Ratio{80, 100}));
  EXPECT_EQ(r->factors[Factor::HostMpi], (Ratio{140, 200}));
  EXPECT_EQ(r->factors[Factor::HostRuntime], (Ratio{130, 140}));
  EXPECT_FALSE(r->factors[Factor::HostOffload].known()) << "no call of a GPU's runtime is recorded";
  EXPECT_FALSE(r->factors[Factor::DeviceParallel].known());
  EXPECT_EQ(r->hosts[1].time.other, 10);
}

TEST(Efficiency, TimeInCallsIsNotUsefulWhateverStateIsRecorded) {
  Program program;
  for (int rank = 0; rank < 2; ++rank) {
    program.add_rank(1);
    program.state(program.thread(rank), {0, 100, "Running"});
    program.mpi(program.thread(rank), {20 + 20 * rank, 50 + 20 * rank, "MPI_Allreduce"});
  }
  program.call(program.thread(0), {80, 90, "cudaStreamSynchronize"});
  program.mpi(program.thread(0), {85, 95, "MPI_Barrier"});
  Measured measured(program.trace());
  const auto r = measured.in(0, 100);
  EXPECT_EQ(r.hosts[0].time.mpi, 40);
  EXPECT_EQ(r.hosts[0].time.offload, 5) << "a moment in MPI and in the GPU's runtime belongs to MPI";
  EXPECT_EQ(r.hosts[0].time.useful, 55);
  EXPECT_EQ(r.hosts[0].time.other, 0);
  EXPECT_EQ(r.hosts[1].time.useful, 70);
  EXPECT_EQ(r.factors[Factor::MpiParallel], (Ratio{125, 200}));
}

namespace {

/// Two ranks with two threads each, T = 100 ns. All threads run until 50. Then the first thread of rank r is
/// in MPI until `mpi_ends[r]`, and the second is idle.
Program hybrid_program(std::initializer_list<std::int64_t> mpi_ends) {
  Program program;
  int rank = 0;
  for (const auto end : mpi_ends) {
    program.add_rank(0);
    const auto master = program.thread(rank), worker = program.add_thread(rank);
    for (const auto thread : {master, worker}) program.state(thread, {0, 50, "Running"});
    program.state(master, {50, end, "Group Communication"});
    if (end < 100) program.state(master, {end, 100, "Running"});
    program.mpi(master, {50, end, "MPI_Allreduce"});
    program.state(worker, {50, 100, "Idle"});
    ++rank;
  }
  return program;
}

} // namespace

TEST(Efficiency, ThreadsOfAProcessThatDoNotCallMpiAreNoLoadImbalance) {
  Measured measured(hybrid_program({100, 100}).trace());
  const auto r = measured.in(0, 100);
  ASSERT_EQ(r.hosts.size(), 4u);
  EXPECT_EQ(r.factors[Factor::HostMpi], (Ratio{3, 4}));
  EXPECT_EQ(r.factors[Factor::HostLoadBalance], (Ratio{1, 1}));
  EXPECT_EQ(r.factors[Factor::HostCommunication], (Ratio{3, 4})) << "as in TALP: mean over the threads";
  EXPECT_EQ(r.factors[Factor::MpiParallel], (Ratio{1, 2})) << "of the master threads";
  EXPECT_EQ(r.factors[Factor::MpiLoadBalance], (Ratio{1, 1}));
  EXPECT_EQ(r.factors[Factor::MpiCommunication], (Ratio{1, 2}));
  EXPECT_EQ(r.factors[Factor::HostParallel], (Ratio{1, 2}));
  EXPECT_FALSE(loss_of(r, Factor::HostLoadBalance).place) << "no thread waits for another";
  EXPECT_DOUBLE_EQ(loss_of(r, Factor::HostCommunication).cost_ns, 25);
  EXPECT_DOUBLE_EQ(loss_of(r, Factor::MpiCommunication).cost_ns, 50);
}

TEST(Efficiency, AThreadWaitsForAThreadOfAnotherProcess) {
  Measured measured(hybrid_program({100, 60}).trace());
  const auto r = measured.in(0, 100);
  for (const auto factor : {Factor::HostLoadBalance, Factor::MpiLoadBalance}) {
    const auto& place = loss_of(r, factor).place;
    ASSERT_TRUE(place);
    EXPECT_EQ(place->row, 0u) << "the master of rank 0";
    EXPECT_EQ(place->other, 2u) << "the master of rank 1";
    EXPECT_EQ(place->lost, 40);
  }
  EXPECT_DOUBLE_EQ(loss_of(r, Factor::HostLoadBalance).cost_ns, 10);
  EXPECT_DOUBLE_EQ(loss_of(r, Factor::MpiLoadBalance).cost_ns, 20);
}

TEST(Efficiency, OfAllThreadsDividedByThatOfMpiIsThatOfTheOtherRuntimes) {
  Measured measured(hybrid_program({100, 60}).trace());
  const auto hybrid =
      to_json(measured.activity, *measured.open.session, measured.in(0, 100), 10).at("hybrid");
  EXPECT_DOUBLE_EQ(hybrid.at("parallel"), 240.0 / 400);
  EXPECT_DOUBLE_EQ(hybrid.at("load_balance"), 60.0 / 90);
  EXPECT_DOUBLE_EQ(hybrid.at("communication"), 0.9);
  EXPECT_DOUBLE_EQ(hybrid.at("inner").at("parallel"), 60.0 / 70);
  EXPECT_DOUBLE_EQ(hybrid.at("inner").at("load_balance"), 60.0 / 70);
  EXPECT_DOUBLE_EQ(hybrid.at("inner").at("communication"), 1.0);
}

// A second thread that launches kernels is analysed although it does not call MPI.
TEST(Efficiency, AThreadThatLaunchesNextToOneThatCallsMpiIsNoLoadImbalance) {
  Program program;
  for (int rank = 0; rank < 2; ++rank) {
    program.add_rank(1);
    program.call(program.thread(rank), {0, 10, "cudaLaunchKernel"});
    program.kernel(rank, 0, {0, 100, "compute"});
    program.mpi(program.add_thread(rank), {50, 100, "MPI_Allreduce"});
  }
  Measured measured(program.trace());
  const auto r = measured.in(0, 100);
  ASSERT_EQ(r.hosts.size(), 4u);
  EXPECT_EQ(r.factors[Factor::HostLoadBalance], (Ratio{1, 1}));
  EXPECT_EQ(r.factors[Factor::MpiLoadBalance], (Ratio{1, 1}));
  EXPECT_EQ(r.factors[Factor::MpiCommunication], (Ratio{1, 2}));
}

TEST(Efficiency, OfARankWithoutMpiCallsDoesNotDetermineMpi) {
  Program program;
  for (int rank = 0; rank < 2; ++rank) {
    program.add_rank(1);
    program.call(program.thread(rank), {0, 10, "cudaLaunchKernel"});
    program.kernel(rank, 0, {0, 100, "compute"});
  }
  program.mpi(program.thread(0), {50, 100, "MPI_Allreduce"});
  Measured measured(program.trace());
  const auto r = measured.in(0, 100);
  const auto with = factors_of(measured.activity, r, {r.devices[0].time}, {0}),
             without = factors_of(measured.activity, r, {r.devices[1].time}, {1});
  EXPECT_EQ(with[Factor::HostMpi], (Ratio{1, 2}));
  EXPECT_EQ(with[Factor::MpiParallel], (Ratio{1, 2}));
  EXPECT_FALSE(without[Factor::HostMpi].known());
  EXPECT_FALSE(without[Factor::MpiParallel].known());
  EXPECT_TRUE(without[Factor::HostParallel].known());
}

TEST(Efficiency, ThreadsThatNeitherLaunchNorCallMpiDoNotCount) {
  auto program = test::worked_example();
  const auto helper = program.add_thread(0);
  program.call(helper, {10, 12, "cudaEventQuery"});
  Measured measured(program.trace());
  EXPECT_EQ(measured.in(0, 100).hosts.size(), 3u);
}

TEST(Efficiency, ADeviceOfTwoProcessesIsOneDevice) {
  auto program = test::worked_example();
  auto data = program.trace();
  std::uint32_t first = kNone;
  for (std::uint32_t r = 0; r < data.resources.size(); ++r)
    if (data.resources[r].kind == store::ResourceKind::Device) {
      if (first == kNone) first = r;
      data.resources[r].physical = first;
    }
  Measured measured(std::move(data));
  const auto r = measured.in(0, 100);
  ASSERT_EQ(r.devices.size(), 1u);
  EXPECT_EQ(r.devices[0].time.useful, 50 + 25) << "[0,50) and [75,100)";
  EXPECT_EQ(r.devices[0].time.communication, 25) << "[50,75)";
}

TEST(Efficiency, OfARankCountsItsPartOfASharedDevice) {
  Program program;
  for (int rank = 0; rank < 3; ++rank) program.add_rank(1);
  program.kernel(0, 0, {0, 40, "compute"});
  program.kernel(1, 0, {30, 100, "compute"});
  program.kernel(2, 0, {0, 10, "compute"});
  auto data = program.trace();
  std::vector<std::uint32_t> devices;
  for (std::uint32_t r = 0; r < data.resources.size(); ++r)
    if (data.resources[r].kind == store::ResourceKind::Device) devices.push_back(r);
  data.resources[devices[1]].physical = devices[0]; // ranks 0 and 1
  Measured measured(std::move(data));
  const auto useful = [&](std::vector<std::int32_t> ranks) {
    Options options;
    options.range = Interval{{0}, {100}};
    options.ranks = std::move(ranks);
    const auto result = measured.ask(options);
    std::vector<std::int64_t> times;
    if (result)
      for (const auto& device : result->devices) times.push_back(device.time.useful);
    return times;
  };
  using Times = std::vector<std::int64_t>;
  EXPECT_EQ(useful({}), (Times{100, 10}));
  EXPECT_EQ(useful({0}), (Times{40}));
  EXPECT_EQ(useful({1}), (Times{70}));
  EXPECT_EQ(useful({0, 1}), (Times{100})) << "all ranks of the device: the whole device";
  EXPECT_EQ(useful({1, 2}), (Times{70, 10}));
  const auto ranks = ranks_json(measured.activity, measured.in(0, 100));
  ASSERT_EQ(ranks.size(), 3U);
  EXPECT_DOUBLE_EQ(ranks[0].at("device").at("parallel"), 0.4);
  EXPECT_DOUBLE_EQ(ranks[1].at("device").at("parallel"), 0.7);
  EXPECT_DOUBLE_EQ(ranks[2].at("device").at("parallel"), 0.1);
}

TEST(Efficiency, ThePlaceOfALossIsTheStretchThatLosesMost) {
  Program program;
  program.add_rank(1);
  for (const auto& [begin, end] : {std::pair{0, 100}, {200, 500}, {800, 1'000}})
    program.kernel(0, 0, {begin, end, "compute"});
  Measured measured(program.trace());
  const auto r = measured.in(0, 1'000);
  const auto& place = loss_of(r, Factor::DeviceParallel).place;
  ASSERT_TRUE(place);
  EXPECT_EQ(place->lost, 400);
  EXPECT_GE(place->when.begin.count, 480);
  EXPECT_GT(place->lost_inside, 280) << "windows of a 64th";
}

TEST(Efficiency, OfOneRankIsTheSameAloneAndAmongAll) {
  auto program = hybrid_program({100, 60});
  program.add_rank(0); // with one thread
  program.state(program.thread(2), {0, 30, "Running"});
  program.mpi(program.thread(2), {90, 100, "MPI_Allreduce"});
  Measured measured(program.trace());
  Options alone;
  alone.range = Interval{{0}, {100}};
  alone.ranks = {2};
  const auto result = measured.ask(alone);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->factors[Factor::MpiParallel], (Ratio{9, 10})) << "outside MPI, as for hybrid processes";
  const auto ranks = ranks_json(measured.activity, measured.in(0, 100));
  EXPECT_DOUBLE_EQ(ranks[2].at("mpi").at("parallel"), 0.9);
}

TEST(Efficiency, StatesWhichProcessesAreRecordedLate) {
  Program program;
  for (int rank = 0; rank < 2; ++rank) {
    program.add_rank(1);
    program.kernel(rank, 0, {60 * rank, 100, "compute"});
  }
  Measured measured(program.trace());
  const auto late = [&](std::int64_t begin) {
    return to_json(measured.activity, *measured.open.session, measured.in(begin, 100), 10)
        .at("late_processes");
  };
  EXPECT_EQ(late(0), (nlohmann::json{{"late", 1}, {"all", 2}, {"latest_ns", 60}}));
  EXPECT_TRUE(late(60).is_null());
}

// Two runs of the same program: what a thread does after its own recording has ended is unknown.
TEST(Efficiency, TheTimeOutsideARecordingIsNotUseful) {
  const auto run = [](std::int64_t end) {
    Program program;
    program.add_rank(1);
    program.call(program.thread(0), {0, 20, "cudaLaunchKernel"});
    program.kernel(0, 0, {10, end, "kernel"});
    return program.trace();
  };
  Measured two(std::vector{run(100), run(1'000)}), one(run(100));
  const auto result = two.in(0, 1'000);
  ASSERT_EQ(result.hosts.size(), 2U);
  EXPECT_EQ(result.hosts[0].time.useful, 80);
  EXPECT_EQ(result.hosts[0].time.offload, 20);
  EXPECT_EQ(result.hosts[0].time.other, 900);
  EXPECT_EQ(result.hosts[1].time.useful, 980);
  EXPECT_EQ(result.hosts[1].time.other, 0);
  EXPECT_TRUE(two.activity.repeated_processes());
  EXPECT_FALSE(one.activity.repeated_processes());
}

TEST(Efficiency, OfTablesWithoutTimeIsAnError) {
  auto program = test::worked_example();
  auto data = program.trace();
  data.manifest.launch_order = true;
  for (const char* table : {"transfers", "calls", "messages"})
    for (auto& column : data.find(table)->columns)
      std::visit([](auto& values) { values.clear(); }, column.values);
  std::ranges::fill(test::column<std::uint32_t>(data, "launches", "call"), kNone);
  auto& starts = test::column<std::int64_t>(data, "launches", "start");
  for (std::size_t row = 0; row < starts.size(); ++row) starts[row] = static_cast<std::int64_t>(row);
  OpenSession open({std::move(data)});
  const auto made = Activity::make(*open.session, *open.communicator, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::BadUse);
}

TEST(Efficiency, IsCancelled) {
  OpenSession open({test::worked_example().trace()});
  Job job;
  job.cancelled = [] { return true; };
  const auto made = Activity::make(*open.session, *open.communicator, job);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::Cancelled);
}

TEST(OffloadCall, IsOneOfTheRuntimesAndDriversOfGpus) {
  for (const char* name : {"cudaLaunchKernel_v7000", "cuMemcpyHtoDAsync_v2", "hipLaunchKernel",
                           "__hipPushCallConfiguration", "hsa_queue_create"})
    EXPECT_TRUE(is_offload_call(name)) << name;
  for (const char* name :
       {"MPI_Send", "cublasSgemm_v2", "poll", "pthread_cond_wait", "custom", "cuda", "hipster", ""})
    EXPECT_FALSE(is_offload_call(name)) << name;
}
