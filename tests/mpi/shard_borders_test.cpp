// How ranks share the bins of a filtered run, each played by a virtual rank.

#include "core/analysis/bins/shard_borders.h"

#include <random>

#include <gtest/gtest.h>

#include "core/analysis/bins/bins.h"
#include "core/engine/ranks/virtual_ranks.h"
#include "tests/support/open_session.h"

namespace jitterscope::analysis {
namespace {

/// 200,000 launches; those of kernel b are all in the last tenth, where they are every second launch.
store::TraceData late_kernel() {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 1);
  test::add_kernel(data, "b", 1);
  std::mt19937 random(5);
  std::vector<test::LaunchRow> launches;
  std::int64_t time = 0;
  for (int i = 0; i < 200'000; ++i) {
    time += 1 + random() % 100;
    const bool late = i >= 180'000;
    launches.push_back(
        {time, static_cast<std::int64_t>(100 + random() % 1000), late && random() % 2 ? 1u : 0u});
  }
  test::add_launches(data, launches);
  return data;
}

struct Shared {
  std::vector<std::vector<std::int64_t>> borders; ///< borders of the ranks, as computed by every rank
  std::vector<std::int64_t> selected;             ///< number of selected launches in the bins of each rank
  std::vector<std::int64_t> kept;                 ///< kept bins, which rank 0 has
};

Selection where(const test::OpenSession& open, const std::string& text) {
  Selection selection;
  selection.filter = std::move(*Filter::parse(text, *open.columns));
  return selection;
}

Shared on_ranks(const test::OpenSession& open, const Selection& selection, int ranks) {
  Shared job;
  job.borders.resize(static_cast<std::size_t>(ranks));
  job.selected.resize(static_cast<std::size_t>(ranks));
  BinOptions options;
  options.width_ns = 10'000;
  options.metric = "duration";
  const auto run = engine::run_virtual_ranks(ranks, [&](engine::VirtualRank& rank) {
    const auto me = static_cast<std::size_t>(rank.rank());
    const auto bins = compute_bins(*open.session, *open.columns, selection, options, rank, {});
    ASSERT_TRUE(bins) << describe(bins.error());
    if (me == 0)
      for (const auto& bin : bins->kept) job.kept.push_back(bin.bin.index);
    Bins frame;
    frame.origin_ns = bins->origin_ns, frame.width_ns = bins->width_ns;
    const LaunchReader reader(*open.session, *open.columns, "duration");
    const BinQuestion question{*open.session, *open.columns, selection, frame, reader};
    const auto count = open.session->launch_span().length().count / frame.width_ns + 1;
    const auto borders = shard_borders(question, count, rank, {});
    ASSERT_TRUE(borders);
    job.borders[me] = *borders;
    for (const auto& segment : open.session->launches_in(
             {{question.start_of((*borders)[me])}, {question.start_of((*borders)[me + 1])}}))
      for (const auto bit : selection.select(*open.session, *open.columns, segment)) job.selected[me] += bit;
    EXPECT_TRUE(rank.finish(true));
  });
  EXPECT_TRUE(run);
  return job;
}

TEST(ShardBorders, AreTheSameOnEveryRankAndCoverAllBins) {
  const test::OpenSession open({late_kernel(), late_kernel()});
  for (const char* text : {"", "name = 'b'", "duration > 2000"})
    for (const int ranks : {1, 2, 4, 7}) {
      const auto job = on_ranks(open, where(open, text), ranks);
      for (const auto& borders : job.borders) EXPECT_EQ(borders, job.borders.front());
      const auto& borders = job.borders.front();
      EXPECT_EQ(borders.size(), static_cast<std::size_t>(ranks) + 1);
      EXPECT_EQ(borders.front(), 0);
      EXPECT_TRUE(std::is_sorted(borders.begin(), borders.end()));
      EXPECT_EQ(borders.back(), open.session->launch_span().length().count / 10'000 + 1);
    }
}

TEST(ShardBorders, FollowWhatTheFilterSelects) {
  const test::OpenSession open({late_kernel()});
  const auto late = where(open, "name = 'b'");
  const auto alone = on_ranks(open, late, 1), four = on_ranks(open, late, 4);
  EXPECT_EQ(four.kept, alone.kept);
  // Filtering a row costs 7 units, computing a selected row 9 more. With equal numbers of rows the last rank
  // would compute all launches of b, 5 % of the rows: 1.18 of the mean work. The cost is divided evenly
  // instead.
  const double rows = 200'000, cost = 7 * rows + 9 * static_cast<double>(alone.selected[0]);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    std::int64_t in_time = 0;
    const auto& borders = four.borders.front();
    const auto origin = open.session->launch_span().begin.count;
    for (const auto& segment : open.session->launches_in(
             {{origin + borders[rank] * 10'000}, {origin + borders[rank + 1] * 10'000}}))
      in_time += segment.rows();
    const double own = 7 * static_cast<double>(in_time) + 9 * static_cast<double>(four.selected[rank]);
    EXPECT_NEAR(own, cost / 4, 0.03 * cost / 4) << rank;
  }
}

TEST(ShardBorders, ATimeThatIsRequestedIsSharedByAll) {
  const test::OpenSession open({late_kernel()});
  Selection selection;
  const auto span = open.session->launch_span();
  const auto length = span.length().count;
  selection.intervals = {{{span.begin.count + length * 6 / 10}, {span.begin.count + length * 7 / 10}}};
  const auto alone = on_ranks(open, selection, 1), four = on_ranks(open, selection, 4);
  EXPECT_EQ(four.kept, alone.kept);
  for (const auto selected : four.selected)
    EXPECT_GT(selected, alone.selected[0] / 10) << "no rank is left without work";
}

TEST(ShardBorders, WhereNothingIsSelectedThereAreNoBins) {
  const test::OpenSession open({late_kernel()});
  const auto job = on_ranks(open, where(open, "duration > 1000000"), 4);
  EXPECT_TRUE(job.kept.empty());
}

} // namespace
} // namespace jitterscope::analysis
