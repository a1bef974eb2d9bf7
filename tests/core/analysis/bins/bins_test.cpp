#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/analysis/bins/bins.h"
#include "core/analysis/distributions/distribution.h"
#include "core/analysis/distributions/kernels.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

store::TraceData random_trace(int rows, unsigned seed) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "a", 5);
  test::add_kernel(data, "b", 3);
  std::mt19937 random(seed);
  std::vector<test::LaunchRow> launches;
  std::int64_t time = 0;
  for (int i = 0; i < rows; ++i) {
    time += random() % 50;
    launches.push_back(
        {time, static_cast<std::int64_t>(random() % 1000), static_cast<std::uint32_t>(random() % 8)});
  }
  test::add_launches(data, launches);
  return data;
}

Bins bins_of(const OpenSession& open, const BinOptions& options, const std::string& where = {}) {
  Selection selection;
  selection.filter = std::move(*Filter::parse(where, *open.columns));
  auto bins = compute_bins(*open.session, *open.columns, selection, options, *open.communicator, {});
  if (!bins) throw std::runtime_error(describe(bins.error()));
  return std::move(*bins);
}

std::vector<std::int64_t> kept_of(const Bins& bins) {
  std::vector<std::int64_t> indices;
  for (const auto& bin : bins.kept) indices.push_back(bin.bin.index);
  return indices;
}

} // namespace

TEST(Bins, ALaunchBelongsToTheBinInWhichItStarts) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{100, 50, 0}, {109, 7, 0}, {110, 3, 0}, {135, 1, 0}});
  const OpenSession open({data});
  BinOptions options;
  options.width_ns = 10;
  options.metric = "duration";
  const auto bins = bins_of(open, options);
  ASSERT_EQ(bins.bins.size(), 3u) << "empty bins are left out";
  EXPECT_EQ(bins.origin_ns, 100);
  EXPECT_EQ(bins.bins[0].statistics.n, 2);
  EXPECT_EQ(bins.bins[0].statistics.sum, 57);
  EXPECT_EQ(bins.bins[1].index, 1);
  EXPECT_EQ(bins.bins[1].start_ns, 110);
  EXPECT_EQ(bins.bins[2].index, 3);
  EXPECT_EQ(bins.bins[0].rank, 1);
  EXPECT_EQ(bins.kept[0].top_launch, 0);
}

TEST(Bins, TheDefaultWidthGivesTwoThousandBins) {
  const OpenSession open({random_trace(5000, 1)});
  const auto bins = bins_of(open, {});
  const auto length = open.session->launch_span().length().count;
  EXPECT_EQ(bins.width_ns, (length + 1999) / 2000);
}

TEST(Bins, RankingIsByTheStatisticWithTiesByTimeAndTheTopIsKept) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 5, 0}, {10, 9, 0}, {20, 5, 0}, {30, 9, 0}});
  const OpenSession open({data});
  BinOptions options;
  options.width_ns = 10;
  options.metric = "duration";
  options.top_count = 2;
  const auto bins = bins_of(open, options);
  EXPECT_EQ(bins.bins[1].rank, 1);
  EXPECT_EQ(bins.bins[3].rank, 2);
  EXPECT_EQ(bins.bins[0].rank, 3);
  EXPECT_EQ(bins.bins[2].rank, 4);
  EXPECT_EQ(kept_of(bins), (std::vector<std::int64_t>{1, 3}));
  options.all = false;
  const auto only_kept = bins_of(open, options);
  EXPECT_TRUE(only_kept.bins.empty());
  EXPECT_EQ(only_kept.count, 4);
  EXPECT_EQ(kept_of(only_kept), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(only_kept.total, bins.total);
}

TEST(Bins, GroupsDivideABinAndEachIsRankedSeparately) {
  const OpenSession open({random_trace(3'000, 21), random_trace(500, 22)});
  for (const char* by : {"kernel", "stream", "trace", "short_name"}) {
    BinOptions options;
    options.width_ns = 1'000;
    options.metric = "duration";
    const auto whole = bins_of(open, options, "duration > 50");
    options.by = by;
    options.top_count = 7;
    const auto divided = bins_of(open, options, "duration > 50");
    std::map<std::int64_t, double> sums;
    std::map<std::int64_t, std::int64_t> launches;
    for (const auto& bin : divided.bins) {
      sums[bin.index] += bin.statistics.sum;
      launches[bin.index] += bin.launches;
      EXPECT_FALSE(std::isnan(bin.group));
    }
    ASSERT_EQ(sums.size(), whole.bins.size());
    for (const auto& bin : whole.bins) {
      EXPECT_EQ(sums.at(bin.index), bin.statistics.sum);
      EXPECT_EQ(launches.at(bin.index), bin.launches);
    }
    ASSERT_EQ(divided.kept.size(), 7u);
    for (const auto& kept : divided.kept) { // the top launch of a bin belongs to the bin's group
      const auto row = kept.top_launch;
      const auto segment = open.session->segments(row, row + 1).front();
      EXPECT_EQ(open.columns->read(by, segment)[0], kept.bin.group);
      EXPECT_EQ(open.columns->read("duration", segment)[0], kept.bin.statistics.max);
    }
  }
  EXPECT_FALSE(compute_bins(*open.session, *open.columns, {}, {.by = "duration"}, *open.communicator, {}));
}

TEST(Bins, TheKeptOnesAreThoseThatSortingWouldFind) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const OpenSession open({random_trace(500, random())});
    BinOptions options;
    options.width_ns = 20 + static_cast<std::int64_t>(random() % 300);
    options.metric = trial % 2 ? "duration" : "kernel_variability";
    options.rank_by = static_cast<Statistic>(trial % 6);
    options.top_count = 1 + static_cast<std::int64_t>(random() % 60);
    const auto bins = bins_of(open, options);
    auto order = bins.bins;
    std::stable_sort(order.begin(), order.end(), [&](const Bin& a, const Bin& b) {
      const auto key = [&](const Bin& bin) {
        const auto value = value_of(bin.statistics, options.rank_by);
        return std::isnan(value) || bin.statistics.n == 0 ? -INFINITY : value;
      };
      return key(a) > key(b);
    });
    std::vector<std::int64_t> best;
    for (const auto& bin : order)
      if (static_cast<std::int64_t>(best.size()) < options.top_count && bin.statistics.n > 0)
        best.push_back(bin.index);
    EXPECT_EQ(kept_of(bins), best) << trial;
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i].rank, static_cast<std::int64_t>(i) + 1);
  }
}

TEST(Bins, SumsOfBinsEqualSumsOfRows) {
  const OpenSession open({random_trace(3000, 2), random_trace(2000, 3)});
  const auto bins = bins_of(open, {.width_ns = 777, .metric = "duration"});
  double from_bins = 0, from_rows = 0;
  std::int64_t n = 0;
  for (const auto& bin : bins.bins) {
    from_bins += bin.statistics.sum;
    n += bin.launches;
  }
  for (std::size_t t = 0; t < 2; ++t)
    for (const double d : open.columns->read("duration", {t, 0, open.session->traces()[t].launches()}))
      from_rows += d;
  EXPECT_EQ(from_bins, from_rows);
  EXPECT_EQ(n, 5000);
}

TEST(Bins, LaunchesWithoutVariabilityAreCountedApart) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 2);
  test::add_launches(data, {{0, 5, 0}, {1, 7, 0}, {2, 9, 1}});
  const OpenSession open({data});
  const auto bins = bins_of(open, {.width_ns = 100});
  EXPECT_EQ(bins.missing, 1);
  EXPECT_EQ(bins.bins[0].launches, 3);
  EXPECT_EQ(bins.bins[0].statistics.n, 2);
}

TEST(Bins, ALastLaunchOfNoLengthIsNotLost) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 5, 0}, {10, 5, 0}, {20, 0, 0}});
  const OpenSession open({data});
  const auto bins = bins_of(open, {.width_ns = 10, .metric = "duration"});
  ASSERT_EQ(bins.bins.size(), 3u);
  EXPECT_EQ(bins.bins.back().launches, 1);
  auto points = test::empty_trace();
  test::add_kernel(points, "a", 1);
  test::add_launches(points, {{7, 0, 0}, {7, 0, 0}});
  const OpenSession together({points});
  EXPECT_EQ(bins_of(together, {.metric = "duration"}).bins.at(0).launches, 2);
}

TEST(Bins, BinsWithoutAnyValueAreNeverKept) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 2);
  test::add_launches(data, {{0, 5, 0}, {10, 7, 0}, {20, 9, 1}});
  const OpenSession open({data});
  const auto bins = bins_of(open, {.width_ns = 10});
  ASSERT_EQ(bins.bins.size(), 3u);
  EXPECT_EQ(bins.kept.size(), 2u);
  EXPECT_FALSE(bins.bins[2].kept);
  EXPECT_EQ(bins.bins[2].rank, 3);
}

TEST(Bins, ThoseWithoutTheStatisticThatRanksAreNeverKept) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 5, 0}, {10, 7, 0}, {11, 9, 0}});
  const OpenSession open({data});
  const auto bins =
      bins_of(open, {.width_ns = 10, .metric = "duration", .rank_by = Statistic::Variance, .top_share = 1.0});
  ASSERT_EQ(bins.bins.size(), 2u);
  EXPECT_EQ(kept_of(bins), (std::vector<std::int64_t>{1})) << "one launch has no variance";
}

TEST(Bins, NegativeMetricsHaveATopLaunchAndATopKernel) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_kernel(data, "b", 1);
  test::add_launches(data, {{0, 5, 0}, {1, 7, 1}, {2, 9, 0}});
  data.find("launches")->add<double>("delta", "", "", {-9.0, -7.0, -5.0});
  const OpenSession open({data});
  const auto kept = bins_of(open, {.width_ns = 10, .metric = "delta", .rank_by = Statistic::Max}).kept.at(0);
  EXPECT_EQ(kept.top_launch, 2);
  EXPECT_EQ(kept.top_kernel, 1u) << "-7 is more than -14";
  EXPECT_DOUBLE_EQ(kept.top_kernel_share, 7.0 / 21);
}

TEST(Bins, EqualContentsInAnotherOrderHaveEqualRanks) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  std::mt19937 random(3);
  std::vector<std::int64_t> durations;
  for (int i = 0; i < 50; ++i) durations.push_back(1'000 + static_cast<std::int64_t>(random() % 900'001));
  std::vector<test::LaunchRow> launches;
  for (std::int64_t bin = 0; bin < 20; ++bin) {
    std::shuffle(durations.begin(), durations.end(), random);
    for (std::int64_t i = 0; i < 50; ++i)
      launches.push_back({bin * 1'000 + i, durations[static_cast<std::size_t>(i)], 0});
  }
  test::add_launches(data, launches);
  const OpenSession open({data});
  for (const auto by : {Statistic::Variance, Statistic::Cv, Statistic::Sum}) {
    const auto kept =
        kept_of(bins_of(open, {.width_ns = 1'000, .metric = "duration", .rank_by = by, .top_count = 20}));
    EXPECT_EQ(kept.size(), 20u);
    EXPECT_TRUE(std::ranges::is_sorted(kept));
  }
}

TEST(Bins, CallSitesOfOneNameAreOneGroup) {
  const OpenSession open({random_trace(500, 5)}); // kernels of several configurations
  const auto bins = bins_of(open, {.width_ns = 100'000'000, .metric = "duration", .by = "call_site"});
  EXPECT_EQ(bins.bins.size(), 2u);
}

TEST(Bins, ABinHasTheEndOfItsLastLaunch) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 500, 0}, {3, 4, 0}});
  const OpenSession open({data});
  EXPECT_EQ(bins_of(open, {.width_ns = 10, .metric = "duration"}).kept.at(0).last_end_ns, 500);
}

TEST(Bins, AFilterRestrictsTheRows) {
  const OpenSession open({random_trace(1000, 4)});
  const auto bins = bins_of(open, {.width_ns = 1000, .metric = "duration"}, "duration >= 500");
  for (const auto& bin : bins.bins) EXPECT_GE(bin.statistics.min, 500);
}

TEST(Bins, AMetricInNanosecondsNeedsNoUnitInItsName) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 5, 0}, {1, 7, 0}});
  data.find("launches")->add<double>("pause_ns", "ns", "", {3.0, 4.0});
  const OpenSession open({data});
  const auto bins = bins_of(open, {.width_ns = 10, .metric = "pause"});
  EXPECT_EQ(bins.metric, "pause_ns");
  EXPECT_EQ(bins.bins.at(0).statistics.sum, 7);
}

TEST(Bins, UnknownMetricsAreRefused) {
  const OpenSession open({random_trace(1000, 4)});
  const Selection all;
  const auto wrong =
      compute_bins(*open.session, *open.columns, all, {.metric = "nothing"}, *open.communicator, {});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::BadUse);
}

TEST(Bins, NarrowBinsThatAreMostlyEmptyCostNothing) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 5, 0}, {7, 6, 0}, {1'000'000'000'000, 9, 0}, {1'000'000'000'000, 8, 0}});
  const OpenSession open({data});
  const auto bins = bins_of(open, {.width_ns = 1, .metric = "duration"});
  ASSERT_EQ(bins.bins.size(), 3u);
  EXPECT_EQ(bins.bins[1].index, 7);
  EXPECT_EQ(bins.bins[2].index, 1'000'000'000'000);
  EXPECT_EQ(bins.bins[2].statistics.sum, 17);
  EXPECT_EQ(kept_of(bins), (std::vector<std::int64_t>{1'000'000'000'000, 7, 0}));
}

TEST(Bins, MoreThanAMillionAreRankedButNotListed) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  std::vector<test::LaunchRow> launches;
  for (std::int64_t i = 0; i < 1'000'001; ++i) launches.push_back({3 * i, i == 400'000 ? 99 : 5, 0});
  test::add_launches(data, launches);
  const OpenSession open({data});
  const auto bins = bins_of(open, {.width_ns = 1, .metric = "duration", .top_count = 3});
  EXPECT_FALSE(bins.listed);
  EXPECT_TRUE(bins.bins.empty());
  EXPECT_EQ(bins.count, 1'000'001);
  EXPECT_EQ(kept_of(bins), (std::vector<std::int64_t>{1'200'000, 0, 3}));
}

TEST(Bins, PartialResultsCoverTheWholeTimeAndLeadToTheSameBins) {
  const OpenSession open({random_trace(5000, 8), random_trace(3000, 9)});
  BinOptions options{.width_ns = 300, .metric = "duration", .top_count = 5};
  const auto expected = bins_of(open, options);
  options.report_partial = true;
  options.rows_per_round = 1000;
  std::vector<PartialBins> reported;
  const auto result = compute_bins(*open.session, *open.columns, {}, options, *open.communicator, {},
                                   [&](const PartialBins& partial) { reported.push_back(partial); });
  ASSERT_TRUE(result);
  EXPECT_EQ(kept_of(*result), kept_of(expected));
  EXPECT_EQ(result->total, expected.total);
  ASSERT_EQ(result->bins.size(), expected.bins.size());
  for (std::size_t i = 0; i < expected.bins.size(); ++i) {
    EXPECT_EQ(result->bins[i].index, expected.bins[i].index);
    EXPECT_EQ(result->bins[i].rank, expected.bins[i].rank);
    EXPECT_EQ(result->bins[i].statistics.q3, expected.bins[i].statistics.q3);
  }
  ASSERT_EQ(reported.size(), 7u) << "8,000 launches in rounds of 1,000";
  std::int64_t before = 0;
  for (const auto& partial : reported) {
    EXPECT_GE(partial.bins.count, before);
    before = partial.bins.count;
    ASSERT_LE(partial.bins.kept.size(), 5u);
    for (std::size_t i = 0; i < partial.bins.kept.size(); ++i) {
      const auto& kept = partial.bins.kept[i];
      EXPECT_EQ(kept.bin.rank, static_cast<std::int64_t>(i) + 1);
      const auto same = std::find_if(expected.bins.begin(), expected.bins.end(),
                                     [&](const Bin& bin) { return bin.index == kept.bin.index; });
      ASSERT_NE(same, expected.bins.end());
      EXPECT_EQ(kept.bin.statistics.sum, same->statistics.sum) << "early bins are whole";
      EXPECT_GE(kept.last_end_ns, kept.bin.start_ns);
      EXPECT_NE(kept.top_kernel, kNone);
    }
  }
  EXPECT_LE(before, expected.count);
  EXPECT_GT(reported.front().share, 0);
  EXPECT_LT(reported.back().share, 1);
}

TEST(Bins, CancellingStopsTheWork) {
  const OpenSession open({random_trace(1000, 4)});
  Job job;
  job.cancelled = [] { return true; };
  const auto result = compute_bins(*open.session, *open.columns, {}, {}, *open.communicator, job);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Cancelled);
}

TEST(Kernels, TableAddsUpToTheTrace) {
  const OpenSession open({random_trace(3000, 6)});
  const auto rows = kernel_table(*open.session, *open.columns, {}, *open.communicator, {});
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].duration.n + (*rows)[1].duration.n, 3000);
  EXPECT_EQ((*rows)[0].configurations, 5);
  EXPECT_LE((*rows)[0].duration.median, (*rows)[0].p75);
  EXPECT_LE((*rows)[0].p99, (*rows)[0].p999);
}

TEST(Kernels, EveryNumberIsThatOfTheLaunchesThemselves) {
  const OpenSession open({random_trace(150'000, 7), random_trace(900, 8)});
  Selection selection;
  selection.filter = std::move(*Filter::parse("duration < 900", *open.columns));
  const auto rows = kernel_table(*open.session, *open.columns, selection, *open.communicator, {});
  ASSERT_TRUE(rows);
  std::map<std::uint32_t, std::vector<double>> durations;
  std::map<std::uint32_t, double> variability;
  for (const auto& segment : open.session->segments(0, open.session->launches())) {
    const auto kernel = open.columns->read("kernel", segment),
               duration = open.columns->read("duration", segment),
               deviation = open.columns->read("kernel_variability", segment);
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      if (duration[i] >= 900) continue;
      durations[static_cast<std::uint32_t>(kernel[i])].push_back(duration[i]);
      variability[static_cast<std::uint32_t>(kernel[i])] += deviation[i];
    }
  }
  ASSERT_EQ(rows->size(), durations.size());
  for (const auto& row : *rows) {
    auto& values = durations.at(row.kernel);
    const auto expected = statistics_of(values);
    std::sort(values.begin(), values.end());
    EXPECT_EQ(row.launches, expected.n);
    EXPECT_EQ(row.duration.sum, expected.sum);
    EXPECT_EQ(row.duration.min, expected.min);
    EXPECT_EQ(row.duration.max, expected.max);
    EXPECT_EQ(row.duration.q1, expected.q1);
    EXPECT_EQ(row.duration.median, expected.median);
    EXPECT_EQ(row.duration.q3, expected.q3);
    EXPECT_NEAR(row.duration.variance, expected.variance, 1e-12 * expected.variance);
    EXPECT_EQ(row.p90, quantile_of_sorted(values, 0.9));
    EXPECT_EQ(row.p99, quantile_of_sorted(values, 0.99));
    EXPECT_EQ(row.p999, quantile_of_sorted(values, 0.999));
    EXPECT_NEAR(row.variability_sum, variability.at(row.kernel), 1e-6 * row.variability_sum);
  }
}

TEST(Distribution, CountsAndStatisticsAreThoseOfTheRows) {
  const OpenSession open({random_trace(140'000, 9), random_trace(700, 10)});
  Selection selection;
  selection.filter = std::move(*Filter::parse("duration >= 100", *open.columns));
  for (const bool log : {false, true}) {
    const auto found =
        distribution(*open.session, *open.columns, selection,
                     {.column = "kernel_variability", .bins = 37, .log = log}, *open.communicator, {});
    ASSERT_TRUE(found);
    std::vector<double> all, chosen;
    for (const auto& segment : open.session->segments(0, open.session->launches())) {
      const auto values = open.columns->read("kernel_variability", segment),
                 duration = open.columns->read("duration", segment);
      for (std::size_t i = 0; i < values.size(); ++i) {
        all.push_back(values[i]);
        if (duration[i] >= 100) chosen.push_back(values[i]);
      }
    }
    EXPECT_EQ(found->rows, static_cast<std::int64_t>(all.size()));
    const auto expected = statistics_of(chosen);
    EXPECT_EQ(found->statistics.n, expected.n);
    EXPECT_EQ(found->statistics.q1, expected.q1);
    EXPECT_EQ(found->statistics.median, expected.median);
    EXPECT_EQ(found->statistics.q3, expected.q3);
    EXPECT_NEAR(found->statistics.mean, expected.mean, 1e-12 * expected.mean);
    EXPECT_NEAR(found->statistics.variance, expected.variance, 1e-12 * expected.variance);
    for (std::size_t bin = 0; bin < 37; ++bin) {
      const auto inside = [&](double v) {
        return v >= found->edges[bin] && (v < found->edges[bin + 1] || (bin == 36 && v <= found->edges[37]));
      };
      EXPECT_EQ(found->all[bin], std::count_if(all.begin(), all.end(), inside)) << bin;
      EXPECT_EQ(found->selected[bin], std::count_if(chosen.begin(), chosen.end(), inside)) << bin;
    }
  }
}
