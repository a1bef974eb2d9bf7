#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/store/format/store.h"
#include "core/store/format/verify.h"
#include "core/store/hdf5/block_sums.h"
#include "core/store/hdf5/crc32c.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::store;

namespace {

class Damage : public ::testing::Test {
protected:
  void write(std::int64_t launches) {
    auto data = test::empty_trace();
    test::add_kernel(data, "kernel", 3);
    std::vector<test::LaunchRow> rows;
    for (std::int64_t i = 0; i < launches; ++i)
      rows.push_back({i * 1000, i * 7 % 900, static_cast<std::uint32_t>(i % 3)});
    test::add_launches(data, rows);
    ASSERT_TRUE(write_store(data, path));
  }
  std::vector<char> bytes() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::vector<char>& content) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<long>(content.size()));
  }
  // Writes in place, without changing the size.
  void overwrite(std::size_t at, const std::vector<char>& content) const {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<long>(at));
    file.write(content.data(), static_cast<long>(content.size()));
  }
  /// Offset of a column in the file.
  std::size_t offset_of(const char* dataset) const {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                set = H5Dopen2(file, dataset, H5P_DEFAULT);
    const auto offset = H5Dget_offset(set);
    H5Dclose(set);
    H5Fclose(file);
    return static_cast<std::size_t>(offset);
  }
  static double sum_of(const Store& store, const char* name) {
    const auto& column = *store.table("launches").find(name);
    double sum = 0;
    for (std::size_t row = 0; row < column.rows; ++row) sum += column.at(row);
    return sum;
  }
  /// The columns of a store with their names, followed by its strings.
  static std::vector<std::pair<std::string, std::vector<double>>> content(const Store& store) {
    std::vector<std::pair<std::string, std::vector<double>>> all;
    for (const auto& table : store.tables())
      for (const auto& column : table.columns) {
        std::vector<double> values(column.rows);
        column.read(0, column.rows, values.data());
        all.emplace_back(table.name + "." + column.name + "/" + column.unit + "/" + column.description,
                         std::move(values));
      }
    for (std::uint32_t i = 0; i < store.strings(); ++i)
      all.emplace_back(store.string({i}), std::vector<double>());
    return all;
  }

  test::TemporaryFolder folder;
  std::string path = folder.file("a.jts");
};

constexpr std::int64_t kManyRows = 5'000'000; // more rows than are checked one by one at opening

} // namespace

TEST(Crc32c, MatchesThePublishedValues) { // RFC 3720 appendix B.4
  EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u);
  EXPECT_EQ(crc32c(std::vector<char>(32, 0).data(), 32), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::vector<char>(32, '\xFF').data(), 32), 0x62A8AB43u);
}

TEST(Crc32c, TheInstructionGivesWhatTablesGiveAndPartsWhatTheWholeGives) {
  std::mt19937 random(1);
  std::vector<unsigned char> data(20'000);
  for (auto& byte : data) byte = static_cast<unsigned char>(random());
  for (int trial = 0; trial < 300; ++trial) {
    const auto first = random() % 64, size = random() % (data.size() - 64), cut = random() % (size + 1);
    const auto whole = crc32c(&data[first], size);
    EXPECT_EQ(whole, crc32c_by_tables(&data[first], size));
    EXPECT_EQ(whole, crc32c(&data[first + cut], size - cut, crc32c(&data[first], cut)));
  }
}

TEST_F(Damage, EveryFlippedBitIsNoticedOrHarmless) {
  write(3'000);
  const auto whole = bytes();
  const auto before = content(*Store::open(path));
  std::mt19937 random(7);
  int noticed = 0;
  for (int trial = 0; trial < 600; ++trial) {
    auto flipped = whole;
    const auto at = random() % flipped.size();
    flipped[at] ^= static_cast<char>(1 << random() % 8);
    put(flipped);
    const auto store = Store::open(path);
    if (!store) {
      ++noticed;
      continue;
    }
    const auto after = content(*store);
    if (store->check_intact())
      EXPECT_EQ(after, before) << "byte " << at;
    else
      ++noticed;
  }
  EXPECT_GT(noticed, 500);
}

TEST_F(Damage, AStoreStatesWhichColumnAndRowsAreDamagedOnceTheyAreUsed) {
  write(kManyRows);
  const auto durations = offset_of("/tables/launches/duration");
  overwrite(durations + 2 * 4'000'000, {'\x55', '\x55'});
  const auto store = Store::open(path);
  ASSERT_TRUE(store);
  sum_of(*store, "stream");
  EXPECT_TRUE(store->check_intact()) << "the damage is in another column";
  sum_of(*store, "duration");
  const auto intact = store->check_intact();
  ASSERT_FALSE(intact);
  EXPECT_NE(intact.error().message.find("damaged"), std::string::npos);
  EXPECT_NE(intact.error().place.find("launches.duration rows "), std::string::npos) << intact.error().place;
  const auto found = verify_store(path);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rows.size(), 1u);
  EXPECT_EQ(found->rows[0].column, "duration");
  EXPECT_LE(found->rows[0].first, 4'000'000u);
  EXPECT_GT(found->rows[0].last, 4'000'000u);
  EXPECT_LE(found->rows[0].last - found->rows[0].first, kSumBlock / 2);
}

TEST_F(Damage, AnIntactStoreVerifies) {
  write(100'000);
  const auto found = verify_store(path);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->has_checksums);
  EXPECT_TRUE(found->intact());
  const auto store = Store::open(path);
  ASSERT_TRUE(store);
  EXPECT_TRUE(store->has_checksums());
  content(*store);
  EXPECT_TRUE(store->check_intact());
}

TEST_F(Damage, AStoreThatIsCutOffWhileOpenIsReadWithoutASignalAndStatesThatItChanged) {
  write(kManyRows);
  const auto store = Store::open(path), other = Store::open(path);
  ASSERT_TRUE(store && other);
  sum_of(*other, "duration"); // pages that were read before become unreadable as well
  std::filesystem::resize_file(path, 100'000);
  for (const auto& each : {store, other}) {
    content(*each);
    const auto intact = each->check_intact();
    ASSERT_FALSE(intact);
    EXPECT_EQ(intact.error().message, "a.jts changed while it was open");
  }
}

TEST_F(Damage, AStoreThatIsOverwrittenInPlaceWhileOpenStatesThatItChanged) {
  write(10'000);
  const auto whole = bytes();
  const auto store = Store::open(path);
  ASSERT_TRUE(store && store->check_intact());
  overwrite(whole.size() / 2, std::vector<char>(100, 'x'));
  const auto intact = store->check_intact();
  ASSERT_FALSE(intact);
  EXPECT_EQ(intact.error().message, "a.jts changed while it was open");
}

TEST_F(Damage, AStoreThatIsDeletedWhileOpenKeepsItsContent) {
  write(10'000);
  const auto store = Store::open(path);
  const auto before = content(*Store::open(path));
  std::filesystem::remove(path);
  EXPECT_EQ(content(*store), before);
  EXPECT_TRUE(store->check_intact());
}

TEST_F(Damage, AStoreOfAnOlderVersionIsReadableAndUnverified) {
  write(10'000);
  const auto before = content(*Store::open(path));
  std::uint64_t end = 0;
  const auto whole = bytes();
  std::memcpy(&end, &whole[whole.size() - 16], sizeof end);
  std::filesystem::resize_file(path, end);
  EXPECT_FALSE(Store::open(path)) << "its checksums are missing";
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Adelete(file, kSumsAttribute);
  H5Fclose(file);
  const auto store = Store::open(path);
  ASSERT_TRUE(store);
  EXPECT_FALSE(store->has_checksums());
  EXPECT_EQ(content(*store), before);
  const auto found = verify_store(path);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->has_checksums);
}
