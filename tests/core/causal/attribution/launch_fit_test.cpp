#include <cmath>
#include <numbers>
#include <numeric>

#include "core/causal/base/tiers.h"
#include "tests/core/causal/attribution/simulated_launches.h"

namespace jitterscope::causal {
namespace {

using test::names, test::Names, test::Simulated;

TEST(LaunchFit, FindsAClockThatDropsInWindows) {
  Simulated s(8'000);
  std::vector<double> clock;
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool slow = i / 300 % 5 == 2;
    clock.push_back((slow ? 0.94e9 : 1.41e9) + 1e5 * s.random.uniform());
    if (slow) s.lengthen(i, 0.5 * s.base(i));
  }
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"mean_gpc_clock"});
  EXPECT_EQ(fit.terms[0].scale, FitTerm::Scale::factor);
  const auto [found, planted] = s.sums(fit, 0);
  EXPECT_NEAR(found / planted, 1.0, 0.03);
}

TEST(LaunchFit, AClockCannotLengthenLaunchesByMoreThanItFalls) {
  Simulated s(8'000);
  std::vector<double> clock;
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool slow = i / 300 % 5 == 2;
    clock.push_back((slow ? 1.39e9 : 1.41e9) + 1e5 * s.random.uniform());
    if (slow) s.lengthen(i, 0.5 * s.base(i));
  }
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  auto other = s;
  EXPECT_TRUE(s.fit().terms.empty());
  other.rows.features.back().name = "concurrency"; // concurrency can lengthen launches by this much
  EXPECT_EQ(names(other.fit()).size(), 1U);
}

// Copies run during seven of ten launches of the second configuration and are unknown for the fourth.
// Launches with copies are the reference; launches of the second configuration without copies are shorter.
TEST(LaunchFit, WhatMostLaunchesHaveIsTheReference) {
  Simulated s(8'000);
  std::vector<double> copies;
  double planted = 0;
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool known = i % 4 != 3, copied = i % 4 == 1 && s.random.uniform() < 0.7;
    copies.push_back(!known ? kMissing : copied ? 50 : 0);
    if (copied)
      s.lengthen(i, 0.2 * s.base(i));
    else if (i % 4 == 1)
      planted -= 0.2 * s.base(i);
  }
  s.column("overlap_host_to_device_ns", FeatureRole::numeric, copies);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"overlap_host_to_device_ns"});
  EXPECT_NEAR(s.sums(fit, 0).first / planted, 1.0, 0.1);
}

// Copies take three quarters of the time in which they run from a launch. They run during most launches of
// the second configuration, whose reference is therefore another than that of the others.
TEST(LaunchFit, ConfigurationsWithOtherReferencesHaveTheSameFactor) {
  const auto factor = [](double percent) { return 1 / (1 - 0.0075 * percent); };
  Simulated s(16'000);
  std::vector<double> copies;
  for (std::size_t i = 0; i < 16'000; ++i) {
    const bool copied = s.random.uniform() < (i % 4 == 1 ? 0.9 : 0.2);
    copies.push_back(copied ? 100 * s.random.uniform() : 0);
    s.lengthen(i, s.rows.duration_ns[i] * (factor(copies[i]) - 1));
  }
  s.column("overlap_host_to_device_ns", FeatureRole::numeric, copies);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"overlap_host_to_device_ns"});
  EXPECT_GT(fit.terms[0].reference[1], 30);
  for (std::uint32_t peers = 0; peers < 4; ++peers)
    for (const double percent : {30.0, 60.0, 90.0}) {
      std::vector<double> with(1), without(1);
      const double base = s.base(peers), planted = base * (factor(percent) - 1);
      fit.parts(std::vector{percent}, peers, peers / 2, base + planted, with);
      fit.parts(std::vector{0.0}, peers, peers / 2, base, without);
      EXPECT_NEAR((with[0] - without[0]) / planted, 1, 0.03) << peers << ", " << percent << " %";
    }
}

// The duration is in inverse proportion to a clock, whose values are in few classes.
TEST(LaunchFit, TheLowestValuesOfAClassAreNotTakenForItsMean) {
  Simulated s(16'000);
  std::vector<double> clock;
  double hertz = 1.41e9;
  for (std::size_t i = 0; i < 16'000; ++i) {
    if (i % 100 == 0) hertz = i / 100 % 3 == 0 ? 0.7e9 + 0.7e9 * s.random.uniform() : 1.41e9;
    clock.push_back(hertz);
    s.lengthen(i, s.rows.duration_ns[i] * (1.41e9 / hertz - 1));
  }
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"mean_gpc_clock"});
  const auto& term = fit.terms[0];
  const double lowest = *std::min_element(clock.begin(), clock.end());
  EXPECT_NEAR(term.change_at(lowest, 0, term.scale, term.response[0], term.level) / (1.41e9 / lowest - 1), 1,
              0.01);
}

// No clock is known for launches of one configuration.
TEST(LaunchFit, AMissingValueAccountsForNothing) {
  Simulated s(8'000);
  std::vector<double> clock;
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool slow = i / 300 % 5 == 2;
    clock.push_back(i % 4 == 3 ? kMissing : (slow ? 0.94e9 : 1.41e9) + 1e5 * s.random.uniform());
    if (slow && i % 4 != 3) s.lengthen(i, 0.5 * s.base(i));
  }
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"mean_gpc_clock"});
  EXPECT_NEAR(fit.base_ns[3] / s.base(3), 1, 0.01);
  std::vector<double> part(1);
  fit.parts(std::vector{kMissing}, 3, 1, s.base(3), part);
  EXPECT_NEAR(part[0] / s.base(3), 0, 1e-9);
}

// The input of a step has an unrecorded size. It is copied before the first launch, whose gap is therefore in
// proportion to the size, as the durations of all launches of the step are.
TEST(LaunchFit, AGapInProportionToTheWorkOfTheStepIsNoCause) {
  const auto simulated = [](bool whole_step) {
    Simulated s(16'000);
    std::vector<double> gap;
    double size = 1;
    for (std::size_t i = 0; i < 16'000; ++i) {
      const bool first = i % 8 == 0;
      if (first) size = std::exp(0.4 * s.random.normal());
      gap.push_back((first ? 6'000 * size : 3'000) + 100 * s.random.uniform());
      if (first || (whole_step && i % 4 < 2)) s.lengthen(i, s.base(i) * (size - 1));
    }
    s.column("gap_ns", FeatureRole::numeric, gap);
    return names(s.fit());
  };
  EXPECT_EQ(simulated(true), Names{});
  EXPECT_EQ(simulated(false), Names{"gap_ns"}) << "only launches with the gap are longer";
}

// The kernels of two devices alternate. The clock of one drops without an effect, that of the other lengthens
// launches, at other times: within blocks, the means of all launches move with the second.
TEST(LaunchFit, TheClockOfEachOfTwoDevicesIsComparedWithItsOwnLaunches) {
  Simulated s(16'000);
  std::vector<double> clock;
  for (std::size_t i = 0; i < 16'000; ++i) {
    const bool acts = i % 4 < 2, slow = i / 300 % 7 == (acts ? 2 : 5);
    clock.push_back((slow ? 1.1e9 : 1.41e9) + 1e6 * s.random.normal());
    if (acts && slow) s.lengthen(i, 0.3 * s.base(i));
  }
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"mean_gpc_clock"});
  const auto [found, planted] = s.sums(fit, 0);
  EXPECT_NEAR(found / planted, 1, 0.03);
}

// The age of a copy is the sum of the durations since then: launches of steps with an unrecorded size.
TEST(LaunchFit, TheAgeOfACopyContainsTheDurationsSinceThen) {
  Simulated s(16'000);
  std::vector<double> recent;
  double size = 1, age = 0;
  for (std::size_t i = 0; i < 16'000; ++i) {
    if (i % 8 == 0) size = std::exp(0.3 * s.random.normal()), age = 800;
    recent.push_back(500'000 - age);
    if (i % 4 < 2) s.lengthen(i, s.base(i) * (size - 1));
    age += s.rows.duration_ns[i] + 3'000;
  }
  s.column("recent_copy_ns", FeatureRole::event, recent);
  EXPECT_EQ(names(s.fit()), Names{});
}

// Eight amounts of an event, of which three lengthen a launch: the gain of the amounts is larger than that of
// the event and than that of the gap, which only the first launch has.
TEST(LaunchFit, AnIdleTimeActsOnTheLaunchesAfterIt) {
  Simulated s(16'000);
  std::vector<double> gap, recent;
  int after = 8;
  for (std::size_t i = 0; i < 16'000; ++i) {
    const bool idle = s.random.uniform() < 0.005;
    after = idle ? 0 : after + 1;
    gap.push_back((idle ? 500'000 : 3'000) * (1 + s.random.uniform()));
    recent.push_back(std::max(0, 8 - after));
    if (after < 3) s.lengthen(i, 0.45 * s.base(i));
  }
  s.column("gap_ns", FeatureRole::numeric, gap);
  s.column("recent_idle", FeatureRole::event, recent);
  s.rows.features.back().tier = static_cast<int>(Tier::context);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"recent_idle"});
  const auto [found, planted] = s.sums(fit, 0);
  EXPECT_NEAR(found / planted, 1, 0.05);
}

TEST(LaunchFit, LeavesOutWhatIsKnownToBeAConsequence) {
  Simulated s(8'000);
  std::vector<double> gap;
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool slow = i / 300 % 5 == 2;
    gap.push_back((slow ? 1'000 : 5'000) + 100 * s.random.uniform());
    if (slow) s.lengthen(i, 0.5 * s.base(i));
  }
  s.column("gap_ns", FeatureRole::numeric, gap);
  FitOptions options;
  options.excluded = {"gap_ns"};
  auto without = s;
  EXPECT_EQ(names(s.fit()), Names{"gap_ns"});
  EXPECT_TRUE(without.fit(options).terms.empty());
}

// A host that launches at a constant rate: in slow windows without a recorded reason the queue fills, and
// bursts become long.
TEST(LaunchFit, ALongBurstIsAnEffectOfSlowLaunches) {
  Simulated s(8'000);
  std::vector<double> position;
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool slow = i / 300 % 5 == 2;
    position.push_back(slow ? static_cast<double>(i % 300) : static_cast<double>(i % 3));
    if (slow) s.lengthen(i, 0.5 * s.base(i));
  }
  s.column("burst_position", FeatureRole::numeric, position);
  EXPECT_TRUE(s.fit().terms.empty());
}

TEST(LaunchFit, PartsOfFewLaunchesAreNotDrawnToZero) {
  Simulated s(1'000);
  std::vector<double> overlap;
  for (std::size_t i = 0; i < 1'000; ++i) {
    const double part = s.random.uniform(), x = i / 4 % 2 == 0 ? 0.0 : part * part;
    overlap.push_back(x * s.base(i));
    s.lengthen(i, 0.8 * x * s.base(i));
  }
  s.column("overlap_host_to_device_ns", FeatureRole::numeric, overlap);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"overlap_host_to_device_ns"});
  const auto [found, planted] = s.sums(fit, 0);
  EXPECT_NEAR(found / planted, 1.0, 0.005);
}

// A clock lengthens the two configurations of a kernel by 50 % plus and minus `difference`: one response does
// not fit both, and its interval shows that.
TEST(LaunchFit, MisfitOfACommonCurveWidensTheIntervals) {
  const auto width = [](double difference) {
    Simulated s(8'000);
    std::vector<double> clock;
    for (std::size_t i = 0; i < 8'000; ++i) {
      const bool slow = i / 300 % 5 == 2;
      clock.push_back((slow ? 0.94e9 : 1.41e9) + 1e5 * s.random.uniform());
      if (slow) s.lengthen(i, (0.5 + (i % 2 == 1 ? difference : -difference)) * s.base(i));
    }
    s.column("mean_gpc_clock", FeatureRole::numeric, clock);
    const auto fit = s.fit();
    std::vector<double> responses;
    for (const auto& replicate : fit.replicates)
      responses.push_back(fit.terms[0].change_at(0.94e9, 0, replicate.scale[0], replicate.response[0][0],
                                                 replicate.level[0]));
    const double mean =
        std::accumulate(responses.begin(), responses.end(), 0.0) / static_cast<double>(responses.size());
    double squares = 0;
    for (const double r : responses) squares += (r - mean) * (r - mean);
    return std::sqrt(squares / static_cast<double>(responses.size())) / std::fabs(mean);
  };
  EXPECT_LT(width(0), 0.03);
  EXPECT_GT(width(0.1), 0.1) << "0.1 of 0.5";
}

TEST(LaunchFit, AddsAStallInNanoseconds) {
  Simulated s(8'000);
  std::vector<double> migration(8'000);
  for (std::size_t i = 0; i < 8'000; ++i)
    if (s.random.uniform() < 0.01)
      migration[i] = 10'000 * (0.5 + s.random.uniform()), s.lengthen(i, migration[i]);
  s.column("migration_ns", FeatureRole::numeric, migration);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"migration_ns"});
  EXPECT_EQ(fit.terms[0].scale, FitTerm::Scale::added);
  const auto [found, planted] = s.sums(fit, 0);
  EXPECT_NEAR(found / planted, 1.0, 0.03);
}

// Parts of factors (`Scale::factor`) have no bound in launches that differ from those of the fit, so they are
// limited.
TEST(LaunchFit, PartsOfALaunchAreOfTheSizeOfItsDuration) {
  Simulated s(8'000);
  std::vector<double> migration(8'000);
  for (std::size_t i = 0; i < 8'000; ++i)
    if (s.random.uniform() < 0.01)
      migration[i] = 10'000 * (0.5 + s.random.uniform()), s.lengthen(i, migration[i]);
  s.column("migration_ns", FeatureRole::numeric, migration);
  auto fit = s.fit();
  ASSERT_EQ(fit.terms.size(), 1u);
  fit.terms[0].scale = FitTerm::Scale::factor;
  std::vector<double> out(1);
  for (std::size_t i = 0; i < 8'000; ++i) {
    if (migration[i] == 0) continue;
    const double base = fit.base_ns[s.rows.peers[i]], duration = s.rows.duration_ns[i];
    const double deviation = fit.parts({&migration[i], 1}, s.rows.peers[i], s.rows.kernel[i], duration, out);
    EXPECT_GT(out[0], duration - base);
    EXPECT_LE(out[0], 4.001 * std::max(duration - base, base));
    EXPECT_LE(deviation, 4.001 * std::max(duration - base, base));
  }
}
// A seventh of the launches on one stream of four take two to five times as long. By chance there are more of
// these among the launches of some of the 32 configurations, the bases of which do not depend on that.
TEST(LaunchFit, LaunchesOfVeryDifferentLengthDoNotMoveTheBase) {
  Simulated s(12'800);
  std::vector<double> stream, sum(32), n(32);
  for (std::size_t i = 0; i < s.rows.rows(); ++i) {
    auto& peers = s.rows.peers[i];
    peers = static_cast<std::uint32_t>(i % 32), s.rows.kernel[i] = peers % 2;
    stream.push_back(static_cast<double>(s.random.below(4)));
    sum[peers] += s.rows.duration_ns[i], n[peers] += 1;
    if (stream[i] == 3 && s.random.uniform() < 0.15) s.lengthen(i, (1 + 3 * s.random.uniform()) * s.base(i));
  }
  s.column("stream", FeatureRole::category, stream);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"stream"});
  double squares = 0;
  for (std::size_t g = 0; g < n.size(); ++g) squares += std::pow(fit.base_ns[g] / (sum[g] / n[g]) - 1, 2);
  EXPECT_LT(std::sqrt(squares / 32), 0.003);
}

TEST(LaunchFit, AttributesTheRestToTheCauseOfTheVariability) {
  Simulated s(8'000);
  std::vector<double> stream;
  for (std::size_t i = 0; i < 8'000; ++i) {
    stream.push_back(static_cast<double>(s.random.below(4)));
    if (stream.back() == 3 && s.random.uniform() < 0.15) s.lengthen(i, 2 * s.base(i));
  }
  s.column("stream", FeatureRole::category, stream);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"stream"});
  std::vector<double> out(1);
  for (std::size_t i = 0; i < 8'000; ++i) {
    if (stream[i] != 3) continue;
    fit.parts({&stream[i], 1}, s.rows.peers[i], s.rows.kernel[i], s.rows.duration_ns[i], out);
    EXPECT_NEAR(out[0], s.planted[i], 0.15 * s.base(i));
  }
}

// Launches of slow streams take 1.5 times as long, including their own deviations. If the effects do not
// vary, two thirds of the rest are the deviation that a launch would have had anyway; only variation of the
// effects makes this uncertain.
TEST(RestOfLaunch, AgreesWithDrawnLaunches) {
  Random random(3);
  for (const double of_effects : {0.0, 1.0, 4.0}) {
    constexpr double kGrowth = 1.5, kNoise = 2;
    double rest_rest = 0, rest_own = 0, missed = 0;
    std::vector<std::pair<double, double>> drawn;
    for (int i = 0; i < 20'000; ++i) {
      const double own = std::sqrt(kNoise) * random.normal();
      const double rest = kGrowth * own + std::sqrt(of_effects) * random.normal();
      rest_rest += rest * rest, rest_own += rest * own;
      drawn.emplace_back(rest, own);
    }
    const RestOfLaunch of(kNoise, kNoise * (kGrowth * kGrowth - 1), of_effects);
    for (const auto& [rest, own] : drawn) missed += (own - of.own * rest) * (own - of.own * rest);
    EXPECT_NEAR(of.variance, rest_rest / 20'000, 0.03 * of.variance) << of_effects;
    EXPECT_NEAR(of.own, rest_own / rest_rest, 0.02) << of_effects;
    EXPECT_NEAR(of.missed, missed / 20'000, 0.03 * kNoise) << of_effects;
  }
}

// A factor also multiplies the deviation of a launch. This does not make the factor's part uncertain.
TEST(LaunchFit, AFactorMultipliesTheDeviationOfALaunch) {
  Simulated s(8'000);
  std::vector<double> stream;
  for (std::size_t i = 0; i < 8'000; ++i) {
    stream.push_back(static_cast<double>(s.random.below(4)));
    if (stream.back() == 3) s.lengthen(i, 0.5 * s.rows.duration_ns[i]);
  }
  s.column("stream", FeatureRole::category, stream);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"stream"});
  std::vector<double> out(1);
  double error = 0, uncertain = 0, n = 0;
  for (std::size_t i = 0; i < 8'000; ++i) {
    if (stream[i] != 3) continue;
    const double missed =
        fit.parts({&stream[i], 1}, s.rows.peers[i], s.rows.kernel[i], s.rows.duration_ns[i], out);
    const double off = (out[0] - s.planted[i]) / s.base(i);
    error += off * off, uncertain += missed * missed / s.base(i) / s.base(i), n += 1;
  }
  EXPECT_LT(std::sqrt(error / n), 0.002);
  EXPECT_LT(std::sqrt(uncertain / n), 0.002);
}

// A migration stalls only the launches that access its page: a third of them, which then take 100 times as
// long. The mean describes neither these nor the others.
TEST(LaunchFit, KeepsAnEventThatLengthensSomeOfItsLaunches) {
  Simulated s(8'000);
  std::vector<double> migrations(8'000);
  for (std::size_t i = 50, k = 0; i < 8'000; i += 101, ++k) {
    migrations[i] = 1;
    if (k % 20 < 7) s.lengthen(i, 100 * s.base(i));
  }
  s.column("migration_count", FeatureRole::numeric, migrations);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"migration_count"});
  const auto [found, planted] = s.sums(fit, 0);
  EXPECT_NEAR(found / planted, 1, 0.05);
}

// Waiting is a part of the duration, even if few launches wait; other effects are found in the rest.
TEST(LaunchFit, APartOfTheDurationIsItself) {
  Simulated s(8'000);
  std::vector<double> wait(8'000), clock;
  for (std::size_t i = 0; i < 8'000; ++i) {
    clock.push_back(i / 300 % 5 == 2 ? 0.94e9 : 1.41e9);
    if (i / 300 % 5 == 2) s.lengthen(i, 0.5 * s.base(i));
    if (i == 12 || i == 4'000) wait[i] = 1e6;
  }
  s.column("collective_wait_ns", FeatureRole::numeric, wait);
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  s.rows.parts = {0};
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), (Names{"mean_gpc_clock", "collective_wait_ns"}));
  std::vector<double> out(2);
  const std::vector<double> values = {1.41e9, 1e6};
  fit.parts(values, 0, 0, 1e6 + s.base(0), out);
  EXPECT_EQ(out[1], 1e6);
  EXPECT_NEAR(out[0], 0, 0.03 * s.base(0));
}

TEST(LaunchFit, NamesNothingInNoise) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Simulated s(4'000);
    s.random = Random(seed);
    std::vector<double> copies, clock, stream;
    for (std::size_t i = 0; i < 4'000; ++i) {
      copies.push_back(s.random.uniform() < 0.1 ? 1'000 * s.random.uniform() : 0.0);
      clock.push_back(1.4e9 + 1e6 * std::sin(static_cast<double>(i) / 200 + static_cast<double>(seed)) +
                      1e5 * s.random.uniform());
      stream.push_back(static_cast<double>(s.random.below(4)));
    }
    s.column("overlap_host_to_device_ns", FeatureRole::numeric, copies);
    s.column("mean_gpc_clock", FeatureRole::numeric, clock);
    s.column("stream", FeatureRole::category, stream);
    EXPECT_EQ(names(s.fit()), Names{}) << seed;
  }
}

TEST(LaunchFit, DoesNotReportASingleEpisodeAsACause) {
  Simulated s(8'000);
  std::vector<double> clock;
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool once = i >= 3'000 && i < 4'000;
    clock.push_back((once ? 0.94e9 : 1.41e9) + 1e5 * s.random.uniform());
    if (once) s.lengthen(i, 0.5 * s.base(i));
  }
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  EXPECT_EQ(names(s.fit()), Names{});
}

TEST(LaunchFit, DoesNotCreditCopiesWithThePhaseThatTheyFallInto) {
  Simulated s(8'000);
  std::vector<double> copies(8'000);
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool phase = i / 400 % 4 == 1;
    if (phase) s.lengthen(i, 0.4 * s.base(i));
    if (phase && s.random.uniform() < 0.3) copies[i] = 800 + 400 * s.random.uniform();
  }
  s.column("overlap_host_to_device_ns", FeatureRole::numeric, copies);
  EXPECT_EQ(names(s.fit()), Names{});
}

TEST(LaunchFit, DividesALaunchBetweenTwoCausesWithoutRemainder) {
  Simulated s(8'000);
  std::vector<double> clock, migration(8'000);
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool slow = i / 300 % 5 == 2;
    clock.push_back((slow ? 0.94e9 : 1.41e9) + 1e5 * s.random.uniform());
    if (slow) s.lengthen(i, 0.5 * s.base(i));
    if (s.random.uniform() < 0.02) migration[i] = 8'000, s.lengthen(i, 8'000);
  }
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  s.column("migration_ns", FeatureRole::numeric, migration);
  const auto fit = s.fit();
  ASSERT_EQ(fit.terms.size(), 2u);
  const auto first = s.sums(fit, 0), second = s.sums(fit, 1);
  EXPECT_NEAR((first.first + second.first) / first.second, 1.0, 0.03);
}

// A plain table does not state whether a count covers the time of the launch. A clock is not a count.
TEST(LaunchFit, ColumnsOfPlainTablesAreUsedIfTheyAreStatesOfTheDevice) {
  Simulated s(8'000);
  std::vector<double> low, copies;
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool slow = i / 300 % 5 == 2;
    low.push_back(slow ? 0.94e9 : 1.41e9), copies.push_back(slow ? 5 : 0);
    if (slow) s.lengthen(i, 0.5 * s.base(i));
  }
  s.column("sm_clock", FeatureRole::numeric, low);
  s.column("copies", FeatureRole::numeric, copies);
  for (auto& feature : s.rows.features) feature.of_plain_table = true;
  auto without_clock = s;
  without_clock.rows.features.erase(without_clock.rows.features.begin());
  without_clock.rows.values.erase(without_clock.rows.values.begin());
  EXPECT_EQ(names(s.fit()), Names{"sm_clock"});
  EXPECT_TRUE(without_clock.fit().terms.empty());
}

// The fourth configuration always runs next to other kernels: how much of its scatter is due to them cannot
// be known.
TEST(LaunchFit, ScatterOfLaunchesThatAlwaysHaveACauseIsNoise) {
  Simulated s(8'000);
  std::vector<double> concurrency;
  for (std::size_t i = 0; i < 8'000; ++i) {
    const bool window = i / 300 % 5 == 2, always = i % 4 == 3;
    concurrency.push_back(window || always ? 1.0 : 0.0);
    if (window && !always) s.lengthen(i, 0.5 * s.base(i) * (1 + 0.2 * (s.random.uniform() - 0.5)));
    if (always) s.rows.duration_ns[i] += s.base(i) * (s.random.uniform() - 0.5);
  }
  s.column("concurrency", FeatureRole::numeric, concurrency);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"concurrency"});
  std::vector<double> out(1);
  double scatter = 0, mean = 0, n = 0;
  for (std::size_t i = 3; i < 8'000; i += 4) {
    fit.parts({&concurrency[i], 1}, s.rows.peers[i], s.rows.kernel[i], s.rows.duration_ns[i], out);
    mean += out[0], scatter += out[0] * out[0], n += 1;
  }
  mean /= n;
  EXPECT_LT(std::sqrt(scatter / n - mean * mean), 0.05 * s.base(3)) << "of a scatter of 0.29 of the base";
}

} // namespace
} // namespace jitterscope::causal
