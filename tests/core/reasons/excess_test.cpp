#include "core/reasons/contrast.h"
#include "core/reasons/excess_along.h"
#include "core/reasons/launch_excess.h"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "core/import/import.h"
#include "tests/generator/generator.h"
#include "tests/support/many_launches.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

struct Planted {
  OpenSession open;
  std::shared_ptr<const Excess> excess;
  std::vector<std::map<std::string, double>> parts; ///< for each session row: added time by cause [ns]

  Planted(const std::vector<generator::Cause>& causes, const test::TemporaryFolder& folder)
      : open({imported(causes, folder)}) {
    const auto typical = TypicalRows::make(*open.session, *open.columns, {});
    auto reasons = LaunchReasons::make(*open.session, *open.columns,
                                       std::make_shared<const TypicalRows>(*typical), *open.communicator, {});
    if (!reasons) throw std::runtime_error(describe(reasons.error()));
    excess = std::make_shared<const Excess>(std::make_shared<const LaunchReasons>(std::move(*reasons)));
    open.columns->set_excess(excess);
    std::ifstream file(folder.file("parts.csv"));
    std::string line, cell;
    std::getline(file, line);
    std::vector<std::pair<long long, std::map<std::string, double>>> rows;
    while (std::getline(file, line)) {
      std::stringstream cells(line);
      std::vector<long long> values;
      while (std::getline(cells, cell, ',')) values.push_back(std::stoll(cell));
      auto& added = rows.emplace_back(values[0], std::map<std::string, double>{}).second;
      for (std::size_t c = 0; c < causes.size(); ++c)
        added[std::string(to_string(causes[c]))] = static_cast<double>(values[5 + c]);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& row : rows) parts.push_back(std::move(row.second));
  }
  static store::TraceData imported(const std::vector<generator::Cause>& causes,
                                   const test::TemporaryFolder& folder) {
    generator::Options options;
    options.launches = 20'000, options.causes = causes, options.turn_ns = 20'000'000;
    if (!generator::generate(options, folder.file("t.sqlite"), "", folder.file("parts.csv")))
      throw std::runtime_error("generator");
    auto data = import::import_files({folder.file("t.sqlite")}, Job{});
    if (!data) throw std::runtime_error(describe(data.error()));
    return std::move(*data);
  }
  std::vector<double> column(std::string_view name) const {
    return open.columns->read(name, {0, 0, open.session->launches()});
  }
};

} // namespace

// Each launch gets the part of the cause that lengthened it: sums agree within 5 %, absolute errors are below
// 15 %.
TEST(Excess, PartsAreWhatWasPlanted) {
  const test::TemporaryFolder folder;
  const Planted planted({generator::Cause::Clock, generator::Cause::Migration}, folder);
  const auto clock = planted.column("excess_clock_ns"), migrations = planted.column("excess_migrations_ns");
  ASSERT_EQ(clock.size(), planted.parts.size());
  double found[2] = {}, true_parts[2] = {}, missed[2] = {};
  for (std::size_t i = 0; i < clock.size(); ++i) {
    const double truth[2] = {planted.parts[i].at("clock"), planted.parts[i].at("migration")},
                 own[2] = {clock[i], migrations[i]};
    for (int c = 0; c < 2; ++c)
      found[c] += own[c], true_parts[c] += truth[c], missed[c] += std::fabs(own[c] - truth[c]);
  }
  for (int c = 0; c < 2; ++c) {
    EXPECT_NEAR(found[c] / true_parts[c], 1, 0.05) << c;
    EXPECT_LT(missed[c] / true_parts[c], 0.15) << c;
  }
}

TEST(Excess, PartsAddUpAndAreFilters) {
  const test::TemporaryFolder folder;
  const Planted planted({generator::Cause::Clock}, folder);
  const auto total = planted.column("excess_ns"), duration = planted.column("duration");
  std::vector<double> sum(total.size());
  for (const auto name : Excess::kColumns) {
    const auto part = planted.column(name);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_NEAR(sum[i], total[i], 1e-6 * duration[i]) << i;
    EXPECT_GT(duration[i] - total[i], 0) << i;
  }
  const auto filter = test::selection(planted.open, "excess > 5us and excess_clock > 5us");
  const auto clock = planted.column("excess_clock_ns");
  const auto mask =
      filter.select(*planted.open.session, *planted.open.columns, {0, 0, planted.open.session->launches()});
  for (std::size_t i = 0; i < mask.size(); ++i)
    EXPECT_EQ(mask[i] != 0, total[i] > 5'000 && clock[i] > 5'000) << i;
}

TEST(Excess, DoesNotDependOnWhatIsReadTogetherOrByHowManyThreads) {
  const test::TemporaryFolder folder;
  const Planted planted({generator::Cause::Clock, generator::Cause::Copy}, folder);
  const auto all = planted.column("excess_copies_ns");
  std::vector<std::thread> threads;
  std::vector<int> different(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t first = t * 101; first + 300 < static_cast<std::int64_t>(all.size()); first += 997) {
        const auto part = planted.open.columns->read("excess_copies_ns", {0, first, first + 300});
        for (std::size_t i = 0; i < part.size(); ++i)
          different[static_cast<std::size_t>(t)] += part[i] != all[static_cast<std::size_t>(first) + i];
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(different, std::vector<int>(4));
}

// For any window and columns the sum of the excess over the columns equals the sum over the launches.
// Launches also count in windows that begin after their start.
TEST(Excess, AlongTimeIsThatOfTheLaunches) {
  const test::TemporaryFolder folder;
  const Planted planted({generator::Cause::Clock, generator::Cause::Migration}, folder);
  const auto& session = *planted.open.session;
  const auto span = session.launch_span();
  const auto along = [&](Interval window, int columns) {
    auto found = excess_along(session, *planted.excess, window, columns, *planted.open.communicator, {});
    if (!found) throw std::runtime_error(describe(found.error()));
    return std::move(*found);
  };
  const auto sum_of = [](const ExcessAlong& found, std::size_t kind) {
    double sum = 0;
    for (const auto& column : found.ns) sum += static_cast<double>(column[kind]);
    return sum;
  };
  const auto whole = along(span, 777);
  ASSERT_EQ(whole.ns.size(), 777u);
  EXPECT_EQ(whole.borders.front(), span.begin.count);
  EXPECT_EQ(whole.borders.back(), span.end.count);
  for (const auto kind : {Excess::kClock, Excess::kMigrations, Excess::kRest}) {
    double launches = 0;
    for (const double part : planted.column(Excess::kColumns[kind]))
      launches += std::isnan(part) ? 0.0 : part;
    EXPECT_NEAR(sum_of(whole, kind), launches, 20'000.0)
        << kind; // the part of each launch is rounded, in two columns for some launches
    EXPECT_GT(std::fabs(launches), 40'000.0) << kind;
  }
  // Launches above `minimum` are those that the cause lengthened: nearly all of them, and few others.
  {
    const auto clock = planted.column("excess_clock_ns");
    double given = 0, found = 0;
    std::size_t chosen = 0, wrong = 0;
    for (std::size_t row = 0; row < clock.size(); ++row) {
      const double truth = planted.parts[row].at("clock");
      given += truth;
      if (!(clock[row] > static_cast<double>(whole.minimum[Excess::kClock]))) continue;
      found += truth;
      ++chosen;
      wrong += truth == 0 ? 1 : 0;
    }
    EXPECT_GT(found, 0.9 * given);
    EXPECT_LT(static_cast<double>(wrong), 0.1 * static_cast<double>(chosen));
    EXPECT_GT(chosen, 20u);
  }
  // Two parts of the run add up to the whole, even where their border cuts launches.
  const auto middle = whole.borders[388];
  const auto first = along({span.begin, {middle}}, 100), second = along({{middle}, span.end}, 100);
  EXPECT_NEAR(sum_of(first, Excess::kClock) + sum_of(second, Excess::kClock), sum_of(whole, Excess::kClock),
              20'000.0);
  // A window inside the cause's longest launch contains the launch's share by time.
  const auto durations = planted.column("duration"), clock = planted.column("excess_clock_ns");
  const auto row = static_cast<std::size_t>(std::max_element(clock.begin(), clock.end()) - clock.begin());
  const auto start = session.traces()[0].starts()[row] + session.traces()[0].shift_ns;
  const auto length = static_cast<std::int64_t>(durations[row]);
  const Interval quarter{{start + length / 2}, {start + length / 2 + length / 4}};
  const auto inside = along(quarter, 10);
  EXPECT_GT(sum_of(inside, Excess::kClock), 0.2 * clock[row]);
  // So does a window near its end that is thousands of times shorter.
  EXPECT_GT(sum_of(along({{start + length - 10}, {start + length - 2}}, 4), Excess::kClock), 0);
  // So do columns of 1 ns, in each of which it is less than 1 ns.
  const auto columns = static_cast<int>(std::min<std::int64_t>(quarter.length().count, 2'000));
  const Interval start_of_it{quarter.begin, {quarter.begin.count + columns}};
  EXPECT_NEAR(sum_of(along(start_of_it, columns), Excess::kClock),
              sum_of(along(start_of_it, 1), Excess::kClock), 0.01 * columns);
}

// Launches at the normal clock are compared with those at the low clock: their values differ from those of
// the reference as little as possible, and yet the clock is stated, with an example.
TEST(Excess, ANormalClockIsStatedAsItIs) {
  const test::TemporaryFolder folder;
  const Planted planted({generator::Cause::Clock}, folder);
  const auto& reasons = planted.excess->reasons();
  const auto clock = planted.column("mean_gpc_clock_frequency");
  std::vector<std::size_t> chosen;
  double sum = 0;
  for (std::size_t row = 0; row < clock.size(); ++row)
    if (clock[row] > 1.3e9) chosen.push_back(row), sum += clock[row];
  const auto inside = [&](std::int64_t row) { return clock[static_cast<std::size_t>(row)] > 1.3e9; };
  const auto found = Contrasts(reasons, {}).of(reasons.sampled(), chosen, inside, {});
  const auto* leading = found.leading();
  ASSERT_NE(leading, nullptr);
  EXPECT_LT(found.excess_ns, 0);
  EXPECT_NEAR(leading->here, sum / static_cast<double>(chosen.size()), 0.01e9);
  EXPECT_LT(leading->elsewhere, 1.2e9);
  EXPECT_GT(leading->launches, static_cast<std::int64_t>(chosen.size() / 2));
  EXPECT_GE(leading->example, 0);
}

// The launch that the cause lengthened most: its parts add up to its excess, most of it is due to that cause,
// and few launches are as long.
TEST(LaunchExcess, PartsOfALaunchAddUp) {
  const test::TemporaryFolder folder;
  const Planted planted({generator::Cause::Clock, generator::Cause::Migration}, folder);
  const auto clock = planted.column("excess_clock_ns"), total = planted.column("excess_ns");
  const auto row = std::max_element(clock.begin(), clock.end()) - clock.begin();
  const auto found = excess_of_launch(planted.excess->reasons(), row);
  ASSERT_TRUE(found.has_value()) << describe(found.error());
  EXPECT_NEAR(found->duration_ns - found->typical_ns, total[static_cast<std::size_t>(row)], 1e-6);
  double sum = found->unexplained_ns;
  for (const auto& part : found->parts) sum += part.ns;
  EXPECT_NEAR(sum, total[static_cast<std::size_t>(row)], 1e-6);
  ASSERT_FALSE(found->parts.empty());
  EXPECT_NE(found->parts.front().column.find("clock"), std::string::npos);
  EXPECT_NE(found->parts.front().value.find("Hz"), std::string::npos);
  EXPECT_GT(found->parts.front().error_ns, 0);
  EXPECT_LT(found->parts.front().error_ns, found->parts.front().ns);
  EXPECT_GT(found->rank, 0.9);
  std::int64_t counted = 0;
  for (const auto count : found->counts) counted += count;
  EXPECT_EQ(counted, found->peers);
  EXPECT_GE(found->peers, 10);
  EXPECT_LE(found->edges.front(), found->duration_ns);
  EXPECT_GE(found->edges.back(), found->duration_ns);
  EXPECT_FALSE(excess_of_launch(planted.excess->reasons(), -1).has_value());
  EXPECT_FALSE(
      excess_of_launch(planted.excess->reasons(), static_cast<std::int64_t>(clock.size())).has_value());
}
