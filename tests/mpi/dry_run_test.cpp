#include "core/engine/ranks/dry_run.h"

#include <fstream>

#include <gtest/gtest.h>

#include "core/engine/model/message_cost.h"
#include "core/engine/ranks/collective_cost.h"
#include "core/engine/ranks/virtual_ranks.h"
#include "tests/generator/bulk.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::engine {
namespace {

using Kind = CollectiveCall::Kind;
using nlohmann::json;

// Predictions from the published parameters, which are rounded.
TEST(MessageCost, FollowsTheKModel) {
  const auto& far = between_nodes();
  const struct {
    std::int64_t bytes;
    double one, two, four;
  } kLassen[] = {{8, 1.552192, 1.559264, 1.573408},
                 {128, 1.658272, 1.771424, 1.997728},
                 {129, 2.386205, 2.395665, 2.403521},
                 {8'192, 4.023489, 4.624217, 5.123138},
                 {65'536, 15.667843, 20.473668, 24.465034},
                 {131'072, 17.862703, 23.55564, 31.856706},
                 {1'048'576, 68.981874, 114.525376, 180.933902}};
  for (const auto& row : kLassen) {
    EXPECT_NEAR(message_us(far, row.bytes, 1), row.one, 3e-4) << row.bytes;
    EXPECT_NEAR(message_us(far, row.bytes, 2), row.two, 3e-4) << row.bytes;
    EXPECT_NEAR(message_us(far, row.bytes, 4), row.four, 3e-4) << row.bytes;
  }
  EXPECT_NEAR(message_us(within_node(), 8'192, 1), 1.668428, 1e-5);
  EXPECT_NEAR(message_us(within_node(), 1'048'576, 2), 66.691244, 1e-5);
}

TEST(VirtualRanks, AddAndGatherAsRealRanksDo) {
  std::vector<std::int64_t> sums(5), minimum(5);
  std::vector<std::size_t> everywhere(5), at_root(5);
  const auto run = run_virtual_ranks(5, [&](VirtualRank& rank) {
    const auto me = static_cast<std::size_t>(rank.rank());
    std::int64_t value[1] = {rank.rank() + 1};
    ASSERT_TRUE(rank.sum(value));
    sums[me] = value[0];
    value[0] = 10 - rank.rank();
    ASSERT_TRUE(rank.minimum(value));
    minimum[me] = value[0];
    const std::vector<std::int64_t> mine(me, rank.rank());
    const auto all = rank.all_gather<std::int64_t>(mine);
    ASSERT_TRUE(all);
    everywhere[me] = all->size();
    const auto root = rank.gather<std::int64_t>(mine);
    ASSERT_TRUE(root);
    at_root[me] = root->size();
    if (me == 0) {
      EXPECT_EQ(*root, (std::vector<std::int64_t>{1, 2, 2, 3, 3, 3, 4, 4, 4, 4}));
    }
    EXPECT_TRUE(rank.finish(true));
  });
  ASSERT_TRUE(run);
  EXPECT_EQ(sums, std::vector<std::int64_t>(5, 15));
  EXPECT_EQ(minimum, std::vector<std::int64_t>(5, 6));
  EXPECT_EQ(everywhere, std::vector<std::size_t>(5, 10));
  EXPECT_EQ(at_root, (std::vector<std::size_t>{10, 0, 0, 0, 0}));
  ASSERT_EQ(run->calls.size(), 5u);
  EXPECT_EQ(run->calls[2].kind, Kind::AllGather);
  EXPECT_EQ(run->calls[3].total, 80);
  EXPECT_EQ(run->calls[3].largest, 32);
  EXPECT_EQ(run->stages.size(), 6u);
}

TEST(VirtualRanks, OneThatFailsStopsAll) {
  std::vector<bool> summed(4), closed(4, true);
  const auto run = run_virtual_ranks(4, [&](VirtualRank& rank) {
    const auto me = static_cast<std::size_t>(rank.rank());
    std::int64_t value[1] = {1};
    const bool ok = me != 2 && rank.sum(value).has_value();
    summed[me] = ok;
    closed[me] = rank.finish(ok);
    ASSERT_TRUE(rank.sum(value)); // the failed job does not affect the next one
    EXPECT_EQ(value[0], 4);
    EXPECT_TRUE(rank.finish(true));
  });
  ASSERT_TRUE(run);
  EXPECT_EQ(summed, std::vector<bool>(4, false));
  EXPECT_EQ(closed, std::vector<bool>(4, false));
}

TEST(VirtualRanks, EachHasItsOwnTimeAndMemory) {
  const auto run = run_virtual_ranks(3, [&](VirtualRank& rank) {
    volatile double work = 0;
    for (int i = 0; i < (rank.rank() == 1 ? 40'000'000 : 1'000); ++i) work = work + i;
    EXPECT_TRUE(rank.finish(true));
  });
  ASSERT_TRUE(run);
  EXPECT_GT(run->stages[0].slowest, 10 * run->stages[0].root);
  EXPECT_GE(run->stages[0].sum, run->stages[0].slowest);
}

TEST(CollectiveCost, ReductionsGrowWithTheLogarithmOfTheRanks) {
  const CollectiveCall call{Kind::Reduce, 13'656, 13'656 * 1'024};
  const auto small = traffic_of(call, {128, 4}), large = traffic_of(call, {1'024, 4});
  EXPECT_EQ(small.messages, 14); // 7 for the agreement and 7 for the sum: one per level of the tree
  EXPECT_EQ(large.messages, 20);
  EXPECT_EQ(large.bytes_to_root, 10 * (8 + 13'656));
  EXPECT_EQ(traffic_of(call, {1, 4}).messages, 0);
}

TEST(CollectiveCost, OneNodeIsFasterThanMany) {
  const CollectiveCall call{Kind::Reduce, 8, 64};
  const auto together = traffic_of(call, {8, 8}), apart = traffic_of(call, {8, 1});
  EXPECT_EQ(together.messages, apart.messages);
  EXPECT_NEAR(apart.us, 4 * 3 * message_us(between_nodes(), 8, 1), 1e-9);
  EXPECT_LT(together.us, apart.us);
}

TEST(CollectiveCost, GatheredPartsReachTheRoot) {
  const CollectiveCall call{Kind::Gather, 1'200, 100'000};
  const auto traffic = traffic_of(call, {100, 4});
  EXPECT_EQ(traffic.bytes_to_root, 99 * 1'000 + 7 * (8 + 8 + 8 * 100)); // parts; agreements, lengths
  EXPECT_EQ(traffic.messages, 7 * 3 + 1);
  EXPECT_EQ(traffic.messages_to_root, 7 * 3 + 7);               // the parts arrive in 7 messages
  EXPECT_EQ(traffic.bytes, 36 * 1'000 + 7 * (8 + 8 + 8 * 100)); // rank 64 sends for ranks 64 to 99
  const auto all = traffic_of({Kind::AllGather, 1'200, 100'000}, {100, 4});
  EXPECT_EQ(all.messages, 7 * 3 + 7);
  EXPECT_EQ(all.bytes_to_root, traffic.bytes_to_root);
  EXPECT_GT(all.us, traffic.us);
}

class DryRun : public testing::Test {
protected:
  void SetUp() override {
    for (std::uint64_t seed : {1, 2}) {
      stores_.push_back(folder_.file("bulk-" + std::to_string(seed) + ".jts"));
      ASSERT_TRUE(generator::write_bulk_store({40'000, seed, 8}, stores_.back()));
    }
  }
  test::TemporaryFolder folder_;
  std::vector<std::string> stores_;
};

TEST_F(DryRun, ManyRanksGiveTheAnswerOfOne) {
  DryRunOptions options;
  options.stores = stores_;
  options.ranks = {2, 7, 64};
  options.bins.width_ns = 1'000'000;
  const auto document = dry_run(options, Job{});
  ASSERT_TRUE(document) << describe(document.error());
  EXPECT_EQ(document->at("rows"), 80'000);
  ASSERT_EQ(document->at("runs").size(), 4u);
  const auto messages = [&](std::size_t run) { return document->at("runs")[run].at("messages").get<int>(); };
  EXPECT_GT(messages(1), 0);
  EXPECT_LE(messages(3), 6 * messages(1)); // 64 = 2⁶: no rank sends to every other
  for (const auto& run : document->at("runs")) {
    EXPECT_TRUE(run.at("same_answer").get<bool>()) << run;
    EXPECT_GT(run.at("predicted_s").get<double>(), 0) << run;
    EXPECT_EQ(run.at("rows_per_rank"), 80'000 / run.at("ranks").get<int>());
  }
  EXPECT_EQ(document->at("runs")[0].at("messages"), 0);
  EXPECT_EQ(document->at("runs")[1].at("weak").at("efficiency"), 1.0);
  EXPECT_EQ(document->at("runs")[3].at("weak").at("rows"), 80'000 / 2 * 64);
}

TEST_F(DryRun, RefusesWhatItCannotRun) {
  DryRunOptions options;
  options.stores = stores_;
  for (const std::vector<int>& ranks : {std::vector<int>{}, {1}, {4, 2}, {8, 8}, {100'000}}) {
    options.ranks = ranks;
    const auto document = dry_run(options, Job{});
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().kind, ErrorKind::BadUse);
  }
  options.ranks = {4};
  options.bins.metric = "no_such_column";
  const auto document = dry_run(options, Job{});
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().kind, ErrorKind::BadUse);
}

} // namespace
} // namespace jitterscope::engine
