#include <fstream>
#include <iterator>

#include "core/efficiency/efficiency.h"
#include "tests/core/efficiency/metrics/metric_session.h"

// Definitions of metrics on test::worked_example(), among them those of Paraver's windows for GPU traces.

using namespace jitterscope;
using test::as_text;

namespace {

const test::MetricSession& example() {
  static const test::MetricSession kSession({test::worked_example().trace()});
  return kSession;
}

std::string of(const std::string& text, std::size_t object = 0) {
  return as_text(example().steps(text, 0, 100).at(object), 100);
}

double integral_of(const std::string& text, std::size_t object) {
  return efficiency::metrics::integral(example().steps(text, 0, 100).at(object), 0, 100);
}

} // namespace

TEST(MetricExample, ActiveComputeKernelsOverAllStreams) {
  EXPECT_EQ(
      of("sum(count(kernels[not collective]) per application)"),
      "[0,10)2 [10,20)3 [20,30)4 [30,40)2 [40,50)1 [50,75)0 [75,80)1 [80,85)2 [85,90)3 [90,95)2 [95,100)1");
}

TEST(MetricExample, DevicesThatCompute) {
  EXPECT_EQ(of("number(any(active(kernels[not collective]) per device) per application)"),
            "[0,10)2 [10,30)3 [30,40)2 [40,50)1 [50,75)0 [75,80)1 [80,85)2 [85,90)3 [90,95)2 [95,100)1");
}

// As in the efficiencies, each trace decides whether states or calls state what is useful.
TEST(MetricExample, UsefulOfTracesWithAndWithoutStates) {
  test::Program with, without;
  with.add_rank(0);
  with.state(with.thread(0), {0, 50, "Running"});
  with.state(with.thread(0), {50, 100, "Idle"});
  with.mpi(with.thread(0), {20, 30, "MPI_Allreduce"});
  without.add_rank(0);
  without.mpi(without.thread(0), {80, 100, "MPI_Allreduce"});
  without.call(without.thread(0), {0, 10, "poll"});
  std::ifstream file(std::string(JITTERSCOPE_SOURCE_DIR) + "/resources/metrics/useful.metric");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const test::MetricSession session({with.trace(), without.trace()});
  const auto useful = session.steps(text, 0, 100);
  ASSERT_EQ(useful.size(), 2u);
  EXPECT_EQ(as_text(useful[0], 100), "[0,20)1 [20,30)0 [30,50)1 [50,100)0");
  EXPECT_EQ(as_text(useful[1], 100), "[0,80)1 [80,100)0");
}

TEST(MetricExample, AllInCollective) {
  const std::string expected = "[0,60)0 [60,80)1 [80,100)0";
  EXPECT_EQ(of("all(any(active(kernels[collective]) per device) per application)"), expected);
  EXPECT_EQ(of("min(any(active(kernels[name ~ /^nccl/]) per device) per application)"), expected);
}

TEST(MetricExample, IdleDevices) {
  EXPECT_EQ(
      of("let busy = any(active(kernels) per device) or active(copies); number(not busy per application)"),
      "[0,10)1 [10,32)0 [32,60)1 [60,80)0 [80,85)1 [85,90)0 [90,95)1 [95,100)2");
}

TEST(MetricExample, UsefulAndExposedCommunicationOfDevices) {
  const double useful[] = {60, 60, 35}, exposed[] = {25, 30, 32};
  for (std::size_t device = 0; device < 3; ++device) {
    EXPECT_EQ(integral_of("any(active(kernels[not collective]) per device)", device), useful[device]);
    EXPECT_EQ(integral_of("let computes = any(active(kernels[not collective]) per device);"
                          "(any(active(kernels[collective]) per device) or active(copies)) and not computes",
                          device),
              exposed[device]);
  }
}

TEST(MetricExample, UsefulOfHosts) {
  const double useful[] = {50, 40, 40};
  for (std::size_t thread = 0; thread < 3; ++thread)
    EXPECT_EQ(integral_of("not active(mpi) and not active(calls[offload])", thread), useful[thread]);
}

// A burst's duration as its value, on a timeline that is 0 elsewhere.
TEST(MetricExample, DurationOfEachBurstAsValue) {
  EXPECT_EQ(of("value(kernels[not collective], duration)", 0), "[0,30)30 [30,75)0 [75,95)20 [95,100)0");
}

TEST(MetricExample, AggregatesToCoarserLevels) {
  auto bound = example().bind("across = mean; any(active(kernels[not collective]) per device)");
  ASSERT_TRUE(bound);
  const efficiency::metrics::Question question{{{0}, {100}}, efficiency::metrics::Level::Application, {}};
  auto values = efficiency::metrics::columns(*bound, question, 1, *example().open.communicator, {});
  ASSERT_TRUE(values);
  EXPECT_NEAR(values->front().average.front(), 31.0 / 60, 1e-15); // Device PE
  EXPECT_EQ(values->front().minimum.front(), 0);
  EXPECT_EQ(values->front().maximum.front(), 1);
}

TEST(MetricExample, ADeviceOfTwoProcessesIsOneObjectAndSaysSo) {
  test::Program program;
  for (int rank = 0; rank < 3; ++rank) {
    program.add_rank(1);
    program.kernel(rank, 0, {10 * rank, 10 * rank + 20, "compute"});
  }
  auto trace = program.trace();
  std::vector<std::uint32_t> devices;
  for (std::uint32_t r = 0; r < trace.resources.size(); ++r)
    if (trace.resources[r].kind == store::ResourceKind::Device) devices.push_back(r);
  trace.resources[devices[1]].physical = devices[0]; // ranks 0 and 1
  const test::MetricSession session({std::move(trace)});
  const auto names = [&](efficiency::metrics::Level level) {
    std::vector<std::string> all;
    for (const auto& object : session.data.objects().at(level)) all.push_back(object.name);
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(efficiency::metrics::Level::Device),
            (Names{"rank 0 and 1 more · GPU 0", "rank 2 · GPU 0"}));
  EXPECT_EQ(names(efficiency::metrics::Level::Stream).at(1), "rank 1 · GPU 0 · stream 0");
  EXPECT_EQ(as_text(session.steps("any(active(kernels) per device)", 0, 50).at(0), 50), "[0,30)1 [30,50)0");
}

// Counters hold their value until the next sample; the mean over a launch is weighted by time.
TEST(MetricExample, CounterInKernelsThatMatch) {
  test::Program program;
  program.add_rank(1);
  const auto device = program.thread(0) - 2;
  program.kernel(0, 0, {10, 20, "gemm_a"});
  program.kernel(0, 0, {30, 40, "gemm_a"});
  program.kernel(0, 0, {50, 60, "copy"});
  for (const auto& [time, value] : {std::pair{0, 4.0}, {15, 8.0}, {35, 2.0}, {55, 6.0}})
    program.sample(device, "DRAM Read", time, value);
  const test::MetricSession session({program.trace()});
  const auto text = [&](const std::string& definition) {
    return as_text(session.steps(definition, 0, 70).at(0), 70);
  };
  EXPECT_EQ(text("counter(\"DRAM Read\")"), "[0,15)4 [15,35)8 [35,55)2 [55,70)6");
  EXPECT_EQ(text("next_counter(/DRAM/)"), "[0,15)8 [15,35)2 [35,55)6 [55,70)0");
  EXPECT_EQ(text("counter(\"DRAM Read\") * active(kernels[name ~ /gemm/])"),
            "[0,10)0 [10,15)4 [15,20)8 [20,30)0 [30,35)8 [35,40)2 [40,70)0");
  EXPECT_EQ(text("value(kernels[name ~ /gemm/], mean(counter(\"DRAM Read\")))"),
            "[0,10)0 [10,20)6 [20,30)0 [30,40)5 [40,70)0");
  EXPECT_EQ(text("value(kernels, deviation(mean(counter(\"DRAM Read\"))))"),
            "[0,10)0 [10,20)0.5 [20,30)0 [30,40)0.5 [40,70)0");
  EXPECT_EQ(text("value(kernels, group_mean(mean(counter(\"DRAM Read\"))))"),
            "[0,10)0 [10,20)5.5 [20,30)0 [30,40)5.5 [40,50)0 [50,60)4 [60,70)0");
  EXPECT_EQ(text("value(kernels, 1 + deviation(mean(counter(\"DRAM Read\"))))"),
            "[0,10)0 [10,20)1.5 [20,30)0 [30,40)1.5 [40,70)0")
      << "the kernel of [50,60) runs once, so its deviation is missing";
  EXPECT_EQ(text("average(counter(\"DRAM Read\"), 30ns)"), "[0,30)6 [30,60)3.666667 [60,70)6");
  EXPECT_EQ(text("maximum(counter(\"DRAM Read\"), 20ns)"), "[0,40)8 [40,70)6");
  EXPECT_EQ(text("starts(kernels, 20ns)"), "[0,60)1 [60,70)0");
  EXPECT_EQ(text("frequency(kernels[name == \"copy\"], 50ns)"), "[0,50)0 [50,70)100000000")
      << "the trace ends at 60 ns";
}

// The call of every launch of a rank starts at 0: a launch is queued until it starts.
TEST(MetricExample, LaunchesAreQueuedFromTheirCallUntilTheyRun) {
  EXPECT_EQ(of("sum(count(queued) per application)"),
            "[0,10)8 [10,20)7 [20,50)6 [50,60)5 [60,75)3 [75,80)2 [80,85)1 [85,100)0");
  EXPECT_EQ(of("sum(count(queued) per device)", 1), "[0,60)2 [60,80)1 [80,100)0");
}
