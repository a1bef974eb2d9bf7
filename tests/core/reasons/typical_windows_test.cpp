#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/causal/answer/analyse.h"
#include "core/import/assemble/context.h"
#include "core/import/import.h"
#include "core/reasons/rows/launch_rows.h"
#include "core/reasons/rows/typical_windows.h"
#include "tests/generator/generator.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

constexpr std::int64_t kTypical = 10'000; // ns

/// Launches of one configuration, one after the other, of which every fifth takes five times as long.
std::vector<test::LaunchRow> launches(int count) {
  std::vector<test::LaunchRow> rows;
  std::int64_t time = 1'000;
  for (int i = 0; i < count; ++i) {
    rows.push_back({time, i % 5 == 2 ? 5 * kTypical : kTypical, 0, 2});
    time += rows.back().duration + 3'000;
  }
  return rows;
}

/// Copies of 4 µs with independent pauses of `spacing` ns on average.
std::vector<test::TransferRow> copies(std::int64_t end, double spacing) {
  std::mt19937_64 random(7);
  std::vector<test::TransferRow> rows;
  double time = 0;
  for (;;) {
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
    time += 4'000 - spacing * std::log1p(-uniform);
    if (time >= static_cast<double>(end)) return rows;
    rows.push_back({static_cast<std::int64_t>(time), 4'000, 1'000, store::TransferKind::HostToDevice, 3});
  }
}

OpenSession session_of(const std::vector<test::LaunchRow>& rows,
                       const std::vector<test::TransferRow>& operations) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "work", 1);
  test::add_launches(data, rows);
  test::add_transfers(data, operations);
  store::ImportReport report;
  if (!import::add_context(data, report, {})) throw std::runtime_error("context");
  return OpenSession({data});
}

void add_counter(store::TraceData& data, const char* name,
                 const std::vector<std::pair<std::int64_t, double>>& samples) {
  const auto counter = static_cast<std::uint32_t>(data.find("counters")->rows());
  test::column<std::uint32_t>(data, "counters", "name").push_back(data.strings.intern(name).value);
  test::column<std::uint32_t>(data, "counters", "unit").push_back(data.strings.intern("Hz").value);
  test::column<std::uint32_t>(data, "counters", "device").push_back(2);
  for (const auto& [time, value] : samples) {
    test::column<std::int64_t>(data, "samples", "time").push_back(time);
    test::column<std::uint32_t>(data, "samples", "counter").push_back(counter);
    test::column<double>(data, "samples", "value").push_back(value);
  }
}

const TypicalWindows::Kind& kind(const TypicalWindows& windows, const std::string& words) {
  return *std::find_if(windows.kinds().begin(), windows.kinds().end(),
                       [&](const auto& k) { return k.words == words; });
}

store::TraceData generated(std::vector<generator::Cause> causes, bool harmless_copies, std::int64_t count) {
  const test::TemporaryFolder folder;
  generator::Options options;
  options.launches = count;
  options.causes = std::move(causes);
  options.harmless_copies = harmless_copies;
  if (!generator::generate(options, folder.file("a.sqlite"), {})) throw std::runtime_error("generator");
  auto data = import::import_files({folder.file("a.sqlite")}, {});
  if (!data) throw std::runtime_error(describe(data.error()));
  return std::move(*data);
}

/// Σ |d − median of the configuration|.
double variability_of(const store::TraceData& data) {
  const auto& launches = *data.find("launches");
  const auto& durations = launches.get<std::int64_t>("duration");
  const auto& configurations = launches.get<std::uint32_t>("configuration");
  std::map<std::uint32_t, std::vector<std::int64_t>> known;
  for (std::size_t i = 0; i < durations.size(); ++i) known[configurations[i]].push_back(durations[i]);
  double sum = 0;
  for (auto& [configuration, values] : known) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    for (const auto value : values) sum += static_cast<double>(std::abs(value - *middle));
  }
  return sum;
}

/// The complete answer for a generated trace.
causal::CausalResult answer_for(std::vector<generator::Cause> causes, bool harmless_copies,
                                std::int64_t count) {
  const OpenSession open({generated(std::move(causes), harmless_copies, count)});
  auto rows =
      LaunchRows::make(*open.session, *open.columns, {}, "kernel_variability", *open.communicator, {});
  if (!rows) throw std::runtime_error(describe(rows.error()));
  causal::Options requested;
  requested.bootstrap = 50;
  auto result = causal::analyse(*rows, requested, *open.communicator, {});
  if (!result) throw std::runtime_error(describe(result.error()));
  return std::move(*result);
}

const causal::Contribution* contribution(const causal::CausalResult& result, const std::string& feature) {
  for (const auto& c : result.contributions)
    if (c.feature.starts_with(feature)) return &c;
  return nullptr;
}

bool warns(const causal::CausalResult& result, const std::string& code) {
  return std::any_of(result.warnings.begin(), result.warnings.end(),
                     [&](const auto& w) { return w.code == code; });
}

} // namespace

TEST(TypicalWindows, OverlapOfSingleLaunchesIsAFractionOfTheTimeInWhichItIsCounted) {
  const auto rows = launches(5'000);
  const OpenSession open = session_of(rows, copies(rows.back().start, 40'000));
  auto typical = TypicalRows::make(*open.session, *open.columns, {});
  ASSERT_TRUE(typical);
  const auto& windows = typical->windows;
  ASSERT_TRUE(kind(windows, "host-to-device copies").limited());
  auto of_launches = LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {}, {},
                                      std::make_shared<const TypicalRows>(*typical));
  ASSERT_TRUE(of_launches);
  of_launches->describe_single_launches();
  const auto only = of_launches->with_features({"overlap_host_to_device_ns"});
  ASSERT_EQ(only.features().size(), 1U);
  EXPECT_EQ(only.features()[0].unit, "%");
  causal::RowBlock block;
  ASSERT_TRUE(only.read(0, only.rows(), block));
  const auto overlap = windows.read("overlap_host_to_device_ns", Segment{0, 0, only.rows()});
  double maximum = 0; // of launches five times as long as is typical
  for (std::size_t i = 0; i < overlap.size(); ++i) {
    const double value = block.values(static_cast<Eigen::Index>(i), 0);
    EXPECT_NEAR(value, 100 * overlap[i] / kTypical, 1e-9);
    if (block.duration_ns[i] > kTypical) maximum = std::max(maximum, value);
  }
  EXPECT_GT(maximum, 40) << "of the whole duration it is 20 % at most";
}

TEST(TypicalWindows, CountWhatRunsAnywayInTheTypicalTime) {
  const auto rows = launches(20'000);
  const auto operations = copies(rows.back().start + 100'000, 26'000);
  const OpenSession open = session_of(rows, operations);
  const auto windows = TypicalWindows::make(*open.session, {});
  ASSERT_TRUE(windows);
  const auto& found = kind(*windows, "host-to-device copies");
  std::int64_t late = 0; // copies after the typical duration of launches that overlap none before
  for (const auto& row : rows) {
    std::int64_t typical = 0, after = 0;
    for (const auto& copy : operations) {
      if (copy.start >= row.start + row.duration) break;
      typical += copy.start + 4'000 > row.start && copy.start < row.start + kTypical;
      after += copy.start >= row.start + kTypical;
    }
    if (typical == 0) late += after;
  }
  EXPECT_EQ(found.late, late);
  EXPECT_NEAR(found.by_chance / static_cast<double>(late), 1, 0.1);
  ASSERT_TRUE(found.limited());
  EXPECT_FALSE(kind(*windows, "unified-memory migrations").limited());
  for (const char* column : {"overlap_host_to_device_ns", "overlap_transfer_bytes", "linked_transfer_count"})
    EXPECT_TRUE(windows->limits(column)) << column;
  for (const char* column : {"migration_ns", "overlap_memset_ns", "gap_ns", "duration"})
    EXPECT_FALSE(windows->limits(column)) << column;

  const Segment all{0, 0, 20'000};
  const auto limited = windows->read("overlap_host_to_device_ns", all),
             whole = open.columns->read("overlap_host_to_device_ns", all);
  double of_long = 0, of_typical = 0, whole_of_long = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double expected = 0;
    for (const auto& copy : operations) {
      if (copy.start >= rows[i].start + kTypical) break;
      expected += static_cast<double>(std::max<std::int64_t>(
          0, std::min(copy.start + 4'000, rows[i].start + kTypical) - std::max(copy.start, rows[i].start)));
    }
    ASSERT_EQ(limited[i], expected) << i;
    if (rows[i].duration == kTypical) {
      ASSERT_EQ(limited[i], whole[i]) << i;
      of_typical += limited[i] / 16'000;
    } else {
      of_long += limited[i] / 4'000, whole_of_long += whole[i] / 4'000;
    }
  }
  EXPECT_NEAR(of_long / of_typical, 1, 0.1)
      << "long launches overlap no more copies within the typical duration";
  EXPECT_GT(whole_of_long / of_typical, 4);
  const auto part = windows->read("linked_transfer_count", {0, 50, 60});
  const auto both = windows->read("linked_transfer_count", all);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), both.begin() + 50));
}

// A sample every 10 µs. The typical duration is 30 µs: the long launch extends into further samples, the
// short launch ends before the second sample.
TEST(TypicalWindows, CountersAreMeansOverTheTypicalTime) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "work", 1);
  test::add_launches(data, {{100'000, 30'000, 0, 2},
                            {200'000, 90'000, 0, 2},
                            {300'000, 30'000, 0, 2},
                            {400'000, 5'000, 0, 2},
                            {600'000, 30'000, 0, 2}});
  std::vector<std::pair<std::int64_t, double>> samples;
  for (std::int64_t time = 100'000; time <= 500'000; time += 10'000)
    samples.emplace_back(time, time > 235'000 && time < 300'000 ? 900.0 : static_cast<double>(time / 10'000));
  add_counter(data, "GPC Clock Frequency", samples);
  store::ImportReport report;
  ASSERT_TRUE(import::add_context(data, report, {}));
  const OpenSession open({data});
  const auto windows = TypicalWindows::make(*open.session, {});
  ASSERT_TRUE(windows);
  ASSERT_TRUE(windows->is_counter("mean_gpc_clock_frequency"));
  EXPECT_TRUE(windows->provides("mean_gpc_clock_frequency"));
  EXPECT_FALSE(windows->is_counter("overlap_host_to_device_ns"));
  EXPECT_FALSE(windows->provides("gap_ns"));
  const auto reported = windows->read("mean_gpc_clock_frequency", {0, 0, 5});
  EXPECT_EQ((std::vector<double>{reported.begin(), reported.end() - 1}),
            (std::vector<double>{11.5, 21.5, 31.5, 41.5}));
  EXPECT_TRUE(std::isnan(reported.back())) << "no sample within a sampling period";
  EXPECT_EQ(windows->read("mean_gpc_clock_frequency", {0, 2, 4}), (std::vector<double>{31.5, 41.5}));
  const auto own = open.columns->read("mean_gpc_clock_frequency", {0, 0, 4});
  EXPECT_EQ(own[0], 11.5);
  EXPECT_GT(own[1], 400) << "over its whole time, the long launch also has the later samples";
  EXPECT_EQ(own[3], 40);
  auto rows =
      LaunchRows::make(*open.session, *open.columns, {}, "kernel_variability", *open.communicator, {});
  ASSERT_TRUE(rows);
  causal::RowBlock block;
  ASSERT_TRUE(rows->read(0, 4, block));
  const auto& features = rows->features();
  const auto place = std::find_if(features.begin(), features.end(),
                                  [](const auto& f) { return f.name == "mean_gpc_clock_frequency"; });
  ASSERT_NE(place, features.end());
  EXPECT_EQ(block.values(1, place - features.begin()), 21.5)
      << "causes are searched within the typical duration";
}

// The typical duration is 10 µs. Activity that starts on the other stream after that did not lengthen the
// launch.
TEST(TypicalWindows, ConcurrencyIsThatOfTheTypicalTime) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "work", 1);
  test::add_kernel(data, "other", 1);
  test::add_launches(data, {{100'000, 10'000, 0, 2},
                            {200'000, 50'000, 0, 2},
                            {205'000, 2'000, 1, 3},
                            {220'000, 20'000, 1, 3},
                            {300'000, 10'000, 0, 2},
                            {400'000, 4'000, 0, 2}});
  store::ImportReport report;
  ASSERT_TRUE(import::add_context(data, report, {}));
  const OpenSession open({data});
  const auto windows = TypicalWindows::make(*open.session, {});
  ASSERT_TRUE(windows);
  ASSERT_TRUE(windows->provides("concurrency"));
  const auto reported = windows->read("concurrency", {0, 0, 6});
  EXPECT_EQ(reported[0], 0);
  EXPECT_DOUBLE_EQ(reported[1], 0.2) << "2 of the typical 10 µs";
  EXPECT_EQ(reported[3], 1);
  EXPECT_EQ(reported[5], 0);
  EXPECT_FLOAT_EQ(static_cast<float>(open.columns->read("concurrency", {0, 1, 2}).front()), 22.0f / 50);
}

// A stream that waits while the device works for another stream does not find a cold device.
TEST(TypicalWindows, GapsAreIdleWhereTheDeviceIs) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "work", 1);
  test::add_launches(data,
                     {{100'000, 10'000, 0, 2},
                      {120'000, 60'000, 0, 3}, // in the gap of 100 µs before the next launch of stream 2
                      {150'000, 10'000, 0, 3},
                      {210'000, 10'000, 0, 2},
                      {320'000, 10'000, 0, 2}});
  store::ImportReport report;
  ASSERT_TRUE(import::add_context(data, report, {}));
  const OpenSession open({data});
  const auto windows = TypicalWindows::make(*open.session, {});
  ASSERT_TRUE(windows);
  const Segment all{0, 0, 5};
  const auto gaps = windows->idle_gaps(all, open.columns->read("gap_ns", all));
  EXPECT_TRUE(std::isnan(gaps[0])) << "the first of its stream";
  EXPECT_EQ(gaps[3], 100'000 - 70'000);
  EXPECT_EQ(gaps[4], 100'000) << "nothing ran";
}

// Successive kernels of a graph overlap by up to a microsecond, which is not company.
TEST(TypicalWindows, SuccessiveLaunchesDoNotRunAtTheSameTime) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "work", 1);
  test::add_launches(data, {{100'000, 10'000, 0, 2}, {109'900, 10'000, 0, 2}, {119'500, 10'000, 0, 2}});
  store::ImportReport report;
  ASSERT_TRUE(import::add_context(data, report, {}));
  const OpenSession open({data});
  auto rows =
      LaunchRows::make(*open.session, *open.columns, {}, "kernel_variability", *open.communicator, {});
  ASSERT_TRUE(rows) << describe(rows.error());
  causal::RowBlock block;
  ASSERT_TRUE(rows->read(0, 3, block));
  const auto& features = rows->features();
  const auto place =
      std::find_if(features.begin(), features.end(), [](const auto& f) { return f.name == "concurrency"; });
  ASSERT_NE(place, features.end());
  const auto values = block.values.col(place - features.begin());
  EXPECT_EQ(values(0), 0) << "1 % of the time";
  EXPECT_DOUBLE_EQ(values(1), 0.05) << "1 % and 4 %";
  EXPECT_DOUBLE_EQ(values(2), 0.04);
}

TEST(TypicalWindows, TheFirstLaunchOfAStreamHasAGapToo) {
  const OpenSession open =
      session_of({{1'000, kTypical, 0, 1}, {21'000, kTypical, 0, 2}, {51'000, kTypical, 0, 2}}, {});
  auto rows =
      LaunchRows::make(*open.session, *open.columns, {}, "kernel_variability", *open.communicator, {});
  ASSERT_TRUE(rows);
  causal::RowBlock block;
  ASSERT_TRUE(rows->read(0, 3, block));
  const auto& features = rows->features();
  const auto gap =
      std::find_if(features.begin(), features.end(), [](const auto& f) { return f.name == "gap_ns"; }) -
      features.begin();
  EXPECT_TRUE(std::isnan(open.columns->read("gap_ns", {0, 1, 2}).front()));
  EXPECT_EQ(block.values(0, gap), 0);
  EXPECT_EQ(block.values(1, gap), 20'000);
  EXPECT_EQ(block.values(2, gap), 20'000);
}

// Migrations run all the time, and some launches are long for another reason; in the other trace launches
// that overlap a migration early are long.
TEST(TypicalWindows, DetectMigrationsWithoutAnEffect) {
  const auto as_migrations = [](std::vector<test::TransferRow> rows) {
    for (auto& row : rows) row.kind = store::TransferKind::MigrationHostToDevice;
    return rows;
  };
  const auto rows = launches(20'000);
  const OpenSession idle = session_of(rows, as_migrations(copies(rows.back().start + 100'000, 80'000)));
  EXPECT_TRUE(TypicalWindows::make(*idle.session, {})->does_not_act("migration_ns"));
  auto stalled = rows;
  for (auto& row : stalled) row.duration = kTypical;
  std::vector<test::TransferRow> faults;
  for (std::size_t i = 0; i < stalled.size(); i += 40) {
    faults.push_back({stalled[i].start + 1'000, 4'000, 4'096, store::TransferKind::MigrationHostToDevice, 3});
    stalled[i].duration += 5'000;
  }
  const OpenSession stalls = session_of(stalled, faults);
  const auto windows = TypicalWindows::make(*stalls.session, {});
  EXPECT_FALSE(windows->does_not_act("migration_ns"));
  EXPECT_TRUE(windows->acts("migration_ns"));
  EXPECT_FALSE(windows->acts("overlap_host_to_device_ns"));
}

// Two fifths of the launches take a fifth of the time of the others: while they run, fewer copies begin.
TEST(TypicalWindows, CopiesDoNotActBecauseShortLaunchesMeetFewer) {
  auto rows = launches(20'000);
  std::int64_t time = 1'000;
  std::mt19937_64 random(3);
  for (auto& row : rows) {
    row.start = time, row.duration = random() % 5 < 2 ? kTypical / 5 : kTypical;
    time += row.duration + 3'000;
  }
  const OpenSession open = session_of(rows, copies(time, 26'000));
  const auto windows = TypicalWindows::make(*open.session, {});
  ASSERT_TRUE(windows);
  EXPECT_FALSE(windows->acts("overlap_host_to_device_ns"));
  EXPECT_TRUE(windows->does_not_act("overlap_host_to_device_ns"));
}

// A copy takes three quarters of the time in which it overlaps a launch. It also overlaps the time by which
// other copies lengthen the launch.
TEST(TypicalWindows, CopiesThatLengthenALaunchCountUntilItsEnd) {
  auto rows = launches(5'000);
  const auto operations = copies(2 * rows.back().start, 40'000);
  const auto overlap_of = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t overlap = 0;
    for (const auto& copy : operations)
      overlap +=
          std::max<std::int64_t>(0, std::min(end, copy.start + copy.duration) - std::max(begin, copy.start));
    return overlap;
  };
  std::int64_t time = 1'000;
  for (auto& row : rows) {
    const std::int64_t work = row.duration;
    row.start = time;
    for (int round = 0; round < 20; ++round)
      row.duration = work + 3 * overlap_of(time, time + row.duration) / 4;
    time += row.duration + 3'000;
  }
  const OpenSession open = session_of(rows, operations);
  auto made = TypicalRows::make(*open.session, *open.columns, {});
  ASSERT_TRUE(made);
  ASSERT_TRUE(kind(made->windows, "host-to-device copies").limited());
  EXPECT_TRUE(made->windows.acts("overlap_host_to_device_ns"));
  auto of_launches = LaunchRows::make(*open.session, *open.columns, {}, "", *open.communicator, {}, {},
                                      std::make_shared<const TypicalRows>(std::move(*made)));
  ASSERT_TRUE(of_launches);
  of_launches->describe_single_launches();
  const auto only = of_launches->with_features({"overlap_host_to_device_ns"});
  causal::RowBlock block;
  ASSERT_TRUE(only.read(0, only.rows(), block));
  for (std::size_t i = 0; i < rows.size(); i += 97)
    EXPECT_NEAR(block.values(static_cast<Eigen::Index>(i), 0),
                100.0 * static_cast<double>(overlap_of(rows[i].start, rows[i].start + rows[i].duration)) /
                    static_cast<double>(rows[i].duration),
                1e-3);
}

// A page fault stalls the launch, and the migration that ends the stall starts after the typical duration of
// the launch.
TEST(TypicalWindows, KeepWhatTheLaunchWaitedFor) {
  const auto rows = launches(5'000);
  std::vector<test::TransferRow> operations;
  for (const auto& row : rows)
    if (row.duration > kTypical)
      operations.push_back(
          {row.start + row.duration - 9'000, 8'000, 4'096, store::TransferKind::MigrationHostToDevice, 3});
  const OpenSession open = session_of(rows, operations);
  const auto windows = TypicalWindows::make(*open.session, {});
  ASSERT_TRUE(windows);
  const auto& found = kind(*windows, "unified-memory migrations");
  EXPECT_EQ(found.late, 1'000);
  EXPECT_LT(found.by_chance, 1);
  EXPECT_FALSE(found.limited());
  EXPECT_FALSE(windows->limits("migration_ns"));
}

TEST(TypicalWindows, FewOperationsAreNotEvidence) {
  const auto rows = launches(60);
  const OpenSession open = session_of(rows, copies(rows.back().start, 60'000));
  const auto windows = TypicalWindows::make(*open.session, {});
  ASSERT_TRUE(windows);
  EXPECT_GT(kind(*windows, "host-to-device copies").late, 0);
  EXPECT_LT(kind(*windows, "host-to-device copies").late, TypicalWindows::Kind::kMinLaunches);
  EXPECT_FALSE(windows->limits("overlap_host_to_device_ns"));
}

TEST(TypicalWindows, StoresWithoutContextHaveNone) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "work", 1);
  test::add_launches(data, launches(100));
  const OpenSession open({data});
  const auto windows = TypicalWindows::make(*open.session, {});
  ASSERT_TRUE(windows);
  EXPECT_FALSE(windows->limits("overlap_host_to_device_ns"));
}

TEST(TypicalWindows, ACancelIsHeard) {
  const auto rows = launches(100);
  const OpenSession open = session_of(rows, copies(rows.back().start, 26'000));
  Job job;
  job.cancelled = [] { return true; };
  const auto windows = TypicalWindows::make(*open.session, job);
  ASSERT_FALSE(windows);
  EXPECT_EQ(windows.error().kind, ErrorKind::Cancelled);
}

TEST(TypicalWindows, CopiesAreNotCausesOfEffectsOfTheClockAndAStream) {
  const auto result = answer_for({generator::Cause::Clock, generator::Cause::Stream}, true, 30'000);
  EXPECT_TRUE(warns(result, "typical-time"));
  ASSERT_TRUE(contribution(result, "mean_gpc_clock_frequency"));
  EXPECT_EQ(contribution(result, "mean_gpc_clock_frequency")->role, causal::Role::cause);
  if (const auto* copying = contribution(result, "overlap_host_to_device_ns")) {
    EXPECT_EQ(copying->role, causal::Role::associated);
    EXPECT_LT(copying->attributable_percent.value_or(0), 10);
  }
}

// Percent of Σ|d − median| that vanishes without each cause: clock 38, copies 32, stream 26, migrations 12,
// first launches 8, configuration 0. Copies that start late in launches slowed by the stream slow them
// further; these copies are not counted.
TEST(TypicalWindows, SixCausesAtOnceAreDistinguished) {
  const auto result = answer_for(generator::all_causes(), false, 100'000);
  EXPECT_TRUE(warns(result, "typical-time"));
  EXPECT_TRUE(result.contributions.front().feature.starts_with("mean_gpc_clock_frequency"))
      << result.contributions.front().feature;
  const auto share = [&](const char* feature) {
    const auto* found = contribution(result, feature);
    return found ? found->attributable_percent.value_or(-1) : -1;
  };
  EXPECT_NEAR(share("mean_gpc_clock_frequency"), 38.5, 5);
  EXPECT_NEAR(share("overlap_host_to_device_ns"), 27, 7);
  EXPECT_NEAR(share("stream"), 25.7, 5);
  EXPECT_NEAR(share("migration_count"), 10.5, 3);
  EXPECT_NEAR(share("first_launch"), 8, 3);
}

struct TwoCauses {
  generator::Cause first, second;
  const char *first_feature, *second_feature;
  const char* name;
};
class TwoCausesAtOnce : public testing::TestWithParam<TwoCauses> {};

// The share that vanishes without a cause is measured on the same program without it.
TEST_P(TwoCausesAtOnce, HaveTheirShares) {
  const auto& p = GetParam();
  constexpr std::int64_t kCount = 30'000;
  const double both = variability_of(generated({p.first, p.second}, false, kCount));
  const auto result = answer_for({p.first, p.second}, false, kCount);
  for (const auto& [feature, other] : {std::pair{p.first_feature, p.second}, {p.second_feature, p.first}}) {
    const double share = 100 * (1 - variability_of(generated({other}, false, kCount)) / both);
    const auto* found = contribution(result, feature);
    ASSERT_TRUE(found) << feature;
    EXPECT_EQ(found->role, causal::Role::cause) << feature;
    EXPECT_NEAR(found->attributable_percent.value_or(0), share, 6) << feature;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Generated, TwoCausesAtOnce,
    testing::Values(TwoCauses{generator::Cause::Stream, generator::Cause::Migration, "stream", "migration",
                              "StreamAndMigrations"},
                    TwoCauses{generator::Cause::Copy, generator::Cause::Migration,
                              "overlap_host_to_device_ns", "migration", "CopiesAndMigrations"},
                    TwoCauses{generator::Cause::Copy, generator::Cause::Stream, "overlap_host_to_device_ns",
                              "stream", "CopiesAndStream"},
                    TwoCauses{generator::Cause::Clock, generator::Cause::Migration,
                              "mean_gpc_clock_frequency", "migration", "ClockAndMigrations"},
                    TwoCauses{generator::Cause::Clock, generator::Cause::Stream, "mean_gpc_clock_frequency",
                              "stream", "ClockAndStream"},
                    TwoCauses{generator::Cause::Clock, generator::Cause::Copy, "mean_gpc_clock_frequency",
                              "overlap_host_to_device_ns", "ClockAndCopies"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// A few first launches take a hundred times as long, at all clock frequencies. No clock frequency lengthened
// them.
TEST(TypicalWindows, TheClockDoesNotAnswerForFirstLaunches) {
  constexpr std::int64_t kCount = 30'000;
  const double both =
      variability_of(generated({generator::Cause::Clock, generator::Cause::Warmup}, false, kCount));
  const auto result = answer_for({generator::Cause::Clock, generator::Cause::Warmup}, false, kCount);
  for (const auto& [feature, other] : {std::pair{"mean_gpc_clock_frequency", generator::Cause::Warmup},
                                       {"first_launch", generator::Cause::Clock}}) {
    const double share = 100 * (1 - variability_of(generated({other}, false, kCount)) / both);
    ASSERT_TRUE(contribution(result, feature)) << feature;
    EXPECT_NEAR(contribution(result, feature)->attributable_percent.value_or(0), share, 6) << feature;
  }
}

TEST(TypicalWindows, AnEventOfOneStretchIsSaidToBeOne) {
  const auto result = answer_for({generator::Cause::Warmup}, false, 30'000);
  const auto* first = contribution(result, "first_launch");
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->in_one_stretch);
  EXPECT_GT(*first->attributable_percent, 80);
  EXPECT_TRUE(std::any_of(result.sentences.begin(), result.sentences.end(), [](const std::string& sentence) {
    return sentence.find("its effect is limited to a few short parts of the run") != std::string::npos;
  }));
  const auto stream = answer_for({generator::Cause::Stream}, false, 30'000);
  EXPECT_FALSE(stream.contributions.front().in_one_stretch);
}

// Migrations that themselves stall a launch are still reported.
TEST(TypicalWindows, AStallIsStillExplainedByItsMigration) {
  const auto result = answer_for({generator::Cause::Migration}, true, 20'000);
  ASSERT_FALSE(result.contributions.empty());
  EXPECT_TRUE(result.contributions.front().feature.starts_with("migration"))
      << result.contributions.front().feature;
  EXPECT_GT(*result.contributions.front().attributable_percent, 75);
}
