// Mere associations with long launches, launches on which an event acts, and missing values.

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/statistics/partner.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::contribution_of;
using test::few_resamples;
using test::normal;
using test::run;
using test::text_of;
using test::warning_of;

int poisson(Random& random, double mean) {
  int count = 0;
  for (double product = random.uniform(); product > std::exp(-mean); product *= random.uniform()) ++count;
  return count;
}

/// Two events on nearly the same 20 of 2,000 launches, which take 180 µs instead of 5 µs. The two launches
/// with only one of the events are neighbours, so that many resamples contain neither of them.
LaunchTable nearly_equal_events(std::uint64_t seed) {
  Random random(seed, 12);
  LaunchTable rows;
  std::vector<double> swap, eviction, voltage;
  for (int i = 0; i < 2'000; ++i) {
    const bool with = i % 100 == 50 || i == 953 || i == 956;
    swap.push_back(with ? 1 : 0), eviction.push_back(with && i != 953 && i != 956 ? 1 : 0);
    voltage.push_back(normal(random));
    rows.duration_ns.push_back((with ? 180e3 * std::exp(0.5 * normal(random)) : 5e3) *
                               std::exp(0.02 * normal(random)));
    rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"page_swap", "", 2, FeatureRole::event, {}, {}, {}}, swap);
  rows.add({"eviction", "", 2, FeatureRole::event, {}, {}, {}}, eviction);
  rows.add({"voltage", "", 2, {}, {}, {}, {}}, voltage);
  return rows;
}

// Their coefficients have uncertain signs, the sum of the coefficients does not.
TEST(Twins, EventsOnNearlyTheSameLaunchesHaveOneSign) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const CausalResult r = run(nearly_equal_events(seed), few_resamples());
    EXPECT_NE(r.sentences.front().find("of the variability comes from"), std::string::npos)
        << seed << ": " << text_of(r);
    EXPECT_EQ(text_of(r).find("the sign of its effect is uncertain"), std::string::npos)
        << seed << ": " << text_of(r);
  }
}

/// Page faults occur at `rate` per launch on average without an effect or, with `add`, each lengthens its
/// launch.
LaunchTable faults(bool add, double rate, std::uint64_t seed) {
  Random random(seed, 11);
  LaunchTable rows;
  std::vector<double> count, voltage;
  for (int i = 0; i < 3'000; ++i) {
    const double alone = 20e3 * std::exp((add ? 0.05 : 0.5) * normal(random));
    count.push_back(poisson(random, add ? rate : rate * alone / 20e3));
    voltage.push_back(normal(random));
    rows.duration_ns.push_back(alone + (add ? 4e3 * count.back() : 0)), rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"page_faults", "", -1, {}, {}, {}, {}, true}, count),
      rows.add({"voltage", "", -1, {}, {}, {}, {}}, voltage);
  return rows;
}

TEST(Exposure, CountsAtASteadyRateAreNotCauses) {
  for (const double rate : {0.3, 3.0, 30.0})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const CausalResult r = run(faults(false, rate, seed), few_resamples());
      const auto* c = contribution_of(r, "page_faults");
      ASSERT_TRUE(c) << rate << " " << seed;
      EXPECT_EQ(c->role, Role::associated) << rate << " " << seed;
      if (c->attributable_percent.value_or(0) < 10) continue; // shares below 10 % are not examined
      EXPECT_TRUE(c->of_length) << rate << " " << seed;
      EXPECT_NE(warning_of(r, "exposure").find("constant rate"), std::string::npos);
      const auto again = decode_result(encode(r));
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

/// Counts of a profiler are not tested, because they cover the typical duration of a launch or its waits.
TEST(Exposure, IsTestedInPlainTablesOnly) {
  LaunchTable rows = faults(false, 3, 1);
  rows.columns.front().of_plain_table = false;
  const CausalResult r = run(rows, few_resamples());
  const auto* c = contribution_of(r, "page_faults");
  ASSERT_TRUE(c);
  EXPECT_FALSE(c->of_length);
}

TEST(Exposure, BackgroundKnowledgeTakesPrecedence) {
  Options options = few_resamples();
  options.knowledge.required = {{"page_faults", "kernel_variability"}};
  const CausalResult r = run(faults(false, 3, 1), options);
  const auto* c = contribution_of(r, "page_faults");
  ASSERT_TRUE(c);
  EXPECT_FALSE(c->of_length);
}

TEST(Gaps, ThatMarkLongLaunchesAreReported) {
  for (const bool where_slow : {true, false}) {
    Random random(5, 12);
    LaunchTable rows;
    std::vector<double> power, voltage;
    for (int i = 0; i < 3'000; ++i) {
      const bool slow = random.uniform() < 0.1, missing = where_slow ? slow : random.uniform() < 0.1;
      rows.duration_ns.push_back(20e3 * std::exp(0.01 * normal(random)) + (slow ? 5e3 : 0)),
          rows.group.push_back(0);
      power.push_back(missing ? kMissing : normal(random)), voltage.push_back(normal(random));
    }
    rows.kernel_of_group = {0};
    rows.add({"power", "W", -1, {}, {}, {}, {}}, power),
        rows.add({"voltage", "", -1, {}, {}, {}, {}}, voltage);
    const std::string reported = warning_of(run(rows, few_resamples()), "missing-not-random");
    EXPECT_EQ(reported.find("without a value of power") != std::string::npos, where_slow) << reported;
  }
}

/// Values are missing only for the kernel with long launches: that alone is not evidence.
TEST(Gaps, OfOneKernelAreNotEvidence) {
  Random random(6, 12);
  LaunchTable rows;
  std::vector<double> power, voltage;
  for (std::uint32_t i = 0; i < 3'000; ++i) {
    const std::uint32_t k = i % 6 == 0 ? 1 : 0;
    rows.duration_ns.push_back((k == 1 ? 2e6 : 20e3) * std::exp(0.05 * normal(random))),
        rows.group.push_back(k);
    power.push_back(k == 1 && random.uniform() < 0.5 ? kMissing : normal(random)),
        voltage.push_back(normal(random));
  }
  rows.kernel_of_group = {0, 1};
  rows.add({"power", "W", -1, {}, {}, {}, {}}, power), rows.add({"voltage", "", -1, {}, {}, {}, {}}, voltage);
  EXPECT_EQ(warning_of(run(rows, few_resamples()), "missing-not-random"), "");
}

/// Copies slow the kernels of `slowed` by half; all four kernels overlap copies.
LaunchTable copies(const std::vector<bool>& slowed, std::uint64_t seed) {
  Random random(seed, 13);
  LaunchTable rows;
  std::vector<double> copy, shared;
  rows.kernel_names = {"add", "gemm", "fft", "sum"}, rows.kernel_of_group = {0, 1, 2, 3};
  for (int i = 0; i < 4'000; ++i) {
    const auto k = static_cast<std::uint32_t>(i % 4);
    copy.push_back(random.uniform() < 0.2 ? 1 : 0), shared.push_back(k == 1 ? 1 : 0);
    rows.duration_ns.push_back(10e3 * (k + 1) * std::exp(0.02 * normal(random)) *
                               (copy.back() > 0 && slowed[k] ? 1.5 : 1));
    rows.group.push_back(k);
  }
  rows.add({"copy", "", 2, {}, {}, {}, {}}, copy), rows.add({"shared_memory", "", 1, {}, {}, {}, {}}, shared);
  return rows;
}

TEST(OnKernels, EventsNameTheKernelsOnWhichTheyAct) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const LaunchTable rows = copies({true, false, false, true}, seed);
    const CausalResult r = run(rows, few_resamples());
    const auto* c = contribution_of(r, "copy");
    ASSERT_TRUE(c);
    ASSERT_TRUE(c->only_on);
    EXPECT_EQ(c->only_on->acts, (std::vector<std::string>{"sum", "add"}));
    EXPECT_EQ(std::set<std::string>(c->only_on->spares.begin(), c->only_on->spares.end()),
              (std::set<std::string>{"fft", "gemm"}));
    EXPECT_FALSE(c->only_where); // the kernels describe the effect better than shared_memory
    std::int64_t affected = 0, spared = 0;
    for (std::size_t i = 0; i < rows.group.size(); ++i)
      if (rows.values(static_cast<Eigen::Index>(i), 0) > 0)
        ++(rows.group[i] == 0 || rows.group[i] == 3 ? affected : spared);
    EXPECT_EQ(c->affected, affected);
    EXPECT_EQ(c->only_on->not_affected, spared);
    EXPECT_NEAR(c->mean_extra_ns, 12.5e3, 700);
    EXPECT_NE(text_of(r).find("It acts on `sum` and `add`: the launches with this cause account for"),
              std::string::npos)
        << r.sentences.front();
    const auto again = decode_result(encode(r));
    ASSERT_TRUE(again);
    EXPECT_EQ(to_json(*again).dump(), to_json(r).dump());
  }
  const CausalResult everywhere = run(copies({true, true, true, true}, 1), few_resamples());
  ASSERT_TRUE(contribution_of(everywhere, "copy"));
  EXPECT_FALSE(contribution_of(everywhere, "copy")->only_on);
}

TEST(OnKernels, AreComparedWithEqualLaunchesOnly) {
  // The event occurs in 50 to 100 % of the second kernel's launches; it adds 5 µs to launches of both
  // kernels.
  for (const double often : {0.5, 0.8, 0.995, 1.0})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Random random(seed, 15);
      LaunchTable rows;
      std::vector<double> event;
      rows.kernel_names = {"add", "gemm"}, rows.kernel_of_group = {0, 1};
      for (std::uint32_t i = 0; i < 4'000; ++i) {
        const std::uint32_t k = i % 2;
        event.push_back(random.uniform() < (k == 0 ? 0.1 : often) ? 1 : 0), rows.group.push_back(k);
        rows.duration_ns.push_back(20e3 + 200 * normal(random) + 5e3 * event.back());
      }
      rows.add({"event", "", 2, {}, {}, {}, {}}, event);
      const CausalResult r = run(rows, few_resamples());
      const auto* c = contribution_of(r, "event");
      ASSERT_TRUE(c) << often;
      EXPECT_FALSE(c->only_on) << often;
      EXPECT_NEAR(c->mean_extra_ns, 5e3, 300) << often;
    }
}

/// Two launches without the event are not evidence of a kernel's typical duration; here both were slow for
/// another reason.
TEST(OnKernels, AreNotSparedForTwoSlowLaunches) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed, 19);
    LaunchTable rows;
    std::vector<double> event;
    rows.kernel_names = {"add", "gemm"}, rows.kernel_of_group = {0, 1};
    for (std::uint32_t i = 0; i < 4'000; ++i) {
      const std::uint32_t k = i % 2;
      const bool alone = i == 1'001 || i == 3'001;
      event.push_back(k == 0 ? random.uniform() < 0.2 : !alone), rows.group.push_back(k);
      rows.duration_ns.push_back(20e3 + 200 * normal(random) + 5e3 * event.back() + (alone ? 5e3 : 0));
    }
    rows.add({"event", "", 2, {}, {}, {}, {}}, event);
    const CausalResult r = run(rows, few_resamples());
    const auto* c = contribution_of(r, "event");
    ASSERT_TRUE(c);
    EXPECT_FALSE(c->only_on) << seed;
  }
}

/// Each of eight kernels has too few launches with the event to be judged alone; the shared memory that half
/// of them use merely identifies these kernels.
TEST(OnKernels, AreNotDescribedByAColumnInWhichKernelsDiffer) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed, 20);
    LaunchTable rows;
    std::vector<double> event, shared;
    for (std::uint32_t k = 0; k < 8; ++k)
      rows.kernel_names.push_back("kernel_" + std::to_string(k)), rows.kernel_of_group.push_back(k);
    for (std::uint32_t i = 0; i < 4'000; ++i) {
      const std::uint32_t k = i % 8;
      event.push_back(random.uniform() < 0.045), shared.push_back(k % 2), rows.group.push_back(k);
      rows.duration_ns.push_back(20e3 + 200 * normal(random) + (k % 2 == 0 ? 8e3 * event.back() : 0));
    }
    rows.add({"event", "", 2, {}, {}, {}, {}}, event),
        rows.add({"shared_memory", "", 1, {}, {}, {}, {}}, shared);
    const CausalResult r = run(rows, few_resamples());
    const auto* c = contribution_of(r, "event");
    ASSERT_TRUE(c);
    EXPECT_EQ(c->role, Role::cause);
    EXPECT_FALSE(c->only_where) << seed;
  }
}

/// A kernel that varies more than the event adds, symmetrically, is affected nonetheless.
TEST(OnKernels, ThatVaryAreNotSpared) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed, 16);
    LaunchTable rows;
    std::vector<double> event;
    rows.kernel_names = {"add", "gemm"}, rows.kernel_of_group = {0, 1};
    for (std::uint32_t i = 0; i < 4'000; ++i) {
      const std::uint32_t k = i % 2;
      event.push_back(random.uniform() < 0.2 ? 1 : 0), rows.group.push_back(k);
      rows.duration_ns.push_back(30e3 + 100 * normal(random) + 4e3 * event.back() +
                                 (k == 0                   ? 0
                                  : random.uniform() < 0.5 ? 6e3
                                                           : -6e3));
    }
    rows.add({"event", "", 2, {}, {}, {}, {}}, event);
    const CausalResult r = run(rows, few_resamples());
    const auto* c = contribution_of(r, "event");
    EXPECT_FALSE(c && c->only_on) << seed;
  }
}

TEST(OnKernels, OfDifferentLengthAreComparedInNsAndRelatively) {
  const auto effect = [](double launches, double typical, double longer, double error) {
    return EffectOnKernel{launches, typical, longer, error, longer, error};
  };
  const EffectOnKernel strong = effect(500, 2e3, 1e3, 5);
  // An effect that is equal in ns or equal relative to the duration, on a short and on a long kernel: neither
  // is spared.
  EXPECT_TRUE(kernels_acted_on({strong, effect(500, 2e5, 1e3, 5)}).empty());
  EXPECT_TRUE(kernels_acted_on({strong, effect(500, 2e5, 1e5, 5)}).empty());
  EXPECT_EQ(kernels_acted_on({strong, effect(500, 2e3, 5, 5)}),
            (std::vector{OnKernel::acts, OnKernel::spares}));
  // A tenth of the strong effect counts as an effect; so does a smaller but certain one.
  EXPECT_TRUE(kernels_acted_on({strong, effect(500, 2e3, 100, 5)}).empty());
  EXPECT_TRUE(kernels_acted_on({strong, effect(500, 2e3, 30, 5)}).empty());
  // Not spared: too few launches, an uncertain effect, or few launches compared with the other kernel.
  EXPECT_TRUE(kernels_acted_on({strong, effect(20, 2e3, 0, 5)}).empty());
  EXPECT_TRUE(kernels_acted_on({strong, effect(100, 2e3, 10, 200)}).empty());
  EXPECT_TRUE(kernels_acted_on({effect(5'000, 2e3, 1e3, 5), effect(100, 2e3, 0, 5)}).empty());
  // An effect on one of many kernels that chance can explain is not reported.
  EXPECT_EQ(kernels_acted_on({strong, effect(500, 2e3, 5, 5), effect(500, 2e3, 300, 100)})[2],
            OnKernel::unclear);
}

} // namespace
} // namespace jitterscope::causal
