// Metrics and efficiencies as columns of launches, in the operations on launches.

#include <gtest/gtest.h>

#include "core/engine/operations/operations.h"
#include "core/store/format/store.h"
#include "tests/core/efficiency/program.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

/// Rank 0 has 400 kernels "compute"; every third of them runs at the same time as "other" and takes longer.
/// Rank 1 has 400 kernels "compute", each followed by a collective.
store::TraceData two_ranks() {
  test::Program program;
  program.add_rank(2);
  program.add_rank(1);
  for (int i = 0; i < 400; ++i) {
    const std::int64_t begin = i * 1'000;
    const bool shared = i % 3 == 0;
    program.kernel(0, 0, {begin, begin + (shared ? 500 : 200) + i % 7, "compute"});
    if (shared) program.kernel(0, 1, {begin + 10, begin + 400, "other"});
    program.kernel(1, 0, {begin, begin + 100 + i % 5, "compute"});
    program.kernel(1, 0, {begin + 200, begin + 300 + 10 * (i % 9), "ncclDevKernel_AllReduce"});
  }
  program.range(program.thread(0), {0, 200'000, "step 1"});
  program.range(program.thread(0), {200'000, 400'000, "step 2"});
  return program.trace();
}

class Columns : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(store::write_store(two_ranks(), store_));
    ASSERT_TRUE(ask("open", {{"stores", {store_}}}));
  }
  Expected<Answer> ask(const std::string& operation, const json& options) {
    return run_operation(*find_operation(operation), {workspace_, *communicator_, job_, {}}, options);
  }
  json answer(const std::string& operation, const json& options) {
    auto answered = ask(operation, options);
    EXPECT_TRUE(answered) << describe(answered.error());
    return answered ? answered->document : json::object();
  }
  static json metric(const std::string& name, const std::string& text) {
    return {{"name", name}, {"text", text}};
  }
  const json* column(const json& columns, const std::string& name) {
    for (const auto& each : columns)
      if (each.at("name") == name) return &each;
    return nullptr;
  }

  test::TemporaryFolder folder_;
  std::string store_ = folder_.file("s.jts");
  std::unique_ptr<Communicator> communicator_ = local_communicator();
  Workspace workspace_;
  Job job_;
};

const std::string kRunning = "title = \"Running\"; sum(count(kernels) per device)";

TEST_F(Columns, AreListedAndReplacedAsAWhole) {
  auto chosen = answer("choose_columns", {{"metrics",
                                           {metric("running", kRunning), metric("kernel", "active(kernels)"),
                                            metric("running", "count(kernels)")}}});
  EXPECT_EQ(chosen.at("metrics"), json({"running", "metric_kernel", "metric_running"}));
  const auto* running = column(chosen.at("columns"), "running");
  ASSERT_TRUE(running);
  EXPECT_TRUE(running->at("chosen"));
  EXPECT_FALSE(running->at("constant"));
  EXPECT_EQ(running->at("tier"), 6);
  EXPECT_TRUE(column(chosen.at("columns"), "metric_kernel")
                  ->at("constant")); // during a launch, its kernel always runs
  chosen = answer("choose_columns", {{"metrics", {metric("other", kRunning)}}});
  EXPECT_FALSE(column(chosen.at("columns"), "running"));
  EXPECT_TRUE(column(chosen.at("columns"), "other"));
  chosen = answer("choose_columns", json::object());
  EXPECT_FALSE(column(chosen.at("columns"), "other"));
}

TEST_F(Columns, AnErrorLeavesTheColumnsAsTheyWere) {
  answer("choose_columns", {{"metrics", {metric("running", kRunning)}}});
  const auto bad = ask("choose_columns", {{"metrics", {metric("bad", "count(kernls)")}}});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().file, "bad");
  EXPECT_EQ(bad.error().place, "line 1, column 7");
  EXPECT_TRUE(ask("check_filter", {{"where", "running > 1"}}));
}

TEST_F(Columns, AreMetricsOfBinsAndFilters) {
  answer("choose_columns", {{"metrics", {metric("running", kRunning)}}});
  const auto bins = answer("bins", {{"metric", "running"}, {"width_ns", 400'000}, {"all", true}});
  EXPECT_EQ(bins.at("metric"), "running");
  // Launches of stream 1 of rank 0 always run at the same time as another.
  const auto alone = answer("bins", {{"metric", "running"}, {"where", "running = 2 and rank = 0"}});
  std::int64_t launches = 0;
  for (const auto& bin : alone.at("kept_bins")) launches += bin.at("n").get<std::int64_t>();
  EXPECT_GT(launches, 0);
  // After a column is replaced, answers computed with the earlier column are not reused.
  answer("choose_columns", {{"metrics", {metric("running", "0 * count(kernels)")}}});
  const auto none = answer("bins", {{"metric", "running"}, {"where", "running > 0"}});
  EXPECT_EQ(none.at("kept").size(), 0u);
}

TEST_F(Columns, AreFeaturesWhereTheTierIsStatedAndTargets) {
  answer("choose_columns", {{"metrics",
                             {metric("running", "tier = context; " + kRunning),
                              metric("unstated", "number(active(kernels) per process)")}}});
  const auto causal = answer("causal", {{"bootstrap", 20}, {"where", "rank = 0"}});
  const auto* running = column(causal.at("features"), "running");
  ASSERT_TRUE(running);
  EXPECT_EQ(running->at("tier"), 2);
  const auto* unstated = column(causal.at("features"), "unstated");
  ASSERT_TRUE(unstated);
  EXPECT_EQ(unstated->at("tier"), 6);
  EXPECT_EQ(answer("causal", {{"bootstrap", 20}, {"target", "running"}}).at("target"), "running");
}

// The model of durations does not depend on columns chosen before it was made.
TEST_F(Columns, DoNotChangeTheExcess) {
  const json options = {{"metric", "excess_ns"}, {"width_ns", 50'000}, {"all", true}};
  const auto plain = answer("bins", options);
  answer("open", {{"stores", {store_}}});
  answer("choose_columns", {{"metrics", {metric("running", "tier = context; " + kRunning)}}});
  EXPECT_EQ(answer("bins", options).at("kept_bins"), plain.at("kept_bins"));
}

TEST_F(Columns, OfEfficienciesPerWindowAndStep) {
  auto chosen = answer("choose_columns", {{"efficiencies", {{"width_ns", 10'000}}}});
  for (const char* name : {"efficiency_device_load_balance", "rank_1_waits", "others_wait"})
    EXPECT_TRUE(column(chosen.at("columns"), name)) << name;
  EXPECT_FALSE(column(chosen.at("columns"), "rank_0_waits")); // neither collectives nor MPI
  EXPECT_TRUE(ask("bins", {{"metric", "rank_1_waits"}}));
  chosen = answer("choose_columns", {{"efficiencies", {{"step", "step"}}}});
  const auto bins = answer("bins", {{"metric", "rank_1_waits"}, {"width_ns", 200'000}, {"all", true}});
  EXPECT_EQ(bins.at("missing"), 0);
  EXPECT_FALSE(ask("choose_columns", {{"efficiencies", {{"width_ns", 0}}}}));
  EXPECT_FALSE(ask("choose_columns", {{"efficiencies", {{"step", "nothing is called so"}}}}));
}

} // namespace
} // namespace jitterscope::engine
