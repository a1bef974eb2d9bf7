#include "core/reasons/rows/recent_memory.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/causal/base/random.h"
#include "core/import/assemble/context.h"
#include "core/reasons/contrast.h"
#include "core/reasons/rows/recent_idle.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

OpenSession session_with_copies(const std::vector<test::LaunchRow>& rows,
                                const std::vector<test::TransferRow>& operations) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "work", 1);
  test::add_launches(data, rows);
  test::add_transfers(data, operations);
  store::ImportReport report;
  if (!import::add_context(data, report, {})) throw std::runtime_error("context");
  return OpenSession({data});
}

} // namespace

TEST(RecentMemory, CountsFromTheEndOfTheLatestOperation) {
  constexpr auto kCopy = store::TransferKind::HostToDevice;
  const auto open = session_with_copies({{1'000, 500, 0, 2},
                                         {8'000, 500, 0, 2},
                                         {10'000, 500, 0, 2},
                                         {13'000, 500, 0, 2},
                                         {700'000, 500, 0, 2},
                                         {1'400'000, 500, 0, 2}},
                                        {{2'000, 4'000, 64, kCopy, 3},
                                         {9'000, 3'000, 64, kCopy, 3},
                                         {699'900, 350, 64, kCopy, 3},
                                         {1'300'000, 200'000, 64, kCopy, 3}});
  const auto windows = TypicalWindows::make(*open.session, {});
  ASSERT_TRUE(windows);
  EXPECT_TRUE(windows->provides("recent_copy_ns"));
  EXPECT_FALSE(windows->provides("recent_migration_ns"));
  auto values = windows->read("recent_copy_ns", open.session->segments(0, 6).front());
  ASSERT_EQ(values.size(), 6u);
  for (const std::size_t during : {4, 5}) {
    EXPECT_TRUE(std::isnan(values[during])) << "a copy overlaps the launch";
    values[during] = 0;
  }
  constexpr double kWithin = RecentMemory::kWithin;
  EXPECT_EQ(values, (std::vector<double>{0, kWithin - 2'000, kWithin - 4'000, kWithin - 1'000, 0, 0}));
}

// Copies end before launches and leave the cache cold: the five launches after them are longer, the launches
// during copies are not.
TEST(RecentMemory, NamesCopiesBeforeALaunch) {
  causal::Random random(5);
  std::vector<test::LaunchRow> rows;
  std::vector<test::TransferRow> copies;
  std::int64_t time = 1'000'000;
  for (int i = 0; i < 8'000; ++i) {
    const bool window = i / 400 % 5 == 2;
    if (window && i % 40 == 10)
      copies.push_back({time - 3'000, 2'000, 1'000, store::TransferKind::HostToDevice, 3});
    const bool cold = window && i % 40 >= 10 && i % 40 < 15;
    rows.push_back(
        {time, static_cast<std::int64_t>((cold ? 15'000 : 10'000) * (1 + 0.02 * random.uniform())), 0, 2});
    time += rows.back().duration + 5'000;
  }
  const auto open = session_with_copies(rows, copies);
  const auto reasons = LaunchReasons::make(*open.session, *open.columns, nullptr, *open.communicator, {});
  ASSERT_TRUE(reasons.has_value()) << describe(reasons.error());
  ASSERT_EQ(reasons->fit().terms.size(), 1u);
  EXPECT_EQ(reasons->fit().terms[0].feature.name, "recent_copy_ns");
  const Contrasts contrasts(*reasons, {});
  std::vector<std::size_t> chosen;
  for (std::size_t i = 800; i < 1'200; ++i) chosen.push_back(i);
  const auto contrast = contrasts.of(reasons->sampled(), chosen,
                                     [](std::int64_t row) { return row >= 800 && row < 1'200; }, {});
  const auto* leading = contrast.leading();
  ASSERT_NE(leading, nullptr);
  EXPECT_EQ(leading->label, "copies shortly before the launch");
  EXPECT_NEAR(leading->excess_ns / contrast.excess_ns, 1, 0.1);
}

auto recorded_gaps(const OpenSession& open) {
  return [&open](const Segment& of) { return open.columns->read("gap_ns", of); };
}

// Two streams; the second starts 0.2 ms after the first.
TEST(RecentIdle, CountsLaunchesOfTheStreamSinceItWasIdle) {
  std::vector<test::LaunchRow> rows;
  std::int64_t time = 1'000'000;
  for (int i = 0; i < 12; ++i) {
    rows.push_back({time, 5'000, 0, 2});
    time += i == 1 ? 105'000 : i == 10 ? 104'999 : 20'000;
  }
  rows.push_back({1'200'000, 1'000, 0, 3});
  rows.push_back({1'202'000, 1'000, 0, 3});
  std::ranges::sort(rows, {}, &test::LaunchRow::start);
  const auto open = session_with_copies(rows, {});
  const auto streams = open.session->traces()[0].store.column<std::uint32_t>("launches", "stream");
  std::vector<double> first, second;
  const auto segment = open.session->segments(0, 14).front();
  const auto values = recent_idle(*open.session, segment, recorded_gaps(open));
  for (std::size_t i = 0; i < values.size(); ++i)
    (streams[i] == streams[0] ? first : second).push_back(values[i]);
  EXPECT_EQ(first, (std::vector<double>{0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0}));
  EXPECT_EQ(second, (std::vector<double>{8, 7}));
  auto part = segment;
  part.first = 5;
  EXPECT_EQ(recent_idle(*open.session, part, recorded_gaps(open)),
            std::vector<double>(values.begin() + 5, values.end()));
}

// A busy stream, and one with a launch after every 1,500 of its launches: its idle times are known from gaps,
// and the launches after them from a limited number of rows, however the rows are read.
TEST(RecentIdle, DoesNotDependOnWhichRowsAreReadTogether) {
  std::vector<test::LaunchRow> rows;
  for (int i = 0; i < 6'000; ++i) {
    rows.push_back({1'000'000 + i * 6'000, 5'000, 0, 2});
    if (i % 1'500 == 700) rows.push_back({1'003'000 + i * 6'000, 1'000, 0, 3});
    if (i % 1'500 == 800) rows.push_back({1'003'000 + i * 6'000, 1'000, 0, 3});
  }
  std::ranges::sort(rows, {}, &test::LaunchRow::start);
  const auto open = session_with_copies(rows, {});
  const auto segment = open.session->segments(0, std::ssize(rows)).front();
  const auto whole = recent_idle(*open.session, segment, recorded_gaps(open));
  EXPECT_EQ(std::ranges::count(whole, 8.0), 8) << "all pauses of the second stream are idle times";
  for (const std::int64_t length : {1, 700, 2'000})
    for (auto first = segment.first; first < segment.last; first += 97 * length) {
      auto part = segment;
      part.first = first, part.last = std::min(segment.last, first + length);
      EXPECT_EQ(recent_idle(*open.session, part, recorded_gaps(open)),
                std::vector<double>(whole.begin() + part.first, whole.begin() + part.last));
    }
  auto from_second = segment;
  from_second.first = 3'703;
  EXPECT_EQ(recent_idle(*open.session, from_second, recorded_gaps(open)),
            std::vector<double>(whole.begin() + from_second.first, whole.end()));
}
