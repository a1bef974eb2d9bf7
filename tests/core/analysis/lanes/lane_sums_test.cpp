// Sums of events that never overlap equal those of Coverage.

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/analysis/lanes/coverage.h"
#include "core/analysis/lanes/lane_sums.h"

namespace jitterscope::analysis {
namespace {

constexpr std::size_t kNames = 5;

std::vector<store::Event> lane(std::mt19937& random, std::size_t events) {
  std::vector<store::Event> lane;
  std::int64_t at = static_cast<std::int64_t>(random() % 50) - 100;
  for (std::size_t i = 0; i < events; ++i) {
    at += random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 40);
    const auto length = random() % 20 == 0 ? random() % 900 : random() % 4 == 0 ? 0 : random() % 30;
    const auto name = random() % 50 == 0 ? kNone : static_cast<std::uint32_t>(random() % kNames);
    lane.push_back({at, at + static_cast<std::int64_t>(length), name});
    at += static_cast<std::int64_t>(length);
  }
  return lane;
}

std::vector<std::int64_t> borders(std::mt19937& random) {
  std::vector<std::int64_t> borders = {static_cast<std::int64_t>(random() % 400) - 200};
  for (auto bins = 1 + random() % 60; bins > 0; --bins)
    borders.push_back(borders.back() + 1 + static_cast<std::int64_t>(random() % 80));
  return borders;
}

void expect_same(std::span<const BinSum> sums, std::span<const BinSum> expected) {
  ASSERT_EQ(sums.size(), expected.size());
  for (std::size_t bin = 0; bin < sums.size(); ++bin) {
    SCOPED_TRACE(bin);
    EXPECT_EQ(sums[bin].starts, expected[bin].starts);
    EXPECT_EQ(sums[bin].open, expected[bin].open);
    EXPECT_EQ(sums[bin].name, expected[bin].name);
    EXPECT_EQ(sums[bin].name_busy, expected[bin].name_busy);
    EXPECT_EQ(sums[bin].busy, expected[bin].busy);
    EXPECT_EQ(sums[bin].covered, expected[bin].covered);
    EXPECT_EQ(sums[bin].selected, expected[bin].selected);
    EXPECT_EQ(sums[bin].selected_events, expected[bin].selected_events);
  }
}

TEST(LaneSums, EqualCoverageForAnyLaneAndBins) {
  std::mt19937 random(3);
  LaneSums sums; // reused for all
  sums.allow(kNames);
  for (int run = 0; run < 2'000; ++run) {
    SCOPED_TRACE(run);
    auto events = lane(random, random() % 120);
    // Coverage breaks ties of unknown names differently: only known names are compared.
    for (auto& event : events)
      if (event.name == kNone) event.name = 0;
    const auto bins = borders(random);
    Coverage coverage(kNames);
    coverage.start(bins);
    for (const auto& event : events) coverage.add(event, true);
    const auto first = std::partition_point(events.begin(), events.end(),
                                            [&](const auto& event) { return event.begin < bins.front(); });
    sums.start(bins);
    if (first != events.begin()) sums.add_open(*(first - 1), 0);
    sums.add(std::span(events).subspan(static_cast<std::size_t>(first - events.begin())));
    expect_same(sums.finish(), coverage.finish());
    if (HasFailure()) return;
  }
}

TEST(LaneSums, UnknownNamesDoNoHarm) {
  std::mt19937 random(4);
  LaneSums sums;
  sums.allow(kNames);
  for (int run = 0; run < 200; ++run) {
    const auto events = lane(random, 50);
    const auto bins = borders(random);
    sums.start(bins);
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i].begin >= bins.front()) sums.add({&events[i], 1});
    std::uint64_t busy = 0;
    for (const auto& sum : sums.finish()) busy += sum.busy;
    std::uint64_t expected = 0;
    for (const auto& event : events)
      if (event.begin >= bins.front() && event.begin < bins.back())
        expected += static_cast<std::uint64_t>(std::min(event.end, bins.back()) - event.begin);
    EXPECT_EQ(busy, expected);
  }
}

} // namespace
} // namespace jitterscope::analysis
