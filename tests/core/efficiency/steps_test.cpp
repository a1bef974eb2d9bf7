#include <gtest/gtest.h>

#include "core/efficiency/counters.h"
#include "core/efficiency/kernel_time.h"
#include "core/efficiency/steps.h"
#include "tests/core/efficiency/program.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::efficiency;

namespace {

struct Opened {
  test::OpenSession open;
  Activity activity;
  explicit Opened(test::Program& program)
      : open({program.trace()}), activity(std::move(*Activity::make(*open.session, *open.communicator, {}))) {
  }
  Result result(std::int64_t begin, std::int64_t end) {
    Options options;
    options.range = Interval{{begin}, {end}};
    return *efficiencies(activity, *open.session, options, *open.communicator, {});
  }
};

} // namespace

TEST(Steps, AreTheRangesOfOneThreadThatRepeatAndCoverMostTime) {
  auto program = test::worked_example();
  program.range(program.thread(0), {0, 30, "step 1"});
  program.range(program.thread(0), {32, 60, "step 2"});
  program.range(program.thread(0), {60, 99, "step 13"});
  program.range(program.thread(1), {0, 3, "log"});
  program.range(program.thread(1), {50, 53, "log"});
  program.range(program.thread(2), {0, 100, "training"}); // occurs once, so it is not a step
  Opened opened(program);
  const auto steps = find_steps(opened.activity, *opened.open.session, "", {}, {});
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->name, "step #");
  EXPECT_EQ(steps->ranges, (std::vector<Interval>{{{0}, {30}}, {{32}, {60}}, {{60}, {99}}}));
  const auto numbered = find_steps(opened.activity, *opened.open.session, "step 13", {}, {});
  ASSERT_TRUE(numbered);
  EXPECT_EQ(numbered->name, "step #"); // numbers are ignored in the requested name, too
  const auto named = find_steps(opened.activity, *opened.open.session, "log", {}, {});
  ASSERT_TRUE(named);
  EXPECT_EQ(named->ranges.size(), 2u);
  EXPECT_EQ(find_steps(opened.activity, *opened.open.session, "training", {}, {}).error().kind,
            ErrorKind::BadUse);
  const auto inside = find_steps(opened.activity, *opened.open.session, "", Interval{{20}, {100}}, {});
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->ranges.size(), 2u) << "only steps that are completely in the range";
}

TEST(Steps, HaveTheNameOfOneOrCoverMostOfTheTime) {
  const auto found = [](const std::vector<Interval>& ranges, const std::string& name) {
    auto program = test::worked_example(); // 100 ns
    for (const auto& range : ranges)
      program.range(program.thread(0), {range.begin.count, range.end.count, name});
    Opened opened(program);
    const auto steps = find_steps(opened.activity, *opened.open.session, "", {}, {});
    const auto named = find_steps(opened.activity, *opened.open.session, name, {}, {});
    EXPECT_TRUE(named); // may be chosen by name
    return steps.has_value();
  };
  EXPECT_TRUE(found({{{10}, {30}}, {{40}, {60}}, {{70}, {90}}}, "solve"));
  EXPECT_FALSE(found({{{10}, {12}}, {{40}, {44}}, {{88}, {90}}}, "solve")); // rarely: a part of a step
  EXPECT_FALSE(found({{{10}, {20}}, {{20}, {30}}, {{30}, {40}}}, "solve")); // in one phase only
  EXPECT_TRUE(found({{{10}, {12}}, {{14}, {16}}}, "Iteration"));
  EXPECT_FALSE(found({{{10}, {12}}, {{40}, {42}}, {{70}, {72}}}, "cg_step")) << "a part of an iteration";
}

TEST(Steps, ThatOverlapAreNone) {
  auto program = test::worked_example();
  program.range(program.thread(0), {0, 50, "task 1"});
  program.range(program.thread(0), {40, 90, "task 2"});
  Opened opened(program);
  EXPECT_FALSE(find_steps(opened.activity, *opened.open.session, "", {}, {}));
}

TEST(KernelTime, IsThatOfLaunchesInTheRange) {
  auto program = test::worked_example();
  Opened opened(program);
  auto times = kernel_times(opened.activity, *opened.open.session, opened.result(0, 60),
                            *opened.open.communicator, {});
  ASSERT_TRUE(times);
  ASSERT_EQ(times->size(), 2u);
  EXPECT_EQ((*times)[0].duration_ns, 30 + 20 + 50 + 20);
  EXPECT_EQ((*times)[0].launches, 4);
  EXPECT_FALSE((*times)[0].collective);
  EXPECT_EQ((*times)[1].duration_ns, 10) << "[50,60) of [50,80)";
  EXPECT_TRUE((*times)[1].collective);
}

TEST(UsefulCounters, CountWhatIsSampledAtTheEndOfComputation) {
  test::Program program;
  program.add_rank(0);
  const auto thread = program.thread(0);
  program.state(thread, {0, 10, "Running"});
  program.state(thread, {10, 20, "Waiting a message"});
  program.state(thread, {20, 40, "Running"});
  for (const auto& [time, value] :
       {std::pair{10, 100}, {20, 7}, {30, 50}, {30, 9}, {36, 5}, {40, 60}, {55, 1}})
    program.sample(thread, "PAPI_TOT_INS [Instr completed]", time, value);
  program.sample(thread, "PAPI_TOT_CYC [Total cycles]", 10, 300);
  program.mpi(thread, {32, 36, "MPI_Iprobe"});
  Opened opened(program);
  const auto all = useful_counters(opened.activity, *opened.open.session, opened.result(0, 60),
                                   *opened.open.communicator, {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->instructions, 100 + 50 + 60)
      << "counts while waiting, in a call or without a state are left out; none counts twice";
  EXPECT_EQ(all->cycles, 300);
  const auto some = useful_counters(opened.activity, *opened.open.session, opened.result(10, 30),
                                    *opened.open.communicator, {});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->instructions, 50);
}

TEST(UsefulCounters, OfABurstAtABorderCountInProportionToItsTimeInside) {
  test::Program program;
  program.add_rank(0);
  const auto thread = program.thread(0);
  program.state(thread, {0, 1'000, "Running"});
  program.state(thread, {1'000, 1'500, "Waiting a message"});
  program.mpi(thread, {1'500, 1'600, "MPI_Send"});
  for (const auto& [begin, end] : {std::pair{1'500, 1'800}, {1'800, 2'000}}) // touching: one burst
    program.state(thread, {begin, end, "Running"});
  for (const auto& [time, thousands] : {std::pair{1'000, 4}, {1'500, 9}, {2'000, 2}}) {
    program.sample(thread, "PAPI_TOT_INS", time, 1'000.0 * thousands);
    program.sample(thread, "PAPI_TOT_CYC", time, 500.0 * thousands);
  }
  Opened opened(program);
  const auto counted = [&](std::int64_t begin, std::int64_t end) {
    const auto counters = useful_counters(opened.activity, *opened.open.session, opened.result(begin, end),
                                          *opened.open.communicator, {});
    return counters && counters->instructions == 2 * counters->cycles ? counters->instructions : -1;
  };
  EXPECT_EQ(counted(0, 2'000), 6'000);
  EXPECT_EQ(counted(900, 1'000), 400);
  EXPECT_EQ(counted(999, 1'001), 4);
  EXPECT_EQ(counted(0, 900), 3'600);
  EXPECT_EQ(counted(100, 200), 400);
  EXPECT_EQ(counted(1'100, 1'550), 0);
  EXPECT_EQ(counted(1'100, 1'700), 500) << "from the end of the call";
  EXPECT_EQ(counted(1'700, 1'900), 1'000);
}

TEST(UsefulCounters, AreUnknownIfAThreadThatComputesHasNone) {
  test::Program program;
  for (int rank = 0; rank < 3; ++rank) {
    program.add_rank(rank);
    program.state(program.thread(rank), {0, 10, "Running"});
    if (rank == 1) continue;
    program.sample(program.thread(rank), "PAPI_TOT_INS", 10, 100);
    program.sample(program.thread(rank), "PAPI_TOT_CYC", 10, 50);
  }
  Opened opened(program);
  const auto counters = useful_counters(opened.activity, *opened.open.session, opened.result(0, 10),
                                        *opened.open.communicator, {});
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->threads_without, 1);
  EXPECT_EQ(counters->instructions, 0);
  EXPECT_EQ(counters->cycles, 0);
}
