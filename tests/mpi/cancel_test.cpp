// Part of mpi_test. A rank that is cancelled or fails alone, at any point, leaves the ranks consistent: the
// next request is answered as by a single rank that had no request before.

#include <algorithm>
#include <filesystem>

#include "tests/mpi/mpi_runner.h"

using namespace jitterscope;
using nlohmann::json;
using test::g_mpi, test::Runner, test::stores, test::expect_equal;

namespace {

/// The answer of rank 0 alone without earlier requests; empty on other ranks.
engine::Answer fresh_answer(const std::string& operation, const json& options) {
  if (g_mpi->rank() != 0) return {};
  const auto own = local_communicator();
  Runner alone{*own, {}, {}};
  EXPECT_TRUE(alone.run("open", {{"stores", stores().paths}}));
  auto answer = alone.run(operation, options);
  EXPECT_TRUE(answer) << operation << options.dump();
  return answer ? std::move(*answer) : engine::Answer();
}

/// `options` of the requests A and B of one operation.
struct Questions {
  const char* operation;
  const char* options;
  const char* others;
  std::vector<int> checks = {0, 1, 2, 3, 5, 8, 16, 32, 64}; ///< numbers of checks before the cancel
};

class CancelledOnOneRank : public ::testing::TestWithParam<Questions> {};

// A runs, B is cancelled on one rank at its n-th check while the others continue, then A and B run
// again.
TEST_P(CancelledOnOneRank, ChangesNoLaterAnswer) {
  const auto& [name, a, b, cancels] = GetParam();
  const auto& operation = name; // Clang 14 captures no structured binding
  const json first = json::parse(a), second = json::parse(b);
  const auto alone_a = fresh_answer(operation, first), alone_b = fresh_answer(operation, second);
  const auto expect = [&](Runner& together, const json& options, const engine::Answer& alone) {
    const auto answer = together.run(operation, options);
    ASSERT_TRUE(answer || g_mpi->rank() != 0) << describe(answer.error());
    if (g_mpi->rank() == 0) expect_equal(*answer, alone);
  };
  for (const int checks : cancels) {
    SCOPED_TRACE(checks);
    Runner together{*g_mpi, {}, {}};
    ASSERT_TRUE(together.run("open", {{"stores", stores().paths}}));
    if (checks % 2 == 0) expect(together, first, alone_a);
    for (int rank = 0; rank < std::min(g_mpi->size(), 2); ++rank) {
      int checked = 0;
      if (rank == g_mpi->rank()) together.job.cancelled = [&] { return checked++ >= checks; };
      (void)together.run(operation, second);
      together.job = {};
      expect(together, first, alone_a);
      expect(together, second, alone_b);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Operations, CancelledOnOneRank,
    ::testing::Values(
        Questions{"parallel", "{}", R"({"most_axes": 14})"},
        Questions{"parallel", R"({"axes": ["duration", "gap_ns", "stream"], "within": "duration > 10us"})",
                  R"({"axes": ["duration", "gap_ns", "stream"], "within": "duration > 12us"})"},
        Questions{
            "parallel", R"({"axes": ["duration", "blocks"], "where": "duration > 10us"})",
            R"({"axes": ["blocks", "queue_delay_ns"], "colour_by": "duration", "scales": {"duration": "rank"}})"},
        Questions{"parallel", R"({"axes": ["duration", "start"]})",
                  R"({"axes": ["start", "duration"], "look_at": 4096})"},
        Questions{"efficiency", R"({"sums": true})", R"({"range": [1000000, 7000000], "sums": true})"},
        Questions{"contrast", R"({"where": "duration > 20us"})", R"({"where": "duration > 12us"})", {40}},
        Questions{"causal",
                  R"({"bootstrap": 5, "features": ["gap_ns"]})",
                  R"({"bootstrap": 5, "features": ["gap_ns"], "where": "grid_x > 100"})",
                  {0, 3}}));

TEST(Opening, ThatFailsOnOneRankKeepsTheSessionOfAll) {
  const json question = {{"where", "duration > 10us"}};
  const auto alone = fresh_answer("bins", question);
  Runner together{*g_mpi, {}, {}};
  ASSERT_TRUE(together.run("open", {{"stores", stores().paths}}));
  const bool last = g_mpi->rank() == g_mpi->size() - 1;
  const auto opened = together.run("open", {{"stores", {last ? "no such file" : stores().paths[0]}}});
  EXPECT_FALSE(opened);
  const auto answer = together.run("bins", question);
  ASSERT_TRUE(answer || g_mpi->rank() != 0);
  if (g_mpi->rank() == 0) expect_equal(*answer, alone);
}

// The other store has the same number of launches: only its content differs.
TEST(Opening, OfDifferentFilesIsRefused) {
  if (g_mpi->size() == 1) GTEST_SKIP() << "needs at least two ranks";
  Runner together{*g_mpi, {}, {}};
  const bool last = g_mpi->rank() == g_mpi->size() - 1;
  const auto opened = together.run("open", {{"stores", {stores().paths[last ? 1 : 0]}}});
  ASSERT_FALSE(opened);
  if (g_mpi->rank() == 0) {
    EXPECT_EQ(opened.error().kind, ErrorKind::BadInput);
    EXPECT_NE(opened.error().message.find("rank " + std::to_string(g_mpi->size() - 1)), std::string::npos)
        << opened.error().message;
    EXPECT_EQ(opened.error().file, stores().paths[0]);
  }
  EXPECT_EQ(together.workspace.session, nullptr);
  ASSERT_TRUE(together.run("open", {{"stores", stores().paths}}));
}

TEST(Opening, CancelledOnOneRankKeepsTheSessionOfAll) {
  Runner together{*g_mpi, {}, {}};
  ASSERT_TRUE(together.run("open", {{"stores", stores().paths}}));
  const auto launches = together.workspace.session->launches();
  if (g_mpi->rank() == g_mpi->size() - 1) together.job.cancelled = [] { return true; };
  EXPECT_FALSE(together.run("open", {{"stores", {stores().paths[0]}}}));
  EXPECT_EQ(together.workspace.session->launches(), launches);
}

} // namespace
