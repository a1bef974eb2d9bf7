#include <gtest/gtest.h>

#include "core/analysis/timeline/stretches.h"
#include "core/store/tracks/track_index_tables.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;

namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

std::vector<Interval> found(const std::vector<test::LaunchRow>& rows, double min_gap) {
  auto data = test::empty_trace();
  test::add_kernel(data, "k", 1);
  test::add_launches(data, rows);
  if (!store::add_track_index(data, {})) throw std::runtime_error("no index");
  const test::OpenSession open({data});
  return stretches_of_launches(*open.session, NameTable(*open.session), Tracks(*open.session), min_gap);
}

std::vector<test::LaunchRow> burst(std::int64_t begin, int launches) {
  std::vector<test::LaunchRow> rows;
  for (int i = 0; i < launches; ++i) rows.push_back({begin + i * 50'000, 40'000, 0, 2});
  return rows;
}

void expect_near(Interval stretch, std::int64_t begin, std::int64_t end) {
  EXPECT_NEAR(static_cast<double>(stretch.begin.count), static_cast<double>(begin), 2'000);
  EXPECT_NEAR(static_cast<double>(stretch.end.count), static_cast<double>(end), 2'000);
}

} // namespace

TEST(Stretches, OfCapturesHoursApartAreTheCapturesThemselves) {
  auto rows = burst(0, 200);
  for (const auto begin : {kHour, 5 * kHour})
    for (const auto& row : burst(begin, 100)) rows.push_back(row);
  const auto stretches = found(rows, 0.02);
  ASSERT_EQ(stretches.size(), 3U);
  expect_near(stretches[0], 0, 199 * 50'000 + 40'000);
  expect_near(stretches[1], kHour, kHour + 99 * 50'000 + 40'000);
  expect_near(stretches[2], 5 * kHour, 5 * kHour + 99 * 50'000 + 40'000);
}

TEST(Stretches, JoinWhereTheGapIsShort) {
  auto rows = burst(0, 100);                                         // 5 ms long
  for (const auto& row : burst(5'050'000, 100)) rows.push_back(row); // 60 µs after the first burst
  EXPECT_EQ(found(rows, 0.02).size(), 1U);
}

TEST(Stretches, ASingleLaunchIsOne) {
  const auto stretches = found({{kHour, 7'000, 0, 2}}, 0.02);
  ASSERT_EQ(stretches.size(), 1U);
  expect_near(stretches[0], kHour, kHour + 7'000);
}
