// Preparation of the columns of a table before the analysis.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/answer/analyse.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/answer/planted.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::edges_of;
using test::normal;
using test::run;
using test::small_table;
using test::warning_of;

TEST(Columns, OrderOfColumnsDoesNotMatter) {
  const LaunchTable rows = test::planted_launches({.cause = test::Cause::copy, .launches = 1'200, .seed = 3});
  const nlohmann::json expected = to_json(run(rows));
  Random random(4);
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<std::size_t> order(rows.columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
    LaunchTable shuffled = rows;
    for (std::size_t c = 0; c < order.size(); ++c) {
      shuffled.columns[c] = rows.columns[order[c]];
      shuffled.values.col(static_cast<Eigen::Index>(c)) =
          rows.values.col(static_cast<Eigen::Index>(order[c]));
    }
    EXPECT_EQ(to_json(run(shuffled)).dump(), expected.dump());
  }
}

TEST(Columns, ConstantDuplicateAndDeterminedColumnsChangeNothingElse) {
  LaunchTable rows = small_table(1'500, 5);
  const CausalResult plain = run(rows);
  const auto column = [&](const char* name) {
    for (std::size_t c = 0; c < rows.columns.size(); ++c)
      if (rows.columns[c].name == name) return Eigen::VectorXd(rows.values.col(static_cast<Eigen::Index>(c)));
    return Eigen::VectorXd();
  };
  const auto add = [&](const char* name, int tier, const Eigen::VectorXd& values) {
    rows.add({name, "", tier, {}, {}, {}, {}}, {values.data(), values.data() + values.size()});
  };
  const Eigen::VectorXd b = column("b"), c = column("c");
  add("zz_constant", 2, Eigen::VectorXd::Constant(b.size(), 3.0));
  add("zz_duplicate", 2, 4.0 * b);
  add("zz_total", 2, b + 3.0 * c);
  const CausalResult more = run(rows);
  EXPECT_EQ(edges_of(more), edges_of(plain));
  EXPECT_EQ(more.find("zz_constant")->status, FeatureStatus::dropped);
  EXPECT_EQ(more.find("zz_duplicate")->status, FeatureStatus::merged);
  EXPECT_EQ(more.find("zz_duplicate")->representative, "b");
  EXPECT_EQ(more.find("zz_total")->status, FeatureStatus::dropped);
  EXPECT_EQ(more.find("zz_total")->reason, "determined by b, c");
  for (std::size_t i = 0; i < plain.contributions.size(); ++i) {
    EXPECT_EQ(more.contributions[i].feature, plain.contributions[i].feature);
    EXPECT_NEAR(more.contributions[i].percent, plain.contributions[i].percent, 1e-6);
  }
}

TEST(Columns, ProductsAreFoundInLogarithms) {
  Random random(6);
  std::vector<double> grid, block, threads, y;
  for (int i = 0; i < 1'000; ++i) {
    grid.push_back(static_cast<double>(1 + random.below(50))),
        block.push_back(32.0 * static_cast<double>(1 + random.below(16)));
    threads.push_back(grid.back() * block.back());
    y.push_back(grid.back() + 3 * normal(random));
  }
  LaunchTable rows;
  rows.add({"grid_x", "", 1, {}, {}, {}, {}}, grid), rows.add({"block_x", "", 1, {}, {}, {}, {}}, block);
  rows.add({"threads", "", 1, {}, {}, {}, {}}, threads), rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  const CausalResult r = run(rows);
  EXPECT_EQ(r.find("threads")->reason, "determined by block_x, grid_x");
  EXPECT_TRUE(std::any_of(r.warnings.begin(), r.warnings.end(), [](const Warning& w) {
    return w.code == "deterministic" &&
           w.text.find("is determined by block size (x), grid size (x) and is not in the graph") !=
               std::string::npos;
  }));
}

TEST(Columns, MissingValuesLeaveColumnsOrRows) {
  LaunchTable rows = small_table(1'000, 7);
  for (Eigen::Index i = 0; i < 300; ++i) rows.values(i, 0) = kMissing;
  for (Eigen::Index i = 500; i < 550; ++i) rows.values(i, 2) = kMissing;
  rows.values(999, 3) = kMissing;
  const CausalResult r = run(rows);
  EXPECT_EQ(r.find("a")->status, FeatureStatus::dropped);
  EXPECT_EQ(r.find("a")->reason, "missing in 30 % of the rows");
  EXPECT_EQ(r.n, 949);
  EXPECT_EQ(r.rows, 1'000);
}

TEST(Columns, AUselessColumnWithMissingValuesChangesNothingElse) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    LaunchTable rows = small_table(1'500, seed);
    const CausalResult plain = run(rows);
    Random random(seed, 8);
    std::vector<double> useless;
    for (Eigen::Index i = 0; i < rows.values.rows(); ++i)
      useless.push_back(random.uniform() < 0.15 ? kMissing : normal(random));
    rows.add({"useless", "", 2, {}, {}, {}, {}}, useless);
    CausalResult more = run(rows);
    EXPECT_EQ(more.n, 1'500);
    EXPECT_EQ(more.find("useless")->status, FeatureStatus::dropped);
    EXPECT_TRUE(more.find("useless")->reason.starts_with("has no edge")) << more.find("useless")->reason;
    std::erase_if(more.features, [](const auto& f) { return f.name == "useless"; });
    EXPECT_EQ(to_json(more)["contributions"].dump(), to_json(plain)["contributions"].dump());
    EXPECT_EQ(to_json(more)["features"].dump(), to_json(plain)["features"].dump());
    EXPECT_EQ(edges_of(more), edges_of(plain));
  }
}

/// Launches whose durations follow their work without noise that changes the order.
TEST(Columns, WorkFromWhichDurationsFollowIsACauseAndNotACopy) {
  for (const char* name : {"batch", "x"}) {
    Random random(3, 9);
    LaunchTable rows;
    std::vector<double> work;
    for (int i = 0; i < 1'500; ++i) {
      work.push_back(1 + static_cast<double>(random.below(64)));
      rows.duration_ns.push_back((9'000 + 800 * work.back()) * (1 + 0.002 * normal(random)));
      rows.group.push_back(0);
    }
    rows.kernel_of_group = {0}, rows.kernel_names = {"k"};
    FeatureInfo info;
    info.name = name, info.of_plain_table = true;
    rows.add(info, work);
    const CausalResult r = test::run(rows, test::few_resamples());
    if (info.name == "x") { // nothing says that it precedes the launches
      EXPECT_NE(r.find("x")->status, FeatureStatus::used);
      continue;
    }
    const auto* cause = test::contribution_of(r, name);
    ASSERT_NE(cause, nullptr);
    EXPECT_EQ(cause->role, Role::cause);
    EXPECT_GT(cause->attributable_percent.value_or(0), 95);
  }
}

TEST(Columns, ACopyOfTheTargetLeavesAndASumIsReported) {
  LaunchTable rows = small_table(1'500, 5);
  const CausalResult plain = run(rows);
  const Eigen::VectorXd y = rows.values.col(3), c = rows.values.col(2);
  const Eigen::VectorXd copy = (2 * y).array() + 3;
  rows.add({"zz_copy", "", 2, {}, {}, {}, {}}, {copy.data(), copy.data() + copy.size()});
  const CausalResult more = run(rows);
  EXPECT_EQ(edges_of(more), edges_of(plain));
  EXPECT_EQ(more.find("zz_copy")->status, FeatureStatus::dropped);
  EXPECT_NE(warning_of(more, "target-composed").find("in a different unit"), std::string::npos);
  LaunchTable sum = small_table(1'500, 5);
  const Eigen::VectorXd rest = y - c;
  sum.add({"rest", "", 2, {}, {}, {}, {}}, {rest.data(), rest.data() + rest.size()});
  EXPECT_NE(warning_of(run(sum), "target-composed").find("y is determined by c, rest"), std::string::npos)
      << warning_of(run(sum), "target-composed");
}

TEST(Columns, HostileTablesAreAnsweredOrRefused) {
  Random random(12);
  const auto communicator = local_communicator();
  for (int trial = 0; trial < 150; ++trial) {
    LaunchTable rows;
    const auto n = static_cast<Eigen::Index>(random.below(80));
    const auto p = static_cast<Eigen::Index>(1 + random.below(6));
    rows.values.resize(n, p);
    for (Eigen::Index i = 0; i < rows.values.size(); ++i) {
      const double kind = random.uniform();
      rows.values.data()[i] = kind < 0.1   ? kMissing
                              : kind < 0.4 ? 0.0
                              : kind < 0.5 ? 1e300 * random.uniform()
                                           : random.uniform();
    }
    for (Eigen::Index c = 0; c < p; ++c)
      rows.columns.push_back(
          {"c" + std::to_string(c), "", static_cast<int>(random.below(6)), {}, {}, {}, {}});
    if (trial % 2)
      for (Eigen::Index i = 0; i < n; ++i)
        rows.group.push_back(random.uniform() < 0.1 ? kNone : static_cast<std::uint32_t>(random.below(5))),
            rows.duration_ns.push_back(random.uniform() < 0.1 ? kMissing : 1e3 * random.uniform() - 10);
    Options options;
    options.bootstrap = 5;
    const auto result = analyse(rows, options, *communicator);
    EXPECT_TRUE(result ? !result->sentences.empty() : !result.error().message.empty());
  }
}

TEST(Columns, TheDurationInOtherUnitsIsNotACause) {
  const LaunchTable plain =
      test::planted_launches({.cause = test::Cause::clock, .launches = 1'000, .seed = 5});
  const CausalResult expected = run(plain);
  ASSERT_FALSE(expected.contributions.empty());
  LaunchTable rows = plain;
  std::vector<double> dur_us, rate;
  for (const double d : rows.duration_ns) dur_us.push_back(std::round(d / 10) / 100), rate.push_back(1e9 / d);
  rows.add({"dur_us", "", 3, {}, {}, {}, {}}, dur_us), rows.add({"rate", "", 3, {}, {}, {}, {}}, rate);
  const CausalResult r = run(rows);
  for (const char* name : {"dur_us", "rate"}) {
    EXPECT_EQ(r.find(name)->status, FeatureStatus::dropped) << name;
    EXPECT_TRUE(std::any_of(r.warnings.begin(), r.warnings.end(), [&](const Warning& w) {
      return w.code == "target-composed" && w.text.starts_with(r.find(name)->label + " orders launches");
    })) << name;
  }
  ASSERT_EQ(r.contributions.size(), expected.contributions.size());
  EXPECT_EQ(r.contributions.front().feature, expected.contributions.front().feature);
  EXPECT_EQ(r.contributions.front().attributable_percent,
            expected.contributions.front().attributable_percent);
  EXPECT_EQ(r.contributions.front().attributable_ci_low, expected.contributions.front().attributable_ci_low);
}

// Copies and migrations of each kind have their own columns; their sum adds no information, but is associated
// with both.
TEST(Columns, TheSumOverKindsOfMemoryOperationsDoesNotReduceTheirShares) {
  LaunchTable rows = test::planted_launches({.cause = test::Cause::migration, .launches = 1'000, .seed = 4});
  const auto at = std::find_if(rows.columns.begin(), rows.columns.end(),
                               [](const auto& c) { return c.name == "migration_ns"; });
  ASSERT_NE(at, rows.columns.end());
  std::vector<double> sum;
  Random random(6);
  for (Eigen::Index i = 0; i < rows.values.rows(); ++i)
    sum.push_back(rows.values(i, at - rows.columns.begin()) + (random.uniform() < 0.2 ? 1'000 : 0));
  rows.add({"linked_overlapped_ns", "ns", 2, {}, {}, {}, {}}, sum);
  const CausalResult r = run(rows);
  EXPECT_EQ(r.find("linked_overlapped_ns")->status, FeatureStatus::dropped);
  EXPECT_EQ(r.find("linked_overlapped_ns")->reason,
            "the sum of copies and migrations, which have a column for each kind");
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_TRUE(r.contributions.front().feature.starts_with("migration"));
}

// More rows than blocks: an additional column must not change the blocks.
TEST(Columns, UninformativeColumnsDoNotChangeTheRest) {
  const LaunchTable plain =
      test::planted_launches({.cause = test::Cause::clock, .launches = 9'000, .seed = 8});
  Options options;
  options.nonlinear = false;
  const auto reported = [&](const LaunchTable& rows) {
    return to_json(run(rows, options)).at("contributions").dump();
  };
  const std::string expected = reported(plain);
  ASSERT_NE(expected.find("mean_sm_clock"), std::string::npos);
  Random random(5);
  const auto n = static_cast<std::size_t>(plain.values.rows());
  std::vector<double> constant(n, 7), partly;
  for (std::size_t i = 0; i < n; ++i) partly.push_back(random.uniform() < 0.1 ? kMissing : random.uniform());
  for (const auto& column : {constant, partly}) {
    LaunchTable more = plain;
    more.add({"more", "", 3, {}, {}, {}, {}}, column);
    EXPECT_EQ(reported(more), expected);
  }
}

/// Results do not depend on the unit of a column.
TEST(Columns, AColumnCountsInAnyUnit) {
  const auto share_of = [](const CausalResult& r, const std::string& name) {
    for (const auto& c : r.contributions)
      if (c.feature == name) return c.percent;
    return 0.0;
  };
  const LaunchTable plain = small_table(1'000, 3);
  const CausalResult as_is = run(plain);
  for (const double unit : {1e-7, 1e9}) {
    LaunchTable scaled = plain;
    scaled.values *= unit;
    const CausalResult r = run(scaled);
    EXPECT_NEAR(share_of(r, "b"), share_of(as_is, "b"), 1e-6) << unit;
    EXPECT_NEAR(share_of(r, "c"), share_of(as_is, "c"), 1e-6) << unit;
  }
  LaunchTable one = plain; // small differences compared with a large level
  one.values.col(1) = 1e-5 + (1e-6 * one.values.col(1)).array();
  EXPECT_NEAR(share_of(run(one), "b"), share_of(as_is, "b"), 1e-6);
}

TEST(Columns, ValuesThatCannotBeSquaredLeaveAndAreReported) {
  LaunchTable rows = small_table(1'000, 3);
  rows.values(7, 1) = 1e300; // in column b
  const CausalResult r = run(rows);
  ASSERT_TRUE(r.find("b"));
  EXPECT_EQ(r.find("b")->status, FeatureStatus::dropped);
  EXPECT_NE(warning_of(r, "columns-left-out").find("b (values of the order of 1e+300"), std::string::npos)
      << warning_of(r, "columns-left-out");
  rows = small_table(1'000, 3);
  rows.values.col(3) *= 1e-300; // the target
  const auto communicator = local_communicator();
  const auto refused = analyse(rows, {}, *communicator);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("choose another unit"), std::string::npos)
      << refused.error().message;
}

TEST(Columns, ColumnsAboutTheProfilerItselfAreNotCauses) {
  LaunchTable rows = small_table(1'000, 3);
  rows.columns[1].name = "profiler__replayer_bytes_mem_accessible.avg";
  const CausalResult r = run(rows);
  EXPECT_EQ(r.find(rows.columns[1].name)->status, FeatureStatus::dropped);
}

TEST(Columns, ACauseWithTwoNamesIsReportedWithBoth) {
  LaunchTable rows = small_table(1'000, 3);
  rows.add({"aa", "", 2, {}, {}, {}, {}},
           {rows.values.col(1).data(), rows.values.col(1).data() + rows.values.rows()});
  const CausalResult r = run(rows);
  EXPECT_EQ(warning_of(r, "collinear-family"),
            "The column aa also represents b: the data cannot show which of them acts.");
}

} // namespace
} // namespace jitterscope::causal
