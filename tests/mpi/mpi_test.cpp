// Run by mpirun on any number of ranks. All ranks run the operations together; rank 0 then runs them alone
// and checks that documents and arrays are bit-identical.

#include <chrono>
#include <memory>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/efficiency_options.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/operations/operations.h"
#include "core/engine/ranks/mpi_communicator.h"
#include "core/store/format/store.h"
#include "tests/mpi/mpi_runner.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using test::g_mpi, test::Runner, test::stores, test::expect_equal;

namespace {

class EqualForAnyRanks : public ::testing::TestWithParam<engine::Request> {};

TEST_P(EqualForAnyRanks, ToTheLastBit) {
  Runner together{*g_mpi, {}, {}};
  ASSERT_TRUE(together.run(engine::OpenOptions{.stores = stores().paths}));
  const auto joint = together.run(GetParam());
  ASSERT_TRUE(joint || g_mpi->rank() != 0) << describe(joint.error());
  if (g_mpi->rank() != 0) return;
  const auto own = local_communicator();
  Runner alone{*own, {}, {}};
  ASSERT_TRUE(alone.run(engine::OpenOptions{.stores = stores().paths}));
  const auto single = alone.run(GetParam());
  ASSERT_TRUE(single);
  expect_equal(*joint, *single);
}

std::vector<engine::Request> requests() {
  using namespace engine;
  const DrawnAxisOptions duration{.column = "duration", .edges = {0, 20'000, 50'000, 900'000}},
      grid{.column = "grid_x", .edges = {0, 4, 4096}, .inverted = true};
  return {BinsOptions(),
          BinsOptions{.metric = "memory-stall", .width_ns = 1'000'000, .rank_by = "cv"},
          BinsOptions{.where = "duration > 20us or stream = 14"},
          KernelsOptions(),
          DistributionOptions{.where = "duration > 10us", .log = true},
          DistributionOptions{.time = true, .group_by = "configuration"},
          LaunchesOptions{.sort = "duration", .first = 40, .count = 300, .columns = {"name", "duration"}},
          RowsNearOptions{.where = "duration > 5us",
                          .axes = {duration, grid},
                          .across = 0.4,
                          .at = 0.3,
                          .within = 0.05,
                          .columns = {"name", "start"}},
          LaunchesOptions{.sort = "stream", .descending = true, .first = 900, .count = 50, .locate = 17},
          HeatMapOptions{.where = "duration > 10us", .columns = 50, .rows = 20},
          AreaOfSelectionOptions{.end_ns = 900'000'000'000, .where = "duration > 10us"},
          EfficiencyOptions{.by = "rank", .sums = true},
          EfficiencyOptions{.begin_ns = 1'000'000,
                            .end_ns = 7'000'001,
                            .collectives_as = "useful",
                            .most_rows = 1,
                            .parts = {{{1'000'000}, {2'000'000}}, {{1'500'000}, {6'999'999}}}},
          ParallelOptions(),
          CausalOptions{.bootstrap = 50},
          CausalOptions{.where = "grid_x > 100", .target = "duration", .bootstrap = 20}};
}

INSTANTIATE_TEST_SUITE_P(Operations, EqualForAnyRanks, ::testing::ValuesIn(requests()),
                         [](const ::testing::TestParamInfo<engine::Request>& test) {
                           return test.param.operation + "_" + std::to_string(test.index);
                         });

TEST(Engine, ConfigurationsOfOneShortNameAreDistinguished) {
  if (g_mpi->rank() != 0) return;
  auto data = test::empty_trace();
  for (const char* name : {"fill<4, int>(int*)", "fill<8, int>(int*)", "scan(int*)"})
    test::add_kernel(data, name, 1);
  test::add_kernel(data, "fill<8, int>(int*)", 1); // again, with another number of registers
  auto& brief = test::column<std::uint32_t>(data, "kernels", "short_name");
  for (const std::size_t kernel : {0, 1, 3}) brief[kernel] = data.strings.intern("fill").value;
  brief[2] = data.strings.intern("scan").value;
  test::column<std::uint32_t>(data, "configurations", "kernel")[3] = 1;
  test::column<std::uint32_t>(data, "configurations", "registers")[3] = 32;
  test::add_launches(data, {{0, 10, 0}, {20, 10, 1}, {40, 10, 2}, {60, 10, 3}});
  const test::TemporaryFolder folder;
  const auto path = folder.file("alike.jts");
  ASSERT_TRUE(store::write_store(data, path));
  const auto own = local_communicator();
  Runner alone{*own, {}, {}};
  ASSERT_TRUE(alone.run(engine::OpenOptions{.stores = {path}}));
  const auto answer = alone.run(engine::DistributionOptions{.group_by = "configuration"});
  ASSERT_TRUE(answer) << describe(answer.error());
  const auto read = engine::table_of<engine::answers::DistributionAnswer>(*answer);
  ASSERT_TRUE(read) << describe(read.error());
  std::set<std::string> labels;
  for (const auto& group : read->groups)
    if (!group.rest) labels.insert(group.label);
  EXPECT_EQ(labels, (std::set<std::string>{
                        "fill<4, int>(int*) <<<(1, 1, 1), (1, 1, 1)>>>", "scan <<<(1, 1, 1), (1, 1, 1)>>>",
                        "fill<8, int>(int*) <<<(1, 1, 1), (1, 1, 1)>>>, 1 registers, 1 B + 1 B shared",
                        "fill<8, int>(int*) <<<(1, 1, 1), (1, 1, 1)>>>, 32 registers, 1 B + 1 B shared"}));
}

TEST(Engine, AFailureOnOneRankIsReportedAndTheNextJobRuns) {
  const bool failing = g_mpi->rank() == g_mpi->size() - 1;
  std::vector<std::int64_t> values{1, 2, 3};
  std::optional<Error> mine;
  if (failing)
    mine = Error{ErrorKind::BadInput, "this rank cannot read", "x", "", ""};
  else if (auto summed = g_mpi->sum(values); !summed)
    mine = summed.error();
  const auto problem = g_mpi->close_job(mine);
  ASSERT_TRUE(problem);
  if (g_mpi->rank() == 0) {
    EXPECT_EQ(problem->message, "this rank cannot read");
  }
  values = {1, 2, 3};
  ASSERT_TRUE(g_mpi->sum(values));
  EXPECT_EQ(values[2], 3 * g_mpi->size());
  EXPECT_FALSE(g_mpi->close_job(std::nullopt));
}

TEST(Engine, RankZeroStopsAllOthersInTheMiddleOfTheirWork) {
  using namespace std::chrono;
  constexpr std::int64_t kJob = 77;
  if (g_mpi->rank() == 0) g_mpi->send_stop(kJob);
  const auto begin = steady_clock::now();
  bool stopped = g_mpi->rank() == 0;
  while (!stopped && steady_clock::now() - begin < seconds(300)) {
    stopped = g_mpi->stop_received(kJob);
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(g_mpi->close_job(Error{ErrorKind::Cancelled, "cancelled", "", "", ""}));
}

TEST(Engine, AStopHoldsUntilItsJobIsClosedAndNotForTheNext) {
  constexpr std::int64_t kJob = 78;
  if (g_mpi->rank() == 0) g_mpi->send_stop(kJob);
  while (g_mpi->rank() != 0 && !g_mpi->stop_received(kJob))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (g_mpi->rank() != 0) {
    EXPECT_TRUE(g_mpi->stop_received(kJob)) << "a stop stays received";
  }
  EXPECT_TRUE(g_mpi->close_job(Error{ErrorKind::Cancelled, "cancelled", "", "", ""}));
  EXPECT_FALSE(g_mpi->stop_received(kJob)) << "a later job with the same number is not stopped";
  EXPECT_FALSE(g_mpi->stop_received(kJob + 1));
  EXPECT_FALSE(g_mpi->close_job(std::nullopt));
}

// After a rank notices the stop, it starts nothing further, in whichever loop it is. Tasks are shared
// dynamically, so a rank may check more often than rank 0 does in the whole job. It waits up to 200 ms for
// the stop, but does not rely on it.
TEST(Engine, NoRankBeginsAnyTaskOfFilteredBinsAfterTheStop) {
  Runner together{*g_mpi, {}, {}};
  ASSERT_TRUE(together.run(engine::OpenOptions{.stores = stores().paths}));
  const engine::BinsOptions options{.where = "duration > 20us", .width_ns = 1'000'000};
  for (const int checks : {0, 1, 3, 40}) {
    const std::int64_t job_number = 100 + checks;
    int checked = 0, begun_after = 0, patience_ms = 200;
    bool stopped = false;
    together.job.cancelled = [&] {
      if (stopped) return true;
      if (checked++ < checks) return false;
      if (g_mpi->rank() == 0) {
        g_mpi->send_stop(job_number);
        return stopped = true;
      }
      while (!(stopped = g_mpi->stop_received(job_number)) && patience_ms-- > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return stopped;
    };
    together.job.progress = [&](std::int64_t, std::int64_t, const std::string&) { begun_after += stopped; };
    const auto answer = together.run(options);
    if (stopped) {
      ASSERT_FALSE(answer) << checks << " checks before the stop";
      EXPECT_EQ(answer.error().kind, ErrorKind::Cancelled);
    }
    EXPECT_EQ(begun_after, 0) << checks << " checks before the stop";
  }
  together.job = {};
  ASSERT_TRUE(together.run(options)) << "the next job runs";
}

TEST(Engine, GatheringKeepsTheOrderOfRanksForAnyLengths) {
  std::vector<std::int64_t> mine(static_cast<std::size_t>(g_mpi->rank() % 3), g_mpi->rank());
  const auto all = g_mpi->all_gather<std::int64_t>(mine);
  ASSERT_TRUE(all);
  std::vector<std::int64_t> expected;
  for (int rank = 0; rank < g_mpi->size(); ++rank)
    expected.insert(expected.end(), static_cast<std::size_t>(rank % 3), rank);
  EXPECT_EQ(*all, expected);
  const auto at_root = g_mpi->gather<std::int64_t>(mine);
  ASSERT_TRUE(at_root);
  EXPECT_EQ(*at_root, g_mpi->rank() == 0 ? expected : std::vector<std::int64_t>());
  EXPECT_FALSE(g_mpi->close_job(std::nullopt));
}

TEST(Engine, MinimumAndSumReachEveryRank) {
  std::vector<std::int64_t> low{g_mpi->rank() - 5};
  ASSERT_TRUE(g_mpi->minimum(low));
  EXPECT_EQ(low[0], -5);
  std::vector<std::int64_t> sum{1};
  ASSERT_TRUE(g_mpi->sum(sum));
  EXPECT_EQ(sum[0], g_mpi->size());
  EXPECT_FALSE(g_mpi->close_job(std::nullopt));
}

} // namespace

int main(int argc, char** argv) {
  g_mpi = std::make_unique<engine::MpiCommunicator>(&argc, &argv);
  ::testing::InitGoogleTest(&argc, argv);
  if (g_mpi->rank() != 0)
    delete ::testing::UnitTest::GetInstance()->listeners().Release(
        ::testing::UnitTest::GetInstance()->listeners().default_result_printer());
  const int result = RUN_ALL_TESTS();
  g_mpi.reset();
  return result;
}
