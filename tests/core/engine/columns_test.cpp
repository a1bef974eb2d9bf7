// Metrics and efficiencies as columns of launches, in the operations on launches.

#include <gtest/gtest.h>

#include "core/causal/base/result.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_options.h"
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
    ASSERT_TRUE(ask(OpenOptions{.stores = {store_}}));
  }
  Expected<Answer> ask(const Request& request) {
    return run_operation({workspace_, *communicator_, job_, {}}, request);
  }
  json answer(const Request& request) {
    auto answered = ask(request);
    EXPECT_TRUE(answered) << describe(answered.error());
    return answered ? answered->document : json::object();
  }
  json causal_result(const CausalOptions& question) {
    const auto answered = ask(question).and_then(table_of<answers::CausalAnswer>);
    EXPECT_TRUE(answered) << describe(answered.error());
    const auto result = causal::decode_result(answered ? answered->result : Bytes());
    return result ? causal::to_json(*result) : json::object();
  }
  /// Chosen metrics, with their names.
  static ChooseColumnsOptions metrics(std::vector<std::pair<std::string, std::string>> chosen) {
    ChooseColumnsOptions options;
    for (auto& [name, text] : chosen) options.metrics.push_back({.name = name, .text = text});
    return options;
  }
  static ChooseColumnsOptions efficiencies(const ColumnEfficienciesOptions& chosen) {
    ChooseColumnsOptions options;
    options.efficiencies = std::make_unique<ColumnEfficienciesOptions>(chosen);
    return options;
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
  auto chosen =
      answer(metrics({{"running", kRunning}, {"kernel", "active(kernels)"}, {"running", "count(kernels)"}}));
  EXPECT_EQ(chosen.at("metrics"), json({"running", "metric_kernel", "metric_running"}));
  const auto* running = column(chosen.at("columns"), "running");
  ASSERT_TRUE(running);
  EXPECT_TRUE(running->at("chosen"));
  EXPECT_FALSE(running->at("constant"));
  EXPECT_EQ(running->at("tier"), 6);
  EXPECT_TRUE(column(chosen.at("columns"), "metric_kernel")
                  ->at("constant")); // during a launch, its kernel always runs
  chosen = answer(metrics({{"other", kRunning}}));
  EXPECT_FALSE(column(chosen.at("columns"), "running"));
  EXPECT_TRUE(column(chosen.at("columns"), "other"));
  chosen = answer(ChooseColumnsOptions());
  EXPECT_FALSE(column(chosen.at("columns"), "other"));
}

TEST_F(Columns, AnErrorLeavesTheColumnsAsTheyWere) {
  answer(metrics({{"running", kRunning}}));
  const auto bad = ask(metrics({{"bad", "count(kernls)"}}));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().file, "bad");
  EXPECT_EQ(bad.error().place, "line 1, column 7");
  EXPECT_TRUE(ask(CheckFilterOptions{.where = "running > 1"}));
}

TEST_F(Columns, AreMetricsOfBinsAndFilters) {
  answer(metrics({{"running", kRunning}}));
  const auto bins = answer(BinsOptions{.metric = "running", .width_ns = 400'000, .all = true});
  EXPECT_EQ(bins.at("metric"), "running");
  // Launches of stream 1 of rank 0 always run at the same time as another.
  const auto alone = answer(BinsOptions{.where = "running = 2 and rank = 0", .metric = "running"});
  std::int64_t launches = 0;
  for (const auto& bin : alone.at("kept_bins")) launches += bin.at("n").get<std::int64_t>();
  EXPECT_GT(launches, 0);
  // After a column is replaced, answers computed with the earlier column are not reused.
  answer(metrics({{"running", "0 * count(kernels)"}}));
  const auto none = answer(BinsOptions{.where = "running > 0", .metric = "running"});
  EXPECT_EQ(none.at("kept").size(), 0u);
}

TEST_F(Columns, AreFeaturesWhereTheTierIsStatedAndTargets) {
  answer(metrics(
      {{"running", "tier = context; " + kRunning}, {"unstated", "number(active(kernels) per process)"}}));
  const auto causal = causal_result({.where = "rank = 0", .bootstrap = 20});
  const auto* running = column(causal.at("features"), "running");
  ASSERT_TRUE(running);
  EXPECT_EQ(running->at("tier"), 2);
  const auto* unstated = column(causal.at("features"), "unstated");
  ASSERT_TRUE(unstated);
  EXPECT_EQ(unstated->at("tier"), 6);
  EXPECT_EQ(causal_result({.target = "running", .bootstrap = 20}).at("target"), "running");
}

// The model of durations does not depend on columns chosen before it was made.
TEST_F(Columns, DoNotChangeTheExcess) {
  const BinsOptions options{.metric = "excess_ns", .width_ns = 50'000, .all = true};
  const auto plain = answer(options);
  answer(OpenOptions{.stores = {store_}});
  answer(metrics({{"running", "tier = context; " + kRunning}}));
  EXPECT_EQ(answer(options).at("kept_bins"), plain.at("kept_bins"));
}

TEST_F(Columns, OfEfficienciesPerWindowAndStep) {
  auto chosen = answer(efficiencies({.width_ns = 10'000}));
  for (const char* name : {"efficiency_device_load_balance", "rank_1_waits", "others_wait"})
    EXPECT_TRUE(column(chosen.at("columns"), name)) << name;
  EXPECT_FALSE(column(chosen.at("columns"), "rank_0_waits")); // neither collectives nor MPI
  EXPECT_TRUE(ask(BinsOptions{.metric = "rank_1_waits"}));
  chosen = answer(efficiencies({.step = "step"}));
  const auto bins = answer(BinsOptions{.metric = "rank_1_waits", .width_ns = 200'000, .all = true});
  EXPECT_EQ(bins.at("missing"), 0);
  EXPECT_FALSE(ask(efficiencies({.width_ns = 0})));
  EXPECT_FALSE(ask(efficiencies({.step = "nothing is called so"})));
}

} // namespace
} // namespace jitterscope::engine
