#include <map>
#include <random>

#include "tests/core/efficiency/metrics/metric_session.h"

// Aggregates over many threads are computed in one pass over the tables: compared with the timelines of the
// threads, which are evaluated one by one.

using namespace jitterscope;
using efficiency::metrics::Steps;

namespace {

constexpr int kManyThreads = 90; // more than the number up to which threads are evaluated one by one
constexpr std::int64_t kRun = 2'000;

/// Threads with random states, some without a gap and some of zero length; MPI calls as long as their states;
/// ranges that overlap the next ones. One thread in seven has none of them.
test::Program many_threads(unsigned seed) {
  std::mt19937 random(seed);
  const auto any = [&](std::int64_t below) { return static_cast<std::int64_t>(random() % below); };
  test::Program program;
  for (int rank = 0; rank < kManyThreads; ++rank) program.add_rank(1);
  for (int rank = 0; rank < kManyThreads; ++rank) {
    const auto thread = program.thread(rank);
    for (std::int64_t at = any(200); at < kRun - 400 && rank % 7 != 6;) {
      const auto end = at + any(300);
      program.state(thread, {at, end, any(2) ? "Running" : "Waiting a message"});
      if (any(3) == 0) program.mpi(thread, {at, end, any(2) ? "MPI_Send" : "MPI_Allreduce"});
      if (any(3) == 0) program.range(thread, {at, end + 50, "outer"});
      at = end + (any(2) ? 0 : any(40));
    }
  }
  return program;
}

double shown_at(const Steps& steps, std::int64_t time) {
  double value = steps.front().value;
  for (const auto& step : steps)
    if (step.begin <= time) value = step.value;
  return value;
}

double combined(const std::string& aggregator, const std::vector<Steps>& threads, std::int64_t time) {
  double sum = 0, others = 0;
  for (const auto& steps : threads) {
    sum += shown_at(steps, time);
    others += shown_at(steps, time) != 0;
  }
  if (aggregator == "mean") return sum / static_cast<double>(threads.size());
  if (aggregator == "any") return others > 0;
  if (aggregator == "all") return others == static_cast<double>(threads.size());
  return aggregator == "number" ? others : sum;
}

class ManyThreads : public testing::TestWithParam<unsigned> {};

} // namespace

TEST_P(ManyThreads, AreCombinedAsTheirTimelinesOneByOne) {
  const test::MetricSession session({many_threads(GetParam()).trace()});
  for (const std::string of :
       {"active(states[running])", "active(states)", "count(states[duration > 100])", "count(ranges)",
        "active(ranges)", "count(mpi[name ~ /Send/ or duration < 50])",
        "if(any(recorded(states) per application), active(states[running]), active(mpi))",
        "if(any(recorded(copies) per application), 1, active(states[name != \"Running\"]))"}) {
    for (const std::string aggregator : {"sum", "mean", "any", "all", "number"})
      for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, kRun}, {333, 1'111}}) {
        const auto text = aggregator + "(" + of + " per application)";
        const auto threads = session.steps(of, begin, end);
        ASSERT_EQ(threads.size(), session.data.objects().at(efficiency::metrics::Level::Thread).size());
        const auto found = session.steps(text, begin, end).at(0);
        for (auto time = begin; time < end; ++time)
          ASSERT_EQ(shown_at(found, time), combined(aggregator, threads, time)) << text << " at " << time;
        for (std::size_t i = 1; i < found.size(); ++i) ASSERT_NE(found[i].value, found[i - 1].value) << text;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyThreads, testing::Range(1u, 5u));

TEST(ManyThreads, AreCountedInOnePass) {
  const test::MetricSession session({many_threads(1).trace()});
  const auto possible = [&](const std::string& text) {
    const auto bound = session.bind(text);
    EXPECT_TRUE(bound) << text;
    const auto& metric = bound->definition().metric;
    return efficiency::metrics::Concurrent::make(*bound, metric, metric.children.front()).has_value();
  };
  EXPECT_TRUE(possible("sum(active(states[running]) per application)"));
  EXPECT_TRUE(possible("mean(count(mpi[duration > 5]) per application)"));
  EXPECT_FALSE(possible("sum(active(states[running]) per process)")); // the aggregate is not over all threads
  EXPECT_FALSE(possible("max(active(states) per application)"));
  EXPECT_FALSE(possible("sum(value(states, duration) per application)"));
  EXPECT_FALSE(possible("sum(active(kernels) per application)")); // of devices, not of threads
}
