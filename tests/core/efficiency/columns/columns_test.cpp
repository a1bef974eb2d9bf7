#include <algorithm>
#include <cmath>
#include <random>

#include "core/analysis/filter/filter.h"
#include "core/efficiency/columns/efficiency_columns.h"
#include "core/efficiency/columns/metric_column.h"
#include "tests/core/efficiency/metrics/metric_session.h"

using namespace jitterscope;
using namespace jitterscope::efficiency;
using test::MetricSession;

namespace {

KeptColumn column(const MetricSession& session, const std::string& text) {
  auto bound = session.bind(text);
  if (!bound) throw std::runtime_error(describe(bound.error()));
  auto made = metric_column(*session.open.session, *bound, "m", *session.open.communicator, {});
  if (!made) throw std::runtime_error(describe(made.error()));
  return *made;
}

const MetricSession& example() {
  static const MetricSession kSession({test::worked_example().trace()});
  return kSession;
}

std::vector<double> starts_of(const MetricSession& session) {
  std::vector<double> starts;
  for (const auto& segment : session.open.session->segments(0, session.open.session->launches()))
    for (const double start : session.open.columns->read("start", segment)) starts.push_back(start);
  return starts;
}

Expected<std::vector<KeptColumn>> efficiencies_in(const MetricSession& session, std::vector<Interval> windows,
                                                  Collectives collectives = Collectives::Communication,
                                                  std::vector<std::int32_t> ranks = {}) {
  auto activity = Activity::make(*session.open.session, *session.open.communicator, {});
  if (!activity) return forward(activity.error());
  Options options;
  options.parts = std::move(windows);
  options.collectives = collectives;
  options.ranks = std::move(ranks);
  return efficiency_columns(*session.open.session, *activity, std::move(options), *session.open.communicator,
                            {});
}

const KeptColumn& named(const std::vector<KeptColumn>& columns, const std::string& name) {
  for (const auto& column : columns)
    if (column.name == name) return column;
  throw std::runtime_error("no column " + name);
}

} // namespace

// Launches in order of start, N: collectives: GPU 0 [0,30), GPU 1 [0,50), GPU 2 [10,30), GPU 0 [20,40), GPU 2
// N [50,80), N [60,80) twice, GPU 0 [75,95), GPU 1 [80,90), GPU 2 [85,100).
TEST(MetricColumn, IsTheMeanOverTheLaunchOnItsDevice) {
  const auto values = column(example(), "sum(count(kernels) per device)").values;
  ASSERT_EQ(values.size(), 10u);
  const auto starts = starts_of(example());
  for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_LE(starts[i - 1], starts[i]);
  EXPECT_EQ(starts[3], 20);
  EXPECT_EQ(values[3], (2.0 * 10 + 1.0 * 10) / 20); // [20,30) two kernels on GPU 0, [30,40) one
  EXPECT_EQ(starts[7], 75);
  EXPECT_EQ(values[7], (2.0 * 5 + 1.0 * 15) / 20); // [75,80) with the collective
  EXPECT_EQ(starts[9], 85);
  EXPECT_EQ(values[9], 1.0);
}

TEST(MetricColumn, OfTheApplicationIsTheSameForAll) {
  const auto values =
      column(example(), "number(any(active(kernels[not collective]) per device) per application)").values;
  const auto starts = starts_of(example());
  EXPECT_EQ(starts[2], 10); // GPU 2 [10,30): all three compute
  EXPECT_EQ(values[2], 3.0);
  EXPECT_EQ(starts[4], 50); // [50,80): none until 75, then one
  EXPECT_EQ(values[4], 5.0 / 30);
}

// A metric of threads is aggregated over the threads of the launch's process.
TEST(MetricColumn, OfThreadsIsThatOfTheProcess) {
  const auto values = column(example(), "across = max; active(calls[offload])").values;
  const auto starts = starts_of(example());
  EXPECT_EQ(starts[3], 20); // rank 0: in a call until 30
  EXPECT_EQ(values[3], 0.5);
  EXPECT_EQ(starts[9], 85);
  EXPECT_EQ(values[9], 0.0);
}

TEST(MetricColumn, OfALaunchWithoutLengthIsTheValueAtItsStart) {
  test::Program program;
  program.add_rank(2);
  program.kernel(0, 0, {10, 30, "long"});
  program.kernel(0, 1, {20, 20, "empty"});
  program.kernel(0, 1, {40, 40, "empty"});
  const MetricSession session({program.trace()});
  EXPECT_EQ(column(session, "count(kernels[name == \"long\"] )").values, (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(column(session, "sum(count(kernels) per device)").values, (std::vector<double>{1, 1, 0}));
}

// What contains the outcome cannot be its cause.
TEST(MetricColumn, HasTheTierOfTheOutcomeItUses) {
  const auto tier = [](const char* text) { return column(example(), text).tier; };
  EXPECT_EQ(tier("value(kernels, duration)"), 4);
  EXPECT_EQ(tier("value(kernels, deviation(duration))"), 4);
  EXPECT_EQ(tier("let ends = value(kernels, end); 2 * ends"), 4);
  EXPECT_EQ(tier("count(kernels[duration > 10us])"), 4);
  EXPECT_EQ(tier("value(kernels, kernel_variability)"), 5);
  EXPECT_EQ(tier("tier = context; value(kernels, duration)"), 2);
  EXPECT_EQ(tier("value(kernels, begin)"), 6);
  EXPECT_EQ(tier("value(queued, duration)"), 6) << "how long the launch waited";
  EXPECT_EQ(tier("count(kernels)"), 6);
}

TEST(MetricColumn, IsFilteredByAsAnyOther) {
  auto& session = example();
  const analysis::LaunchColumns columns(*session.open.session);
  auto& changed = const_cast<analysis::LaunchColumns&>(columns);
  auto kept = column(session, "title = \"Kernels\"; tier = context; sum(count(kernels) per device)");
  EXPECT_EQ(kept.tier, 2);
  kept.name = "active_kernels";
  changed.choose({std::make_shared<const KeptColumns>(*session.open.session, std::vector{kept})});
  ASSERT_TRUE(columns.find("active_kernels"));
  EXPECT_TRUE(columns.find("active_kernels")->chosen);
  EXPECT_FALSE(columns.find("active_kernels")->constant);
  EXPECT_TRUE(analysis::Filter::parse("active_kernels > 1.2", columns));
  const auto segment = session.open.session->segments(2, 5).front();
  EXPECT_EQ(columns.read("active_kernels", segment),
            std::vector(kept.values.begin() + 2, kept.values.begin() + 5));
  // Newly chosen columns replace earlier ones; one whose name already exists is left out.
  auto other = kept;
  other.name = "other";
  auto taken = kept;
  taken.name = "duration";
  changed.choose({std::make_shared<const KeptColumns>(*session.open.session, std::vector{other, taken})});
  EXPECT_FALSE(columns.find("active_kernels"));
  EXPECT_TRUE(columns.find("other"));
  EXPECT_FALSE(columns.find("duration")->chosen);
  changed.choose({});
  EXPECT_FALSE(columns.find("other"));
}

// The result does not depend on which rows are read together, or on the number of threads.
TEST(MetricColumn, IsTheAverageOfTheTimelineOfEachLaunch) {
  std::mt19937 random(3);
  test::Program program;
  program.add_rank(2);
  program.add_rank(1);
  for (int i = 0; i < 3'000; ++i) {
    const int rank = static_cast<int>(random() % 2);
    const auto begin = static_cast<std::int64_t>(random() % 100'000);
    program.kernel(rank, rank == 0 ? static_cast<int>(random() % 2) : 0,
                   {begin, begin + static_cast<std::int64_t>(random() % 300), "k"});
  }
  const MetricSession session({program.trace()});
  const std::string text = "sum(count(kernels) per process)";
  const auto values = column(session, text).values;
  const auto timelines = session.steps(text, 0, 200'000);
  std::size_t i = 0;
  for (const auto& segment : session.open.session->segments(0, session.open.session->launches())) {
    const auto starts = session.open.columns->read("start", segment),
               ends = session.open.columns->read("end", segment),
               ranks = session.open.columns->read("rank", segment);
    for (std::size_t r = 0; r < starts.size(); ++r, ++i) {
      const auto begin = static_cast<std::int64_t>(starts[r]);
      const auto end = std::max(static_cast<std::int64_t>(ends[r]), begin + 1);
      const auto& steps = timelines[static_cast<std::size_t>(ranks[r])];
      ASSERT_EQ(values[i], metrics::integral(steps, begin, end) / static_cast<double>(end - begin)) << i;
    }
  }
  EXPECT_EQ(i, 3'000u);
}

TEST(MetricColumn, EndsWhenCancelled) {
  auto bound = example().bind("count(kernels)");
  Job job;
  job.cancelled = [] { return true; };
  const auto made = metric_column(*example().open.session, *bound, "m", *example().open.communicator, job);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::Cancelled);
}

TEST(ColumnNames, AreThoseOfFilters) {
  EXPECT_EQ(column_name_of("gpu-busy", "metric_"), "gpu_busy");
  EXPECT_EQ(column_name_of("GPU busy (mean)", "metric_"), "GPU_busy_mean");
  EXPECT_EQ(column_name_of("2 kernels", "metric_"), "metric_2_kernels");
  EXPECT_EQ(column_name_of("µ—", "metric_"), "metric");
}

// One window over the whole example: the exact fractions of its efficiencies.
TEST(EfficiencyColumns, OfOneWindowAreThoseOfTheExample) {
  auto columns = efficiencies_in(example(), {{{0}, {100}}});
  ASSERT_TRUE(columns) << describe(columns.error());
  for (const auto& value : named(*columns, "efficiency_device_load_balance").values)
    EXPECT_NEAR(value, 31.0 / 36, 1e-15);
  EXPECT_NEAR(named(*columns, "efficiency_device_communication").values.front(), 2.0 / 3, 1e-15);
  EXPECT_NEAR(named(*columns, "efficiency_device_orchestration").values.front(), 9.0 / 10, 1e-15);
  // Exposed communication of each rank's device: 25, 30, 32 of 100.
  EXPECT_NEAR(named(*columns, "rank_0_waits").values.front(), .25, 1e-15);
  EXPECT_NEAR(named(*columns, "rank_2_waits").values.front(), .32, 1e-15);
  const auto& others = named(*columns, "others_wait").values;
  EXPECT_NEAR(others[0], (.30 + .32) / 2, 1e-15); // as seen from rank 0: mean of ranks 1 and 2
  EXPECT_NEAR(others[1], (.25 + .32) / 2, 1e-15); // as seen from rank 1: mean of ranks 0 and 2
  auto useful = efficiencies_in(example(), {{{0}, {100}}}, Collectives::Useful);
  EXPECT_NEAR(named(*useful, "efficiency_device_load_balance").values.front(), 11.0 / 12, 1e-15);
}

TEST(EfficiencyColumns, OfChosenRanksAreAboutTheseForEveryLaunch) {
  const auto columns = efficiencies_in(example(), {{{0}, {100}}}, Collectives::Communication, {0, 2});
  ASSERT_TRUE(columns) << describe(columns.error());
  EXPECT_TRUE(std::ranges::none_of(*columns, [](const auto& c) { return c.name == "rank_1_waits"; }));
  const auto& waits = named(*columns, "rank_2_waits");
  EXPECT_TRUE(waits.description.ends_with("; of ranks 0, 2 only")) << waits.description;
  for (const double value : waits.values) EXPECT_NEAR(value, .32, 1e-15);
  const auto& others = named(*columns, "others_wait").values;
  EXPECT_NEAR(others[0], .32, 1e-15);             // as seen from rank 0
  EXPECT_NEAR(others[1], (.25 + .32) / 2, 1e-15); // as seen from rank 1
  const auto absent = efficiencies_in(example(), {{{0}, {100}}}, Collectives::Communication, {0, 9});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message, "the trace has no rank 9");
}

TEST(EfficiencyColumns, ARankWaitsAsLongAsItsThreadThatCallsMpi) {
  test::Program program;
  for (int rank = 0; rank < 2; ++rank) {
    program.add_rank(1);
    program.kernel(rank, 0, {0, 100, "compute"});
    const auto master = program.thread(rank);
    program.state(master, {0, 100, "Running"});
    for (int worker = 0; worker < 7; ++worker) program.state(program.add_thread(rank), {0, 100, "Idle"});
  }
  program.mpi(program.thread(0), {0, 1, "MPI_Allreduce"});
  program.state(program.thread(1), {100, 200, "Group Communication"});
  program.mpi(program.thread(1), {100, 180, "MPI_Allreduce"});
  const auto columns = efficiencies_in(MetricSession({program.trace()}), {{{0}, {200}}});
  ASSERT_TRUE(columns) << describe(columns.error());
  EXPECT_NEAR(named(*columns, "rank_1_waits").values.front(), 80.0 / 200, 1e-15);
}

TEST(EfficiencyColumns, BelongToTheWindowInWhichTheLaunchStarts) {
  auto columns = efficiencies_in(example(), {{{0}, {50}}, {{50}, {80}}});
  ASSERT_TRUE(columns);
  const auto& waits = named(*columns, "rank_2_waits").values;
  const auto starts = starts_of(example());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] < 50)
      EXPECT_NEAR(waits[i], 2.0 / 50, 1e-15) << i; // the copy [30,32) in the window [0,50)
    else if (starts[i] < 80)
      EXPECT_NEAR(waits[i], 1.0, 1e-15) << i; // rank 2 is in the collective during the whole window
    else
      EXPECT_TRUE(std::isnan(waits[i])) << i;
  }
}
