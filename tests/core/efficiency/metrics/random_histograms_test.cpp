#include "tests/core/efficiency/metrics/random_definitions.h"

using namespace jitterscope;
using efficiency::metrics::Level;
using namespace test::random_metrics;

TEST(RandomMetrics, HistogramsHoldTheTimeAtEachValue) {
  World world(78);
  const test::MetricSession session({world.program().trace()});
  auto bound = session.bind("any(active(kernels) per device) + 2 * active(copies)");
  ASSERT_TRUE(bound);
  const efficiency::metrics::Question question{{{0}, {kLength}}, Level::Device, {}};
  const auto found =
      efficiency::metrics::histogram(*bound, question, {4, 0, 4, true}, *session.open.communicator, {});
  ASSERT_TRUE(found);
  const auto steps = session.steps("any(active(kernels) per device) + 2 * active(copies)", 0, kLength);
  for (std::size_t device = 0; device < kRanks; ++device) {
    std::vector<std::int64_t> expected(4);
    for (std::int64_t t = 0; t < kLength; ++t)
      ++expected[static_cast<std::size_t>(value_at(steps[device], t))];
    EXPECT_EQ(found->time[device], expected);
    EXPECT_EQ(found->outside[device], 0);
  }
}

// A value equal to a limit is in the bin above it, as the limits are shown.
TEST(RandomMetrics, LogarithmicBinsHaveExactLimits) {
  using efficiency::metrics::bin_of, efficiency::metrics::edges_of;
  const auto decades = edges_of(1, 1e6, 6, true);
  EXPECT_EQ(decades, (std::vector<double>{1, 10, 100, 1e3, 1e4, 1e5, 1e6}));
  for (const bool logarithmic : {false, true})
    for (const int bins : {1, 3, 7, 48})
      for (const auto& [low, high] : {std::pair{1.0, 1000.0}, {0.1, 0.7}, {3e-300, 1e300}}) {
        const auto edges = edges_of(low, high, bins, logarithmic);
        ASSERT_EQ(edges.size(), static_cast<std::size_t>(bins) + 1);
        EXPECT_EQ(edges.front(), low);
        EXPECT_EQ(edges.back(), high);
        for (int bin = 0; bin < bins; ++bin)
          EXPECT_EQ(bin_of(edges[static_cast<std::size_t>(bin)], edges, logarithmic), bin);
        EXPECT_EQ(bin_of(high, edges, logarithmic), bins - 1);
        EXPECT_EQ(bin_of(low / 2, edges, logarithmic), -1);
      }
  EXPECT_EQ(bin_of(0, edges_of(0, 0, 4, true), true), -1);
}

TEST(RandomMetrics, HistogramsHaveAutomaticAndGivenLimits) {
  World world(78);
  const test::MetricSession session({world.program().trace()});
  const auto bound = session.bind("sum(count(kernels) per device) - 1");
  ASSERT_TRUE(bound);
  const efficiency::metrics::Question question{{{0}, {kLength}}, Level::Device, {}};
  const auto found_of = [&](std::optional<double> low, std::optional<double> high, bool logarithmic) {
    return efficiency::metrics::histogram(*bound, question, {4, low, high, true, nullptr, logarithmic},
                                          *session.open.communicator, {});
  };
  const auto whole = found_of({}, {}, false), above = found_of(0, {}, false), log = found_of({}, {}, true);
  ASSERT_TRUE(whole && above && log);
  const double highest = whole->edges.back();
  EXPECT_GT(highest, 1);
  EXPECT_EQ(whole->edges.front(), -1);
  EXPECT_EQ(above->edges.front(), 0);
  EXPECT_EQ(above->edges.back(), highest);
  EXPECT_EQ(log->edges.front(), 1);
  EXPECT_EQ(log->edges.back(), highest);
  const auto sum = [](const std::vector<std::int64_t>& times) {
    return std::accumulate(times.begin(), times.end(), std::int64_t{0});
  };
  for (std::size_t device = 0; device < kRanks; ++device) {
    EXPECT_EQ(sum(whole->time[device]), kLength);
    EXPECT_GT(log->outside[device], 0);
    EXPECT_EQ(sum(log->time[device]) + log->outside[device], kLength);
  }
  const auto refused = found_of(0, 1, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().place, "values");
}

// Compared with a count of single nanoseconds; many ranges, so that bursts begin and end at every border.
TEST(RandomMetrics, HistogramsHoldBurstsAndAnotherMetric) {
  World world(80);
  const test::MetricSession session({world.program().trace()});
  const std::string control = "sum(count(kernels) per device)", data = "sum(count(copies) per device) - 1";
  const auto of_control = session.bind(control), of_data = session.bind(data);
  ASSERT_TRUE(of_control && of_data);
  const auto steps = session.steps(control, 0, kLength), values = session.steps(data, 0, kLength);
  std::mt19937_64 random(5);
  int compared = 0;
  for (int i = 0; i < 40; ++i) {
    auto begin = static_cast<std::int64_t>(random() % kLength),
         end = static_cast<std::int64_t>(random() % kLength);
    if (begin > end) std::swap(begin, end);
    const bool zero = i % 2 == 0;
    const efficiency::metrics::Question question{{{begin}, {end + 1}}, Level::Device, {}};
    const auto found = efficiency::metrics::histogram(*of_control, question, {3, 0, 3, zero, &*of_data},
                                                      *session.open.communicator, {});
    ASSERT_TRUE(found);
    for (std::size_t device = 0; device < kRanks; ++device) {
      std::vector<std::int64_t> time(3), bursts(3);
      std::vector<double> integral(3), minimum(3, INFINITY), maximum(3, -INFINITY);
      std::int64_t outside = 0;
      double before = -1;
      for (auto t = begin; t <= end; ++t) {
        const double now = value_at(steps[device], t), other = value_at(values[device], t);
        const bool same = now == std::exchange(before, now);
        if (now == 0 && !zero) continue;
        if (now > 3) {
          ++outside;
          continue;
        }
        const auto bin = std::min<std::size_t>(static_cast<std::size_t>(now), 2);
        ++time[bin];
        bursts[bin] += same ? 0 : 1;
        integral[bin] += other;
        minimum[bin] = std::min(minimum[bin], other);
        maximum[bin] = std::max(maximum[bin], other);
      }
      EXPECT_EQ(found->time[device], time);
      EXPECT_EQ(found->bursts[device], bursts);
      EXPECT_EQ(found->outside[device], outside);
      for (std::size_t bin = 0; bin < 3; ++bin) {
        EXPECT_EQ(std::isnan(found->integral[device][bin]), time[bin] == 0);
        if (time[bin] == 0) continue;
        ++compared;
        EXPECT_EQ(found->integral[device][bin], integral[bin]);
        EXPECT_EQ(found->minimum[device][bin], minimum[bin]);
        EXPECT_EQ(found->maximum[device][bin], maximum[bin]);
      }
    }
  }
  EXPECT_GT(compared, 100);
  const auto coarse = session.bind("sum(count(copies) per application)");
  ASSERT_TRUE(coarse);
  const auto refused =
      efficiency::metrics::histogram(*of_control, {{{0}, {kLength}}, Level::Device, {}},
                                     {3, 0, 3, false, &*coarse}, *session.open.communicator, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().place, "data");
}

// Numbers of running kernels: 1 and 3.
TEST(RandomMetrics, FewWholeNumbersHaveABinEach) {
  test::Program program;
  program.add_rank(1);
  for (int i = 0; i < 3; ++i) program.kernel(0, 0, {0, 10, "kernel"});
  program.kernel(0, 0, {20, 60, "kernel"});
  const test::MetricSession session({program.trace()});
  const auto bins_of = [&](const char* text, int bins, std::optional<double> low = {},
                           std::optional<double> high = {}) {
    const auto bound = session.bind(text);
    EXPECT_TRUE(bound);
    efficiency::metrics::HistogramQuestion asked;
    asked.bins = bins, asked.low = low, asked.high = high;
    auto found = efficiency::metrics::histogram(*bound, {{{0}, {100}}, Level::Device, {}}, asked,
                                                *session.open.communicator, {});
    EXPECT_TRUE(found);
    return *found;
  };
  const char* count = "sum(count(kernels) per device)";
  const auto whole = bins_of(count, 0);
  EXPECT_TRUE(whole.whole);
  EXPECT_EQ(whole.edges, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(whole.time[0], (std::vector<std::int64_t>{40, 0, 10}));
  EXPECT_EQ(bins_of("0.5 * sum(count(kernels) per device)", 0).time[0].size(),
            static_cast<std::size_t>(efficiency::metrics::kDefaultBins));
  EXPECT_FALSE(bins_of("1000 * sum(count(kernels) per device)", 0).whole);
  const auto limited = bins_of(count, 0, 0, 4);
  EXPECT_FALSE(limited.whole);
  EXPECT_EQ(limited.time[0].size(), static_cast<std::size_t>(efficiency::metrics::kDefaultBins));
  for (const int bins : {0, 7}) {
    const auto constant = bins_of("any(active(kernels) per device)", bins);
    EXPECT_FALSE(constant.whole);
    EXPECT_EQ(constant.edges, (std::vector<double>{1, 1}));
    EXPECT_EQ(constant.time[0], (std::vector<std::int64_t>{50}));
  }
}

// More records than one piece of the evaluation holds: a burst that continues in the next piece counts once.
TEST(RandomMetrics, BurstsOfAHistogramContinueAcrossPieces) {
  constexpr int kKernels = 100'000, kRun = 1'000; // one kernel of each run is missing
  test::Program program;
  program.add_rank(1);
  for (int i = 0; i < kKernels; ++i)
    if (i % kRun != kRun - 1) program.kernel(0, 0, {10 * i, 10 * i + 10, "kernel"});
  const test::MetricSession session({program.trace()});
  const auto bound = session.bind("any(active(kernels) per device)");
  ASSERT_TRUE(bound);
  const efficiency::metrics::Question question{{{0}, {10 * kKernels}}, Level::Device, {}};
  const auto found =
      efficiency::metrics::histogram(*bound, question, {2, 0, 1, false}, *session.open.communicator, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->time[0], (std::vector<std::int64_t>{0, 10 * (kKernels - kKernels / kRun)}));
  EXPECT_EQ(found->bursts[0], (std::vector<std::int64_t>{0, kKernels / kRun}));
}
