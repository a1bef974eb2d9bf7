// Columns of rows in compact form equal the vectors that they expand to.

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/import/records/draft_column.h"

namespace jitterscope::import {
namespace {

template <class T>
void expect_same(const DraftColumn<T>& column, const std::vector<T>& expected) {
  ASSERT_EQ(column.size(), expected.size());
  for (std::size_t row = 0; row < expected.size(); ++row) ASSERT_EQ(column[row], expected[row]) << row;
}

TEST(DraftColumn, TakesNoMemoryWhileRowsFollow) {
  DraftColumn<std::uint32_t> same;
  same.resize(1000, 7);
  same.push_back(7);
  EXPECT_FALSE(same.is_in_memory());
  EXPECT_TRUE(same.constant());
  expect_same(same, std::vector<std::uint32_t>(1001, 7));
  same.push_back(8);
  EXPECT_TRUE(same.is_in_memory());
  EXPECT_FALSE(same.constant());
  auto expected = std::vector<std::uint32_t>(1001, 7);
  expected.push_back(8);
  expect_same(same, expected);

  DraftColumn<std::int64_t> ascending;
  ascending.append_ascending(5, 3);
  ascending.append_ascending(8, 2);
  ascending.push_back(10);
  EXPECT_FALSE(ascending.is_in_memory());
  ascending.append_ascending(12, 2);
  EXPECT_TRUE(ascending.is_in_memory());
  expect_same(ascending, {5, 6, 7, 8, 9, 10, 12, 13});
}

TEST(DraftColumn, IsWrittenThroughReferences) {
  DraftColumn<std::uint8_t> flags;
  flags.resize(3, 0);
  flags[1] |= 4;
  flags.back() = 2;
  expect_same(flags, {0, 4, 2});
  flags.resize(2);
  expect_same(flags, {0, 4});
}

// Appends in all ways, in random order, and compares the result with a vector.
template <class T>
void compare(std::mt19937& random, std::vector<T> few) {
  DraftColumn<T> column;
  std::vector<T> expected;
  for (int step = 0; step < 12; ++step) {
    const auto value = random() % 3 == 0 && !expected.empty() ? static_cast<T>(expected.back() + 1)
                                                              : few[random() % few.size()];
    const auto rows = random() % 4;
    switch (random() % 8) {
    case 0:
      column.append_ascending(value, rows);
      for (std::size_t i = 0; i < rows; ++i) expected.push_back(static_cast<T>(value + static_cast<T>(i)));
      break;
    case 1:
      column.resize(expected.size() + rows, value);
      expected.resize(expected.size() + rows, value);
      break;
    case 2:
      column.resize(expected.size() / 2, value);
      expected.resize(expected.size() / 2);
      break;
    case 3: {
      std::vector<T> more(rows, value);
      if (rows > 1) more.back() = few[random() % few.size()];
      column.append(more);
      expected.insert(expected.end(), more.begin(), more.end());
      break;
    }
    case 4:
      column.reserve(random() % 20);
      break;
    default:
      column.push_back(value);
      expected.push_back(value);
    }
    expect_same(column, expected);
  }
  ASSERT_EQ(column.values(), expected);
  ASSERT_TRUE(std::equal(column.begin(), column.end(), expected.begin(), expected.end()));
}

TEST(DraftColumn, IsTheVectorHoweverItGrows) {
  std::mt19937 random(3);
  for (int i = 0; i < 2'000; ++i) {
    compare<std::uint32_t>(random, {0, 1, 2, std::numeric_limits<std::uint32_t>::max()});
    compare<std::uint8_t>(random, {0, 1, 255});
    compare<std::int64_t>(random, {-1, 0, 1});
  }
}

} // namespace
} // namespace jitterscope::import
