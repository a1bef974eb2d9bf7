#include "core/base/near_search.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using namespace jitterscope;

namespace {

/// 0, 3, 6 …: the number of elements below a time is known.
std::vector<std::int64_t> sorted_times() {
  std::vector<std::int64_t> times(5'000);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<std::int64_t>(3 * i);
  return times;
}

std::size_t expected(std::int64_t time) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>((time + 2) / 3, 0, 5'000));
}

} // namespace

TEST(NearSearch, FindsThePartitionPointWhateverWasSearchedBefore) {
  const auto times = sorted_times();
  const NearSearch near;
  std::int64_t time = 0;
  for (int i = 0; i < 20'000; ++i) {
    time = (time * 6'364'136 + 1'442'695) % 15'100;
    ASSERT_EQ(near(times.size(), [&](std::size_t at) { return times[at] < time; }), expected(time)) << time;
  }
}

TEST(NearSearch, SearchesOnSeveralThreadsDoNotDisturbEachOther) {
  const auto times = sorted_times();
  const NearSearch near;
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50'000; ++i) {
        const std::int64_t time = (std::int64_t{i} * (7 + 1'000 * t) + 3'000 * t) % 15'100;
        const auto found = near(times.size(), [&](std::size_t at) { return times[at] < time; });
        wrong[static_cast<std::size_t>(t)] += found != expected(time);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}
