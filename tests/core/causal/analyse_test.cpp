#include "core/causal/analyse.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/csv_table.h"
#include "core/causal/moments.h"
#include "core/causal/normal_scores.h"
#include "core/causal/random.h"
#include "tests/core/causal/answers.h"
#include "tests/core/causal/planted.h"
#include "tests/core/causal/thread_communicator.h"

namespace jitterscope::causal {
namespace {

using test::normal;
using test::run;
using test::small_table;
using test::warning_of;

using EdgeSet = std::set<std::tuple<std::string, std::string, bool>>;
EdgeSet edges_of(const CausalResult& result) {
  EdgeSet edges;
  for (const auto& e : result.edges)
    edges.emplace(e.directed ? e.from : std::min(e.from, e.to), e.directed ? e.to : std::max(e.from, e.to),
                  e.directed);
  return edges;
}

TEST(Analyse, FindsGraphEffectsAndContributionsOfASmallTable) {
  const CausalResult r = run(small_table(2'000, 1));
  EXPECT_EQ(edges_of(r), (EdgeSet{{"a", "b", true}, {"b", "y", true}, {"c", "y", true}}));
  EXPECT_NEAR(r.find("a")->total_effect, 1.0, 0.1) << "a acts on y through b: 2 · 0.5";
  EXPECT_NEAR(r.find("c")->total_effect, -1.0, 0.1);
  ASSERT_EQ(r.contributions.size(), 2u);
  double sum = r.unexplained_percent;
  for (const auto& c : r.contributions) {
    sum += c.percent;
    EXPECT_EQ(c.role, Role::cause);
    EXPECT_LE(c.ci_low, c.percent);
    EXPECT_GE(c.ci_high, c.percent);
    EXPECT_FALSE(c.attributable_percent);
  }
  EXPECT_NEAR(sum, 100, 1e-6);
  EXPECT_EQ(r.contributions[0].feature, "b");
  EXPECT_EQ(r.contributions[1].sign, -1);
  for (const auto& e : r.edges) EXPECT_GE(e.stability, 0.9);
}

TEST(Analyse, OtherMethodsAreAskedAboutEveryEdge) {
  for (const Method method : {Method::boss, Method::pc, Method::ges}) {
    Options options;
    options.method = method, options.bootstrap = 20;
    const CausalResult r = run(small_table(2'000, 1), options);
    EXPECT_EQ(r.method, to_string(method));
    EXPECT_EQ(r.other_methods.size(), 2u) << "columns are Gaussian: DirectLiNGAM is not asked";
    EXPECT_EQ(edges_of(r), (EdgeSet{{"a", "b", true}, {"b", "y", true}, {"c", "y", true}}));
    for (const auto& e : r.edges)
      for (const auto& [other, opinion] : e.agreement) EXPECT_EQ(opinion, Opinion::same) << other;
    for (const auto& w : r.warnings) EXPECT_NE(w.code, "methods-disagree");
  }
}

TEST(Analyse, InterventionsMoveTheMeanAndTakeOutVariance) {
  Options options;
  options.interventions = {{"b", 22}, {"c", 50}};
  const CausalResult r = run(small_table(4'000, 2), options);
  ASSERT_EQ(r.interventions.size(), 2u);
  EXPECT_NEAR(r.interventions[0].mean_after - r.interventions[0].mean_before, 1.0, 0.15) << "0.5 · (22 − 20)";
  EXPECT_NEAR(r.interventions[0].std_after, std::sqrt(2.0), 0.1) << "c and noise stay";
  const auto& spread = r.interventions[0];
  EXPECT_LT(spread.std_ci.low, spread.std_after);
  EXPECT_GT(spread.std_ci.high, spread.std_after);
  EXPECT_LT(spread.std_ci.low, std::sqrt(2.0) + 0.02);
  EXPECT_GT(spread.std_ci.high, std::sqrt(2.0) - 0.02);
  EXPECT_LT(spread.std_ci.high - spread.std_ci.low, 0.2) << "of 4,000 rows";
  EXPECT_FALSE(r.interventions[0].extrapolates);
  EXPECT_TRUE(r.interventions[1].extrapolates);
  EXPECT_TRUE(std::any_of(r.warnings.begin(), r.warnings.end(),
                          [](const Warning& w) { return w.code == "extrapolation"; }));
  EXPECT_EQ(intervene(r, "nothing", 1).error().kind, ErrorKind::BadUse);
  EXPECT_EQ(intervene(r, "y", 1).error().kind, ErrorKind::BadUse);
}

TEST(Analyse, ACounterfactualKeepsTheResidualsOfItsRow) {
  const MemoryRows rows = small_table(3'000, 12);
  Options options;
  options.interventions = {{"b", 25}};
  options.counterfactual_row = 17;
  const CausalResult r = run(rows, options);
  ASSERT_EQ(r.counterfactuals.size(), 1u);
  const Counterfactual& c = r.counterfactuals.front();
  EXPECT_EQ(c.from, rows.values(17, 1));
  EXPECT_EQ(c.target_before, rows.values(17, 3));
  EXPECT_NEAR(c.target_after, rows.values(17, 3) + 0.5 * (25 - rows.values(17, 1)), 0.3);
  EXPECT_LE(c.ci_low, c.target_after);
  EXPECT_GE(c.ci_high, c.target_after);
  const auto communicator = local_communicator();
  options.counterfactual_row = 3'000;
  EXPECT_EQ(analyse(rows, options, *communicator).error().kind, ErrorKind::BadUse);
}

TEST(Analyse, IntrinsicPercentsSumToAllOfTheVariance) {
  const CausalResult r = run(small_table(2'000, 13));
  double sum = r.own_percent;
  for (const auto& f : r.features) sum += f.intrinsic_percent;
  EXPECT_NEAR(sum, 100, 1e-9);
  // y = a/1 + noise of b/2 − c + noise: 1, 0.25, 1 and 1 of 3.25.
  EXPECT_NEAR(r.find("b")->intrinsic_percent, 100 * 0.25 / 3.25, 2);
  EXPECT_LT(r.find("b")->intrinsic_ci.low, r.find("b")->intrinsic_percent);
}

TEST(Analyse, EffectsOfUndirectedEdgesAreRanges) {
  MemoryRows rows = small_table(2'000, 14);
  for (auto& column : rows.columns) column.tier = 2;
  const CausalResult r = run(rows);
  const FeatureReport* a = r.find("a");
  // a — b is undirected without tiers: either a acts through b, or not at all.
  EXPECT_NEAR(a->effect_range.low, 0, 0.1);
  EXPECT_NEAR(a->effect_range.high, 1, 0.1);
  EXPECT_LE(a->total_effect_ci.low, a->effect_range.low);
  EXPECT_GE(a->total_effect_ci.high, a->effect_range.high);
}

TEST(Analyse, OrderOfColumnsDoesNotMatter) {
  const MemoryRows rows = test::planted_launches({.cause = test::Cause::copy, .launches = 1'200, .seed = 3});
  const nlohmann::json expected = to_json(run(rows));
  Random random(4);
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<std::size_t> order(rows.columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
    MemoryRows shuffled = rows;
    for (std::size_t c = 0; c < order.size(); ++c) {
      shuffled.columns[c] = rows.columns[order[c]];
      shuffled.values.col(static_cast<Eigen::Index>(c)) =
          rows.values.col(static_cast<Eigen::Index>(order[c]));
    }
    EXPECT_EQ(to_json(run(shuffled)).dump(), expected.dump());
  }
}

TEST(Analyse, ConstantDuplicateAndDeterminedColumnsChangeNothingElse) {
  MemoryRows rows = small_table(1'500, 5);
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

TEST(Analyse, ProductsAreFoundInLogarithms) {
  Random random(6);
  std::vector<double> grid, block, threads, y;
  for (int i = 0; i < 1'000; ++i) {
    grid.push_back(static_cast<double>(1 + random.below(50))),
        block.push_back(32.0 * static_cast<double>(1 + random.below(16)));
    threads.push_back(grid.back() * block.back());
    y.push_back(grid.back() + 3 * normal(random));
  }
  MemoryRows rows;
  rows.add({"grid_x", "", 1, {}, {}, {}, {}}, grid), rows.add({"block_x", "", 1, {}, {}, {}, {}}, block);
  rows.add({"threads", "", 1, {}, {}, {}, {}}, threads), rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  const CausalResult r = run(rows);
  EXPECT_EQ(r.find("threads")->reason, "determined by block_x, grid_x");
  EXPECT_TRUE(std::any_of(r.warnings.begin(), r.warnings.end(), [](const Warning& w) {
    return w.code == "deterministic" && w.text.find("is determined by block size, grid size and leaves") != std::string::npos;
  }));
}

TEST(Analyse, MissingValuesLeaveColumnsOrRows) {
  MemoryRows rows = small_table(1'000, 7);
  for (Eigen::Index i = 0; i < 300; ++i) rows.values(i, 0) = kMissing;
  for (Eigen::Index i = 500; i < 550; ++i) rows.values(i, 2) = kMissing;
  rows.values(999, 3) = kMissing;
  const CausalResult r = run(rows);
  EXPECT_EQ(r.find("a")->status, FeatureStatus::dropped);
  EXPECT_EQ(r.find("a")->reason, "missing in 30 % of the rows");
  EXPECT_EQ(r.n, 949);
  EXPECT_EQ(r.rows, 1'000);
}

TEST(Analyse, AUselessColumnWithMissingValuesChangesNothingElse) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    MemoryRows rows = small_table(1'500, seed);
    const CausalResult plain = run(rows);
    Random random(seed, 8);
    std::vector<double> useless;
    for (Eigen::Index i = 0; i < rows.values.rows(); ++i)
      useless.push_back(random.uniform() < 0.15 ? kMissing : normal(random));
    rows.add({"useless", "", 2, {}, {}, {}, {}}, useless);
    CausalResult more = run(rows);
    EXPECT_EQ(more.n, 1'500);
    EXPECT_EQ(more.find("useless")->status, FeatureStatus::dropped);
    EXPECT_TRUE(more.find("useless")->reason.starts_with("no edge")) << more.find("useless")->reason;
    std::erase_if(more.features, [](const auto& f) { return f.name == "useless"; });
    EXPECT_EQ(to_json(more)["contributions"].dump(), to_json(plain)["contributions"].dump());
    EXPECT_EQ(to_json(more)["features"].dump(), to_json(plain)["features"].dump());
    EXPECT_EQ(edges_of(more), edges_of(plain));
  }
}

TEST(Analyse, OrderOfRowsWithinBlocksDoesNotChangeTheGraph) {
  const MemoryRows rows = small_table(100'000, 3);
  Options options;
  options.bootstrap = 5, options.nonlinear = false;
  const CausalResult plain = run(rows, options);
  const BlockPlan plan = BlockPlan::for_table(rows.rows(), 4);
  ASSERT_GE(plan.rows, 2 * plan.blocks);
  Random random(4);
  std::vector<Eigen::Index> order(static_cast<std::size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  for (std::int64_t b = 0; b < plan.blocks; ++b)
    for (auto last = plan.first(b + 1) - 1; last > plan.first(b); --last)
      std::swap(order[static_cast<std::size_t>(last)],
                order[static_cast<std::size_t>(plan.first(b)) +
                      random.below(static_cast<std::size_t>(last - plan.first(b) + 1))]);
  MemoryRows shuffled = rows;
  shuffled.values = rows.values(order, Eigen::all);
  const CausalResult other = run(shuffled, options);
  EXPECT_EQ(edges_of(other), edges_of(plain));
  EXPECT_NEAR(other.n_eff, plain.n_eff, 1e-6 * plain.n_eff);
  for (std::size_t i = 0; i < plain.edges.size(); ++i)
    EXPECT_NEAR(other.edges[i].coefficient, plain.edges[i].coefficient, 1e-9);
}

TEST(Analyse, KnowledgeIsHonouredAndChecked) {
  Options options;
  options.knowledge.forbidden = {{"c", "y"}};
  options.knowledge.required = {{"a", "y"}};
  const CausalResult r = run(small_table(1'000, 8), options);
  const EdgeSet edges = edges_of(r);
  EXPECT_FALSE(edges.contains({"c", "y", true}));
  EXPECT_TRUE(edges.contains({"a", "y", true}));
  const auto communicator = local_communicator();
  options.knowledge.required = {{"nobody", "y"}};
  EXPECT_EQ(analyse(small_table(200, 8), options, *communicator).error().kind, ErrorKind::BadUse);
  options.knowledge.required = {{"a", "b"}, {"b", "a"}};
  EXPECT_FALSE(analyse(small_table(200, 8), options, *communicator));
  options.knowledge.required = {{"y", "a"}};
  EXPECT_FALSE(analyse(small_table(200, 8), options, *communicator)) << "from a later to an earlier tier";
  const auto refused = [&](const Knowledge& knowledge) {
    Options wanted;
    wanted.knowledge = knowledge;
    const auto result = analyse(small_table(200, 8), wanted, *communicator);
    return !result && result.error().kind == ErrorKind::BadUse;
  };
  EXPECT_TRUE(refused({{}, {{"a", "y"}}, {{"a", "y"}}, {}}));
  EXPECT_TRUE(refused({{}, {{"a", "a"}}, {}, {}}));
  EXPECT_TRUE(refused({{{"nobody", 1}}, {}, {}, {}}));
  EXPECT_TRUE(refused({{}, {}, {}, {"nobody"}}));
  EXPECT_TRUE(refused({{}, {}, {}, {"y"}}));
  EXPECT_FALSE(refused({{{"b", 1}, {"y", 5}}, {}, {}, {"c"}}));
}

TEST(Analyse, ACopyOfTheTargetLeavesAndASumIsTold) {
  MemoryRows rows = small_table(1'500, 5);
  const CausalResult plain = run(rows);
  const Eigen::VectorXd y = rows.values.col(3), c = rows.values.col(2);
  const Eigen::VectorXd copy = (2 * y).array() + 3;
  rows.add({"zz_copy", "", 2, {}, {}, {}, {}}, {copy.data(), copy.data() + copy.size()});
  const CausalResult more = run(rows);
  EXPECT_EQ(edges_of(more), edges_of(plain));
  EXPECT_EQ(more.find("zz_copy")->status, FeatureStatus::dropped);
  EXPECT_NE(warning_of(more, "target-composed").find("in other units"), std::string::npos);
  MemoryRows sum = small_table(1'500, 5);
  const Eigen::VectorXd rest = y - c;
  sum.add({"rest", "", 2, {}, {}, {}, {}}, {rest.data(), rest.data() + rest.size()});
  EXPECT_NE(warning_of(run(sum), "target-composed").find("y is determined by c, rest"), std::string::npos)
      << warning_of(run(sum), "target-composed");
}

TEST(Analyse, WhatCannotBeAnsweredIsAnError) {
  const auto communicator = local_communicator();
  const auto kind = [&](const RowSource& rows, const Options& options) {
    const auto result = analyse(rows, options, *communicator);
    EXPECT_FALSE(result);
    return result ? ErrorKind::Internal : result.error().kind;
  };
  Options options;
  options.target = "unknown";
  EXPECT_EQ(kind(small_table(100, 1), options), ErrorKind::BadUse);
  options = {};
  options.features = {"a", "unknown"};
  EXPECT_EQ(kind(small_table(100, 1), options), ErrorKind::BadUse);
  options = {};
  options.method = Method::lingam;
  EXPECT_EQ(kind(small_table(1'000, 1), options), ErrorKind::BadInput) << "Gaussian columns";
  EXPECT_EQ(kind(small_table(5, 1), {}), ErrorKind::BadInput);
  EXPECT_EQ(kind(MemoryRows{}, {}), ErrorKind::BadUse);
  MemoryRows constant = small_table(100, 1);
  constant.values.col(3).setConstant(2);
  EXPECT_EQ(kind(constant, {}), ErrorKind::BadInput);
  MemoryRows once = test::planted_launches({.launches = 50});
  for (std::size_t i = 0; i < once.group.size(); ++i) once.group[i] = static_cast<std::uint32_t>(i);
  once.kernel_of_group.assign(50, 0);
  EXPECT_EQ(kind(once, {}), ErrorKind::BadInput);
  Job job;
  job.cancelled = [] { return true; };
  EXPECT_EQ(analyse(small_table(100, 1), {}, *communicator, job).error().kind, ErrorKind::Cancelled);
}

TEST(Analyse, HostileTablesAreAnsweredOrRefused) {
  Random random(12);
  const auto communicator = local_communicator();
  for (int trial = 0; trial < 150; ++trial) {
    MemoryRows rows;
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

TEST(Readings, EachComparesWhatItSays) {
  // Within configurations x raises y; between them the levels run the other way (sign flip when pooled).
  Random random(9);
  std::vector<double> x, y;
  MemoryRows rows;
  for (int i = 0; i < 3'000; ++i) {
    const auto g = static_cast<std::uint32_t>(random.below(30));
    x.push_back(g + normal(random));
    y.push_back(x.back() - 2.0 * g + 0.5 * normal(random));
    rows.group.push_back(g);
  }
  rows.add({"x", "", 2, {}, {}, {}, {}}, x), rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  const auto coefficient = [&](Reading reading) {
    Options options;
    options.reading = reading, options.scale = Scale::raw;
    const CausalResult r = run(rows, options);
    EXPECT_EQ(r.edges.size(), 1u);
    return r.edges.empty() ? 0.0 : r.edges[0].coefficient;
  };
  EXPECT_LT(coefficient(Reading::pooled), -0.5);
  EXPECT_LT(coefficient(Reading::between), -0.5);
  EXPECT_GT(coefficient(Reading::within), 0.5);
  EXPECT_GT(coefficient(Reading::automatic), 0.05)
      << "columns that vary within configurations are compared within them";
}

// Kernels of 20, 50 and 100 µs, and a load that makes all longer: what they take by themselves is none of its variance.
TEST(Readings, LengthsOfKernelsHideNoCauseOfTheirDurations) {
  Random random(10);
  std::vector<double> load;
  MemoryRows rows;
  double mean = 0;
  for (int i = 0; i < 3'000; ++i) {
    const auto g = static_cast<std::uint32_t>(random.below(3));
    load.push_back(10 + normal(random));
    rows.duration_ns.push_back((g == 0 ? 20e3 : g == 1 ? 50e3 : 100e3) + 1'500 * load.back() + 800 * normal(random));
    rows.group.push_back(g), mean += rows.duration_ns.back() / 3'000;
  }
  rows.kernel_of_group = {0, 1, 2}, rows.kernel_names = {"a", "b", "c"};
  rows.add({"load", "", 2, {}, {}, {}, {}}, load);
  for (const Reading reading : {Reading::automatic, Reading::within}) {
    Options options;
    options.reading = reading, options.target = "duration", options.interventions = {{"load", 11}};
    const CausalResult r = run(rows, options);
    ASSERT_FALSE(r.contributions.empty());
    EXPECT_EQ(r.contributions.front().role, Role::cause);
    EXPECT_NEAR(r.contributions.front().percent, 100 * 1'500.0 * 1'500 / (1'500.0 * 1'500 + 800.0 * 800), 3);
    EXPECT_NEAR(r.target_mean, mean, 1);
    EXPECT_NEAR(r.find("load")->mean, 10, 0.1);
    EXPECT_NEAR(r.interventions.front().mean_after, mean + 1'500 * (11 - r.find("load")->mean), 100);
  }
}

TEST(Analyse, WhatTellsTheDurationInOtherUnitsIsNoCause) {
  const MemoryRows plain = test::planted_launches({.cause = test::Cause::clock, .launches = 1'000, .seed = 5});
  const CausalResult expected = run(plain);
  ASSERT_FALSE(expected.contributions.empty());
  MemoryRows rows = plain;
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
  EXPECT_EQ(r.contributions.front().attributable_percent, expected.contributions.front().attributable_percent);
  EXPECT_EQ(r.contributions.front().attributable_ci_low, expected.contributions.front().attributable_ci_low);
}

// Copies and migrations of each kind have their own columns; what adds them up says nothing more, but goes with both.
TEST(Analyse, TheSumOverKindsOfMemoryOperationsTakesNothingFromThem) {
  MemoryRows rows = test::planted_launches({.cause = test::Cause::migration, .launches = 1'000, .seed = 4});
  const auto at = std::find_if(rows.columns.begin(), rows.columns.end(), [](const auto& c) { return c.name == "migration_ns"; });
  ASSERT_NE(at, rows.columns.end());
  std::vector<double> sum;
  Random random(6);
  for (Eigen::Index i = 0; i < rows.values.rows(); ++i)
    sum.push_back(rows.values(i, at - rows.columns.begin()) + (random.uniform() < 0.2 ? 1'000 : 0));
  rows.add({"linked_overlapped_ns", "ns", 2, {}, {}, {}, {}}, sum);
  const CausalResult r = run(rows);
  EXPECT_EQ(r.find("linked_overlapped_ns")->status, FeatureStatus::dropped);
  EXPECT_EQ(r.find("linked_overlapped_ns")->reason, "adds up what copies and migrations of each kind tell");
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_TRUE(r.contributions.front().feature.starts_with("migration"));
}

// More rows than blocks: a column more must not cut them otherwise.
TEST(Analyse, ColumnsThatSayNothingChangeNoDigitOfTheRest) {
  const MemoryRows plain = test::planted_launches({.cause = test::Cause::clock, .launches = 9'000, .seed = 8});
  Options options;
  options.nonlinear = false;
  const auto told = [&](const MemoryRows& rows) { return to_json(run(rows, options)).at("contributions").dump(); };
  const std::string expected = told(plain);
  ASSERT_NE(expected.find("mean_sm_clock"), std::string::npos);
  Random random(5);
  const auto n = static_cast<std::size_t>(plain.values.rows());
  std::vector<double> constant(n, 7), partly;
  for (std::size_t i = 0; i < n; ++i) partly.push_back(random.uniform() < 0.1 ? kMissing : random.uniform());
  for (const auto& column : {constant, partly}) {
    MemoryRows more = plain;
    more.add({"more", "", 3, {}, {}, {}, {}}, column);
    EXPECT_EQ(told(more), expected);
  }
}

TEST(Analyse, WhatHasNoDirectionIsNoCause) {
  Random random(12);
  std::vector<double> happened, told;
  for (int i = 0; i < 900; ++i)
    happened.push_back(random.uniform() < 0.3), told.push_back(1.5 * happened.back() + 0.5 * normal(random));
  MemoryRows rows;
  rows.target = "a";
  rows.add({"a", "", 3, {}, {}, {}, {}}, told), rows.add({"b", "", 3, {}, {}, {}, {}}, happened);
  const CausalResult open = run(rows);
  ASSERT_EQ(open.contributions.size(), 1u);
  EXPECT_TRUE(open.contributions.front().undirected);
  EXPECT_EQ(open.contributions.front().role, Role::associated);
  Options options;
  options.knowledge.tiers = {{"b", 1}, {"a", 5}};
  const CausalResult known = run(rows, options);
  ASSERT_EQ(known.contributions.size(), 1u);
  EXPECT_FALSE(known.contributions.front().undirected);
  EXPECT_EQ(known.contributions.front().role, Role::cause);
}

TEST(Ranks, AnyNumberOfRanksGivesTheSameText) {
  const std::vector<MemoryRows> tables{
      test::planted_launches({.cause = test::Cause::clock, .launches = 1'000, .seed = 5}),
      test::planted_launches({.cause = test::Cause::migration, .launches = 130, .seed = 6}),
      test::planted_launches({.cause = test::Cause::configuration, .launches = 900, .seed = 7}),
      small_table(301, 3)};
  for (const auto& rows : tables) {
    Options options;
    options.bootstrap = 30;
    const std::string expected = to_json(run(rows, options)).dump();
    for (const int size : {1, 2, 4, 7})
      for (const auto& text : test::answers_of_ranks(rows, options, size)) EXPECT_EQ(text, expected) << size << " ranks";
  }
}

TEST(Ranks, OneFailingRankStopsAll) {
  const MemoryRows rows = small_table(500, 3);
  test::ThreadRanks(3).run([&](Communicator& communicator) {
    Job job;
    job.cancelled = [&] { return communicator.rank() == 1; };
    const auto result = analyse(rows, {}, communicator, job);
    communicator.finish(result.has_value());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::Cancelled);
  });
}

TEST(ResultJson, RoundTripsAndNamesWhatIsWrong) {
  Options options;
  options.interventions = {{"mean_sm_clock", 1'500}};
  const CausalResult r =
      run(test::planted_launches({.cause = test::Cause::clock, .launches = 1'000}), options);
  const nlohmann::json json = to_json(r);
  for (const char* key : {"target", "n", "n_eff", "method", "reading", "features", "edges", "contributions",
                          "interventions", "warnings", "sentences"})
    EXPECT_TRUE(json.contains(key)) << key;
  const auto back = result_from_json(nlohmann::json::parse(json.dump()));
  ASSERT_TRUE(back) << describe(back.error());
  EXPECT_EQ(to_json(*back).dump(), json.dump());
  nlohmann::json broken = json;
  broken["edges"][0].erase("stability");
  EXPECT_EQ(result_from_json(broken).error().place, "edges[0].stability");
  broken = json;
  broken["features"] = 7;
  EXPECT_EQ(result_from_json(broken).error().place, "features");
  EXPECT_FALSE(result_from_json(nlohmann::json::array()));
}

TEST(Calibration, IntervalsOfTotalEffectsCoverTheTruth) {
  int covered_a = 0, covered_c = 0;
  constexpr int tables = 300;
  Options options;
  options.bootstrap = 100, options.nonlinear = false;
  const auto communicator = local_communicator();
  for (int seed = 0; seed < tables; ++seed) {
    const auto r =
        analyse(small_table(400, 1'000 + static_cast<std::uint64_t>(seed)), options, *communicator);
    ASSERT_TRUE(r);
    const Range a = r->find("a")->total_effect_ci, c = r->find("c")->total_effect_ci;
    covered_a += a.low <= 1.0 && 1.0 <= a.high;
    covered_c += c.low <= -1.0 && -1.0 <= c.high;
  }
  RecordProperty("covered_a_percent", 100 * covered_a / tables);
  std::printf("coverage of 95 %% intervals: %.1f %%, %.1f %%\n", 100.0 * covered_a / tables,
              100.0 * covered_c / tables);
  EXPECT_GE(covered_a, tables * 88 / 100);
  EXPECT_GE(covered_c, tables * 88 / 100);
}

/// What scales tell a reader must not depend on the unit of a column.
TEST(Analyse, AColumnCountsWhateverItsUnit) {
  const auto share_of = [](const CausalResult& r, const std::string& name) {
    for (const auto& c : r.contributions)
      if (c.feature == name) return c.percent;
    return 0.0;
  };
  const MemoryRows plain = small_table(1'000, 3);
  const CausalResult as_is = run(plain);
  for (const double unit : {1e-7, 1e9}) {
    MemoryRows scaled = plain;
    scaled.values *= unit;
    const CausalResult r = run(scaled);
    EXPECT_NEAR(share_of(r, "b"), share_of(as_is, "b"), 1e-6) << unit;
    EXPECT_NEAR(share_of(r, "c"), share_of(as_is, "c"), 1e-6) << unit;
  }
  MemoryRows one = plain; // small differences beside a large level
  one.values.col(1) = 1e-5 + (1e-6 * one.values.col(1)).array();
  EXPECT_NEAR(share_of(run(one), "b"), share_of(as_is, "b"), 1e-6);
}

TEST(Analyse, ValuesThatCannotBeSquaredLeaveAndAreTold) {
  MemoryRows rows = small_table(1'000, 3);
  rows.values(7, 1) = 1e300; // of b
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
  EXPECT_NE(refused.error().message.find("choose another unit"), std::string::npos) << refused.error().message;
}

TEST(Analyse, FewRowsFarFromTheOthersAreTold) {
  MemoryRows rows = small_table(2'000, 5);
  EXPECT_EQ(warning_of(run(rows), "heavy-tail"), "");
  for (int i = 0; i < 2'000; i += 100) rows.values(i, 1) = -9'999; // a marker of missing values in b
  const auto text = warning_of(run(rows), "heavy-tail");
  EXPECT_TRUE(text.starts_with("b: rows far from the others (up to -1e+04")) << text;
}

TEST(Analyse, WhatTheProfilerTellsOfItselfIsNoCause) {
  MemoryRows rows = small_table(1'000, 3);
  rows.columns[1].name = "profiler__replayer_bytes_mem_accessible.avg";
  const CausalResult r = run(rows);
  EXPECT_EQ(r.find(rows.columns[1].name)->status, FeatureStatus::dropped);
}

TEST(Analyse, ACauseWithTwoNamesIsToldWithBoth) {
  MemoryRows rows = small_table(1'000, 3);
  rows.add({"aa", "", 2, {}, {}, {}, {}}, {rows.values.col(1).data(), rows.values.col(1).data() + rows.values.rows()});
  const CausalResult r = run(rows);
  EXPECT_EQ(warning_of(r, "collinear-family"), "aa stands also for b: the data cannot tell which of them acts.");
}

} // namespace
} // namespace jitterscope::causal
