#include <gtest/gtest.h>

#include "tests/core/efficiency/software_counters.h"

using namespace jitterscope;
using namespace jitterscope::test;

namespace {

// Bursts, events to count (type 63000006) and events to keep (50000002).
const std::vector<Interval> kBursts = {{{0}, {10}}, {{25}, {27}}, {{30}, {45}}};
const std::vector<TypedEvent> kEvents = {
    {12, 63'000'006, 3}, {13, 63'000'006, 3}, {14, 63'000'006, 3}, {20, 50'000'002, 8}, {25, 50'000'002, 0}};

BurstFilter filter(CounterKind kind) {
  return {5, {50'000'002}, {63'000'006}, kind};
}

} // namespace

TEST(SoftwareCounters, ReplaceTheEventsBetweenBurstsThatStay) {
  const auto out = filter_bursts(kBursts, kEvents, filter(CounterKind::PerValue));
  EXPECT_EQ(out.bursts, (std::vector<Interval>{{{0}, {10}}, {{30}, {45}}}));
  EXPECT_EQ(out.events, (std::vector<TypedEvent>{{20, 50'000'002, 8}, {25, 50'000'002, 0}}));
  EXPECT_EQ(out.counters, (std::vector<TypedEvent>{{30, 16'306'003, 3}, {45, 16'306'003, 0}}));
}

TEST(SoftwareCounters, AreNumberedAsParaverDoes) {
  EXPECT_EQ(counter_type(CounterKind::PerValue, 63'000'006, 3), 16'306'003);
  EXPECT_EQ(counter_type(CounterKind::Global, 63'000'006, 3), 26'306);
  EXPECT_EQ(counter_type(CounterKind::Accumulated, 42'000'050, 17), 42'000'050);
}

TEST(SoftwareCounters, CountATypeOrSumItsValues) {
  EXPECT_EQ(filter_bursts(kBursts, kEvents, filter(CounterKind::Global)).counters,
            (std::vector<TypedEvent>{{30, 26'306, 3}, {45, 26'306, 0}}));
  EXPECT_EQ(filter_bursts(kBursts, kEvents, filter(CounterKind::Accumulated)).counters,
            (std::vector<TypedEvent>{{30, 63'000'006, 9}, {45, 63'000'006, 0}}));
}

TEST(SoftwareCounters, OfEventsInsideABurstAreEmittedAtItsEnd) {
  const std::vector<TypedEvent> events = {
      {2, 63'000'006, 1}, {9, 63'000'006, 2}, {30, 63'000'006, 1}, {45, 63'000'006, 1}};
  EXPECT_EQ(filter_bursts(kBursts, events, filter(CounterKind::PerValue)).counters,
            (std::vector<TypedEvent>{{10, 16'306'001, 1},
                                     {10, 16'306'002, 1},
                                     {30, 16'306'001, 0},
                                     {30, 16'306'002, 0},
                                     {45, 16'306'001, 1},
                                     {45, 16'306'002, 0}}));
}

TEST(SoftwareCounters, OfAThreadWithoutBurstsKeepItsKeptEvents) {
  const auto out = filter_bursts({}, kEvents, filter(CounterKind::PerValue));
  EXPECT_TRUE(out.bursts.empty());
  EXPECT_TRUE(out.counters.empty());
  EXPECT_EQ(out.events.size(), 2u);
}
