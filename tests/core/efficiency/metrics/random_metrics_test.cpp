#include "tests/core/causal/thread_communicator.h"
#include "tests/core/efficiency/metrics/random_definitions.h"

using namespace jitterscope;
using efficiency::metrics::Level;
using namespace test::random_metrics;

TEST(RandomMetrics, EqualTheSemanticsNanosecondByNanosecond) {
  std::size_t compared = 0, varied = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    World world(seed);
    const test::MetricSession session({world.program().trace()});
    for (int trial = 0; trial < 60; ++trial) {
      const auto expected = world.line(1 + trial % 4);
      auto bound = session.bind(expected.text);
      ASSERT_TRUE(bound) << expected.text << "\n" << describe(bound.error());
      ASSERT_EQ(to_string(bound->definition().metric.level), kLevels[expected.owner]) << expected.text;
      auto begin = world.below(kLength), end = world.below(kLength);
      if (begin > end) std::swap(begin, end);
      ++end;
      const efficiency::metrics::Question question{{{begin}, {end}}, bound->definition().metric.level, {}};
      const auto steps =
          efficiency::metrics::exact(*bound, question, 1'000'000, *session.open.communicator, {});
      ASSERT_TRUE(steps) << expected.text << describe(steps.error());
      ASSERT_EQ(steps->size(), expected.values.size());
      for (int o = 0; o < kCount[expected.owner]; ++o) {
        varied += (*steps)[static_cast<std::size_t>(o)].size() > 1;
        for (auto t = begin; t < end; ++t, ++compared) {
          const double requested = expected.at(expected.owner, o, t),
                       found = value_at((*steps)[static_cast<std::size_t>(o)], t);
          ASSERT_NEAR(found, requested, 1e-9 * std::max(1.0, std::abs(requested)))
              << expected.text << "\nseed " << seed << ", " << kLevels[expected.owner] << " " << o << " at "
              << t << " in [" << begin << ", " << end << ")";
        }
      }
    }
  }
  EXPECT_GT(compared, 500'000u);
  EXPECT_GT(varied, 1'000u);
}

// Columns are sums over the exact timeline, for any number of columns.
TEST(RandomMetrics, ColumnsSumUpTheTimeline) {
  for (unsigned seed = 40; seed <= 46; ++seed) {
    World world(seed);
    const test::MetricSession session({world.program().trace()});
    for (int trial = 0; trial < 20; ++trial) {
      const auto line = world.line(1 + trial % 3);
      auto bound = session.bind(line.text);
      ASSERT_TRUE(bound);
      const efficiency::metrics::Question question{{{3}, {390}}, bound->definition().metric.level, {}};
      const int count = 1 + static_cast<int>(world.below(500));
      const auto columns =
          efficiency::metrics::columns(*bound, question, count, *session.open.communicator, {});
      ASSERT_TRUE(columns);
      for (std::size_t o = 0; o < columns->size(); ++o)
        for (int c = 0; c < count; ++c) {
          const auto i = static_cast<std::size_t>(c);
          const std::int64_t from = 3 + 387 * c / count, to = 3 + 387 * (c + 1) / count;
          double sum = 0, low = INFINITY, high = -INFINITY;
          for (auto t = from; t < to; ++t) {
            const double v = line.values[o][static_cast<std::size_t>(t + kMargin)];
            sum += v, low = std::min(low, v), high = std::max(high, v);
          }
          if (from == to) {
            ASSERT_TRUE(std::isnan((*columns)[o].average[i]));
            continue;
          }
          const double near = 1e-9 * std::max({1.0, std::abs(low), std::abs(high)});
          ASSERT_NEAR((*columns)[o].average[i], sum / static_cast<double>(to - from), near) << line.text;
          ASSERT_NEAR((*columns)[o].minimum[i], low, near) << line.text;
          ASSERT_NEAR((*columns)[o].maximum[i], high, near) << line.text;
        }
    }
  }
}

TEST(RandomMetrics, AreBitEqualForAnyNumberOfRanks) {
  World world(77);
  const test::MetricSession session({world.program().trace()});
  for (int trial = 0; trial < 8; ++trial) {
    const auto line = world.line(3);
    auto bound = session.bind(line.text);
    ASSERT_TRUE(bound);
    std::vector<double> expected;
    for (const int size : {1, 2, 4, 7}) {
      std::vector<std::vector<double>> found(static_cast<std::size_t>(size));
      causal::test::ThreadRanks(size).run([&](Communicator& communicator) {
        const efficiency::metrics::Question question{{{5}, {395}}, bound->definition().metric.level, {}};
        const auto columns = efficiency::metrics::columns(*bound, question, 37, communicator, {});
        auto& mine = found[static_cast<std::size_t>(communicator.rank())];
        if (columns)
          for (const auto& of : *columns) mine.insert(mine.end(), of.average.begin(), of.average.end());
        communicator.finish(columns.has_value());
      });
      if (size == 1) expected = found.front();
      for (const auto& mine : found) EXPECT_EQ(mine, expected) << size << " " << line.text;
    }
    EXPECT_FALSE(expected.empty());
  }
}

TEST(RandomMetrics, EndWhenCancelled) {
  World world(79);
  const test::MetricSession session({world.program().trace()});
  auto bound = session.bind("sum(count(kernels) per application)");
  ASSERT_TRUE(bound);
  Job job;
  job.cancelled = [] { return true; };
  const efficiency::metrics::Question question{{{0}, {kLength}}, Level::Application, {}};
  const auto found = efficiency::metrics::columns(*bound, question, 10, *session.open.communicator, job);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::Cancelled);
}
