#include <gtest/gtest.h>

#include "core/store/tracks/range_statistics.h"
#include "tests/core/store/random_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::store;

namespace {

template <class T>
std::vector<T> hostile_values() {
  if constexpr (std::is_same_v<T, double>)
    return {-1e308, 1e308, std::nan("")};
  else
    return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(0), T(1), T(64)};
}

// Reads everything of an index, as views do.
void touch(const TrackIndex& index) {
  std::uint64_t sum = 0;
  for (const auto& series : index.series()) {
    for (std::size_t i = 0; i < series.events(); ++i) sum += static_cast<std::uint64_t>(series.at(i).begin);
    for (const auto& level : series.levels)
      for (std::size_t i = 0; i < level.size(); ++i) sum += level[i].busy;
    for (const std::int64_t begin :
         {INT64_MIN, std::int64_t{-5}, std::int64_t{0}, std::int64_t{100'000}, INT64_MAX})
      for (const std::int64_t end : {std::int64_t{1}, std::int64_t{150'000}, INT64_MAX})
        sum += range_statistics(series, begin, std::max(begin, end)).busy;
  }
  for (const auto& counter : index.counters())
    sum += counter.extremes(3, counter.times.size()).numbers + counter.extremes(0, 70).numbers;
  volatile std::uint64_t used = sum;
  (void)used;
}

class DamagedIndex : public ::testing::Test {
protected:
  void SetUp() override {
    std::mt19937_64 random(12);
    data = test::random_trace(random, {2, 4, 6'000, 200, 300, 500, 500, 200, 9'000});
    ASSERT_TRUE(add_track_index(data, {}));
  }
  TrackIndex opened() const {
    EXPECT_TRUE(write_store(data, folder.file("a.jts")));
    auto store = Store::open(folder.file("a.jts"));
    EXPECT_TRUE(store);
    return TrackIndex(*store);
  }
  test::TemporaryFolder folder;
  TraceData data;
};

} // namespace

TEST_F(DamagedIndex, NoValueOfAnyColumnLeadsOutside) {
  std::mt19937_64 random(1);
  int rebuilt = 0, opened_as_is = 0;
  for (const char* name : kTrackIndexTables)
    for (auto& column : data.find(name)->columns)
      std::visit(
          [&](auto& values) {
            using T = typename std::decay_t<decltype(values)>::value_type;
            const auto sound = values;
            ASSERT_FALSE(sound.empty()) << name << "." << column.name << " would not be tested";
            for (const T value : hostile_values<T>()) {
              values.assign(sound.size(), value);
              const auto all = opened();
              touch(all);
              values = sound;
              for (std::size_t i = 0; i < 1 + sound.size() / 50; ++i) values[random() % sound.size()] = value;
              const auto some = opened();
              touch(some);
              ++(all.rebuilt() ? rebuilt : opened_as_is);
              ++(some.rebuilt() ? rebuilt : opened_as_is);
              values = sound;
            }
          },
          column.values);
  EXPECT_GT(rebuilt, 20) << "an index with invalid values is built again";
  EXPECT_GT(opened_as_is, 20);
}

TEST_F(DamagedIndex, AMissingTableOrColumnIsBuiltAgain) {
  const auto sound = data.tables;
  EXPECT_FALSE(opened().rebuilt());
  for (const char* name : kTrackIndexTables) {
    std::erase_if(data.tables, [&](const Table& table) { return table.name == name; });
    EXPECT_TRUE(opened().rebuilt()) << name;
    data.tables = sound;
    data.find(name)->columns.pop_back();
    EXPECT_TRUE(opened().rebuilt()) << name;
    data.tables = sound;
    for (auto& column : data.find(name)->columns)
      std::visit([](auto& values) { values.resize(values.size() / 2); }, column.values);
    const auto half = opened();
    EXPECT_TRUE(half.rebuilt()) << name;
    touch(half);
    data.tables = sound;
  }
}
