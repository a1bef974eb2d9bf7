#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "core/base/parallel.h"
#include "core/causal/attribution/launch_fit.h"
#include "core/causal/base/random.h"
#include "tests/core/causal/thread_communicator.h"

namespace jitterscope::causal {
namespace {

/// Launches of four configurations of two alternating kernels, 2 % noise, and the effects on them.
struct Simulated {
  FitRows rows;
  std::vector<double> planted; ///< ns of every launch
  Random random{7};

  explicit Simulated(std::size_t n) : planted(n) {
    rows.kernels = 2, rows.blocks = static_cast<std::uint32_t>(n / 40);
    for (std::size_t i = 0; i < n; ++i) {
      rows.peers.push_back(static_cast<std::uint32_t>(i % 4)), rows.kernel.push_back(rows.peers.back() / 2);
      rows.block.push_back(static_cast<std::uint32_t>(i * rows.blocks / n));
      rows.duration_ns.push_back(base(i) * (1 + 0.02 * (random.uniform() + random.uniform() - 1)));
    }
  }
  double base(std::size_t row) const { return 2'000.0 * (1 + static_cast<double>(row % 4)); }
  void column(const std::string& name, FeatureRole role, const std::vector<double>& values) {
    FeatureInfo info;
    info.name = name, info.role = role;
    if (role == FeatureRole::category) info.labels = {"0", "1", "2", "3"};
    rows.features.push_back(info);
    rows.values.emplace_back(values.begin(), values.end());
  }
  void lengthen(std::size_t row, double ns) { planted[row] += ns, rows.duration_ns[row] += ns; }
  LaunchFit fit(const FitOptions& options = {}) {
    std::vector<std::vector<double>> durations(4);
    for (std::size_t i = 0; i < rows.rows(); ++i) durations[rows.peers[i]].push_back(rows.duration_ns[i]);
    for (auto& d : durations) {
      std::nth_element(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(d.size() / 2), d.end());
      rows.typical_ns.push_back(d[d.size() / 2]);
    }
    auto fit = fit_launches(rows, options, *local_communicator());
    EXPECT_TRUE(fit.has_value());
    return std::move(*fit);
  }
  /// The part of one term and the planted duration, each summed over all launches.
  std::pair<double, double> sums(const LaunchFit& fit, std::size_t term) const {
    std::pair<double, double> sum;
    std::vector<double> values(fit.terms.size()), out(fit.terms.size());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t t = 0; t < fit.terms.size(); ++t)
        for (std::size_t f = 0; f < rows.features.size(); ++f)
          if (rows.features[f].name == fit.terms[t].feature.name)
            values[t] = static_cast<double>(rows.values[f][i]);
      fit.parts(values, rows.peers[i], rows.kernel[i], rows.duration_ns[i], out);
      sum.first += out[term], sum.second += planted[i];
    }
    return sum;
  }
};

std::vector<std::string> names(const LaunchFit& fit) {
  std::vector<std::string> all;
  for (const auto& term : fit.terms) all.push_back(term.feature.name);
  return all;
}

using Names = std::vector<std::string>;

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
      responses.push_back(replicate.response[0][0] * (fit.terms[0].level_at(0.94e9, replicate.level[0]) -
                                                      fit.terms[0].level_at(1.41e9, replicate.level[0])));
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

// In a launch unlike those that the model was fitted to, parts that multiply (`Scale::factor`) would have no
// bound.
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

// Launches of slow streams take 1.5 times as long, their own deviations included: two thirds of the rest are
// what a launch would have had anyway, and no more is uncertain than where effects differ.
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

// A factor multiplies the launch's own deviation: that is no uncertainty of its part.
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

// A plain table does not state whether a count is of the launch's own time; a clock is not a count.
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

// Copies add time to launches while the clock is low, too: the clock accounts for its own part only.
TEST(LaunchFit, AFactorMultipliesTheTimeThatNothingAdds) {
  Simulated s(12'000);
  std::vector<double> clock, copies(12'000);
  double by_clock = 0, by_copies = 0;
  for (std::size_t i = 0; i < 12'000; ++i) {
    const auto phase = i / 200 % 6;
    const bool slow = phase == 1 || phase == 2, copied = phase == 2 || phase == 3;
    clock.push_back((slow ? 1.1e9 : 1.41e9) + 1e5 * s.random.uniform());
    if (slow) s.lengthen(i, 0.3 * s.base(i)), by_clock += 0.3 * s.base(i);
    if (!copied) continue;
    copies[i] = s.base(i) * s.random.uniform();
    s.lengthen(i, copies[i]), by_copies += copies[i];
  }
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  s.column("overlap_host_to_device_ns", FeatureRole::numeric, copies);
  const auto fit = s.fit();
  ASSERT_EQ(fit.terms.size(), 2u);
  const std::size_t first = fit.terms[0].feature.name == "mean_gpc_clock" ? 0 : 1;
  EXPECT_EQ(fit.terms[first].scale, FitTerm::Scale::factor);
  EXPECT_EQ(fit.terms[1 - first].scale, FitTerm::Scale::added);
  EXPECT_NEAR(s.sums(fit, first).first / by_clock, 1, 0.03);
  EXPECT_NEAR(s.sums(fit, 1 - first).first / by_copies, 1, 0.03);
}

/// A clock that is low in some windows and copies, as a percentage of the launch's time, in others.
struct ClockAndCopies {
  Simulated s;
  std::vector<double> clock, copies;
  std::vector<std::size_t> both; ///< launches with a low clock and copies
  /// `shared`: one window has both.
  explicit ClockAndCopies(bool shared, std::size_t n = 12'000) : s(n) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto phase = i / 200 % 6;
      const bool slow = phase == 1 || (shared && phase == 2), copied = phase == 2 || phase == 3;
      clock.push_back((slow ? 1.0e9 : 1.41e9) + 1e5 * s.random.uniform());
      copies.push_back(copied ? 100 * s.random.uniform() : 0.0);
      if (slow && copied) both.push_back(i);
      if (slow) s.lengthen(i, 0.4 * s.base(i));
      s.lengthen(i, 0.006 * copies.back() * s.base(i));
    }
    s.column("mean_gpc_clock", FeatureRole::numeric, clock);
    s.column("overlap_host_to_device_ns", FeatureRole::numeric, copies);
  }
};

TEST(LaunchFit, ChangesThatAddUpAreNotMultiplied) {
  ClockAndCopies simulated(true);
  const auto fit = simulated.s.fit();
  ASSERT_EQ(fit.terms.size(), 2u);
  const bool clock_first = fit.terms[0].feature.name == "mean_gpc_clock";
  double found = 0, planted = 0;
  std::vector<double> out(2);
  for (const auto i : simulated.both) {
    std::vector<double> values = {simulated.clock[i], simulated.copies[i]};
    if (!clock_first) std::swap(values[0], values[1]);
    fit.parts(values, simulated.s.rows.peers[i], simulated.s.rows.kernel[i], simulated.s.rows.duration_ns[i],
              out);
    found += out[clock_first ? 0 : 1], planted += 0.4 * simulated.s.base(i);
  }
  EXPECT_NEAR(found / planted, 1, 0.01);
  EXPECT_FALSE(fit.terms[0].scale == FitTerm::Scale::factor && fit.terms[1].scale == FitTerm::Scale::factor);
}

// No launch shows whether a low clock and copies multiply or add up: resamples use either.
TEST(LaunchFit, FormsThatFitEquallyWellTakeTurns) {
  ClockAndCopies simulated(false);
  const auto fit = simulated.s.fit();
  ASSERT_EQ(fit.terms.size(), 2u);
  const auto multiplied =
      std::count_if(fit.replicates.begin(), fit.replicates.end(), [](const FitReplicate& replicate) {
        return replicate.scale == std::vector(2, FitTerm::Scale::factor);
      });
  EXPECT_GT(multiplied, 4);
  EXPECT_LT(multiplied, 36);
}

// A low clock lengthens launches by 50 % on average, in some windows by more than in others: by less than the
// noise of one launch, so that single launches do not show it. Single launches that take much longer are no
// such deviation.
TEST(LaunchFit, MomentsDeviateTogetherFromTheModel) {
  const auto misfit = [](double difference, double outliers) {
    Simulated s(12'000);
    std::vector<double> clock;
    double effect = 0.5;
    for (std::size_t i = 0; i < 12'000; ++i) {
      const bool slow = i / 300 % 2 == 1;
      if (i % 300 == 0) effect = 0.5 * (1 + difference * (s.random.uniform() < 0.5 ? -1 : 1));
      clock.push_back((slow ? 0.94e9 : 1.41e9) + 1e5 * s.random.uniform());
      if (slow) s.lengthen(i, effect * s.base(i));
      if (slow && s.random.uniform() < outliers) s.rows.duration_ns[i] += 3 * s.base(i);
    }
    s.column("mean_gpc_clock", FeatureRole::numeric, clock);
    const auto fit = s.fit();
    return fit.misfit_of_moments.size() == 1 ? fit.misfit_of_moments[0] : -1;
  };
  EXPECT_LT(misfit(0, 0), 0.003);
  EXPECT_LT(misfit(0, 0.003), 0.003);
  EXPECT_NEAR(misfit(0.01, 0), 0.0075, 0.003)
      << "the rest of the launches accounts for a quarter of the difference";
}

// Copies come in bursts, while the clock is high or not. With the right scales of the overlap and the clock,
// that a copy ended shortly before a launch predicts nothing in addition.
TEST(LaunchFit, RightScalesLeaveNothingToASubstitute) {
  Simulated s(12'000);
  std::vector<double> clock, overlap, recent;
  for (std::size_t i = 0; i < 12'000; ++i) {
    const auto phase = i / 200 % 6;
    const bool high = phase == 1 || phase == 2, copied = phase == 2 || phase == 3;
    clock.push_back((high ? 1.75e9 : 1.41e9) + 1e6 * s.random.uniform());
    const bool overlaps = copied && s.random.uniform() < 0.5;
    overlap.push_back(overlaps ? 100 * std::min(1.0, 2 * s.random.uniform()) : 0.0);
    recent.push_back(copied ? 5e5 * (1 - 0.8 * s.random.uniform()) : 0.0);
    const bool computes = i % 4 < 2;
    s.lengthen(i, ((high ? (computes ? -0.19 : -0.02) : 0.0) + (computes ? 0.002 : 0.006) * overlap[i]) *
                      s.base(i));
  }
  s.column("mean_gpc_clock", FeatureRole::numeric, clock);
  s.column("overlap_host_to_device_ns", FeatureRole::numeric, overlap);
  s.column("recent_copy_ns", FeatureRole::numeric, recent);
  auto found = names(s.fit());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (Names{"mean_gpc_clock", "overlap_host_to_device_ns"}));
}

/// Everything that parts of launches are computed from.
std::vector<double> numbers_of(const LaunchFit& fit) {
  std::vector<double> all{fit.outliers};
  const auto append = [&](const std::vector<double>& of) { all.insert(all.end(), of.begin(), of.end()); };
  for (const auto& term : fit.terms) {
    all.push_back(static_cast<double>(term.scale));
    append(term.level), append(term.spread), append(term.response), append(term.reference);
  }
  append(fit.base_ns), append(fit.noise), append(fit.typical_noise), append(fit.misfit_of_moments);
  for (const auto& replicate : fit.replicates) {
    for (const auto scale : replicate.scale) all.push_back(static_cast<double>(scale));
    append(replicate.base_ns);
    for (const auto& level : replicate.level) append(level);
    for (const auto& response : replicate.response) append(response);
    for (const auto drawn : replicate.drawn) all.push_back(drawn);
  }
  return all;
}

TEST(LaunchFit, IsTheSameForAnyNumberOfRanksAndThreads) {
  ClockAndCopies simulated(true, 2'400);
  auto& rows = simulated.s.rows;
  rows.typical_ns = {2'000, 4'000, 6'000, 8'000};
  const auto before = static_cast<int>(threads_of_rank());
  std::vector<double> expected;
  for (const int threads : {1, 3}) {
    use_threads(threads);
    for (const int ranks : {1, 2, 5}) {
      std::vector<std::vector<double>> found(static_cast<std::size_t>(ranks));
      test::ThreadRanks(ranks).run([&](Communicator& communicator) {
        use_threads(threads); // OpenMP keeps this number by thread
        const auto fit = fit_launches(rows, {}, communicator);
        if (fit) found[static_cast<std::size_t>(communicator.rank())] = numbers_of(*fit);
        communicator.finish(fit.has_value());
      });
      if (expected.empty()) expected = found.front();
      for (const auto& of : found) EXPECT_EQ(of, expected) << ranks << " ranks, " << threads << " threads";
    }
  }
  use_threads(before);
  EXPECT_GT(expected.size(), 100u);
}

TEST(LaunchFit, CanBeCancelledAtAnyTime) {
  const auto before = static_cast<int>(threads_of_rank());
  use_threads(1); // with several, the number of polls depends on the time that they take
  ClockAndCopies simulated(true, 2'400);
  auto& rows = simulated.s.rows;
  rows.typical_ns = {2'000, 4'000, 6'000, 8'000};
  const auto polls_until = [&](long last, bool& fitted) {
    long polls = 0;
    Job job;
    job.cancelled = [&] { return ++polls > last; };
    fitted = fit_launches(rows, {}, *local_communicator(), job).has_value();
    return polls;
  };
  bool fitted = false;
  const long all = polls_until(std::numeric_limits<long>::max(), fitted);
  EXPECT_TRUE(fitted);
  for (long last = 0; last < all; last += last < 200 ? 1 : all / 50) {
    polls_until(last, fitted);
    EXPECT_FALSE(fitted) << last;
  }
  use_threads(before);
}

TEST(LaunchFit, StopsOnAllThreadsWhenCancelled) {
  ClockAndCopies simulated(true, 2'400);
  auto& rows = simulated.s.rows;
  rows.typical_ns = {2'000, 4'000, 6'000, 8'000};
  const auto before = static_cast<int>(threads_of_rank());
  use_threads(3);
  const auto caller = std::this_thread::get_id();
  for (long last = 0; last < 60; ++last) {
    long polls = 0;
    Job job;
    job.cancelled = [&] {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      return ++polls > last;
    };
    const auto fit = fit_launches(rows, {}, *local_communicator(), job);
    ASSERT_FALSE(fit.has_value()) << last;
    EXPECT_EQ(fit.error().kind, ErrorKind::Cancelled);
  }
  use_threads(before);
}

// The fourth configuration always runs next to other kernels: how much of its scatter is due to them cannot
// be known.
TEST(LaunchFit, ScatterOfLaunchesThatAlwaysMeetACauseIsNoise) {
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
