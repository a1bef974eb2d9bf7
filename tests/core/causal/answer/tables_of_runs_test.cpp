#include <cmath>

#include "core/causal/base/tiers.h"
#include "tests/core/causal/answer/answers.h"

// Tables of runs as engineers record them: mechanisms of an independent simulator.

namespace jitterscope::causal {
namespace {

using test::contribution_of;
using test::normal;

/// A table of runs with its target, "runtime".
class Runs {
public:
  explicit Runs(std::uint64_t seed, int count) : random_(seed), count_(count) { table.target = "runtime"; }

  template <class Value>
  std::vector<double> each(Value&& value) {
    std::vector<double> column;
    for (int i = 0; i < count_; ++i) column.push_back(value(i));
    return column;
  }
  void add(const std::string& name, const std::vector<double>& column) {
    FeatureInfo info;
    info.name = name, info.of_plain_table = true;
    table.add(std::move(info), column);
  }
  /// A column of texts; code −1: blank.
  void add_texts(const std::string& name, std::vector<std::string> texts, std::vector<double> codes) {
    FeatureInfo info;
    info.name = name, info.of_plain_table = true, info.role = FeatureRole::category;
    info.labels = std::move(texts);
    for (double& code : codes)
      if (code < 0) code = kMissing;
    table.add(std::move(info), codes);
  }
  double noise() { return normal(random_); }
  double uniform() { return random_.uniform(); }
  int one_of(int values) { return static_cast<int>(random_.uniform() * values); }
  /// Knuth's method.
  double poisson(double mean) {
    double product = random_.uniform();
    int events = 0;
    for (const double limit = std::exp(-mean); product > limit; ++events) product *= random_.uniform();
    return events;
  }
  double walk() { return place_ += normal(random_); }
  void start_walk() { place_ = 0; }

  CausalResult answer() { return test::run(table); }

  LaunchTable table;

private:
  Random random_;
  int count_;
  double place_ = 0;
};

int causes_in(const CausalResult& r) {
  return static_cast<int>(std::ranges::count(r.contributions, Role::cause, &Contribution::role));
}

// Without a direction, a share is of the variance too, not of what a straight line through ranks explains.
TEST(TablesOfRuns, SharesOfOpenAssociationsFollowCurves) {
  Runs runs(5, 1'500);
  const auto keys = runs.each([&](int) { return std::exp(8 * runs.uniform()); });
  runs.add("distinct", keys);
  runs.add("runtime",
           runs.each([&](int i) { return 100 * (1 + 1 / std::sqrt(keys[i])) + 5 * runs.noise(); }));
  const auto& y = runs.table.values.col(1);
  const double variance = (y.array() - y.mean()).square().mean(), share = 100 * (1 - 25 / variance);
  const auto r = runs.answer();
  const auto* c = contribution_of(r, "distinct");
  ASSERT_TRUE(c);
  EXPECT_TRUE(c->undirected);
  EXPECT_NEAR(c->percent, share, 2);
  EXPECT_LT(c->ci_low, share);
  EXPECT_GT(c->ci_high, share);
}

// A straight line through the three versions has hardly any slope.
TEST(TablesOfRuns, TheMiddleOfThreeVersionsIsAssociatedWhateverItsLine) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    Runs runs(seed, 800);
    const auto version = runs.each([&](int) { return 535 + 5 * runs.one_of(3); });
    runs.add("release", version);
    runs.add("runtime", runs.each([&](int i) { return (version[i] == 540 ? 110 : 100) + 3 * runs.noise(); }));
    const auto r = runs.answer();
    const auto* c = contribution_of(r, "release");
    ASSERT_TRUE(c);
    EXPECT_NEAR(c->percent, 100 * 22.2 / (22.2 + 9), 5) << "2/9 of 10² between the versions, 3² within";
    EXPECT_EQ(c->sign, 0);
    Options options;
    options.knowledge.tiers.emplace_back("release", 1);
    const auto stated = test::run(runs.table, options);
    const auto* cause = contribution_of(stated, "release");
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->role, Role::cause) << seed;
  }
}

TEST(TablesOfRuns, CountsInProportionToTheTimeAreNoCause) {
  for (const char* name : {"page_faults", "migrations", "interrupts", "context_switches"}) {
    Runs runs(7, 1'500);
    const auto time = runs.each([&](int) { return 100 * std::exp(0.2 * runs.noise()); });
    runs.add(name, runs.each([&](int i) { return runs.poisson(0.3 * time[i]); }));
    runs.add("runtime", time);
    const auto r = runs.answer();
    EXPECT_EQ(causes_in(r), 0) << name;
    EXPECT_TRUE(contribution_of(r, name)->of_length) << name;
  }
}

TEST(TablesOfRuns, CountsThatLengthenRunsAreCauses) {
  Runs runs(7, 1'500);
  const auto faults = runs.each([&](int) { return runs.poisson(30); });
  runs.add("page_faults", faults);
  runs.add("runtime", runs.each([&](int i) { return 100 + 2 * faults[i] + 8 * runs.noise(); }));
  const auto r = runs.answer();
  EXPECT_EQ(contribution_of(r, "page_faults")->role, Role::cause);
}

// Over both kernels, faults are in proportion to the time; within each, they lengthen it.
TEST(TablesOfRuns, CountsAreComparedWithinConfigurations) {
  Runs runs(8, 2'000);
  const auto faults = runs.each([&](int i) { return runs.poisson(i % 2 ? 30 : 3); });
  runs.add("page_faults", faults);
  runs.table.duration_ns =
      runs.each([&](int i) { return 1e3 * ((i % 2 ? 1'000 : 100) + 2 * faults[i] + 2 * runs.noise()); });
  for (int i = 0; i < 2'000; ++i) runs.table.group.push_back(i % 2);
  runs.table.kernel_of_group = {0, 1};
  runs.table.target = "duration";
  Options options;
  options.target = "duration";
  const auto r = test::run(runs.table, options);
  const auto* c = contribution_of(r, "page_faults");
  ASSERT_TRUE(c);
  EXPECT_FALSE(c->of_length);
  EXPECT_EQ(c->role, Role::cause);
}

// Each day has its own hidden level, and its own temperature.
TEST(TablesOfRuns, OneValueADayIsNoCause) {
  for (const int days : {8, 20})
    for (const std::uint64_t seed : {1, 2, 3}) {
      Runs runs(seed, 100 * days);
      std::vector<double> level, temperature;
      for (int day = 0; day < days; ++day)
        level.push_back(6 * runs.noise()), temperature.push_back(std::round(220 + 30 * runs.noise()) / 10);
      runs.add("ambient_temp", runs.each([&](int i) { return temperature[i / 100]; }));
      runs.add("runtime", runs.each([&](int i) { return 100 + level[i / 100] + 3 * runs.noise(); }));
      EXPECT_EQ(causes_in(runs.answer()), 0) << days << " days, seed " << seed;
    }
}

TEST(TablesOfRuns, ATemperatureThatChangesFromRunToRunIsACause) {
  Runs runs(3, 1'000);
  const auto temperature = runs.each([&](int) { return 60 + 5 * runs.noise(); });
  runs.add("gpu_temp", temperature);
  runs.add("runtime", runs.each([&](int i) { return 100 + 0.8 * temperature[i] + 3 * runs.noise(); }));
  EXPECT_EQ(contribution_of(runs.answer(), "gpu_temp")->role, Role::cause);
}

TEST(TablesOfRuns, RandomWalksAreNoCausesOfEachOther) {
  int named = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Runs runs(seed, 1'000);
    for (const char* name : {"gpu_temp", "ambient_temp", "sm_clock", "fan_speed"}) {
      runs.start_walk();
      runs.add(name, runs.each([&](int) { return 1'000 + runs.walk(); }));
    }
    runs.start_walk();
    runs.add("runtime", runs.each([&](int) { return 1'000 + runs.walk() + runs.noise(); }));
    const auto r = runs.answer();
    for (const auto& c : r.contributions) named += c.role == Role::cause && c.feature != "launch_age";
  }
  EXPECT_LE(named, 1);
}

TEST(TablesOfRuns, TheSpreadOfDurationsIsAssociatedWithAColumn) {
  Runs runs(6, 2'500);
  const auto load = runs.each([&](int) { return 100 * runs.uniform(); });
  runs.add("cpu_load", load);
  runs.table.duration_ns = runs.each([&](int i) { return 1e5 + 1e3 * (1 + 0.12 * load[i]) * runs.noise(); });
  runs.table.target = "duration";
  Options options;
  options.target = "duration";
  const auto r = test::run(runs.table, options);
  ASSERT_EQ(r.spreads.size(), 1U);
  EXPECT_EQ(r.spreads.front().feature, "cpu_load");
}

// What cannot follow from a run is before it; else its direction would stay open.
TEST(TablesOfRuns, NamesOfSettingsAndOfEventsPlaceColumnsBeforeTheRun) {
  for (const char* name : {"driver_version", "compiler", "seq_len", "tile_size", "ecc_row_remaps",
                           "pcie_replays", "xid_errors", "jit_compiled", "numa_node", "persistence_mode"}) {
    EXPECT_LT(default_tier(name), static_cast<int>(Tier::counters)) << name;
    EXPECT_TRUE(tier_by_name(name)) << name;
  }
}

TEST(TablesOfRuns, AClockOfZeroIsAMissingValue) {
  Runs runs(9, 1'200);
  const auto clock = runs.each([&](int) { return 1'400 + 100 * runs.noise(); });
  runs.add("sm_clock_mhz", runs.each([&](int i) { return i % 12 == 5 ? 0 : clock[i]; }));
  runs.add("runtime", runs.each([&](int i) { return 1.4e5 / clock[i] + 3 * runs.noise(); }));
  const auto r = runs.answer();
  const auto* c = contribution_of(r, "sm_clock_mhz");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->role, Role::cause);
  EXPECT_GT(c->percent, 80);
  EXPECT_TRUE(std::ranges::any_of(r.warnings, [](const auto& w) {
    return w.code == "zeros-missing" && w.text.find("100 of 1,200") != std::string::npos;
  }));
}

TEST(TablesOfRuns, OneRowWithMostOfTheVarianceIsNoted) {
  for (const double longest : {100.0, 9'000.0}) {
    Runs runs(2, 1'000);
    runs.add("cpu_load", runs.each([&](int) { return 100 * runs.uniform(); }));
    runs.add("runtime", runs.each([&](int i) { return i == 500 ? longest : 100 + runs.noise(); }));
    const auto r = runs.answer();
    EXPECT_EQ(std::ranges::any_of(r.warnings,
                                  [](const auto& w) {
                                    return w.code == "heavy-tail" &&
                                           w.text.find("1 row of 1,000") != std::string::npos;
                                  }),
              longest > 1'000);
  }
}

TEST(TablesOfRuns, AFanIsNoGroup) {
  Runs runs(4, 1'500);
  double fan = 55;
  runs.add("fan_speed", runs.each([&](int) {
    fan = std::clamp(fan + runs.one_of(3) - 1, 40.0, 75.0);
    return fan;
  }));
  runs.add("runtime", runs.each([&](int i) { return 100 + (i < 150 ? 30 : 0) + 3 * runs.noise(); }));
  const auto r = runs.answer();
  for (const auto& sentence : r.sentences)
    EXPECT_EQ(sentence.find("column fan_speed"), std::string::npos) << sentence;
}

// Texts are known before the run, and a category has one share: that of all its values.
TEST(TablesOfRuns, ACategoryIsOneCause) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Runs runs(seed, 1'500);
    const std::vector<double> level{100, 120, 105, 140, 90};
    const auto code = runs.each([&](int) { return runs.one_of(5); });
    runs.add_texts("corpus", {"web", "books", "code", "papers", "chat"}, code);
    runs.add("runtime",
             runs.each([&](int i) { return level[static_cast<std::size_t>(code[i])] + 6 * runs.noise(); }));
    const auto r = runs.answer();
    ASSERT_EQ(causes_in(r), 1) << seed;
    const auto& c = r.contributions.front();
    EXPECT_EQ(c.label, "corpus");
    EXPECT_NEAR(c.percent, 100 * 304.0 / (304 + 36), 4) << "variance 304 between the levels, 6² within";
    EXPECT_NE(r.sentences.front().find("runtime is lowest at chat and highest at papers"), std::string::npos)
        << r.sentences.front();
  }
}

TEST(TablesOfRuns, ACategoryThatMayStateTheOutcomeIsNoCause) {
  Runs runs(3, 1'500);
  const auto time = runs.each([&](int) { return 100 + 10 * runs.noise(); });
  runs.add_texts("status", {"ok", "slow"}, runs.each([&](int i) { return time[i] > 110; }));
  runs.add("runtime", time);
  EXPECT_EQ(causes_in(runs.answer()), 0);
}

// Temperature and time follow a column with an unknown name: given that, the temperature predicts nothing.
TEST(TablesOfRuns, AStateThatFollowsAnOpenColumnIsNoCause) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const bool acts : {false, true}) {
      Runs runs(seed, 2'000);
      const auto x = runs.each([&](int) { return runs.noise(); });
      const auto t = runs.each([&](int i) { return 60 + 4 * x[i] + 2 * runs.noise(); });
      runs.add("x17", x), runs.add("temperature", t);
      runs.table.duration_ns = runs.each(
          [&](int i) { return 1e6 + 2e4 * x[i] + (acts ? 1e4 * (t[i] - 60) : 0) + 7e3 * runs.noise(); });
      runs.table.target = "duration";
      Options options;
      options.target = "duration";
      const auto r = test::run(runs.table, options);
      const auto* c = contribution_of(r, "temperature");
      ASSERT_TRUE(c) << seed;
      EXPECT_EQ(c->role == Role::cause, acts) << seed;
      EXPECT_EQ(c->explained_by, acts ? "" : "x17") << seed;
    }
  }
}

// A consequence of the time leaves part of the association of a cause.
TEST(TablesOfRuns, AConsequenceDoesNotHideACause) {
  for (const double noise : {2.0, 5.0}) {
    Runs runs(7, 2'000);
    const auto t = runs.each([&](int) { return 60 + 5 * runs.noise(); });
    const auto time = runs.each([&](int i) { return 100 + t[i] - 60 + 3 * runs.noise(); });
    runs.add("temperature", t),
        runs.add("x17", runs.each([&](int i) { return time[i] + noise * runs.noise(); }));
    runs.add("runtime", time);
    const auto r = runs.answer();
    const auto* c = contribution_of(r, "temperature");
    ASSERT_TRUE(c);
    EXPECT_EQ(c->role, Role::cause) << noise;
  }
}

TEST(TablesOfRuns, ATemperatureThatFollowsTheTimeIsNoCause) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Runs runs(seed, 4'000);
    double slow = 0, heat = 0;
    std::vector<double> temperature;
    const auto time = runs.each([&](int) {
      slow = 0.93 * slow + 0.37 * runs.noise();
      heat += (slow - heat) / 20;
      temperature.push_back(60 + 10 * heat + 0.3 * runs.noise());
      return 100 + 9 * slow;
    });
    runs.add("temperature_c", temperature), runs.add("runtime", time);
    EXPECT_EQ(causes_in(runs.answer()), 0) << seed;
  }
}

TEST(TablesOfRuns, BlankTextsAreAValue) {
  Runs runs(5, 1'200);
  const auto code = runs.each([&](int) { return runs.uniform() < 0.7 ? -1 : 0; });
  runs.add_texts("error_code", {"EAGAIN"}, code);
  runs.add("runtime", runs.each([&](int i) { return (code[i] < 0 ? 100 : 130) + 5 * runs.noise(); }));
  const auto r = runs.answer();
  EXPECT_EQ(r.n, 1'200) << "rows with a blank are not left out";
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_GT(r.contributions.front().percent, 80);
}

TEST(TablesOfRuns, ATextInFewRowsIsAValue) {
  Runs runs(6, 3'000);
  const auto code = runs.each([&](int) { return runs.uniform() < 0.98 ? -1 : 0; });
  runs.add_texts("xid_event", {"Xid 63"}, code);
  runs.add("runtime", runs.each([&](int i) { return (code[i] < 0 ? 100 : 300) + 5 * runs.noise(); }));
  const auto r = runs.answer();
  ASSERT_FALSE(r.contributions.empty()) << testing::PrintToString(r.sentences);
  EXPECT_TRUE(r.contributions.front().feature.starts_with("xid_event")) << r.contributions.front().feature;
  EXPECT_GT(r.contributions.front().percent, 80);
}

// Blank numbers say something only if the target differs where they are blank.
TEST(TablesOfRuns, BlankNumbersAreMarkedWhereTheTargetDiffers) {
  for (const double longer : {0.0, 30.0}) {
    Runs runs(6, 1'200);
    const auto retries = runs.each([&](int) { return runs.uniform() < 0.6 ? kMissing : 1 + runs.one_of(5); });
    runs.add("retries", retries);
    runs.add("runtime", runs.each([&](int i) {
      return 100 + (std::isnan(retries[i]) ? 0 : longer) + 5 * runs.noise();
    }));
    const auto r = runs.answer();
    EXPECT_EQ(contribution_of(r, "retries (blank)") != nullptr, longer > 0);
    EXPECT_EQ(r.n, 1'200) << "a column whose blanks say nothing leaves no row out, because it is dropped";
  }
}

TEST(TablesOfRuns, ValleysOfFewRowsAreFound) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Runs runs(seed, 90);
    const auto block = runs.each([&](int) { return std::pow(2.0, 5 + runs.one_of(5)); });
    runs.add("block_size", block);
    runs.add("runtime", runs.each([&](int i) {
      return 4 + 1.2 * std::pow(std::log2(block[i]) - 7, 2) + 0.3 * runs.noise();
    }));
    const auto r = runs.answer();
    const bool bends = std::ranges::any_of(r.bends, [](const Bend& b) { return b.feature == "block_size"; });
    EXPECT_TRUE(bends || causes_in(r) == 1) << seed << ": " << r.sentences.front();
  }
}

TEST(TablesOfRuns, TheAmountOfARareEventHasTheShare) {
  Runs runs(8, 2'000);
  const auto faults =
      runs.each([&](int) { return runs.uniform() < 0.05 ? std::floor(200 * runs.uniform()) + 1 : 0; });
  runs.add("page_faults", faults);
  runs.add("runtime", runs.each([&](int i) { return 25 + 1.9 * faults[i] + runs.noise(); }));
  const auto r = runs.answer();
  ASSERT_FALSE(r.contributions.empty()) << testing::PrintToString(r.sentences);
  EXPECT_GT(r.contributions.front().percent, 95);
  EXPECT_EQ(r.contributions.front().label, "page faults");
}

TEST(TablesOfRuns, OpenAssociationsHaveASignWhateverTheNames) {
  for (const char* name : {"alpha", "zeta"}) {
    Runs runs(9, 1'000);
    const auto x = runs.each([&](int) { return runs.uniform(); });
    runs.add(name, x), runs.add("runtime", runs.each([&](int i) { return 100 + 20 * x[i] + runs.noise(); }));
    const auto r = runs.answer();
    const auto* c = contribution_of(r, name);
    ASSERT_TRUE(c);
    EXPECT_EQ(c->sign, 1) << name;
  }
}

// A state that rises in two steps is no setting by which the rows were sorted.
TEST(TablesOfRuns, TwoStepsOfAStateAreNoCause) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    Runs runs(seed, 1'200);
    runs.add("ecc_retired_pages", runs.each([](int i) { return i < 400 ? 0 : i < 900 ? 3 : 5; }));
    runs.add("runtime", runs.each([&](int i) {
      return (i < 380 ? 100 : i < 870 ? 112 : 118) + 5 * runs.noise();
    }));
    EXPECT_EQ(causes_in(runs.answer()), 0) << seed;
  }
}

TEST(TablesOfRuns, WhatPrecedesATimeIsACauseWhateverTheTimeIsCalled) {
  for (const char* target : {"launch_us", "iter_ms", "copy_us"}) {
    Runs runs(10, 1'000);
    const auto clock = runs.each([&](int) { return 1'400 + 60 * runs.noise(); });
    const auto idle = runs.each([&](int) { return -std::log(1 - runs.uniform()); });
    runs.add("sm_clock", clock), runs.add("idle_before_us", idle);
    runs.add(target, runs.each([&](int i) { return 1e5 / clock[i] + 4 * idle[i] + runs.noise(); }));
    runs.table.target = target;
    EXPECT_EQ(causes_in(runs.answer()), 2) << target;
  }
}

// The order of rows that are sorted by the target is not time: they are as informative as in any other order.
TEST(TablesOfRuns, RowsSortedByTheTargetAreIndependent) {
  Runs runs(11, 900);
  std::vector<std::pair<double, double>> rows;
  for (int i = 0; i < 900; ++i) {
    const double tile = 16 << runs.one_of(4);
    rows.emplace_back(100 + 0.3 * tile + 10 * runs.noise(), tile);
  }
  const auto share_of_tile = [&] {
    Runs table(1, 900);
    table.add("tile", table.each([&](int i) { return rows[static_cast<std::size_t>(i)].second; }));
    table.add("place", table.each([](int i) { return i + 1.0; }));
    table.add("runtime", table.each([&](int i) { return rows[static_cast<std::size_t>(i)].first; }));
    return table.answer();
  };
  const auto recorded = share_of_tile();
  std::ranges::sort(rows);
  const auto sorted = share_of_tile();
  ASSERT_EQ(causes_in(recorded), 1);
  ASSERT_EQ(causes_in(sorted), 1);
  EXPECT_NEAR(sorted.contributions.front().percent, recorded.contributions.front().percent, 3);
  EXPECT_GT(sorted.n_eff, 600);
  EXPECT_TRUE(
      std::ranges::any_of(sorted.warnings, [](const auto& w) { return w.code == "sorted-by-target"; }));
}

// A sweep of parameters with names that say nothing, or that say what they are a setting of.
TEST(TablesOfRuns, ValuesOfASweepAreSettings) {
  const double sizes[] = {1'500, 4'096, 9'000}, timeouts[] = {50, 200, 800};
  for (const char* name : {"net_frames", "retry_timeout_ms", "runtime_release"}) {
    Runs runs(17, 120);
    const auto set = runs.each([&](int) { return sizes[runs.one_of(3)]; });
    runs.add(name, set);
    runs.add("noise_ms", runs.each([&](int) { return timeouts[runs.one_of(3)]; }));
    runs.add("runtime", runs.each([&](int i) {
      return 10 + 60'000 / set[static_cast<std::size_t>(i)] + 4 * runs.noise();
    }));
    const auto result = runs.answer();
    ASSERT_FALSE(result.contributions.empty()) << name;
    EXPECT_EQ(result.contributions.front().feature, name);
    EXPECT_EQ(result.contributions.front().role, Role::cause) << name;
    EXPECT_FALSE(contribution_of(result, "noise_ms") &&
                 contribution_of(result, "noise_ms")->role == Role::cause)
        << name;
  }
}

TEST(TablesOfRuns, ClassesOfTheTargetAreNoSettings) {
  Runs runs(5, 240);
  const auto runtime = runs.each([&](int) { return 100 + 10 * runs.noise(); });
  auto sorted = runtime;
  std::ranges::sort(sorted);
  runs.add("runtime", runtime);
  runs.add("score", runs.each([&](int i) { // quartiles
    const double limits[] = {25, 50, 75, 100};
    const auto rank = std::ranges::lower_bound(sorted, runtime[static_cast<std::size_t>(i)]) - sorted.begin();
    return limits[rank / 60];
  }));
  for (const auto& c : runs.answer().contributions) EXPECT_NE(c.role, Role::cause) << c.feature;
}

// Counts and rounded measures have few values, too.
TEST(TablesOfRuns, RoundedMeasuresAreNoSettings) {
  Runs runs(8, 300);
  const auto runtime = runs.each([&](int) { return 100 + 10 * runs.noise(); });
  runs.add("runtime", runtime);
  runs.add("score", runs.each([&](int i) { // whole multiples of 5
    return 5 * std::round((runtime[static_cast<std::size_t>(i)] + 6 * runs.noise()) / 5);
  }));
  for (const auto& c : runs.answer().contributions) EXPECT_NE(c.role, Role::cause) << c.feature;
}

// Interrupts come at a steady rate: longer runs have more of them.
TEST(TablesOfRuns, CountsAtASteadyRateFollowFromTheLengthOfARun) {
  Runs runs(21, 600);
  runs.table.target = "wall_s";
  const auto wall = runs.each([&](int) { return 45 + 15 * runs.uniform() + 2 * runs.noise(); });
  runs.add("wall_s", wall);
  runs.add("page_faults",
           runs.each([&](int i) { return runs.poisson(2 * wall[static_cast<std::size_t>(i)]); }));
  const auto result = runs.answer();
  ASSERT_TRUE(contribution_of(result, "page_faults"));
  EXPECT_EQ(contribution_of(result, "page_faults")->role, Role::associated);
}

// No text is a duration, with any words in its name.
TEST(TablesOfRuns, TextsWithWordsOfDurationsAreSettings) {
  Runs runs(3, 60);
  const auto used = runs.each([&](int) { return runs.one_of(3); });
  runs.add_texts("container_runtime", {"docker", "podman", "bare"}, used);
  runs.add("runtime",
           runs.each([&](int i) { return 30 + 3 * used[static_cast<std::size_t>(i)] + runs.noise(); }));
  const auto result = runs.answer();
  ASSERT_FALSE(result.contributions.empty());
  EXPECT_TRUE(result.contributions.front().feature.starts_with("container_runtime"));
  EXPECT_EQ(result.contributions.front().role, Role::cause);
}

} // namespace
} // namespace jitterscope::causal
