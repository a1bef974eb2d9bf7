// Columns in which only configurations differ: each configuration counts as one observation.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/answer/notes.h"
#include "core/causal/statistics/configurations.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/answer/planted.h"
#include "tests/core/causal/thread_communicator.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;
using test::run;
using test::warning_of;

struct Grids {
  int configurations = 3, launches = 100, kernels = 1; ///< configurations of a kernel, launches of each
  std::uint64_t seed = 1;
  double effect = 0; ///< exponent e: the spread is proportional to grid^e
};

/// Random grids and blocks; the spread of every configuration is drawn at random and scaled by grid^`effect`.
LaunchTable launches_of(const Grids& p) {
  Random random(p.seed, 40);
  LaunchTable rows;
  std::vector<double> grid, block, gap;
  for (int k = 0; k < p.kernels; ++k)
    for (int c = 0; c < p.configurations; ++c) {
      const double g = std::floor(16 + 4'080 * random.uniform()),
                   b = 64 * std::pow(2.0, static_cast<double>(random.below(4)));
      const double sigma = 0.02 * std::exp(0.7 * normal(random)) * std::pow(g / 500, p.effect);
      const double typical = 20e3 * std::exp(0.5 * normal(random));
      const auto group = static_cast<std::uint32_t>(rows.kernel_of_group.size());
      rows.kernel_of_group.push_back(static_cast<std::uint32_t>(k));
      for (int i = 0; i < p.launches; ++i) {
        grid.push_back(g), block.push_back(b), gap.push_back(-5e3 * std::log(1 - random.uniform()));
        rows.group.push_back(group);
        rows.duration_ns.push_back(std::round(typical * std::exp(sigma * normal(random))));
      }
    }
  for (int k = 0; k < p.kernels; ++k) rows.kernel_names.push_back("kernel_" + std::to_string(k));
  // Launches of all configurations in random order.
  std::vector<std::size_t> order(grid.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const auto shuffled = [&](const auto& from) {
    auto to = from;
    for (std::size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
    return to;
  };
  rows.group = shuffled(rows.group), rows.duration_ns = shuffled(rows.duration_ns);
  rows.add({"grid_x", "", 1, {}, {}, {}, {}}, shuffled(grid));
  rows.add({"block_x", "", 1, {}, {}, {}, {}}, shuffled(block));
  rows.add({"gap_ns", "ns", 2, {}, {}, {}, {}}, shuffled(gap));
  return rows;
}

bool names_a_cause(const CausalResult& r) {
  return std::any_of(r.contributions.begin(), r.contributions.end(),
                     [](const auto& c) { return c.role == Role::cause; });
}

TEST(Configurations, AreNotCausesByChance) {
  Options options;
  options.second_opinions = options.nonlinear = false;
  int named = 0, tables = 0;
  for (const auto& [configurations, kernels] :
       {std::pair{2, 1}, {3, 1}, {5, 1}, {8, 1}, {20, 1}, {3, 6}, {12, 3}})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      named += names_a_cause(run(
          launches_of({.configurations = configurations, .launches = 60, .kernels = kernels, .seed = seed}),
          options));
      ++tables;
    }
  EXPECT_LE(named, tables * 5 / 100) << tables;
}

TEST(Configurations, AreNotCausesByChanceInAnyComparison) {
  for (const Reading reading : {Reading::pooled, Reading::between}) {
    Options options;
    options.second_opinions = options.nonlinear = false;
    options.reading = reading, options.target = "duration", options.bootstrap = 60;
    int named = 0, tables = 0;
    for (const int configurations : {3, 8, 20})
      for (std::uint64_t seed = 1; seed <= 8; ++seed, ++tables)
        named += names_a_cause(
            run(launches_of({.configurations = configurations, .launches = 60, .seed = seed}), options));
    EXPECT_LE(named, 1 + tables * 5 / 100) << to_string(reading);
    EXPECT_NE(warning_of(run(launches_of({.configurations = 3}), options), "few-configurations"), "")
        << to_string(reading);
  }
}

TEST(Configurations, BetweenThemIntervalsRestOnTheirNumber) {
  const auto width = [](int launches) {
    Options options;
    options.reading = Reading::between, options.target = "duration";
    LaunchTable rows = launches_of({.configurations = 40, .launches = launches, .seed = 3});
    for (std::size_t i = 0; i < rows.duration_ns.size(); ++i)
      rows.duration_ns[i] =
          std::round(rows.duration_ns[i] * (0.2 + rows.values(static_cast<Eigen::Index>(i), 0) / 500));
    const CausalResult r = run(rows, options);
    const FeatureReport* grid = r.find("grid_x");
    EXPECT_GT(grid->total_effect, 0);
    return grid->total_effect_ci.high - grid->total_effect_ci.low;
  };
  EXPECT_GT(width(100), 0.5 * width(10));
}

TEST(Configurations, ThatAllRanOnceAreComparedWithEachOther) {
  Random random(5);
  LaunchTable rows;
  std::vector<double> work;
  for (std::uint32_t i = 0; i < 200; ++i) {
    work.push_back(100 + 900 * random.uniform());
    rows.group.push_back(i), rows.kernel_of_group.push_back(i);
    rows.kernel_names.push_back("kernel_" + std::to_string(i));
    rows.duration_ns.push_back(std::round(50 * work.back() * (1 + 0.05 * normal(random))));
  }
  rows.add({"work", "", 3, {}, {}, {}, {}}, work);
  Options options;
  options.target = "duration";
  const CausalResult r = run(rows, options);
  EXPECT_EQ(r.reading, "pooled");
  EXPECT_NE(r.reading_text.find("Hardly any kernel ran more than once"), std::string::npos) << r.reading_text;
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_EQ(r.contributions.front().feature, "work");
  EXPECT_GT(r.contributions.front().percent, 90);
  EXPECT_LT(r.unexplained_percent, 10);
}

TEST(Configurations, TooFewOfThemAreReportedInANote) {
  for (const int configurations : {2, 3, 6}) {
    const CausalResult r = run(launches_of({.configurations = configurations, .launches = 300, .effect = 1}));
    EXPECT_FALSE(names_a_cause(r)) << configurations;
    const std::string reported = warning_of(r, "few-configurations");
    EXPECT_NE(reported.find("only " + std::to_string(configurations) + " configurations of one kernel"),
              std::string::npos)
        << reported;
  }
  EXPECT_EQ(warning_of(run(launches_of({.configurations = 16})), "few-configurations"), "");
}

TEST(Configurations, ThatVaryMoreWithTheirGridAreExplainedByIt) {
  int named = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CausalResult r = run(launches_of({.configurations = 30, .seed = seed, .effect = 1.5}));
    ASSERT_FALSE(r.contributions.empty()) << seed;
    const Contribution& c = r.contributions.front();
    named += c.feature == "grid_x" && c.role == Role::cause && c.sign > 0;
    EXPECT_GT(c.attributable_ci_high - c.attributable_ci_low, 4)
        << "the interval from 30 configurations is wide";
  }
  EXPECT_GE(named, 4);
}

TEST(Configurations, MoreLaunchesOfEachMakeNothingMoreCertain) {
  const auto width = [](int launches) {
    const CausalResult r =
        run(launches_of({.configurations = 30, .launches = launches, .seed = 2, .effect = 1.5}));
    const Contribution& c = r.contributions.front();
    return c.attributable_ci_high - c.attributable_ci_low;
  };
  EXPECT_GT(width(400), 0.6 * width(50));
}

TEST(Configurations, AreResampledAlikeOnAnyNumberOfRanks) {
  const LaunchTable rows = launches_of({.configurations = 14, .launches = 40, .kernels = 2, .effect = 1.5});
  Options options;
  options.bootstrap = 30;
  const std::string expected = to_json(run(rows, options)).dump();
  for (const int size : {2, 3, 7})
    for (const auto& text : test::answers_of_ranks(rows, options, size))
      EXPECT_EQ(text, expected) << size << " ranks";
}

TEST(ConfigurationMeansTest, AreCentredByKernelAndResampled) {
  ConfigurationMeans means;
  means.values = Eigen::MatrixXd{{1, 10}, {3, 10}, {100, 0}, {104, 4}};
  means.kernel = {0, 0, 1, 1}, means.weight = {1, 1, 1, 1};
  const Moments all = means.moments();
  EXPECT_EQ(all.n, 4);
  EXPECT_EQ(all.cross, (Eigen::MatrixXd{{10, 8}, {8, 8}}));
  const Moments drawn = means.moments({1, 0, 2, 1}); // a kernel with one configuration contributes nothing
  EXPECT_NEAR(drawn.cross(0, 0), 2 * (4 / 3.0) * (4 / 3.0) + (8 / 3.0) * (8 / 3.0), 1e-12);
  const auto count = count_configurations({0, 0, 1, 2, 2, 2}, {5, 5, 9, 2, 2, 0});
  EXPECT_EQ(count.configurations, 4);
  EXPECT_EQ(count.kernels, 2);
  EXPECT_EQ(count.effective(), 3);
}

TEST(ConfigurationShares, CarryTheSteadierEndOver) {
  // Four configurations of ten launches; the spread is 1, 2, 3 and 4 % of the duration.
  const ConfigurationFacts facts{
      {1, 2, 3, 4}, {10, 10, 10, 10}, {100, 100, 100, 100}, {10, 20, 30, 40}, {0, 0, 0, 0}};
  EXPECT_EQ(trend_of_configurations(facts), 1);
  const auto effect = effect_of_configurations(facts, 1);
  EXPECT_NEAR(effect.share, 0.6, 1e-12); // 10 of each configuration remain: 40 of 100
  EXPECT_TRUE(std::isnan(effect.expected[0]));
  EXPECT_EQ(effect.expected[3], 1);
  EXPECT_NEAR(effect_of_configurations(facts, -1).share, -0.6, 1e-12) << "the trend is given, not estimated";
  EXPECT_NEAR(effect_of_configurations(facts, 1, {0, 2, 1, 1}).share, 30 / 110.0, 1e-12);
}

/// A clock that lengthens the launches of kernel k by `effect[k]` of their duration for each standard
/// deviation.
CausalResult of_responses(const std::vector<double>& effect, std::uint64_t seed) {
  Random random(seed, 41);
  LaunchTable rows;
  std::vector<double> clock, temperature;
  for (std::uint32_t k = 0; k < effect.size(); ++k)
    rows.kernel_names.push_back("kernel_" + std::to_string(k)), rows.kernel_of_group.push_back(k);
  for (int i = 0; i < 3'000; ++i) {
    const auto k = static_cast<std::uint32_t>(random.below(effect.size()));
    const double z = normal(random);
    clock.push_back(1.4e9 + 1e8 * z), temperature.push_back(60 + 5 * normal(random));
    rows.group.push_back(k);
    rows.duration_ns.push_back(1e5 * (k + 1) * (1 + effect[k] * z + 0.03 * normal(random)));
  }
  rows.add({"sm_clock", "Hz", 2, {}, {}, {}, {}}, clock);
  rows.add({"temperature", "C", 2, {}, {}, {}, {}}, temperature);
  return run(rows);
}

TEST(ConfigurationResponses, MayHaveOppositeDirections) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto r = of_responses({0.08, -0.08}, seed);
    const auto* c = test::contribution_of(r, "sm_clock");
    ASSERT_TRUE(c);
    EXPECT_EQ(c->role, Role::cause) << seed;
    // Mean |d − median|: σ √(2/π); σ² = 0.08² + 0.03², and 0.03² without the clock.
    EXPECT_NEAR(c->attributable_percent.value_or(0), 100 * (1 - 0.03 / std::hypot(0.08, 0.03)), 3) << seed;
    EXPECT_EQ(c->sign, 0) << seed;
    EXPECT_NE(r.sentences.front().find("launches of some configurations take longer at its higher values"),
              std::string::npos)
        << r.sentences.front();
    ASSERT_EQ(r.pairs.size(), 1u) << seed;
    EXPECT_EQ(r.pairs.front().first, "sm_clock");
    EXPECT_EQ(r.pairs.front().second, "configuration");
  }
}

// Kernels that hardly respond have small slopes of either sign.
TEST(ConfigurationResponses, OfKernelsThatHardlyRespondAreNotOpposite) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto r = of_responses({-0.08, -0.05, 0, 0, 0, -0.08}, seed);
    const auto* c = test::contribution_of(r, "sm_clock");
    ASSERT_TRUE(c);
    EXPECT_EQ(c->sign, -1) << seed;
    EXPECT_NE(r.sentences.front().find("launches at lower values take longer"), std::string::npos) << seed;
  }
}

// Launches over five links: the slowest one is a cause, and launches over the others differ, too.
TEST(Configurations, OtherValuesOfATextAreNotCalledUnexplained) {
  Random random(11);
  LaunchTable rows =
      test::planted_launches({.cause = test::Cause::none, .launches = 1'500, .kernels = 1, .grids = 1});
  FeatureInfo link;
  link.name = "link", link.tier = 2, link.role = FeatureRole::category;
  link.labels = {"nv4", "nv2", "nv1", "pix", "sys"};
  const double factors[] = {1, 1.25, 1.5, 1.9, 3};
  std::vector<double> codes;
  for (double& duration : rows.duration_ns) {
    codes.push_back(static_cast<double>(random.below(5)));
    duration = std::round(duration * factors[static_cast<std::size_t>(codes.back())]);
  }
  rows.add(std::move(link), codes);
  const CausalResult r = run(rows);
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_TRUE(r.contributions.front().feature.starts_with("link ")) << r.contributions.front().feature;
  const auto all = fmt::format("{}", fmt::join(r.sentences, "\n"));
  EXPECT_NE(all.find("the other values of link"), std::string::npos) << all;
  EXPECT_EQ(all.find("not explained by anything recorded"), std::string::npos) << all;
}

} // namespace
} // namespace jitterscope::causal
