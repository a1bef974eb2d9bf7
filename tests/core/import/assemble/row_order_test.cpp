#include "core/import/assemble/row_order.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

// Orders of rows, compared with a stable sort.

using namespace jitterscope;

namespace {

struct Rows {
  SpillVector<std::int64_t> time;
  SpillVector<std::uint32_t> thread;
};

/// Rows in order, except that a time may be up to `late` / 3 ns earlier; many times are equal.
Rows late_rows(std::size_t count, std::int64_t late, unsigned seed) {
  std::mt19937_64 random(seed);
  Rows rows;
  for (std::size_t row = 0; row < count; ++row) {
    const auto delay =
        late == 0 ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(late + 1));
    rows.time.push_back((static_cast<std::int64_t>(row) - delay) / 3);
    rows.thread.push_back(static_cast<std::uint32_t>(random() % 5));
  }
  return rows;
}

template <class Before>
std::vector<std::uint32_t> sorted(std::size_t count, Before&& before) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

} // namespace

TEST(RowOrder, IsThatOfAStableSort) {
  const Job job;
  Stop stop(job);
  unsigned seed = 1;
  for (const std::size_t count : {1, 2, 100, 16'384, 16'385, 70'000})
    for (const std::int64_t late : {1, 50, 40'000, 1'000'000}) {
      const auto rows = late_rows(count, late, seed++);
      auto found = import::sorted_order(rows.time, rows.thread, stop);
      const auto expected = sorted(count, [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(rows.time[a], rows.thread[a]) < std::pair(rows.time[b], rows.thread[b]);
      });
      if (found.empty()) // empty: the rows are already in order
        for (std::uint32_t row = 0; row < count; ++row) found.push_back(row);
      ASSERT_TRUE(found == expected) << count << " rows, late by " << late;
    }
}

TEST(RowOrder, IsEmptyForRowsInOrder) {
  const Job job;
  Stop stop(job);
  Rows rows;
  for (std::uint32_t row = 0; row < 40'000; ++row)
    rows.time.push_back(row / 4), rows.thread.push_back(row % 4);
  EXPECT_TRUE(import::sorted_order(rows.time, rows.thread, stop).empty());
  EXPECT_TRUE(import::grouped_order(SpillVector<std::uint32_t>(40'000, 7), 8, rows.time, stop).empty());
}

TEST(RowOrder, OfGroupsIsThatOfAStableSort) {
  const Job job;
  Stop stop(job);
  for (const std::int64_t late : {0, 40'000}) { // rows of a group in order, and in no order
    const auto rows = late_rows(50'000, late, 3);
    const auto found = import::grouped_order(rows.thread, 5, rows.time, stop);
    const auto expected = sorted(rows.time.size(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(rows.thread[a], rows.time[a]) < std::pair(rows.thread[b], rows.time[b]);
    });
    ASSERT_TRUE(found == expected) << "late by " << late;
  }
}
