// Columns whose values show whether they come before the durations.

#include "core/causal/table/directed_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/causal/base/tiers.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::contribution_of;
using test::normal;

constexpr int kContext = static_cast<int>(Tier::context), kUnknown = static_cast<int>(Tier::unknown);

/// A table of launches of one configuration.
struct OpenColumns {
  explicit OpenColumns(std::uint64_t seed, std::size_t rows = 4'000) : random(seed), n(rows) {}

  std::vector<double> made(const std::function<double(std::size_t)>& value) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(value(i));
    return values;
  }
  std::vector<double> noise(double size = 1) {
    return made([&](std::size_t) { return size * normal(random); });
  }
  /// Standard normal values with this correlation of neighbours.
  std::vector<double> slow(double alike) {
    double now = normal(random);
    return made(
        [&](std::size_t) { return now = alike * now + std::sqrt(1 - alike * alike) * normal(random); });
  }
  /// Durations of 20 µs times exp(0.1 · logarithm).
  void set_durations(const std::vector<double>& logarithms) {
    table.group.assign(n, 0), table.kernel_of_group = {0}, table.kernel_names = {"k"};
    table.duration_ns = made([&](std::size_t i) { return 20e3 * std::exp(0.1 * logarithms[i]); });
  }
  void add(const std::string& name, const std::vector<double>& values) {
    FeatureInfo info;
    info.name = name, info.of_plain_table = true;
    table.add(info, values);
  }
  std::vector<int> tiers(const Options& options = {}) const {
    const auto rows = DirectedRows::make(table, options, Job{});
    EXPECT_TRUE(rows) << describe(rows.error());
    std::vector<int> tiers;
    for (const auto& info : rows->features()) tiers.push_back(info.tier);
    return tiers;
  }

  Random random;
  std::size_t n;
  LaunchTable table;
};

TEST(DirectedRows, IndependentColumnsThatBothGoWithTheDurationsComeBeforeThem) {
  OpenColumns open(1);
  const auto a = open.noise(), b = open.noise(), rest = open.noise(0.6);
  open.set_durations(open.made([&](std::size_t i) { return a[i] + std::fabs(b[i]) + rest[i]; }));
  open.add("alpha", a), open.add("beta", b);
  EXPECT_EQ(open.tiers(), (std::vector{kContext, kContext}));
  const auto answer = test::run(open.table, test::few_resamples());
  const auto* alpha = contribution_of(answer, "alpha");
  ASSERT_NE(alpha, nullptr) << testing::PrintToString(answer.sentences);
  EXPECT_TRUE(alpha->role == Role::cause) << testing::PrintToString(answer.sentences);
  EXPECT_TRUE(std::ranges::any_of(answer.warnings, [](const auto& w) { return w.code == "direction"; }));
}

TEST(DirectedRows, AConsequenceGoesWithTheCausesOfTheDurationAndStaysOpen) {
  OpenColumns open(2);
  const auto batch = open.noise(), rest = open.noise(0.6), error = open.noise(0.5);
  const auto y = open.made([&](std::size_t i) { return batch[i] + rest[i]; });
  open.set_durations(y);
  open.add("batch", batch), open.add("score", open.made([&](std::size_t i) { return y[i] + error[i]; }));
  EXPECT_EQ(open.tiers(), (std::vector{-1, -1}));
}

TEST(DirectedRows, AColumnThatGoesPartlyWithAnotherCauseStaysOpen) {
  OpenColumns open(16);
  const auto batch = open.noise(), hidden = open.noise(), error = open.noise(0.5);
  open.set_durations(open.made([&](std::size_t i) { return batch[i] + hidden[i]; }));
  open.add("batch", batch);
  open.add("reading", open.made([&](std::size_t i) { return hidden[i] + 0.5 * batch[i] + error[i]; }));
  EXPECT_EQ(open.tiers(), (std::vector{-1, -1}));
}

TEST(DirectedRows, EarlierValuesOfACauseActThroughThePresentOne) {
  OpenColumns open(3);
  const auto x = open.slow(0.8), rest = open.noise(0.7);
  open.set_durations(open.made([&](std::size_t i) { return (x[i] > 0.5 ? 1.5 : 0) + rest[i]; }));
  open.add("metric", x);
  EXPECT_EQ(open.tiers(), std::vector{kContext});
}

TEST(DirectedRows, ANoisyMeasureOfTheDurationStaysOpen) {
  for (const double error : {0.02, 0.3, 0.7, 1.5}) {
    OpenColumns open(4);
    const auto y = open.slow(0.8), of_measure = open.noise(error);
    open.set_durations(y);
    open.add("metric", open.made([&](std::size_t i) { return y[i] + of_measure[i]; }));
    EXPECT_EQ(open.tiers(), std::vector{-1}) << error;
  }
}

// Slow phases of a clock, and a measure of the duration that is nearly exact.
TEST(DirectedRows, AnExactMeasureOfDurationsWithPhasesStaysOpen) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    OpenColumns open(seed);
    double phase = 0;
    const auto rest = open.noise(0.4), error = open.noise(0.05);
    const auto y = open.made([&](std::size_t i) {
      if (open.random.uniform() < 1.0 / 40) phase = std::floor(3 * open.random.uniform());
      return 1.5 * phase + rest[i];
    });
    open.set_durations(y);
    open.add("host_answer", open.made([&](std::size_t i) { return y[i] + error[i]; }));
    EXPECT_EQ(open.tiers(), std::vector{-1}) << seed;
  }
}

TEST(DirectedRows, ARoundedDurationStaysOpen) {
  for (const double alike : {0.8, 0.95, 0.99})
    for (const double width : {0.5, 0.8, 1.2, 2.0}) {
      OpenColumns open(11, 20'000);
      const auto slow = open.slow(alike), rest = open.noise(0.7);
      const auto y = open.made([&](std::size_t i) { return slow[i] + rest[i]; });
      open.set_durations(y);
      open.add("bucket", open.made([&](std::size_t i) { return std::floor(y[i] / width); }));
      EXPECT_EQ(open.tiers(), std::vector{-1}) << alike << " " << width;
    }
}

// Work that waits because earlier launches were long, for a reason that is not recorded.
TEST(DirectedRows, ABacklogOfEarlierLaunchesStaysOpen) {
  for (const double alike : {0.9, 0.97}) {
    OpenColumns open(17);
    const auto hidden = open.slow(alike), rest = open.noise(0.5), arriving = open.noise(0.3);
    const auto y = open.made([&](std::size_t i) { return hidden[i] + rest[i]; });
    double waiting = 0;
    const auto backlog = open.made([&](std::size_t i) {
      const double now = waiting;
      waiting = std::max(0.0, 0.7 * waiting + 0.3 * y[i] + arriving[i]);
      return now;
    });
    open.set_durations(y);
    open.add("pending", backlog);
    EXPECT_EQ(open.tiers(), std::vector{-1}) << alike;
  }
}

TEST(DirectedRows, AColumnThatSharesAnUnrecordedCauseStaysOpen) {
  OpenColumns open(5);
  const auto hidden = open.slow(0.9), rest = open.noise(0.5), error = open.noise(0.5);
  open.set_durations(open.made([&](std::size_t i) { return hidden[i] + rest[i]; }));
  open.add("metric", open.made([&](std::size_t i) { return hidden[i] + error[i]; }));
  EXPECT_EQ(open.tiers(), std::vector{-1});
}

TEST(DirectedRows, UnrelatedColumnsAndTheFormOfAConsequenceStayOpen) {
  OpenColumns open(6);
  const auto x = open.slow(0.8), walk = open.slow(0.999), other = open.slow(0.999), rest = open.noise(0.5);
  open.set_durations(open.made([&](std::size_t i) { return x[i] + walk[i] + rest[i]; }));
  open.add("reply_us", x), open.add("metric", other), open.add("tokens_per_s", x);
  EXPECT_EQ(open.tiers(), (std::vector{-1, -1, -1}));
}

TEST(DirectedRows, KnowledgeOfTheUserDecides) {
  OpenColumns open(7);
  const auto a = open.noise(), b = open.noise(), rest = open.noise(0.6);
  open.set_durations(open.made([&](std::size_t i) { return a[i] + b[i] + rest[i]; }));
  open.add("alpha", a), open.add("beta", b);
  Options options;
  options.knowledge.tiers = {{"alpha", kUnknown}};
  EXPECT_EQ(open.tiers(options), (std::vector{-1, kContext}));
}

TEST(DirectedRows, AnEventThatOnlyLongLaunchesHaveIsOpen) {
  OpenColumns open(8);
  const auto y = open.noise();
  open.set_durations(y);
  open.add("page_faults",
           open.made([&](std::size_t i) { return y[i] > 0.8 ? 3.0 + std::floor(9 * y[i]) : 0; }));
  EXPECT_EQ(open.tiers(), std::vector{kUnknown});
  const auto answer = test::run(open.table, test::few_resamples());
  EXPECT_TRUE(std::ranges::none_of(answer.contributions, [](const auto& c) { return c.role == Role::cause; }))
      << testing::PrintToString(answer.sentences);
}

// Rows without a value have values of other rows, not their mean: that value would have long launches.
TEST(DirectedRows, ASensorThatFailsInLongLaunchesIsNoCause) {
  OpenColumns open(12);
  const auto y = open.noise();
  const auto degrees = open.made([&](std::size_t i) {
    const bool lost = open.random.uniform() < (y[i] > 1 ? 0.7 : 0.03);
    return lost ? kMissing : std::round(60 + 3 * normal(open.random));
  });
  open.set_durations(y);
  open.add("temperature", degrees);
  const auto answer = test::run(open.table, test::few_resamples());
  EXPECT_TRUE(std::ranges::none_of(answer.contributions, [](const auto& c) { return c.role == Role::cause; }))
      << testing::PrintToString(answer.sentences);
  const auto* blank = contribution_of(answer, "temperature (blank)");
  ASSERT_NE(blank, nullptr) << testing::PrintToString(answer.sentences);
  EXPECT_TRUE(blank->undirected);
}

// The values of the nodes together determine the version of the driver.
TEST(DirectedRows, ASettingThatManyNodesShareIsACause) {
  constexpr std::size_t kNodes = 24;
  OpenColumns open(13);
  const auto rest = open.noise(0.3), own = open.noise(0.1);
  const auto node = open.made([&](std::size_t) { return std::floor(kNodes * open.random.uniform()); });
  const auto version =
      open.made([&](std::size_t i) { return static_cast<std::size_t>(node[i]) % 3 == 0 ? 550.54 : 535.183; });
  open.set_durations(open.made([&](std::size_t i) {
    return (version[i] > 540 ? 1 : 0) + own[static_cast<std::size_t>(node[i])] + rest[i];
  }));
  FeatureInfo nodes;
  nodes.name = "node", nodes.of_plain_table = true, nodes.role = FeatureRole::category;
  for (std::size_t k = 0; k < kNodes; ++k) nodes.labels.push_back("n" + std::to_string(k));
  open.table.add(nodes, node), open.add("driver_version", version);
  const auto answer = test::run(open.table, test::few_resamples());
  ASSERT_FALSE(answer.contributions.empty()) << testing::PrintToString(answer.sentences);
  const auto& first = answer.contributions.front();
  EXPECT_TRUE(first.feature == "driver_version" && first.role == Role::cause)
      << first.feature << testing::PrintToString(answer.sentences);
}

// A line through the places has hardly any slope, but one that may be joined to the target by chance.
TEST(DirectedRows, PlacesInTurnAreACause) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    OpenColumns open(seed);
    const auto rest = open.noise(0.4);
    const auto place = open.made([](std::size_t i) { return static_cast<double>(i % 12); });
    open.set_durations(open.made(
        [&](std::size_t i) { return (place[i] == 1 || place[i] == 6 || place[i] == 8 ? 2 : 0) + rest[i]; }));
    open.add("lane", place);
    auto options = test::few_resamples();
    options.nonlinear = true;
    const auto answer = test::run(open.table, options);
    const auto* lane = contribution_of(answer, "lane");
    ASSERT_NE(lane, nullptr) << seed << testing::PrintToString(answer.sentences);
    EXPECT_TRUE(lane->role == Role::cause) << seed << testing::PrintToString(answer.sentences);
  }
}

// Noise that stays for many rows: its values differ in their durations by chance, as if they were codes.
TEST(DirectedRows, AQuantityWithAUnitIsNotSplitIntoItsValues) {
  OpenColumns open(14, 3'000);
  double level = 21'000;
  const auto walk = open.slow(0.99), rest = open.noise(0.5);
  const auto used = open.made([&](std::size_t) {
    if (open.random.uniform() < 0.02) level = 20'000 + 250 * std::floor(12 * open.random.uniform());
    return level;
  });
  open.set_durations(open.made([&](std::size_t i) { return walk[i] + rest[i]; }));
  open.add("memory_used_mib", used);
  const auto answer = test::run(open.table, test::few_resamples());
  EXPECT_TRUE(std::ranges::none_of(answer.features, [](const FeatureReport& f) {
    return f.name.starts_with("memory_used_mib ");
  })) << testing::PrintToString(answer.sentences);
}

TEST(DirectedRows, WithoutHigherValuesLowerOnesAreShorter) {
  OpenColumns open(15);
  const auto rest = open.noise(0.3);
  const auto batch = open.made([&](std::size_t) {
    return open.random.uniform() < 0.8 ? 256 : 32 * (1 + std::floor(7 * open.random.uniform()));
  });
  open.set_durations(open.made([&](std::size_t i) { return 5 * std::log(batch[i] / 256) + rest[i]; }));
  open.add("batch", batch);
  const auto answer = test::run(open.table, test::few_resamples());
  EXPECT_NE(answer.sentences.front().find("launches at lower values are shorter"), std::string::npos)
      << answer.sentences.front();
}

TEST(DirectedRows, AnEventThatLengthensLaunchesIsNot) {
  for (const double effect : {1.0, 3.0, 20.0}) { // overlapping, hardly overlapping, apart
    OpenColumns open(9);
    const auto rest = open.noise();
    const auto fault = open.made([&](std::size_t) { return open.random.uniform() < 0.2 ? 1.0 : 0.0; });
    open.set_durations(open.made([&](std::size_t i) { return effect * fault[i] + rest[i]; }));
    open.add("page_faults", fault);
    EXPECT_EQ(open.tiers(), std::vector{-1}) << effect;
  }
}

} // namespace
} // namespace jitterscope::causal
