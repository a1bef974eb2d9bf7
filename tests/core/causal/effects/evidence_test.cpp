#include "core/causal/effects/evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/base/knowledge.h"
#include "core/causal/base/random.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/thread_communicator.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;

/// x = z + noise; y = 100 + 2 x − 3 z + 40 for an event + noise: x and y are associated weakly alone,
/// strongly with z held.
LaunchTable hidden_by_z(int n) {
  Random random(7, 3);
  std::vector<double> x, z, y, event;
  for (int i = 0; i < n; ++i) {
    z.push_back(normal(random));
    x.push_back(z.back() + normal(random));
    event.push_back(random.uniform() < 0.02 ? 1 : 0);
    y.push_back(100 + 2 * x.back() - 3 * z.back() + 40 * event.back() + normal(random));
  }
  LaunchTable rows;
  rows.add({"x", "B", 2, {}, {}, {}, {}}, x), rows.add({"z", "", 1, {}, {}, {}, {}}, z);
  rows.add({"happened", "", 2, {}, {}, {}, {}}, event), rows.add({"y", "ns", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  return rows;
}

Evidence examine(const RowSource& rows, EvidenceQuestion question, int ranks = 1) {
  Options options;
  options.target = "y";
  Evidence found;
  test::ThreadRanks all(ranks);
  all.run([&](Communicator& communicator) {
    auto mine = evidence(rows, options, question, communicator);
    ASSERT_TRUE(mine) << describe(mine.error());
    if (communicator.rank() == 0) found = std::move(*mine);
  });
  return found;
}

std::int64_t total(const auto& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

TEST(Evidence, TheLineIsTheEffectWithTheOtherCausesHeld) {
  const auto rows = hidden_by_z(5'000);
  const Evidence e = examine(rows, {.from = "x", .to = "y", .given = {"z", "happened"}, .reading = "pooled"});
  EXPECT_NEAR(e.slope, 2, 0.1);
  EXPECT_LT(e.slope_ci.low, 2);
  EXPECT_GT(e.slope_ci.high, 2);
  EXPECT_LT(e.slope_ci.high - e.slope_ci.low, 0.2);
  const Evidence alone = examine(rows, {.from = "x", .to = "y", .given = {}, .reading = "pooled"});
  EXPECT_LT(alone.slope, 1); // z is not held constant
  for (std::size_t i = 0; i < e.line_x.size(); ++i) {
    EXPECT_LE(e.line_low[i], e.line_y[i]);
    EXPECT_GE(e.line_high[i], e.line_y[i]);
  }
}

TEST(Evidence, EveryRowIsCountedOnceEverywhere) {
  const auto rows = hidden_by_z(5'000);
  const Evidence e = examine(rows, {.from = "happened", .to = "y", .given = {"x", "z"}, .reading = "pooled"});
  EXPECT_EQ(total(e.measured.counts), 5'000);
  EXPECT_EQ(total(e.partial.counts), 5'000);
  EXPECT_EQ(total(e.with) + total(e.without), 5'000);
  EXPECT_EQ(total(e.with), e.n_with);
  EXPECT_TRUE(e.event);
  EXPECT_EQ(e.threshold, 0);
  EXPECT_EQ(e.n_with, static_cast<std::int64_t>(rows.values.col(2).sum()));
  EXPECT_NEAR(e.mean_with - e.mean_without, 40, 2);
  std::vector<double> with, without;
  for (Eigen::Index row = 0; row < rows.values.rows(); ++row)
    (rows.values(row, 2) > 0 ? with : without).push_back(rows.values(row, 3));
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
  };
  EXPECT_EQ(e.median_with, median(with));
  EXPECT_EQ(e.median_without, median(without));
  EXPECT_TRUE(e.measured.point_x.empty()); // there are too many rows to list
}

// A clock that is mostly at its maximum, and lower in one phase: the median is in the noise of the maximum.
TEST(Evidence, TwoGroupsOfValuesAreSeparatedBetweenThem) {
  Random random(7, 3);
  std::vector<double> clock, y;
  for (int i = 0; i < 5'000; ++i) {
    clock.push_back((i % 1'000 < 200 ? 825 : 1'410) + 2 * normal(random));
    y.push_back(1e5 / clock.back() + normal(random));
  }
  LaunchTable rows;
  rows.add({"clock", "MHz", 2, {}, {}, {}, {}}, clock), rows.add({"y", "ns", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  const Evidence e = examine(rows, {.from = "clock", .to = "y", .given = {}, .reading = "pooled"});
  EXPECT_EQ(e.threshold, 1'000) << "few digits, as there is room between the groups";
  EXPECT_EQ(e.n_with, 4'000);
  const Evidence noise =
      examine(hidden_by_z(5'000), {.from = "x", .to = "y", .given = {}, .reading = "pooled"});
  EXPECT_NEAR(noise.threshold, 0, 0.1); // one group: the median
}

// Fine cells near 0 have borders such as 0.00122, which nobody recorded.
TEST(Evidence, BordersBetweenDistantValuesHaveFewDigits) {
  Random random(7, 3);
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> waited, y;
    for (int i = 0; i < 5'000; ++i) {
      waited.push_back(sign * (i % 20 == 0 ? 3'000 + 3'000 * random.uniform() : 1e-4 * random.uniform()));
      y.push_back(std::fabs(waited.back()) + 100 * normal(random));
    }
    LaunchTable rows;
    rows.add({"waited", "ns", 2, {}, {}, {}, {}}, waited), rows.add({"y", "ns", 5, {}, {}, {}, {}}, y);
    rows.target = "y";
    const Evidence e = examine(rows, {.from = "waited", .to = "y", .given = {}, .reading = "pooled"});
    EXPECT_EQ(std::fmod(e.threshold, 1'000), 0) << e.threshold;
    EXPECT_GT(sign * e.threshold, 0);
    EXPECT_EQ(e.n_with, sign > 0 ? 250 : 4'750);
  }
}

TEST(Evidence, FewRowsAreReportedOneByOneWithTheirNumbers) {
  const auto rows = hidden_by_z(300);
  const Evidence e = examine(rows, {.from = "x", .to = "y", .given = {"z"}, .reading = "pooled"});
  ASSERT_EQ(e.measured.point_row.size(), 300u);
  for (std::size_t i = 0; i < 300; ++i) {
    const auto row = static_cast<Eigen::Index>(e.measured.point_row[i]);
    EXPECT_EQ(e.measured.point_x[i], rows.values(row, 0));
    EXPECT_EQ(e.measured.point_y[i], rows.values(row, 3));
  }
  EXPECT_NEAR(static_cast<double>(e.n_with), 150, 3); // without zeros, x is split at its median
}

// A clock is constant in most rows: the other rows, below or above, are separated from all of them.
TEST(Evidence, RowsWithTheMostFrequentValueAreOnOneSide) {
  const auto with_clock = [](double others, int share) {
    auto rows = hidden_by_z(5'000);
    std::int64_t different = 0;
    for (Eigen::Index row = 0; row < rows.values.rows(); ++row) {
      const bool is_different = row % 100 < share;
      rows.values(row, 0) = is_different ? others - 0.001 * static_cast<double>(row % 7) : 1'410;
      different += is_different;
    }
    const Evidence e = examine(rows, {.from = "x", .to = "y", .given = {}, .reading = "pooled"});
    EXPECT_FALSE(e.event);
    return std::pair(e.n_with, different);
  };
  for (const int share : {2, 5, 30, 49}) {
    const auto [with_low, low] = with_clock(1'200, share);
    EXPECT_EQ(with_low, 5'000 - low) << share << " % of the rows are below";
    const auto [with_high, high] = with_clock(1'600, share);
    EXPECT_EQ(with_high, high) << share << " % of the rows are above";
  }
}

TEST(Evidence, IsTheSameForAnyNumberOfRanks) {
  const auto rows = hidden_by_z(9'000);
  const EvidenceQuestion question{.from = "x", .to = "y", .given = {"z"}, .reading = "pooled"};
  const Evidence one = examine(rows, question);
  for (const int ranks : {2, 4, 7}) {
    const Evidence more = examine(rows, question, ranks);
    EXPECT_EQ(more.slope, one.slope);
    EXPECT_EQ(more.slope_ci.low, one.slope_ci.low);
    EXPECT_EQ(more.partial.counts, one.partial.counts);
    EXPECT_EQ(more.with, one.with);
    EXPECT_EQ(more.mean_with, one.mean_with);
    EXPECT_EQ(more.threshold, one.threshold);
  }
}

TEST(Evidence, ExtremeValuesDoNotPressTheOthersIntoALine) {
  auto rows = hidden_by_z(4'000);
  rows.values(17, 3) = 1e6;
  const Evidence e = examine(rows, {.from = "x", .to = "y", .given = {}, .reading = "pooled"});
  EXPECT_GT(e.measured.y.knee, 0);
  std::vector<std::int64_t> by_row(static_cast<std::size_t>(e.measured.rows));
  for (std::size_t i = 0; i < e.measured.counts.size(); ++i)
    by_row[i % by_row.size()] += e.measured.counts[i];
  EXPECT_GT(std::count_if(by_row.begin(), by_row.end(), [](auto n) { return n > 0; }), 2);
}

TEST(Evidence, AColumnThatIsNotThereIsRefused) {
  const auto rows = hidden_by_z(100);
  const auto communicator = local_communicator();
  Options options;
  options.target = "y";
  const auto found = evidence(rows, options, {.from = "nothing", .to = "y", .given = {}, .reading = "pooled"},
                              *communicator);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::BadUse);
}

TEST(Knowledge, IgnoredColumnsAreReadAndWritten) {
  const auto json = parse_knowledge(R"({"ignored": ["a"], "tiers": {"b": 2}, "forbidden": [["c", "d"]]})");
  ASSERT_TRUE(json) << describe(json.error());
  EXPECT_EQ(json->ignored, std::vector<std::string>{"a"});
  const auto again = parse_knowledge(to_json(*json).dump());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->ignored, json->ignored);
  EXPECT_EQ(again->tiers, json->tiers);
  EXPECT_EQ(again->forbidden, json->forbidden);
  const auto csv = parse_knowledge("column,tier\na,ignored\nb,3\n");
  ASSERT_TRUE(csv) << describe(csv.error());
  EXPECT_EQ(csv->ignored, std::vector<std::string>{"a"});
  EXPECT_EQ(csv->tiers.size(), 1u);
  EXPECT_FALSE(parse_knowledge(R"({"ignored": "a"})"));
}

TEST(Knowledge, AColumnThatTheseRowsLackIsAnErrorOrAWarningAsRequested) {
  const auto rows = hidden_by_z(500);
  const auto communicator = local_communicator();
  Options options;
  options.bootstrap = 10;
  options.knowledge.forbidden = {{"elsewhere", "y"}};
  EXPECT_FALSE(analyse(rows, options, *communicator));
  options.knowledge_must_match = false;
  const auto result = analyse(rows, options, *communicator);
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_TRUE(std::any_of(result->warnings.begin(), result->warnings.end(),
                          [](const Warning& w) { return w.code == "knowledge-unused"; }));
}

TEST(Knowledge, AnIgnoredColumnLeavesTheGraph) {
  const auto rows = hidden_by_z(500);
  const auto communicator = local_communicator();
  Options options;
  options.bootstrap = 10;
  options.left_out = {"z"};
  const auto result = analyse(rows, options, *communicator);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->find("z")->reason, "ignored by background knowledge");
}

} // namespace
} // namespace jitterscope::causal
