#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/ids.h"
#include "core/store/format/open_checks.h"
#include "core/store/trace/trace_data.h"

using namespace jitterscope;
using namespace jitterscope::store;

namespace {

template <class T, class Stored>
ColumnView view_of(const std::vector<Stored>& codes) {
  ColumnView view;
  view.type = ElementTypeOf<T>::value;
  view.stored = ElementTypeOf<Stored>::value;
  view.data = reinterpret_cast<const std::byte*>(codes.data());
  view.rows = codes.size();
  view.escapes = std::make_shared<const Escapes>();
  return view;
}

constexpr std::size_t kSizes[] = {0, 1, 2, 4095, 4096, 4097, 20'000};
constexpr std::int64_t kMax = std::int64_t{1} << 61;

} // namespace

TEST(OpenChecks, OneReferenceOutsideIsFoundAtAnyPosition) {
  std::mt19937 random(3);
  for (const auto size : kSizes) {
    std::vector<std::uint32_t> wide(size);
    std::vector<std::uint16_t> narrow(size);
    for (std::size_t i = 0; i < size; ++i) narrow[i] = static_cast<std::uint16_t>(wide[i] = random() % 500);
    const auto check = [&](std::size_t rows, bool none) {
      return all_inside(view_of<std::uint32_t>(wide), rows, none) &&
             all_inside(view_of<std::uint32_t>(narrow), rows, none);
    };
    EXPECT_TRUE(check(500, false));
    EXPECT_TRUE(check(500, true));
    if (size == 0) continue;
    const auto place = random() % size;
    wide[place] = narrow[place] = 500;
    EXPECT_FALSE(check(500, false));
    EXPECT_FALSE(all_inside(view_of<std::uint32_t>(narrow), 500, true));
    EXPECT_FALSE(all_inside(view_of<std::uint32_t>(wide), 500, true));
    EXPECT_TRUE(check(501, false));
    wide[place] = kNone, narrow[place] = 0xFFFF; // the narrow code of kNone
    EXPECT_TRUE(check(500, true));
    EXPECT_FALSE(all_inside(view_of<std::uint32_t>(wide), 500, false));
    EXPECT_FALSE(all_inside(view_of<std::uint32_t>(narrow), 500, false));
    wide[place] = kNone - 1;
    EXPECT_FALSE(all_inside(view_of<std::uint32_t>(wide), 500, true));
  }
}

TEST(OpenChecks, OneImpossibleDurationIsFoundAtAnyPosition) {
  std::mt19937_64 random(4);
  for (const auto size : kSizes) {
    std::vector<std::int64_t> durations(size);
    for (auto& duration : durations) duration = static_cast<std::int64_t>(random() >> 3);
    EXPECT_TRUE(all_durations(view_of<std::int64_t>(durations), kMax, false));
    if (size == 0) continue;
    auto& one = durations[random() % size];
    for (const std::int64_t bad : {kMax + 1, std::int64_t{-2}, std::numeric_limits<std::int64_t>::min()}) {
      one = bad;
      EXPECT_FALSE(all_durations(view_of<std::int64_t>(durations), kMax, true));
      EXPECT_FALSE(all_durations(view_of<std::int64_t>(durations), kMax, false));
    }
    one = kMissingDuration;
    EXPECT_TRUE(all_durations(view_of<std::int64_t>(durations), kMax, true));
    EXPECT_FALSE(all_durations(view_of<std::int64_t>(durations), kMax, false));
    one = 0;
    EXPECT_TRUE(all_durations(view_of<std::int64_t>(durations), kMax, false));
  }
}

TEST(OpenChecks, OrderAndLargest) {
  std::mt19937 random(5);
  for (const auto size : kSizes) {
    std::vector<std::int64_t> values(size);
    std::vector<std::uint8_t> kinds(size);
    for (std::size_t i = 0; i < size; ++i)
      values[i] = random() % 100, kinds[i] = static_cast<std::uint8_t>(random() % 9);
    std::sort(values.begin(), values.end());
    EXPECT_TRUE(is_ascending(values));
    EXPECT_EQ(largest(kinds), size == 0 ? 0 : *std::max_element(kinds.begin(), kinds.end()));
    if (size < 2) continue;
    const auto place = 1 + random() % (size - 1);
    values[place] = values[place - 1] - 1;
    EXPECT_FALSE(is_ascending(values));
    kinds[place] = 200;
    EXPECT_EQ(largest(kinds), 200);
  }
}
