#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/store/columns/encoded_pieces.h"
#include "core/store/columns/narrow.h"
#include "core/store/format/store.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::store;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  return a == b;
}

// Encodes the values, then checks them one by one and all at once.
template <class T>
void expect_kept(const std::vector<T>& values, ElementType stored) {
  const ColumnValues all = values;
  auto encoding = narrowest(all);
  EXPECT_EQ(encoding.stored, stored);
  ASSERT_TRUE(may_be_stored_as(type_of(all), encoding.stored));
  std::vector<std::byte> bytes(values.size() * size_of(encoding.stored));
  encode(all, encoding.stored, 0, values.size(), bytes.data());
  ColumnView view;
  view.type = type_of(all);
  view.stored = encoding.stored;
  view.data = bytes.data();
  view.rows = values.size();
  view.escapes = std::make_shared<const Escapes>(encoding.escapes);
  const Values<T> kept(view);
  std::vector<T> read(values.size());
  kept.read(0, values.size(), read.data());
  std::vector<double> doubles(values.size());
  view.read(0, values.size(), doubles.data());
  for (std::size_t row = 0; row < values.size(); ++row) {
    ASSERT_TRUE(same(kept[row], values[row])) << row;
    ASSERT_TRUE(same(read[row], values[row])) << row;
    ASSERT_TRUE(same(doubles[row], static_cast<double>(values[row]))) << row;
    ASSERT_TRUE(same(view.at(row), static_cast<double>(values[row]))) << row;
  }
}

} // namespace

TEST(NarrowColumns, ReferencesKeepNone) {
  expect_kept<std::uint32_t>({0, 254, kNone}, ElementType::UInt8);
  expect_kept<std::uint32_t>({0, 255, kNone}, ElementType::UInt16);
  expect_kept<std::uint32_t>({65'534, kNone}, ElementType::UInt16);
  expect_kept<std::uint32_t>({65'535, kNone}, ElementType::UInt32);
  expect_kept<std::uint32_t>({kNone, kNone}, ElementType::UInt8);
  expect_kept<std::uint32_t>({}, ElementType::UInt8);
}

TEST(NarrowColumns, NumbersKeepMinusOneAndTheirBorders) {
  expect_kept<std::int64_t>({-1, 0, 253}, ElementType::UInt8);
  expect_kept<std::int64_t>({-1, 254}, ElementType::UInt16);
  expect_kept<std::int64_t>({65'533}, ElementType::UInt16);
  expect_kept<std::int64_t>({65'534}, ElementType::UInt32);
  expect_kept<std::int64_t>({4'294'967'293}, ElementType::UInt32);
  expect_kept<std::int64_t>({4'294'967'294}, ElementType::Int64);
  expect_kept<std::int64_t>({-2, std::numeric_limits<std::int64_t>::min()}, ElementType::Int64);
}

TEST(NarrowColumns, FewLongNumbersAreEscapes) {
  std::vector<std::int64_t> values(kRowsPerEscape * 4, 1'000'000);
  values[3] = 5'000'000'000;
  values[700] = -7;
  values.back() = std::numeric_limits<std::int64_t>::max();
  expect_kept(values, ElementType::UInt32);
  for (int i = 0; i < 10; ++i) values[static_cast<std::size_t>(i)] = -9;
  expect_kept(values, ElementType::Int64); // stays wide, because too many values do not fit
}

TEST(NarrowColumns, WholeNumbersInFloatingColumnsKeepMissingAndSign) {
  expect_kept<double>({0, 254, kNan}, ElementType::UInt8);
  expect_kept<double>({255, kNan}, ElementType::UInt16);
  expect_kept<double>({65'535, 4'294'967'294.0}, ElementType::UInt32);
  expect_kept<double>({4'294'967'296.0}, ElementType::Float32);
  expect_kept<double>({0.5, kNan}, ElementType::Float32);
  expect_kept<double>({0.1}, ElementType::Float64);
  expect_kept<double>({-0.0, 3}, ElementType::Float32);
  expect_kept<double>({std::numeric_limits<double>::infinity()}, ElementType::Float64);
  expect_kept<double>({1e300}, ElementType::Float64);
  expect_kept<float>({1, 2, std::numeric_limits<float>::quiet_NaN()}, ElementType::UInt8);
  expect_kept<float>({65'534}, ElementType::UInt16);
  expect_kept<float>({65'535}, ElementType::Float32);
  expect_kept<float>({0.1f, -3}, ElementType::Float32);
}

TEST(NarrowColumns, ReferencesThatLeadOutsideReadAsRequested) {
  const std::uint8_t codes[] = {0, 2, 3, 255};
  ColumnView view;
  view.type = ElementType::UInt32;
  view.stored = ElementType::UInt8;
  view.data = reinterpret_cast<const std::byte*>(codes);
  view.rows = 4;
  view.limit = 3;
  const auto read = [&] {
    std::vector<std::uint32_t> all(4);
    const Values<std::uint32_t> values(view);
    values.read(0, 4, all.data());
    for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(values[row], all[row]);
    return all;
  };
  view.beyond = kNone;
  EXPECT_EQ(read(), (std::vector<std::uint32_t>{0, 2, kNone, kNone}));
  view.beyond = 0;
  EXPECT_EQ(read(), (std::vector<std::uint32_t>{0, 2, 0, 0}));
}

TEST(NarrowColumns, RandomColumnsAreKept) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> whole(1 + random() % 3'000);
    std::vector<std::uint32_t> ids(whole.size());
    std::vector<double> numbers(whole.size());
    const int shift = static_cast<int>(random() % 60);
    for (std::size_t row = 0; row < whole.size(); ++row) {
      whole[row] = static_cast<std::int64_t>(random() >> (4 + shift)) - (random() % 500 == 0 ? 2 : 0);
      if (random() % 1'000 == 0) whole[row] = static_cast<std::int64_t>(random());
      ids[row] = random() % 50 == 0 ? kNone : static_cast<std::uint32_t>(random() >> (32 + shift / 2));
      numbers[row] = random() % 50 == 0 ? kNan : static_cast<double>(random() >> (4 + shift));
    }
    SCOPED_TRACE(trial);
    expect_kept(whole, narrowest(ColumnValues(whole)).stored);
    expect_kept(ids, narrowest(ColumnValues(ids)).stored);
    expect_kept(numbers, narrowest(ColumnValues(numbers)).stored);
  }
}

TEST(NarrowColumns, PiecesAreThoseOfTheWhole) {
  std::vector<std::int64_t> values(1'003);
  for (std::size_t row = 0; row < values.size(); ++row)
    values[row] = static_cast<std::int64_t>(row * 37 % 40'000);
  for (const std::size_t step : {1, 100, 501, 1'003, 2'000}) {
    SCOPED_TRACE(step);
    const ColumnValues all = values;
    std::vector<std::uint16_t> whole(values.size()), joined;
    encode(all, ElementType::UInt16, 0, values.size(), reinterpret_cast<std::byte*>(whole.data()));
    EncodedPieces pieces(all, ElementType::UInt16);
    for (std::size_t row = 0; row < values.size(); row += step) {
      const auto last = std::min(row + step, values.size());
      const auto* codes = reinterpret_cast<const std::uint16_t*>(pieces.take(row, last));
      joined.insert(joined.end(), codes, codes + (last - row));
    }
    EXPECT_EQ(joined, whole);
  }
}

class StoreAccess : public ::testing::TestWithParam<Access> {};

TEST_P(StoreAccess, AStoreGivesBackWhatItWasGiven) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "kernel", 3);
  std::vector<test::LaunchRow> rows;
  for (std::int64_t i = 0; i < 2'000; ++i)
    rows.push_back({i * 10, i == 77 ? std::int64_t{1} << 40 : i % 90, static_cast<std::uint32_t>(i % 3)});
  test::add_launches(data, rows);
  std::vector<float> gaps(2'000, 2.5f);
  gaps[5] = std::numeric_limits<float>::quiet_NaN();
  data.find("launches")->add<float>("gap_ns", "ns", "", gaps);
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_store(data, folder.file("a.jts")));
  const auto access = GetParam();
  const auto store = Store::open(folder.file("a.jts"), access);
  ASSERT_TRUE(store) << describe(store.error());
  EXPECT_EQ(store->mapped(), access == Access::Mapped);
  const auto& launches = store->table("launches");
  EXPECT_EQ(launches.find("start")->stored, ElementType::Int64);
  EXPECT_EQ(launches.find("duration")->stored, ElementType::UInt8);
  EXPECT_EQ(launches.find("configuration")->stored, ElementType::UInt8);
  const auto durations = store->column<std::int64_t>("launches", "duration");
  for (std::size_t row = 0; row < rows.size(); ++row) ASSERT_EQ(durations[row], rows[row].duration);
  EXPECT_EQ(launches.extent, (Interval{{0}, {770 + (std::int64_t{1} << 40)}}));
  const auto totals = store->totals();
  EXPECT_EQ(totals.launches[0], 667);
  std::int64_t sum = 0;
  for (std::size_t row = 1; row < rows.size(); row += 3) sum += rows[row].duration;
  EXPECT_EQ(totals.duration_sum[1], sum);
  EXPECT_EQ(*launches.find("stream")->distinct, std::vector<std::uint32_t>{rows[0].stream + 1});
}

INSTANTIATE_TEST_SUITE_P(MappedAndRead, StoreAccess, ::testing::Values(Access::Mapped, Access::Read));
