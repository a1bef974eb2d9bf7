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
  for (const double width : {0.5, 1.0, 2.0}) {
    OpenColumns open(11);
    const auto y = open.slow(0.8);
    open.set_durations(y);
    open.add("bucket", open.made([&](std::size_t i) { return std::floor(y[i] / width); }));
    EXPECT_EQ(open.tiers(), std::vector{-1}) << width;
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
