// Part of mpi_test. A rank that is cancelled or fails alone, at any point, leaves the ranks consistent: the
// next request is answered as by a single rank that had no request before.

#include <algorithm>
#include <filesystem>

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/efficiency_options.h"
#include "core/engine/messages/statistics_options.h"
#include "tests/mpi/mpi_runner.h"

using namespace jitterscope;
using test::g_mpi, test::Runner, test::stores, test::expect_equal;

namespace {

/// The answer of rank 0 alone without earlier requests; empty on other ranks.
engine::Answer fresh_answer(const engine::Request& request) {
  if (g_mpi->rank() != 0) return {};
  const auto own = local_communicator();
  Runner alone{*own, {}, {}};
  EXPECT_TRUE(alone.run(engine::OpenOptions{.stores = stores().paths}));
  auto answer = alone.run(request);
  EXPECT_TRUE(answer) << request.operation;
  return answer ? std::move(*answer) : engine::Answer();
}

/// Requests A and B to one operation.
struct Questions {
  engine::Request first, second;
  std::vector<int> checks = {0, 1, 2, 3, 5, 8, 16, 32, 64}; ///< numbers of checks before the cancel
};

class CancelledOnOneRank : public ::testing::TestWithParam<Questions> {};

// A runs, B is cancelled on one rank at its n-th check while the others continue, then A and B run
// again.
TEST_P(CancelledOnOneRank, ChangesNoLaterAnswer) {
  const auto &first = GetParam().first, &second = GetParam().second;
  const auto alone_a = fresh_answer(first), alone_b = fresh_answer(second);
  const auto expect = [&](Runner& together, const engine::Request& request, const engine::Answer& alone) {
    const auto answer = together.run(request);
    ASSERT_TRUE(answer || g_mpi->rank() != 0) << describe(answer.error());
    if (g_mpi->rank() == 0) expect_equal(*answer, alone);
  };
  for (const int checks : GetParam().checks) {
    SCOPED_TRACE(checks);
    Runner together{*g_mpi, {}, {}};
    ASSERT_TRUE(together.run(engine::OpenOptions{.stores = stores().paths}));
    if (checks % 2 == 0) expect(together, first, alone_a);
    for (int rank = 0; rank < std::min(g_mpi->size(), 2); ++rank) {
      int checked = 0;
      if (rank == g_mpi->rank()) together.job.cancelled = [&] { return checked++ >= checks; };
      (void)together.run(second);
      together.job = {};
      expect(together, first, alone_a);
      expect(together, second, alone_b);
    }
  }
}

std::vector<Questions> questions() {
  using namespace engine;
  const std::vector<std::string> axes = {"duration", "gap_ns", "stream"};
  return {{ParallelOptions(), ParallelOptions{.most_axes = 14}},
          {ParallelOptions{.axes = axes, .within = "duration > 10us"},
           ParallelOptions{.axes = axes, .within = "duration > 12us"}},
          {ParallelOptions{.where = "duration > 10us", .axes = {"duration", "blocks"}},
           ParallelOptions{.axes = {"blocks", "queue_delay_ns"},
                           .scales = {{.column = "duration", .scale = "rank"}},
                           .colour_by = "duration"}},
          {ParallelOptions{.axes = {"duration", "start"}},
           ParallelOptions{.axes = {"start", "duration"}, .look_at = 4096}},
          {EfficiencyOptions{.sums = true},
           EfficiencyOptions{.begin_ns = 1'000'000, .end_ns = 7'000'000, .sums = true}},
          {ContrastOptions{.where = "duration > 20us"}, ContrastOptions{.where = "duration > 12us"}, {40}},
          {CausalOptions{.features = {"gap_ns"}, .bootstrap = 5},
           CausalOptions{.where = "grid_x > 100", .features = {"gap_ns"}, .bootstrap = 5},
           {0, 3}}};
}

INSTANTIATE_TEST_SUITE_P(Operations, CancelledOnOneRank, ::testing::ValuesIn(questions()),
                         [](const ::testing::TestParamInfo<Questions>& test) {
                           return test.param.first.operation + "_" + std::to_string(test.index);
                         });

TEST(Opening, ThatFailsOnOneRankKeepsTheSessionOfAll) {
  const engine::BinsOptions question{.where = "duration > 10us"};
  const auto alone = fresh_answer(question);
  Runner together{*g_mpi, {}, {}};
  ASSERT_TRUE(together.run(engine::OpenOptions{.stores = stores().paths}));
  const bool last = g_mpi->rank() == g_mpi->size() - 1;
  const auto opened =
      together.run(engine::OpenOptions{.stores = {last ? "no such file" : stores().paths[0]}});
  EXPECT_FALSE(opened);
  const auto answer = together.run(question);
  ASSERT_TRUE(answer || g_mpi->rank() != 0);
  if (g_mpi->rank() == 0) expect_equal(*answer, alone);
}

// The other store has the same number of launches: only its content differs.
TEST(Opening, OfDifferentFilesIsRefused) {
  if (g_mpi->size() == 1) GTEST_SKIP() << "needs at least two ranks";
  Runner together{*g_mpi, {}, {}};
  const bool last = g_mpi->rank() == g_mpi->size() - 1;
  const auto opened = together.run(engine::OpenOptions{.stores = {stores().paths[last ? 1 : 0]}});
  ASSERT_FALSE(opened);
  if (g_mpi->rank() == 0) {
    EXPECT_EQ(opened.error().kind, ErrorKind::BadInput);
    EXPECT_NE(opened.error().message.find("rank " + std::to_string(g_mpi->size() - 1)), std::string::npos)
        << opened.error().message;
    EXPECT_EQ(opened.error().file, stores().paths[0]);
  }
  EXPECT_EQ(together.workspace.session, nullptr);
  ASSERT_TRUE(together.run(engine::OpenOptions{.stores = stores().paths}));
}

TEST(Opening, CancelledOnOneRankKeepsTheSessionOfAll) {
  Runner together{*g_mpi, {}, {}};
  ASSERT_TRUE(together.run(engine::OpenOptions{.stores = stores().paths}));
  const auto launches = together.workspace.session->launches();
  if (g_mpi->rank() == g_mpi->size() - 1) together.job.cancelled = [] { return true; };
  EXPECT_FALSE(together.run(engine::OpenOptions{.stores = {stores().paths[0]}}));
  EXPECT_EQ(together.workspace.session->launches(), launches);
}

} // namespace
