// Bins divided among all ranks and threads; each rank is a virtual one.

#include "core/analysis/bins/wide_bins.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/analysis/bins/bins.h"
#include "core/engine/ranks/virtual_ranks.h"
#include "tests/support/open_session.h"

namespace jitterscope::analysis {
namespace {

store::TraceData busy_trace(unsigned seed) {
  auto data = test::empty_trace(3);
  test::add_kernel(data, "a", 5);
  test::add_kernel(data, "b", 3);
  std::mt19937 random(seed);
  std::vector<test::LaunchRow> launches;
  std::int64_t time = 0;
  std::vector<float> gaps;
  for (int i = 0; i < 20'000; ++i) {
    time +=
        static_cast<std::int64_t>(random() % (i / 5'000 % 2 ? 10 : 100)); // some bins are wide, some are not
    launches.push_back({time, static_cast<std::int64_t>(100 + random() % 1000),
                        static_cast<std::uint32_t>(random() % 8),
                        static_cast<std::uint32_t>(2 + random() % 3)});
    gaps.push_back(random() % 5 ? static_cast<float>(random() % 1'000) - 2'000.0f : NAN);
  }
  test::add_launches(data, launches);
  data.find("launches")->add<float>("delta", "", "", gaps);
  return data;
}

Selection where(const test::OpenSession& open, const std::string& text) {
  Selection selection;
  selection.filter = std::move(*Filter::parse(text, *open.columns));
  return selection;
}

Bins on_ranks(const test::OpenSession& open, const Selection& selection, const BinOptions& options, int ranks,
              int threads) {
  Bins found;
  const auto run = engine::run_virtual_ranks(ranks, [&](engine::VirtualRank& rank) {
    ::omp_set_num_threads(threads);
    auto bins = compute_bins(*open.session, *open.columns, selection, options, rank, {});
    ASSERT_TRUE(bins) << describe(bins.error());
    if (rank.rank() == 0) found = std::move(*bins);
    EXPECT_TRUE(rank.finish(true));
  });
  EXPECT_TRUE(run);
  return found;
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Sums may differ by `maximum`, relative; everything else must be bit-identical.
void expect_same(const Bins& found, const Bins& expected, double maximum) {
  ASSERT_EQ(found.bins.size(), expected.bins.size());
  EXPECT_EQ(found.missing, expected.missing);
  const auto near = [&](double a, double b) {
    return same(a, b) || std::abs(a - b) <= maximum * std::max(std::abs(a), std::abs(b));
  };
  for (std::size_t i = 0; i < found.bins.size(); ++i) {
    const auto &a = found.bins[i], &b = expected.bins[i];
    EXPECT_EQ(a.index, b.index);
    EXPECT_TRUE(same(a.group, b.group));
    EXPECT_EQ(a.launches, b.launches);
    EXPECT_EQ(a.statistics.n, b.statistics.n);
    for (const auto& [name, field] : kStatisticFields) {
      const std::string_view key = name;
      const bool exact = key == "min" || key == "max" || key == "q1" || key == "median" || key == "q3";
      EXPECT_TRUE(exact ? same(a.statistics.*field, b.statistics.*field)
                        : near(a.statistics.*field, b.statistics.*field))
          << name << " of bin " << a.index << ": " << a.statistics.*field << ", not " << b.statistics.*field;
    }
  }
  ASSERT_EQ(found.kept.size(), expected.kept.size());
  for (std::size_t i = 0; i < found.kept.size(); ++i) {
    const auto &a = found.kept[i], &b = expected.kept[i];
    EXPECT_EQ(a.bin.index, b.bin.index);
    EXPECT_TRUE(same(a.bin.group, b.bin.group));
    EXPECT_EQ(a.last_end_ns, b.last_end_ns);
    EXPECT_EQ(a.top_launch, b.top_launch);
    EXPECT_EQ(a.top_kernel, b.top_kernel);
    EXPECT_TRUE(near(a.top_kernel_share, b.top_kernel_share));
  }
}

TEST(WideBins, AreWhatOneThreadFindsAndTheSameForAnyRanksAndThreads) {
  const test::OpenSession open({busy_trace(1), busy_trace(2)});
  for (const char* metric : {"kernel_variability", "duration", "delta"})
    for (const char* by : {"", "kernel", "configuration", "stream", "trace"})
      for (const char* text : {"", "duration > 500 and name = 'a'", "stream = 8 or delta is missing"}) {
        SCOPED_TRACE(std::string(metric) + " by " + by + " where " + text);
        const auto selection = where(open, text);
        BinOptions options{.width_ns = 50'000, .metric = metric, .by = by, .top_count = 12};
        const auto narrow = on_ranks(open, selection, options, 1, 1);
        options.wide_rows = 3'000;
        const auto alone = on_ranks(open, selection, options, 1, 1);
        expect_same(alone, narrow, 1e-12);
        for (const int ranks : {2, 4, 7})
          expect_same(on_ranks(open, selection, options, ranks, 1 + ranks % 2), alone, 0);
        expect_same(on_ranks(open, selection, options, 1, 3), alone, 0);
      }
}

TEST(WideBins, OneBinOfAllLaunchesIsFound) {
  const test::OpenSession open({busy_trace(3)});
  BinOptions options{.width_ns = 1'000'000'000, .metric = "duration"};
  const auto narrow = on_ranks(open, {}, options, 1, 1);
  options.wide_rows = 20'000;
  Bins frame;
  frame.width_ns = options.width_ns;
  frame.origin_ns = narrow.origin_ns;
  const LaunchReader reader(*open.session, *open.columns, "duration");
  const Selection all;
  const WideBins wide({*open.session, *open.columns, all, frame, reader}, 1, 20'000);
  EXPECT_TRUE(wide.contains(0));
  EXPECT_EQ(wide.rows(), 20'000);
  EXPECT_TRUE(wide.without(0, 1).empty());
  expect_same(on_ranks(open, {}, options, 3, 2), narrow, 1e-12);
}

TEST(WideBins, TheJobIsCheckedInsideOne) {
  const test::OpenSession open({busy_trace(4)});
  BinOptions options{.width_ns = 1'000'000'000, .metric = "duration"};
  options.wide_rows = 1'000;
  for (const int checks : {1, 10, 30}) {
    int checked = 0;
    Job job;
    job.cancelled = [&] { return ++checked > checks; };
    ::omp_set_num_threads(1);
    const auto bins = compute_bins(*open.session, *open.columns, {}, options, *open.communicator, job);
    ASSERT_FALSE(bins);
    EXPECT_EQ(bins.error().kind, ErrorKind::Cancelled);
    EXPECT_LE(checked, checks + 2) << "the work ends soon after the cancel";
  }
}

} // namespace
} // namespace jitterscope::analysis
