// Ranks of different speeds share tasks. Each rank is simulated and has its own clock.

#include "core/analysis/session/shared_tasks.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "core/analysis/bins/bins.h"
#include "core/engine/ranks/virtual_ranks.h"
#include "tests/support/open_session.h"

namespace jitterscope::analysis {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// The outcome of a job: how often each rank ran each task, and how long each rank worked.
struct Outcome {
  std::vector<std::vector<std::atomic<int>>> runs; ///< runs of each task, by initial owner and position
  std::vector<std::int64_t> run_by;                ///< number of tasks that each rank ran
  std::vector<std::int64_t> foreign; ///< number of these tasks that initially belonged to another rank
  std::vector<nanoseconds> worked;
};

/// `cost(rank, task)`: duration of a task on a rank.
void run(Outcome& job, const std::vector<std::int64_t>& counts,
         const std::function<nanoseconds(int, SharedTask)>& cost) {
  const auto ranks = counts.size();
  for (const auto count : counts) job.runs.emplace_back(static_cast<std::size_t>(count));
  job.run_by.assign(ranks, 0), job.foreign.assign(ranks, 0), job.worked.assign(ranks, {});
  const auto ran = engine::run_virtual_ranks(static_cast<int>(ranks), [&](engine::VirtualRank& rank) {
    const auto me = static_cast<std::size_t>(rank.rank());
    std::atomic<std::int64_t> clock = 0, tasks = 0, foreign = 0;
    const auto done = run_shared_tasks(
        counts, rank, {}, "tasks",
        [&](std::size_t, SharedTask task) {
          ++job.runs[static_cast<std::size_t>(task.owner)][static_cast<std::size_t>(task.place)];
          clock += cost(rank.rank(), task).count();
          ++tasks;
          foreign += task.owner != rank.rank();
        },
        milliseconds(20), [&] { return nanoseconds(clock.load()); });
    EXPECT_TRUE(done);
    job.run_by[me] = tasks, job.foreign[me] = foreign, job.worked[me] = nanoseconds(clock.load());
    EXPECT_TRUE(rank.finish(done.has_value()));
  });
  EXPECT_TRUE(ran);
  for (const auto& owner : job.runs)
    for (const auto& times : owner) EXPECT_EQ(times, 1) << "every task is run once";
}

TEST(SharedTasks, EveryTaskIsRunOnceAtAnySpeed) {
  std::mt19937 random(3);
  for (const std::size_t ranks : {1, 2, 3, 7, 16}) {
    Outcome job;
    std::vector<std::int64_t> counts(ranks), costs(ranks);
    for (auto& count : counts) count = random() % 3 == 0 ? 0 : random() % 900;
    for (auto& cost : costs) cost = 1 + random() % 20'000'000;
    run(job, counts,
        [&](int rank, SharedTask) { return nanoseconds(costs[static_cast<std::size_t>(rank)]); });
  }
}

TEST(SharedTasks, RanksOfOneSpeedKeepTheirOwn) {
  Outcome job;
  run(job, {500, 500, 500, 500}, [](int, SharedTask) { return milliseconds(1); });
  EXPECT_EQ(job.foreign, (std::vector<std::int64_t>(4)));
}

TEST(SharedTasks, ASlowRankIsRelieved) {
  Outcome job;
  run(job, {500, 500, 500, 500}, [](int rank, SharedTask) { return milliseconds(rank == 2 ? 4 : 1); });
  // Ranks that run 1, 1, 1 and 1/4 tasks per ms take 615 ms for 2,000 tasks; the slow rank alone would need
  // 2,000 ms for its own.
  for (const auto worked : job.worked) EXPECT_LT(worked, milliseconds(760));
  EXPECT_LT(job.run_by[2], 200);
}

TEST(SharedTasks, WorkThatIsOnOneRankIsSpread) {
  Outcome job;
  run(job, {0, 0, 900, 0}, [](int, SharedTask) { return milliseconds(1); });
  for (const auto worked : job.worked) EXPECT_LT(worked, milliseconds(300));
  Outcome late; // the last tasks of one rank take far longer than its first ones suggest
  run(late, {400, 400}, [](int, SharedTask task) {
    return task.owner == 1 && task.place >= 200 ? milliseconds(10) : milliseconds(1);
  });
  EXPECT_LT(*std::max_element(late.worked.begin(), late.worked.end()),
            milliseconds(1600)); // 2,200 alone, 1,300 shared
}

TEST(SharedTasks, AnErrorOfOneRankEndsAll) {
  const std::vector<std::int64_t> counts(3, 100);
  int errors = 0;
  const auto ran = engine::run_virtual_ranks(3, [&](engine::VirtualRank& rank) {
    Job job;
    job.cancelled = [&] { return rank.rank() == 1; };
    const auto done = run_shared_tasks(counts, rank, job, "tasks", [](std::size_t, SharedTask) {});
    errors += !done;
    EXPECT_FALSE(rank.finish(done.has_value()));
  });
  EXPECT_TRUE(ran);
  EXPECT_EQ(errors, 3);
}

/// Launches in bins of 1,000 ns with nearly equal values: hundreds of bins have the same rank.
store::TraceData equal_bins() {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 1);
  std::vector<test::LaunchRow> launches;
  for (int i = 0; i < 60'000; ++i) launches.push_back({i * 50, i % 2000 < 20 ? 45 : 40, 0});
  test::add_launches(data, launches);
  return data;
}

// If another rank was slow, a rank computes bins outside its borders. Lists, ranks and kept bins must not
// depend on that, even where many bins are equal.
TEST(SharedTasks, BinsDoNotRevealWhoComputedThem) {
  const test::OpenSession open({equal_bins(), equal_bins()});
  BinOptions options;
  options.width_ns = 1'000;
  options.metric = "duration";
  options.top_count = 100;
  options.rows_per_task = 100;
  std::vector<Bins> found;
  for (const int ranks : {1, 2, 5}) {
    found.emplace_back();
    const auto run = engine::run_virtual_ranks(ranks, [&](engine::VirtualRank& rank) {
      Job slow; // a core that is busy with something else
      slow.cancelled = [&, seen = 0]() mutable {
        if (rank.rank() == ranks - 1 && ++seen < 30) std::this_thread::sleep_for(milliseconds(3));
        return false;
      };
      const auto bins = compute_bins(*open.session, *open.columns, {}, options, rank, slow);
      ASSERT_TRUE(bins) << describe(bins.error());
      if (rank.rank() == 0) found.back() = *bins;
      EXPECT_TRUE(rank.finish(true));
    });
    EXPECT_TRUE(run);
  }
  for (const auto& other : found) {
    ASSERT_EQ(other.bins.size(), found.front().bins.size());
    for (std::size_t i = 0; i < other.bins.size(); ++i) {
      const auto &a = found.front().bins[i], &b = other.bins[i];
      EXPECT_EQ(a.index, b.index);
      EXPECT_EQ(a.rank, b.rank);
      EXPECT_EQ(a.kept, b.kept);
      EXPECT_EQ(a.statistics.sum, b.statistics.sum);
    }
    ASSERT_EQ(other.kept.size(), 100u);
    for (std::size_t i = 0; i < other.kept.size(); ++i)
      EXPECT_EQ(other.kept[i].bin.index, found.front().kept[i].bin.index);
  }
}

} // namespace
} // namespace jitterscope::analysis
