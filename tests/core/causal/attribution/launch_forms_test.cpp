// Forms of the model (changes that multiply or add up), ranks and threads, cancellation.

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "core/base/parallel.h"
#include "tests/core/causal/attribution/simulated_launches.h"
#include "tests/core/causal/thread_communicator.h"

namespace jitterscope::causal {
namespace {

using test::names, test::Names, test::Simulated;

// A few of the launches that wait for migrations take hundreds of times as long. Their predictions must not
// pull the durations at the reference to 0.
TEST(LaunchFit, ExceptionallyLongLaunchesDoNotShortenTheReference) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    Simulated s(4'000);
    s.random = Random(seed);
    std::vector<double> clock, count, recent;
    double before = 0;
    for (std::size_t i = 0; i < 4'000; ++i) {
      const bool slow = i / 100 % 7 == 3, waits = s.random.uniform() < 0.08;
      clock.push_back((slow ? 0.7e9 : 1.41e9) + 1e6 * s.random.normal());
      if (slow) s.lengthen(i, s.base(i));
      count.push_back(waits ? 1 + std::floor(20 * std::pow(s.random.uniform(), 4)) : 0);
      recent.push_back(before);
      before = 0.5 * before + count.back();
      if (waits) s.lengthen(i, s.base(i) * (0.5 + std::pow(count.back(), 2) * s.random.uniform()));
    }
    s.column("mean_gpc_clock", FeatureRole::numeric, clock);
    s.column("migration_count", FeatureRole::numeric, count);
    s.column("recent_migration_ns", FeatureRole::numeric, recent);
    const auto fit = s.fit();
    for (std::size_t p = 0; p < 4; ++p) EXPECT_NEAR(fit.base_ns[p] / s.base(p), 1, 0.15) << seed;
  }
}

// Each kernel has one long launch, so that with a response of its own for every kernel any scale fits. Equal
// responses decide: other launches of a kernel say nothing about its long one.
TEST(LaunchFit, OneLaunchOfEachKernelIsAFactor) {
  Simulated s(12'000);
  s.rows.kernels = 60;
  std::vector<double> first;
  for (std::size_t i = 0; i < 12'000; ++i) {
    const auto kernel = static_cast<std::uint32_t>(i % 60);
    s.rows.kernel[i] = s.rows.peers[i] = kernel;
    s.rows.duration_ns[i] *= (1 + 0.1 * kernel) * (1'000 / s.base(i));
    first.push_back(i / 60 == 3 * kernel);
    if (first.back() > 0) s.lengthen(i, 4 * s.rows.duration_ns[i]);
  }
  s.column("first_launch", FeatureRole::event, first);
  const auto fit = s.fit();
  ASSERT_EQ(names(fit), Names{"first_launch"});
  EXPECT_EQ(fit.terms[0].scale, FitTerm::Scale::factor);
  for (const auto& replicate : fit.replicates)
    for (const double response : replicate.response[0]) EXPECT_NEAR(response, 1, 0.05);
}

// Many values are between the centres of their classes. The planted effect is 0.2 ln(1 + value), with 2 %
// outliers. Levels that oscillate are far beyond the mean effects of their classes and of adjacent ones.
TEST(LaunchFit, LevelsDoNotOscillate) {
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Simulated s(3'000);
    s.random = Random(seed);
    std::vector<double> value, effect;
    double state = 0;
    for (std::size_t i = 0; i < 3'000; ++i) {
      state = 0.9 * state + s.random.normal();
      const double v = seed % 2 ? std::exp(2 * state) : std::floor(std::exp(1.2 * state));
      value.push_back(v);
      effect.push_back(0.2 * std::log1p(v) * (1 + (s.random.uniform() < 0.02 ? 30 * s.random.uniform() : 0)));
      s.lengthen(i, s.base(i) * effect[i]);
    }
    s.column("recent_migration_ns", FeatureRole::numeric, value);
    const auto fit = s.fit();
    for (const auto& term : fit.terms) {
      std::vector<double> mean(term.level.size()), n(mean.size());
      for (std::size_t i = 0; i < value.size(); ++i)
        if (const auto c = term.classes.of(value[i]); c < mean.size()) mean[c] += effect[i], n[c] += 1;
      for (std::size_t c = 0; c < mean.size(); ++c) mean[c] /= std::max(1.0, n[c]);
      for (std::size_t c = 0; c < mean.size(); ++c)
        largest = std::max(largest, std::fabs(term.level[c]) /
                                        (0.5 + std::max({mean[c], c > 0 ? mean[c - 1] : 0.0,
                                                         c + 1 < mean.size() ? mean[c + 1] : 0.0})));
    }
  }
  EXPECT_LT(largest, 3);
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
// noise of one launch, so that single launches do not show it. Single launches that take much longer are
// not such a deviation.
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

// Copies come in bursts, while the clock is high and while it is low. With the right scales of the overlap
// and the clock, the time since the last copy predicts nothing in addition.
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

} // namespace
} // namespace jitterscope::causal
