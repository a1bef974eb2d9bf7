#include "tests/generator/bulk.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/generator/bulk_run.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::generator {
namespace {

std::vector<LaunchRow> launches_of(const BulkOptions& options) {
  const BulkProgram program;
  BulkLaunches launches(options, program);
  std::vector<LaunchRow> rows;
  for (LaunchRow row; launches.next(row);) rows.push_back(row);
  return rows;
}

std::string bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

double number(const store::Store& store, const char* table, const char* column, std::size_t row) {
  return store.table(table).find(column)->at(row);
}

TEST(BulkProgram, UsesKernelsByZipfsLaw) {
  const BulkProgram program;
  ASSERT_EQ(program.kernels.size(), 74u);
  ASSERT_EQ(program.configurations.size(), 1'707u);
  std::map<int, int> count;
  for (const auto& row : launches_of({1'000'000, 3, 0}))
    ++count[program.configurations[static_cast<std::size_t>(row.configuration)].kernel];
  for (const int rank : {2, 8, 32})
    EXPECT_NEAR(static_cast<double>(count[0]) / count[rank - 1], std::pow(rank, 1.1),
                0.05 * std::pow(rank, 1.1));
}

TEST(BulkProgram, ConfigurationsDiffer) {
  const BulkProgram program;
  std::map<std::pair<int, std::int64_t>, int> seen;
  for (const auto& configuration : program.configurations)
    EXPECT_EQ(++seen[std::make_pair(configuration.kernel, configuration.grid_x)], 1);
}

TEST(BulkLaunches, AreInTicksInAscendingOrderAtTheStatedRate) {
  const auto rows = launches_of({3'000'000, 1, 0});
  ASSERT_EQ(rows.size(), 3'000'000u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].start % 32, 0);
    ASSERT_EQ(rows[i].duration % 32, 0);
    ASSERT_GT(rows[i].duration, 0);
    if (i > 0) {
      ASSERT_GT(rows[i].start, rows[i - 1].start);
    }
  }
  const double span = static_cast<double>(rows.back().start - rows.front().start);
  EXPECT_NEAR(span / 3e6, 688e9 / 93e6, 0.1 * 688e9 / 93e6);
}

TEST(BulkLaunches, MostSpreadALittleAndAFewAreFarOut) {
  const BulkProgram program;
  std::int64_t near = 0, far = 0;
  const auto rows = launches_of({2'000'000, 5, 0});
  for (const auto& row : rows) {
    const double ratio = row.duration / program.shapes[static_cast<std::size_t>(row.configuration)].median_ns;
    near += ratio > 0.5 && ratio < 2.5;
    far += ratio > 20;
  }
  EXPECT_GT(near, 1'900'000);
  EXPECT_GT(far, 5);
  EXPECT_LT(far, 60);
}

TEST(BulkStore, SameSeedGivesTheSameRowsAndAnotherSeedDoesNot) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_bulk_store({20'000, 1, 8}, folder.file("a.jts")));
  ASSERT_TRUE(write_bulk_store({20'000, 1, 8}, folder.file("b.jts")));
  ASSERT_TRUE(write_bulk_store({20'000, 2, 8}, folder.file("c.jts")));
  EXPECT_TRUE(bytes(folder.file("a.jts")) == bytes(folder.file("b.jts")));
  EXPECT_FALSE(bytes(folder.file("a.jts")) == bytes(folder.file("c.jts")));
}

TEST(BulkStore, HoldsTheRowsThatTheDatabaseHolds) {
  const test::TemporaryFolder folder;
  const BulkOptions options{30'000, 7, 8};
  ASSERT_TRUE(write_bulk_store(options, folder.file("bulk.jts")));
  ASSERT_TRUE(write_bulk_database(options, folder.file("bulk.sqlite")));
  const auto imported = import::import_files({folder.file("bulk.sqlite")}, Job{});
  ASSERT_TRUE(imported) << describe(imported.error());
  ASSERT_TRUE(store::write_store(*imported, folder.file("imported.jts")));
  const auto written = store::Store::open(folder.file("bulk.jts"));
  const auto other = store::Store::open(folder.file("imported.jts"));
  ASSERT_TRUE(written) << describe(written.error());
  ASSERT_TRUE(other) << describe(other.error());
  ASSERT_EQ(written->table("launches").rows, 30'000u);
  ASSERT_EQ(other->table("launches").rows, 30'000u);
  EXPECT_EQ(written->table("transfers").rows, 3'750u);
  EXPECT_EQ(other->table("transfers").rows, 3'750u);
  const auto grid = [](const store::Store& store, std::size_t row) {
    const auto configuration = static_cast<std::size_t>(number(store, "launches", "configuration", row));
    return std::pair{number(store, "configurations", "grid_x", configuration),
                     number(store, "configurations", "registers", configuration)};
  };
  const auto stream = [](const store::Store& store, std::size_t row) {
    return store.resources()[static_cast<std::size_t>(number(store, "launches", "stream", row))].number;
  };
  const double shift = number(*other, "launches", "start", 0) - number(*written, "launches", "start", 0);
  for (std::size_t row = 0; row < 30'000; ++row) {
    for (const char* column : {"duration", "flags", "correlation"})
      ASSERT_EQ(number(*written, "launches", column, row), number(*other, "launches", column, row))
          << column << " of row " << row;
    ASSERT_EQ(number(*written, "launches", "start", row) + shift, number(*other, "launches", "start", row));
    ASSERT_EQ(grid(*written, row), grid(*other, row));
    ASSERT_EQ(stream(*written, row), stream(*other, row));
  }
}

TEST(Bulk, ManyStreamsAreSharedOutOverDevices) {
  const test::TemporaryFolder folder;
  BulkOptions options;
  options.launches = 4'000;
  options.streams = 1'000;
  options.devices = 8;
  ASSERT_TRUE(write_bulk_store(options, folder.file("many.jts")));
  const auto written = store::Store::open(folder.file("many.jts"));
  ASSERT_TRUE(written);
  int devices = 0, streams = 0;
  std::map<std::uint32_t, int> of_device;
  for (const auto& resource : written->resources()) {
    devices += resource.kind == store::ResourceKind::Device;
    if (resource.kind != store::ResourceKind::Stream) continue;
    ++streams;
    ++of_device[resource.parent];
  }
  EXPECT_EQ(devices, 8);
  EXPECT_EQ(streams, 1'001) << "1,000 for launches and one for copies";
  for (const auto& [device, count] : of_device) EXPECT_NEAR(count, 125, 1) << "device " << device;
  std::map<std::uint32_t, int> launches;
  for (const auto stream : written->column<std::uint32_t>("launches", "stream")) ++launches[stream];
  EXPECT_EQ(launches.size(), 1'000u);
  options.devices = 1'001;
  EXPECT_EQ(write_bulk_store(options, folder.file("x.jts")).error().kind, ErrorKind::BadUse);
}

TEST(BulkStore, OptionsOutOfRangeAreRefused) {
  EXPECT_EQ(write_bulk_store({0, 1, 8}, "/nowhere/x.jts").error().kind, ErrorKind::BadUse);
  EXPECT_EQ(write_bulk_database({10, 1, -1}, "/nowhere/x.sqlite").error().kind, ErrorKind::BadUse);
  EXPECT_EQ(write_bulk_store({10, 1, 8}, "/nowhere/x.jts").error().kind, ErrorKind::Io);
}

} // namespace
} // namespace jitterscope::generator
