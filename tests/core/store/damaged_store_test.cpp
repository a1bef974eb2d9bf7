#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/store/format/store.h"
#include "tests/support/renewed_sums.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::store;

namespace {

class DamagedStore : public ::testing::Test {
protected:
  void SetUp() override {
    auto data = test::empty_trace();
    test::add_kernel(data, "kernel", 3);
    std::vector<test::LaunchRow> rows;
    for (std::int64_t i = 0; i < 500; ++i) rows.push_back({i * 10, 5, static_cast<std::uint32_t>(i % 3)});
    test::add_launches(data, rows);
    ASSERT_TRUE(write_store(data, path));
  }
  // Changes the file through HDF5 itself.
  template <class F>
  void edit(F&& change) {
    test::change_with_sums(path, [&] {
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      ASSERT_GE(file, 0);
      change(file);
      H5Fclose(file);
    });
  }
  std::vector<char> bytes() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::vector<char>& content) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<long>(content.size()));
  }
  // Opening must succeed or fail cleanly, and an opened store must be safe to read everywhere.
  void open_and_touch() const {
    const auto store = Store::open(path);
    if (!store) {
      EXPECT_FALSE(store.error().message.empty());
      EXPECT_EQ(store.error().file, path);
      return;
    }
    double sum = 0;
    for (const auto& table : store->tables())
      for (const auto& column : table.columns)
        for (std::size_t row = 0; row < column.rows; ++row) sum += column.at(row);
    for (const auto configuration : store->column<std::uint32_t>("launches", "configuration"))
      EXPECT_LT(configuration, store->table("configurations").rows);
    (void)sum;
  }
  test::TemporaryFolder folder;
  std::string path = folder.file("a.jts");
};

void set_version(hid_t file, std::int64_t version) {
  const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_INT64, &version);
  H5Aclose(attribute);
}

} // namespace

TEST_F(DamagedStore, AnotherVersionIsRefusedWithBothNumbers) {
  edit([](hid_t file) { set_version(file, 99); });
  const auto store = Store::open(path);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("99"), std::string::npos);
  EXPECT_NE(store.error().hint.find("Import"), std::string::npos);
}

TEST_F(DamagedStore, AnUnfinishedStoreIsRefused) {
  edit([](hid_t file) { H5Adelete(file, "complete"); });
  const auto store = Store::open(path);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("unfinished"), std::string::npos);
}

TEST_F(DamagedStore, AReferenceOutsideItsTableIsRefusedWithItsPlace) {
  edit([](hid_t file) {
    const hid_t set = H5Dopen2(file, "/tables/launches/configuration", H5P_DEFAULT);
    std::vector<std::uint32_t> values(500, 3);
    H5Dwrite(set, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(set);
  });
  const auto store = Store::open(path);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().place.find("launches.configuration"), std::string::npos);
}

TEST_F(DamagedStore, UnsortedRowsAndMissingColumnsAreRefused) {
  edit([](hid_t file) { H5Ldelete(file, "/tables/transfers/bytes", H5P_DEFAULT); });
  const auto store = Store::open(path);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().place.find("transfers.bytes"), std::string::npos);
}

TEST_F(DamagedStore, EveryTruncationAnswersWithAnError) {
  const auto whole = bytes();
  for (std::size_t length = 0; length < whole.size();
       length += std::max<std::size_t>(whole.size() / 150, 1)) {
    put({whole.begin(), whole.begin() + static_cast<long>(length)});
    EXPECT_FALSE(Store::open(path)) << "cut to " << length << " of " << whole.size();
  }
}

TEST_F(DamagedStore, NoFlippedByteCrashesOrLeadsOutsideTheTables) {
  const auto whole = bytes();
  std::mt19937 random(1);
  for (int trial = 0; trial < 400; ++trial) {
    auto flipped = whole;
    for (int i = 0; i < 1 + trial % 4; ++i)
      flipped[random() % flipped.size()] ^= static_cast<char>(1 + random() % 255);
    put(flipped);
    open_and_touch();
  }
}

TEST_F(DamagedStore, OtherFilesAreNamedForWhatTheyAreNot) {
  put({'h', 'e', 'l', 'l', 'o'});
  const auto text = Store::open(path);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("not a Jitterscope store"), std::string::npos);
  EXPECT_FALSE(Store::open(folder.file("missing.jts")));
  const hid_t other = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(other);
  const auto hdf5 = Store::open(path);
  ASSERT_FALSE(hdf5);
  EXPECT_NE(hdf5.error().message.find("not a Jitterscope store"), std::string::npos);
}
