// Tables of very many columns are stored in matrices, and read like any other.

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/store/format/store.h"
#include "core/store/format/wide_columns.h"
#include "tests/support/renewed_sums.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::store;

namespace {

constexpr std::size_t kRows = 37, kColumns = 1'200;

double value(std::size_t column, std::size_t row) {
  if ((column + row) % 11 == 0) return NAN;
  const auto number = static_cast<double>((column * 31 + row * 17) % 200);
  switch (column % 5) {
  case 0:
    return number;
  case 1:
    return number + 1'000;
  case 2:
    return number * 1e6;
  case 3:
    return number + 0.5;
  default:
    return number / 3;
  }
}

TraceData wide_trace(std::size_t columns = kColumns) {
  auto data = test::empty_trace();
  test::add_kernel(data, "kernel", 3);
  std::vector<test::LaunchRow> rows;
  for (std::size_t i = 0; i < kRows; ++i)
    rows.push_back({static_cast<std::int64_t>(i) * 10, 5, static_cast<std::uint32_t>(i % 3)});
  test::add_launches(data, rows);
  auto& launches = *data.find("launches");
  const std::uint32_t texts[] = {data.strings.intern("one").value, data.strings.intern("two").value, kNone};
  for (std::size_t column = 0; column < columns; ++column) {
    if (column % 100 == 7) {
      std::vector<std::uint32_t> values;
      for (std::size_t row = 0; row < kRows; ++row) values.push_back(texts[(row + column) % 3]);
      launches.add(fmt::format("text_{}", column), std::string(kTextUnit), "a text", std::move(values));
    } else {
      std::vector<double> values;
      for (std::size_t row = 0; row < kRows; ++row) values.push_back(value(column, row));
      launches.add(fmt::format("metric_{}", column), "ns", fmt::format("metric {}", column),
                   std::move(values));
    }
  }
  return data;
}

void expect_same(const Store& store, const TraceData& data) {
  const auto& table = store.table("launches");
  const auto& requested = *data.find("launches");
  ASSERT_EQ(table.columns.size(), requested.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& column = table.columns[i];
    const auto& good = requested.columns[i];
    EXPECT_EQ(column.name, good.name);
    EXPECT_EQ(column.unit, good.unit);
    EXPECT_EQ(column.description, good.description);
    ASSERT_EQ(column.rows, kRows);
    if (const auto* numbers = std::get_if<SpillVector<double>>(&good.values)) {
      for (std::size_t row = 0; row < kRows; ++row) {
        const auto is = column.at(row), was = (*numbers)[row];
        EXPECT_TRUE(is == was || (std::isnan(is) && std::isnan(was))) << column.name << " " << row;
      }
    } else if (column.unit == kTextUnit) {
      const Values<std::uint32_t> texts(column);
      for (std::size_t row = 0; row < kRows; ++row)
        EXPECT_EQ(texts[row], std::get<SpillVector<std::uint32_t>>(good.values)[row])
            << column.name << " " << row;
      EXPECT_EQ(column.distinct->size(), 2u);
    }
  }
}

std::int64_t version_of(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
  std::int64_t version = -1;
  H5Aread(attribute, H5T_NATIVE_INT64, &version);
  H5Aclose(attribute);
  H5Fclose(file);
  return version;
}

class WideColumns : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(write_store(data, path)); }

  template <class F>
  void edit(F&& change) {
    test::change_with_sums(path, [&] {
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      ASSERT_GE(file, 0);
      change(file);
      H5Fclose(file);
    });
  }
  // Changes the description without changing its length.
  void edit_description(const std::function<void(std::string&)>& change) {
    edit([&](hid_t file) {
      const hid_t set = H5Dopen2(file, "/wide/launches.columns", H5P_DEFAULT);
      const hid_t space = H5Dget_space(set);
      hsize_t size = 0;
      H5Sget_simple_extent_dims(space, &size, nullptr);
      std::string text(size, '\0');
      H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
      change(text);
      ASSERT_EQ(text.size(), size);
      H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
      H5Sclose(space);
      H5Dclose(set);
    });
  }
  static void replace(std::string& text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), by);
  }
  void expect_refused() {
    const auto store = Store::open(path);
    ASSERT_FALSE(store);
    EXPECT_NE(store.error().place.find("launches"), std::string::npos) << store.error().place;
    EXPECT_EQ(store.error().file, path);
  }

  test::TemporaryFolder folder;
  std::string path = folder.file("wide.jts");
  TraceData data = wide_trace();
};

TEST_F(WideColumns, KeepWhatTheyAreMappedAndRead) {
  for (const auto access : {Access::Mapped, Access::Read}) {
    const auto store = Store::open(path, access);
    ASSERT_TRUE(store) << describe(store.error());
    EXPECT_EQ(store->mapped(), access == Access::Mapped);
    expect_same(*store, data);
  }
}

TEST_F(WideColumns, AreFewDatasets) {
  edit([](hid_t file) {
    const hid_t group = H5Gopen2(file, "/tables/launches", H5P_DEFAULT);
    H5G_info_t info;
    H5Gget_info(group, &info);
    EXPECT_LT(info.nlinks, 10u);
    H5Gclose(group);
  });
}

TEST_F(WideColumns, OnlyTheirStoresNeedTheNewFormat) {
  EXPECT_EQ(version_of(path), kWideFormatVersion);
  ASSERT_TRUE(write_store(wide_trace(20), folder.file("narrow.jts")));
  EXPECT_EQ(version_of(folder.file("narrow.jts")), kFormatVersion);
}

TEST_F(WideColumns, TimesWithEscapesStayApart) {
  auto longer = wide_trace();
  auto& launches = *longer.find("launches");
  for (auto& column : launches.columns)
    std::visit(
        [](auto& values) {
          const auto once = values;
          for (int i = 0; i < 20; ++i) values.insert(values.end(), once.begin(), once.end());
        },
        column.values);
  auto& starts = test::column<std::int64_t>(longer, "launches", "start");
  for (std::size_t row = 0; row < starts.size(); ++row) starts[row] = static_cast<std::int64_t>(row) * 10;
  test::column<std::int64_t>(longer, "launches", "duration")[300] = std::int64_t{1} << 40;
  ASSERT_TRUE(write_store(longer, path));
  const auto store = Store::open(path);
  ASSERT_TRUE(store) << describe(store.error());
  EXPECT_EQ(store->column<std::int64_t>("launches", "duration")[300], std::int64_t{1} << 40);
  EXPECT_EQ(store->table("launches").find("metric_3")->at(0), value(3, 0));
}

TEST_F(WideColumns, OfAMissingOrAnotherMatrixAreRefused) {
  edit([](hid_t file) { H5Ldelete(file, "/wide/launches.float64", H5P_DEFAULT); });
  expect_refused();
  edit([](hid_t file) {
    H5Lmove(file, "/wide/launches.float32", file, "/wide/launches.float64", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused();
}

TEST_F(WideColumns, OfAMatrixWithFewerColumnsAreRefused) {
  edit_description([](std::string& text) { replace(text, ",4,5,", ",4,4,"); }); // float32 → float64
  expect_refused();
}

TEST_F(WideColumns, TwoOfOneNameAreRefused) {
  edit_description([](std::string& text) { replace(text, "\"metric_1\"", "\"metric_0\""); });
  expect_refused();
}

TEST_F(WideColumns, DescriptionsThatAreInvalidAreRefused) {
  edit_description([](std::string& text) { text[0] = '{'; });
  expect_refused();
}

TEST_F(WideColumns, OfImpossibleTypesAreRefused) {
  edit_description([](std::string& text) { replace(text, ",4,2,", ",4,9,"); });
  expect_refused();
}

TEST_F(WideColumns, ThatNameMoreThanThereIsAreRefused) {
  edit_description([](std::string& text) { replace(text, ",2]", ",9]"); });
  for (int i = 0; i < 11; ++i) edit_description([](std::string& text) { replace(text, ",2]", ",9]"); });
  expect_refused();
}

TEST_F(WideColumns, NoFlippedByteCrashes) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> whole{std::istreambuf_iterator<char>(in), {}};
  std::mt19937 random(3);
  for (int trial = 0; trial < 150; ++trial) {
    auto flipped = whole;
    for (int i = 0; i < 1 + trial % 4; ++i)
      flipped[random() % flipped.size()] ^= static_cast<char>(1 + random() % 255);
    if (trial % 10 == 0) flipped.resize(random() % flipped.size());
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(flipped.data(), static_cast<std::streamsize>(flipped.size()));
    const auto store = Store::open(path);
    if (!store) {
      EXPECT_FALSE(store.error().message.empty());
      continue;
    }
    double sum = 0;
    for (const auto& table : store->tables())
      for (const auto& column : table.columns)
        for (std::size_t row = 0; row < column.rows; ++row) sum += column.at(row);
    (void)sum;
  }
}

} // namespace
