#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/analysis/parallel/parallel.h"
#include "core/causal/base/tiers.h"
#include "core/causal/statistics/earlier.h"
#include "core/reasons/rows/launch_rows.h"
#include "tests/support/many_launches.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;
using test::selection;
using test::trace_of;

namespace {

std::size_t feature(const LaunchRows& rows, const std::string& name) {
  for (std::size_t f = 0; f < rows.features().size(); ++f)
    if (rows.features()[f].name == name) return f;
  return rows.features().size();
}

} // namespace

TEST(LaunchRows, GiveTheSelectedLaunchesInAnyRange) {
  const OpenSession open({trace_of(700), trace_of(300)});
  const auto rows = LaunchRows::make(*open.session, *open.columns, selection(open, "duration > 50"), "",
                                     *open.communicator, {});
  ASSERT_TRUE(rows);
  std::vector<double> expected;
  for (std::size_t t = 0; t < 2; ++t)
    for (const double d : open.columns->read("duration", {t, 0, open.session->traces()[t].launches()}))
      if (d > 50) expected.push_back(d);
  ASSERT_EQ(rows->rows(), static_cast<std::int64_t>(expected.size()));
  for (const std::int64_t first : {0L, 1L, 63L, 200L, rows->rows() - 7}) {
    causal::RowBlock block;
    const auto count = std::min<std::int64_t>(150, rows->rows() - first);
    ASSERT_TRUE(rows->read(first, count, block));
    for (std::int64_t i = 0; i < count; ++i)
      EXPECT_EQ(block.duration_ns[static_cast<std::size_t>(i)],
                expected[static_cast<std::size_t>(first + i)]);
  }
}

TEST(LaunchRows, KnowHowLongTheLaunchBeforeOnTheStreamTook) {
  auto data = trace_of(9'000);
  data.find("launches")->add<float>("gap_ns", "ns", "", std::vector<float>(9'000, 1.0f));
  const OpenSession open({data});
  const auto rows = LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {});
  ASSERT_TRUE(rows);
  const auto f = static_cast<Eigen::Index>(feature(*rows, std::string(causal::kEarlierDeviation)));
  ASSERT_LT(f, static_cast<Eigen::Index>(rows->features().size()));
  const Segment all{0, 0, 9'000};
  const auto streams = open.columns->read("stream", all), durations = open.columns->read("duration", all),
             configurations = open.columns->read("configuration", all);
  std::map<double, std::size_t> before;
  std::vector<double> expected;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto found = before.find(streams[i]);
    expected.push_back(
        found == before.end()
            ? 0
            : durations[found->second] -
                  open.session->configurations()[static_cast<std::size_t>(configurations[found->second])]
                      .mean_ns());
    before[streams[i]] = i;
  }
  EXPECT_GT(std::count_if(expected.begin(), expected.end(), [](double value) { return value != 0; }), 100);
  for (const std::int64_t first : {0L, 1L, 4'095L, 4'097L, 8'990L}) {
    causal::RowBlock block;
    ASSERT_TRUE(rows->read(first, 10, block));
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(block.values(i, f), expected[static_cast<std::size_t>(first + i)]) << first + i;
  }
}

TEST(LaunchRows, OfManyASampleOfStretchesIsTaken) {
  const OpenSession open({trace_of(100'000), trace_of(30'000)});
  for (const char* where : {"", "duration > 50"}) {
    const auto all =
        LaunchRows::make(*open.session, *open.columns, selection(open, where), "", *open.communicator, {});
    const auto some = LaunchRows::make(*open.session, *open.columns, selection(open, where), "",
                                       *open.communicator, {}, {20'000});
    ASSERT_TRUE(all && some);
    EXPECT_EQ(all->selected(), all->rows());
    EXPECT_TRUE(all->remarks().empty());
    EXPECT_EQ(some->selected(), all->rows());
    EXPECT_NEAR(static_cast<double>(some->rows()), 20'000, 256)
        << "the sample consists of stretches of 256 launches";
    ASSERT_EQ(some->remarks().size(), 1u);
    EXPECT_EQ(some->remarks().front().code, "sample");
    std::set<std::int64_t> stretches;
    std::vector<std::int64_t> taken, expected;
    for (std::int64_t row = 0; row < some->rows(); ++row) taken.push_back(some->origin_of(row));
    for (const auto launch : taken) stretches.insert(launch / 256);
    EXPECT_LT(*stretches.begin(), 20) << "the sample begins near the start of the run";
    EXPECT_GT(*stretches.rbegin(), 130'000 / 256 - 20) << "the sample ends near the end of the run";
    for (std::int64_t row = 0; row < all->rows(); ++row)
      if (stretches.contains(all->origin_of(row) / 256)) expected.push_back(all->origin_of(row));
    EXPECT_EQ(taken, expected) << "the sample has all launches of its stretches";
  }
  const auto few = LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {}, {1});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->rows(), 64);
}

TEST(LaunchRows, SamplesGrowUntilTheyRepresentTheVariability) {
  // 300 consecutive launches have most of the variability; small samples miss these or count them too often.
  for (const int burst : {70'000, 70'600}) {
    auto data = test::empty_trace(3);
    test::add_kernel(data, "a", 4);
    std::vector<test::LaunchRow> launches;
    for (int i = 0; i < 100'000; ++i)
      launches.push_back({i * 100'000L, i >= burst && i < burst + 300 ? 50'000 : 1 + i % 97,
                          static_cast<std::uint32_t>(i % 4), static_cast<std::uint32_t>(2 + i % 3)});
    test::add_launches(data, launches);
    const OpenSession open({std::move(data)});
    const auto mean = [&](const LaunchRows& rows) {
      causal::RowBlock block;
      EXPECT_TRUE(rows.read(0, rows.rows(), block));
      double sum = 0;
      for (const double d : block.duration_ns) sum += std::fabs(d - 49);
      return sum / static_cast<double>(rows.rows());
    };
    const auto all = LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {});
    const auto fixed =
        LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {}, {8'192});
    const auto grown =
        LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {}, {8'192, 100'000});
    ASSERT_TRUE(all && fixed && grown);
    EXPECT_GT(std::fabs(mean(*fixed) / mean(*all) - 1), 0.08);
    EXPECT_NEAR(mean(*grown) / mean(*all), 1, 0.06);
    EXPECT_GT(grown->rows(), fixed->rows());
  }
  const OpenSession even({trace_of(100'000)});
  const auto few =
      LaunchRows::make(*even.session, *even.columns, {}, "", *even.communicator, {}, {8'192, 100'000});
  ASSERT_TRUE(few);
  EXPECT_NEAR(static_cast<double>(few->rows()), 8'192, 128);
}

TEST(LaunchRows, CategoriesAreCodesIntoTheirLabels) {
  const OpenSession open({trace_of(30)});
  const auto rows = LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {});
  ASSERT_TRUE(rows);
  const auto stream = feature(*rows, "stream");
  EXPECT_EQ(rows->features()[stream].labels, (std::vector<std::string>{"7", "8", "9"}));
  causal::RowBlock block;
  ASSERT_TRUE(rows->read(0, 3, block));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(block.values(i, static_cast<Eigen::Index>(stream)), i);
}

TEST(LaunchRows, RunsAreAFeatureNamedAfterTheirFiles) {
  auto first = trace_of(300), second = trace_of(200);
  first.manifest.sources.push_back({});
  first.manifest.sources.back().path = "/data/tuesday.sqlite";
  second.manifest.sources = first.manifest.sources;
  second.manifest.sources.back().path = "/data/friday.sqlite";
  const OpenSession open({first, second});
  const auto rows = LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {});
  const auto trace = feature(*rows, "trace");
  ASSERT_LT(trace, rows->features().size());
  EXPECT_EQ(rows->features()[trace].labels, (std::vector<std::string>{"tuesday", "friday"}));
  causal::RowBlock block;
  ASSERT_TRUE(rows->read(299, 2, block));
  EXPECT_EQ(block.values(0, static_cast<Eigen::Index>(trace)), 0);
  EXPECT_EQ(block.values(1, static_cast<Eigen::Index>(trace)), 1);
  const OpenSession one({first});
  const auto alone = LaunchRows::make(*one.session, *one.columns, {}, "", *one.communicator, {});
  EXPECT_EQ(feature(*alone, "trace"), alone->features().size());
}

// Every capture calls its device 0: two models differ only by their names.
TEST(LaunchRows, ModelsOfDevicesAreAFeatureWhereThereAreSeveral) {
  auto first = trace_of(300), second = trace_of(200);
  first.manifest.devices = {{2, "A100", "", 108, {}}};
  second.manifest.devices = {{2, "W7800", "", 70, {}}};
  const OpenSession both({first, second}), one({first});
  EXPECT_EQ(one.columns->find("device_name"), nullptr);
  const auto rows = LaunchRows::make(*both.session, *both.columns, {}, "", *both.communicator, {});
  ASSERT_TRUE(rows);
  const auto f = feature(*rows, "device_name");
  ASSERT_LT(f, rows->features().size());
  EXPECT_EQ(rows->features()[f].labels, (std::vector<std::string>{"A100", "W7800"}));
  causal::RowBlock block;
  ASSERT_TRUE(rows->read(298, 4, block));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(block.values(i, static_cast<Eigen::Index>(f)), i < 2 ? 0 : 1);
  const auto chosen = LaunchRows::make(*both.session, *both.columns, selection(both, "device_name = 'W7800'"),
                                       "", *both.communicator, {});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->rows(), 200);
}

// Four ranks on two nodes: a slow node is one cause, not two slow ranks.
TEST(LaunchRows, NodesAreAFeatureWhereTheyHaveSeveralRanks) {
  const auto of_rank = [](int rank, const std::string& node) {
    auto trace = trace_of(100);
    for (auto& resource : trace.resources) {
      if (resource.kind == store::ResourceKind::Host) resource.name = node;
      if (resource.kind == store::ResourceKind::Process) resource.rank = rank;
    }
    return trace;
  };
  const OpenSession open({of_rank(0, "n7"), of_rank(1, "n7"), of_rank(2, "n9"), of_rank(3, "n9")});
  const auto rows = LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {});
  ASSERT_TRUE(rows);
  const auto f = feature(*rows, "node_name");
  ASSERT_LT(f, rows->features().size());
  EXPECT_EQ(rows->features()[f].labels, (std::vector<std::string>{"n7", "n9"}));
  EXPECT_EQ(open.columns->text("node_name", open.columns->read("node_name", {2, 0, 1}).front()), "n9");
  const OpenSession apart({of_rank(0, "n7"), of_rank(1, "n9")});
  const auto of_two = LaunchRows::make(*apart.session, *apart.columns, {}, "", *apart.communicator, {});
  ASSERT_TRUE(of_two);
  EXPECT_EQ(feature(*of_two, "node_name"), of_two->features().size()) << "a node is its rank";
}

TEST(LaunchRows, ATargetThatIsNotAFeatureByNatureIsAdded) {
  const OpenSession open({trace_of(30)});
  const auto plain =
      LaunchRows::make(*open.session, *open.columns, {}, "kernel_variability", *open.communicator, {});
  EXPECT_EQ(feature(*plain, "memory_stall"), plain->features().size());
  const auto rows =
      LaunchRows::make(*open.session, *open.columns, {}, "memory_stall", *open.communicator, {});
  ASSERT_LT(feature(*rows, "memory_stall"), rows->features().size());
  EXPECT_EQ(rows->features()[feature(*rows, "memory_stall")].tier, 5);
}

TEST(LaunchRows, ParametersArePartOfTheConfiguration) {
  auto data = trace_of(30);
  for (const char* name : {"given", "temperature_given"})
    data.find("launches")->add<float>(name, "", "", std::vector<float>(30, 1.0f));
  data.manifest.parameter_columns = {"temperature_given"};
  const OpenSession open({data});
  const auto rows = LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {});
  ASSERT_TRUE(rows);
  const auto tier = [&](const char* name) { return rows->features()[feature(*rows, name)].tier; };
  EXPECT_EQ(tier("temperature_given"), static_cast<int>(causal::Tier::configuration));
  EXPECT_NE(tier("given"), static_cast<int>(causal::Tier::configuration));
}

TEST(Parallel, PairsAddUpToTheAxes) {
  const OpenSession open({trace_of(1000)});
  ParallelOptions options, good;
  options.axes = {"stream", "grid_x", "duration", "gap"};
  options.bins = good.bins = 16;
  good.axes = {"stream", "grid_x", "duration"};
  EXPECT_FALSE(parallel_counts(*open.session, *open.columns, {}, options, *open.communicator, {}));
  const auto counts = parallel_counts(*open.session, *open.columns, selection(open, "duration > 50"), good,
                                      *open.communicator, {});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->rows, 1000);
  EXPECT_EQ(counts->axes[0].categories, (std::vector<std::string>{"7", "8", "9"}));
  const auto& pair = counts->pairs[0];
  for (int left = 0; left < pair.left_bins; ++left) {
    std::int64_t sum = 0, selected = 0;
    for (int right = 0; right < pair.right_bins; ++right) {
      sum += pair.all[static_cast<std::size_t>(left * pair.right_bins + right)];
      selected += pair.selected[static_cast<std::size_t>(left * pair.right_bins + right)];
    }
    EXPECT_EQ(sum, counts->axes[0].all[static_cast<std::size_t>(left)]);
    EXPECT_EQ(selected, counts->axes[0].selected[static_cast<std::size_t>(left)]);
  }
}

TEST(Parallel, DefaultAxesDifferBetweenLaunchesAndKeepTheTarget) {
  const OpenSession open({trace_of(100)});
  const auto axes = default_axes(*open.session, *open.columns, 10, *open.communicator, {});
  ASSERT_TRUE(axes);
  EXPECT_EQ(axes->back(), "kernel_variability");
  for (const auto& axis : *axes) EXPECT_NE(axis, "registers") << "constant columns are left out";
  const auto few = default_axes(*open.session, *open.columns, 2, *open.communicator, {});
  EXPECT_EQ(*few, (std::vector<std::string>{"duration", "kernel_variability"}));
}
