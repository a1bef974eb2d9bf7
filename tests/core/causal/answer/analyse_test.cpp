#include "core/causal/answer/analyse.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/base/random.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/answer/planted.h"
#include "tests/core/causal/thread_communicator.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::edges_of;
using test::EdgeSet;
using test::normal;
using test::run;
using test::small_table;
using test::warning_of;

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

TEST(Analyse, LevelsOfOneCategoryHaveNoEdgesBetweenThem) {
  Random random(8);
  LaunchTable rows = small_table(3'000, 8);
  FeatureInfo place;
  place.name = "place", place.role = FeatureRole::category, place.tier = 0;
  place.labels = {"north", "south", "west"};
  std::vector<double> codes;
  for (int i = 0; i < 3'000; ++i) {
    codes.push_back(static_cast<double>(random.below(3)));
    if (codes.back() == 1) rows.values(i, 3) += 3; // y
  }
  rows.add(std::move(place), codes);
  rows.target = "y";
  const CausalResult r = run(rows);
  const auto is_level = [](const std::string& name) { return name.starts_with("place"); };
  int of_levels = 0;
  for (const auto& e : r.edges) {
    of_levels += is_level(e.from);
    EXPECT_FALSE(is_level(e.from) && is_level(e.to)) << e.from << " → " << e.to;
  }
  EXPECT_GE(of_levels, 1);
}

TEST(Analyse, OtherMethodsCheckEveryEdge) {
  for (const Method method : {Method::boss, Method::pc, Method::ges}) {
    Options options;
    options.method = method, options.bootstrap = 20;
    const CausalResult r = run(small_table(2'000, 1), options);
    EXPECT_EQ(r.method, to_string(method));
    EXPECT_EQ(r.other_methods.size(), 2u) << "columns are Gaussian: DirectLiNGAM is not used";
    EXPECT_EQ(edges_of(r), (EdgeSet{{"a", "b", true}, {"b", "y", true}, {"c", "y", true}}));
    for (const auto& e : r.edges)
      for (const auto& [other, opinion] : e.agreement) EXPECT_EQ(opinion, Opinion::same) << other;
    for (const auto& w : r.warnings) EXPECT_NE(w.code, "methods-disagree");
  }
}

TEST(Analyse, InterventionsMoveTheMeanAndRemoveVariance) {
  Options options;
  options.interventions = {{"b", 22}, {"c", 50}};
  const CausalResult r = run(small_table(4'000, 2), options);
  ASSERT_EQ(r.interventions.size(), 2u);
  EXPECT_NEAR(r.interventions[0].mean_after - r.interventions[0].mean_before, 1.0, 0.15) << "0.5 · (22 − 20)";
  EXPECT_NEAR(r.interventions[0].std_after, std::sqrt(2.0), 0.1) << "c and the noise still vary";
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
  const LaunchTable rows = small_table(3'000, 12);
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
  // y = a + (noise of b) / 2 − c + noise: variances 1, 0.25, 1 and 1, in total 3.25.
  EXPECT_NEAR(r.find("b")->intrinsic_percent, 100 * 0.25 / 3.25, 2);
  EXPECT_LT(r.find("b")->intrinsic_ci.low, r.find("b")->intrinsic_percent);
}

TEST(Analyse, EffectsOfUndirectedEdgesAreRanges) {
  LaunchTable rows = small_table(2'000, 14);
  for (auto& column : rows.columns) column.tier = 2;
  const CausalResult r = run(rows);
  const FeatureReport* a = r.find("a");
  // a — b is undirected without tiers: either a acts through b, or it has no effect.
  EXPECT_NEAR(a->effect_range.low, 0, 0.1);
  EXPECT_NEAR(a->effect_range.high, 1, 0.1);
  EXPECT_LE(a->total_effect_ci.low, a->effect_range.low);
  EXPECT_GE(a->total_effect_ci.high, a->effect_range.high);
}

TEST(Analyse, OrderOfRowsWithinBlocksDoesNotChangeTheGraph) {
  const LaunchTable rows = small_table(100'000, 3);
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
  LaunchTable shuffled = rows;
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
    Options requested;
    requested.knowledge = knowledge;
    const auto result = analyse(small_table(200, 8), requested, *communicator);
    return !result && result.error().kind == ErrorKind::BadUse;
  };
  EXPECT_TRUE(refused({{}, {{"a", "y"}}, {{"a", "y"}}, {}}));
  EXPECT_TRUE(refused({{}, {{"a", "a"}}, {}, {}}));
  EXPECT_TRUE(refused({{{"nobody", 1}}, {}, {}, {}}));
  EXPECT_TRUE(refused({{}, {}, {}, {"nobody"}}));
  EXPECT_TRUE(refused({{}, {}, {}, {"y"}}));
  EXPECT_FALSE(refused({{{"b", 1}, {"y", 5}}, {}, {}, {"c"}}));
}

TEST(Analyse, InvalidQuestionsAreErrors) {
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
  EXPECT_EQ(kind(LaunchTable{}, {}), ErrorKind::BadUse);
  LaunchTable constant = small_table(100, 1);
  constant.values.col(3).setConstant(2);
  EXPECT_EQ(kind(constant, {}), ErrorKind::BadInput);
  LaunchTable once = test::planted_launches({.launches = 50});
  for (std::size_t i = 0; i < once.group.size(); ++i) once.group[i] = static_cast<std::uint32_t>(i);
  once.kernel_of_group.assign(50, 0);
  EXPECT_EQ(kind(once, {}), ErrorKind::BadInput);
  Job job;
  job.cancelled = [] { return true; };
  EXPECT_EQ(analyse(small_table(100, 1), {}, *communicator, job).error().kind, ErrorKind::Cancelled);
}

TEST(Readings, EachComparesItsOwnRows) {
  // Within configurations y rises with x; between configurations, and pooled, y falls.
  Random random(9);
  std::vector<double> x, y;
  LaunchTable rows;
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

// Kernels of 20, 50 and 100 µs, and a load that lengthens all. The differences between kernels do not reduce
// the share of the load.
TEST(Readings, LengthsOfKernelsHideNoCauseOfTheirDurations) {
  Random random(10);
  std::vector<double> load;
  LaunchTable rows;
  double mean = 0;
  for (int i = 0; i < 3'000; ++i) {
    const auto g = static_cast<std::uint32_t>(random.below(3));
    load.push_back(10 + normal(random));
    rows.duration_ns.push_back((g == 0   ? 20e3
                                : g == 1 ? 50e3
                                         : 100e3) +
                               1'500 * load.back() + 800 * normal(random));
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

TEST(Analyse, AnUndirectedFactorIsNotACause) {
  Random random(12);
  std::vector<double> happened, reported;
  for (int i = 0; i < 900; ++i)
    happened.push_back(random.uniform() < 0.3),
        reported.push_back(1.5 * happened.back() + 0.5 * normal(random));
  LaunchTable rows;
  rows.target = "a";
  rows.add({"a", "", 3, {}, {}, {}, {}}, reported), rows.add({"b", "", 3, {}, {}, {}, {}}, happened);
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
  const std::vector<LaunchTable> tables{
      test::planted_launches({.cause = test::Cause::clock, .launches = 1'000, .seed = 5}),
      test::planted_launches({.cause = test::Cause::migration, .launches = 130, .seed = 6}),
      test::planted_launches({.cause = test::Cause::configuration, .launches = 900, .seed = 7}),
      small_table(301, 3)};
  for (const auto& rows : tables) {
    Options options;
    options.bootstrap = 30;
    const std::string expected = to_json(run(rows, options)).dump();
    for (const int size : {1, 2, 4, 7})
      for (const auto& text : test::answers_of_ranks(rows, options, size))
        EXPECT_EQ(text, expected) << size << " ranks";
  }
}

/// Some ranks have no rows, and some rows have no values.
TEST(Ranks, MoreThanRowsGiveTheSameText) {
  for (const int launches : {1, 2, 3, 5, 12, 20, 40}) {
    LaunchTable rows = test::planted_launches(
        {.cause = test::Cause::migration, .launches = launches, .seed = 6, .kernels = 1, .grids = 1});
    std::vector<double> power;
    for (int i = 0; i < launches; ++i) power.push_back(i % 4 == 3 ? kMissing : i);
    rows.add({"power", "W", 2, {}, {}, {}, {}}, power);
    Options options;
    options.bootstrap = 10;
    const auto answers = test::answers_of_ranks(rows, options, 1);
    for (const int size : {2, 7})
      for (const auto& text : test::answers_of_ranks(rows, options, size))
        EXPECT_EQ(text, answers.front()) << launches << " launches, " << size << " ranks";
  }
}

TEST(Ranks, OneFailingRankStopsAll) {
  const LaunchTable rows = small_table(500, 3);
  test::ThreadRanks(3).run([&](Communicator& communicator) {
    Job job;
    job.cancelled = [&] { return communicator.rank() == 1; };
    const auto result = analyse(rows, {}, communicator, job);
    communicator.finish(result.has_value());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::Cancelled);
  });
}

TEST(ResultEncoding, KeepsAllValues) {
  Options options;
  options.interventions = {{"mean_sm_clock", 1'500}};
  const CausalResult r =
      run(test::planted_launches({.cause = test::Cause::clock, .launches = 1'000}), options);
  const nlohmann::json json = to_json(r);
  for (const char* key : {"target", "n", "n_eff", "method", "reading", "features", "edges", "contributions",
                          "interventions", "warnings", "sentences"})
    EXPECT_TRUE(json.contains(key)) << key;
  const auto back = decode_result(encode(r));
  ASSERT_TRUE(back) << describe(back.error());
  EXPECT_EQ(to_json(*back).dump(), json.dump());
}

TEST(ResultEncoding, DamagedBytesAreAnErrorOrAResult) {
  const auto bytes = encode(run(test::planted_launches({.cause = test::Cause::clock, .launches = 500})));
  const auto read = [](std::span<const std::uint8_t> damaged) {
    if (const auto result = decode_result(damaged))
      EXPECT_LE(result->advice_sentences, result->sentences.size());
    else
      EXPECT_EQ(result.error().kind, ErrorKind::Engine);
  };
  for (std::size_t length = 0; length < bytes.size(); length += 7) read(std::span(bytes).first(length));
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const std::uint8_t flip : {0x01, 0x80, 0xff}) {
      auto damaged = bytes;
      damaged[at] ^= flip;
      read(damaged);
    }
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

TEST(Analyse, FewRowsFarFromTheOthersAreReported) {
  LaunchTable rows = small_table(2'000, 5);
  EXPECT_EQ(warning_of(run(rows), "heavy-tail"), "");
  for (int i = 0; i < 2'000; i += 100) rows.values(i, 1) = -9'999; // a marker of missing values in b
  const auto text = warning_of(run(rows), "heavy-tail");
  EXPECT_TRUE(text.starts_with("b: outliers (down to -1e+04")) << text;
}

} // namespace
} // namespace jitterscope::causal
