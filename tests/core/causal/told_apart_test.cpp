// What only goes with long launches, where an event acts, and what missing values tell.

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/partner.h"
#include "tests/core/causal/answers.h"

namespace jitterscope::causal {
namespace {

using test::few_resamples;
using test::normal;
using test::run;
using test::warning_of;

int poisson(Random& random, double mean) {
  int count = 0;
  for (double product = random.uniform(); product > std::exp(-mean); product *= random.uniform()) ++count;
  return count;
}

/// Page faults of launches: at a steady rate, or each of them adds to the duration.
MemoryRows faults(bool add, double rate, std::uint64_t seed) {
  Random random(seed, 11);
  MemoryRows rows;
  std::vector<double> count, voltage;
  for (int i = 0; i < 3'000; ++i) {
    const double alone = 20e3 * std::exp((add ? 0.05 : 0.5) * normal(random));
    count.push_back(poisson(random, add ? rate : rate * alone / 20e3));
    voltage.push_back(normal(random));
    rows.duration_ns.push_back(alone + (add ? 4e3 * count.back() : 0)), rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"page_faults", "", -1, {}, {}, {}, {}, true}, count), rows.add({"voltage", "", -1, {}, {}, {}, {}}, voltage);
  return rows;
}

const Contribution* contribution_of(const CausalResult& r, const std::string& feature) {
  const auto found = std::find_if(r.contributions.begin(), r.contributions.end(), [&](const auto& c) {
    return c.feature == feature || c.feature == feature + " > 0";
  });
  return found == r.contributions.end() ? nullptr : &*found;
}

TEST(Exposure, CountsAtASteadyRateAreNoCause) {
  for (const double rate : {0.3, 3.0, 30.0})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const CausalResult r = run(faults(false, rate, seed), few_resamples());
      const auto* c = contribution_of(r, "page_faults");
      ASSERT_TRUE(c) << rate << " " << seed;
      EXPECT_EQ(c->role, Role::associated) << rate << " " << seed;
      if (c->attributable_percent.value_or(0) < 10) continue; // too little to look at
      EXPECT_TRUE(c->of_length) << rate << " " << seed;
      EXPECT_NE(warning_of(r, "exposure").find("steady"), std::string::npos);
      const auto again = result_from_json(to_json(r));
      ASSERT_TRUE(again);
      EXPECT_EQ(to_json(*again).dump(), to_json(r).dump());
    }
}

TEST(Exposure, CountsThatAddToDurationsAreACause) {
  for (const double rate : {0.3, 1.5})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const CausalResult r = run(faults(true, rate, seed), few_resamples());
      const auto* c = contribution_of(r, "page_faults");
      ASSERT_TRUE(c) << rate << " " << seed;
      EXPECT_EQ(c->role, Role::cause) << rate << " " << seed;
      EXPECT_FALSE(c->of_length);
    }
}

/// A profiler's counts are of the launch's usual time, or of what it waited for.
TEST(Exposure, IsLookedForInPlainTablesOnly) {
  MemoryRows rows = faults(false, 3, 1);
  rows.columns.front().of_plain_table = false;
  const CausalResult r = run(rows, few_resamples());
  const auto* c = contribution_of(r, "page_faults");
  ASSERT_TRUE(c);
  EXPECT_FALSE(c->of_length);
}

TEST(Exposure, BackgroundKnowledgeHasTheLastWord) {
  Options options = few_resamples();
  options.knowledge.required = {{"page_faults", "kernel_variability"}};
  const CausalResult r = run(faults(false, 3, 1), options);
  const auto* c = contribution_of(r, "page_faults");
  ASSERT_TRUE(c);
  EXPECT_FALSE(c->of_length);
}

TEST(Gaps, ThatMarkLongLaunchesAreTold) {
  for (const bool where_slow : {true, false}) {
    Random random(5, 12);
    MemoryRows rows;
    std::vector<double> power, voltage;
    for (int i = 0; i < 3'000; ++i) {
      const bool slow = random.uniform() < 0.1, missing = where_slow ? slow : random.uniform() < 0.1;
      rows.duration_ns.push_back(20e3 * std::exp(0.01 * normal(random)) + (slow ? 5e3 : 0)), rows.group.push_back(0);
      power.push_back(missing ? kMissing : normal(random)), voltage.push_back(normal(random));
    }
    rows.kernel_of_group = {0};
    rows.add({"power", "W", -1, {}, {}, {}, {}}, power), rows.add({"voltage", "", -1, {}, {}, {}, {}}, voltage);
    const std::string told = warning_of(run(rows, few_resamples()), "telling-gap");
    EXPECT_EQ(told.find("without a value of power") != std::string::npos, where_slow) << told;
  }
}

/// Copies slow the kernels of `slowed` by half, of four that all meet them.
MemoryRows copies(const std::vector<bool>& slowed, std::uint64_t seed) {
  Random random(seed, 13);
  MemoryRows rows;
  std::vector<double> copy, shared;
  rows.kernel_names = {"add", "gemm", "fft", "sum"}, rows.kernel_of_group = {0, 1, 2, 3};
  for (int i = 0; i < 4'000; ++i) {
    const auto k = static_cast<std::uint32_t>(i % 4);
    copy.push_back(random.uniform() < 0.2 ? 1 : 0), shared.push_back(k == 1 ? 1 : 0);
    rows.duration_ns.push_back(10e3 * (k + 1) * std::exp(0.02 * normal(random)) * (copy.back() > 0 && slowed[k] ? 1.5 : 1));
    rows.group.push_back(k);
  }
  rows.add({"copy", "", 2, {}, {}, {}, {}}, copy), rows.add({"shared_memory", "", 1, {}, {}, {}, {}}, shared);
  return rows;
}

TEST(OnKernels, EventsTellOnWhichTheyAct) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const MemoryRows rows = copies({true, false, false, true}, seed);
    const CausalResult r = run(rows, few_resamples());
    const auto* c = contribution_of(r, "copy");
    ASSERT_TRUE(c);
    ASSERT_TRUE(c->only_on);
    EXPECT_EQ(c->only_on->acts, (std::vector<std::string>{"sum", "add"}));
    EXPECT_EQ(std::set<std::string>(c->only_on->spares.begin(), c->only_on->spares.end()), (std::set<std::string>{"fft", "gemm"}));
    EXPECT_FALSE(c->only_where); // the kernels say it better than the shared memory that one of them has
    std::int64_t affected = 0, spared = 0;
    for (std::size_t i = 0; i < rows.group.size(); ++i)
      if (rows.values(static_cast<Eigen::Index>(i), 0) > 0) ++(rows.group[i] == 0 || rows.group[i] == 3 ? affected : spared);
    EXPECT_EQ(c->affected, affected);
    EXPECT_EQ(c->only_on->not_affected, spared);
    EXPECT_NEAR(c->mean_extra_ns, 12.5e3, 700);
    EXPECT_NE(r.sentences.front().find("It acts on sum and add, whose launches"), std::string::npos) << r.sentences.front();
    const auto again = result_from_json(to_json(r));
    ASSERT_TRUE(again);
    EXPECT_EQ(to_json(*again).dump(), to_json(r).dump());
  }
  const CausalResult everywhere = run(copies({true, true, true, true}, 1), few_resamples());
  ASSERT_TRUE(contribution_of(everywhere, "copy"));
  EXPECT_FALSE(contribution_of(everywhere, "copy")->only_on);
}

TEST(OnKernels, OfDifferentLengthAreComparedInNsAndRelatively) {
  const auto effect = [](double launches, double usual, double adds, double std) {
    return EffectOnKernel{{launches, launches * adds, launches * (adds * adds + std * std), launches * adds}, launches * usual};
  };
  // The same time on a short and on a long kernel, and the same part of both: neither is spared.
  EXPECT_TRUE(kernels_acted_on({effect(500, 2e3, 1e3, 100), effect(500, 2e5, 1e3, 100)}).empty());
  EXPECT_TRUE(kernels_acted_on({effect(500, 2e3, 1e3, 100), effect(500, 2e5, 1e5, 100)}).empty());
  EXPECT_EQ(kernels_acted_on({effect(500, 2e3, 1e3, 100), effect(500, 2e3, 10, 100)}),
            (std::vector{OnKernel::acts, OnKernel::spares}));
  // Too few launches, or too unsure, to say so; or too few of all.
  EXPECT_TRUE(kernels_acted_on({effect(500, 2e3, 1e3, 100), effect(20, 2e3, 0, 100)}).empty());
  EXPECT_TRUE(kernels_acted_on({effect(500, 2e3, 1e3, 100), effect(100, 2e3, 10, 2e3)}).empty());
  EXPECT_TRUE(kernels_acted_on({effect(5'000, 2e3, 1e3, 100), effect(100, 2e3, 0, 100)}).empty());
}

/// A configuration of 200 launches of which few show what migrations do, and one of 800 that all have them.
TEST(Events, LaunchesWithoutPeersCarryHowUnsureTheOthersAre) {
  constexpr int kSeeds = 40;
  double sum = 0, squares = 0, width = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed, 14);
    MemoryRows rows;
    std::vector<double> migration;
    rows.kernel_of_group = {0, 1};
    for (int i = 0; i < 1'000; ++i) {
      const std::uint32_t g = i % 5 == 0 ? 0 : 1;
      const bool hit = g == 1 || random.uniform() < 0.3;
      // Where there is something to compare, half of the migrations acts.
      const bool acts = hit && (g == 1 || random.uniform() < 0.5);
      migration.push_back(hit ? 1 : 0), rows.group.push_back(g);
      rows.duration_ns.push_back(20e3 + 1e3 * normal(random) - (acts ? 6e3 * std::log(1 - random.uniform()) : 0));
    }
    rows.add({"migration", "", 2, {}, {}, {}, {}}, migration);
    Options options;
    options.nonlinear = false;
    options.knowledge.required = {{"migration", "kernel_variability"}};
    const CausalResult r = run(rows, options);
    const auto* c = contribution_of(r, "migration");
    ASSERT_TRUE(c) << seed;
    sum += *c->attributable_percent, squares += *c->attributable_percent * *c->attributable_percent;
    width += c->attributable_ci_high - c->attributable_ci_low;
  }
  const double expected = 2 * 1.96 * std::sqrt(squares / kSeeds - sum / kSeeds * sum / kSeeds);
  EXPECT_NEAR(width / kSeeds / expected, 1, 0.4) << width / kSeeds << " " << expected;
}

} // namespace
} // namespace jitterscope::causal
