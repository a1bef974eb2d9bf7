#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/resource.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "core/base/output_file.h"
#include "core/store/format/store.h"
#include "core/store/hdf5/checksum.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::store;

namespace {

TraceData sample() {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "void saxpy<float>(int, float)", 2);
  test::add_launches(data, {{10, 5, 0}, {20, 6, 1}, {30, 7, 0, 3}});
  test::add_transfers(data, {{-4, 2, 1024}});
  data.find("launches")->add<float>("gap_ns", "ns", "time since the previous launch", {NAN, 5.0f, 4.0f});
  data.manifest.sources.push_back(
      {"trace.sqlite", 77, "abc", "Nsight Systems SQLite", "1", "3.1", 5, 0, "own"});
  data.manifest.report.push_back({Severity::Repair, "overflowed-clock", 3, "clock repaired"});
  data.manifest.devices.push_back({2, "GPU", "uuid", 82, {{"clock", "1"}}});
  return data;
}

} // namespace

TEST(Store, KeepsEveryColumnStringAndResource) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("a.jts");
  ASSERT_TRUE(write_store(sample(), path));
  const auto opened = Store::open(path);
  ASSERT_TRUE(opened) << describe(opened.error());
  const Store& store = *opened;
  EXPECT_TRUE(store.mapped());
  EXPECT_EQ(store.table("launches").rows, 3u);
  EXPECT_EQ(store.starts("launches")[2], 30);
  EXPECT_EQ(store.starts("transfers")[0], -4);
  const auto* gap = store.table("launches").find("gap_ns");
  ASSERT_NE(gap, nullptr);
  EXPECT_EQ(gap->unit, "ns");
  EXPECT_TRUE(std::isnan(gap->at(0)));
  EXPECT_EQ(gap->at(1), 5.0);
  const auto name = store.column<std::uint32_t>("kernels", "name")[0];
  EXPECT_EQ(store.string({name}), "void saxpy<float>(int, float)");
  ASSERT_EQ(store.resources().size(), 5u);
  EXPECT_EQ(store.resources()[4].number, 8);
  EXPECT_EQ(store.manifest().report.at(0).code, "overflowed-clock");
  EXPECT_EQ(store.manifest().sources.at(0).path, "trace.sqlite");
  EXPECT_EQ(store.manifest().devices.at(0).properties.at("clock"), "1");
}

TEST(Store, ColumnsKeepTheirOrder) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_store(sample(), folder.file("a.jts")));
  const auto store = Store::open(folder.file("a.jts"));
  ASSERT_TRUE(store);
  EXPECT_EQ(store->table("launches").columns.front().name, "start");
  EXPECT_EQ(store->table("launches").columns.back().name, "gap_ns");
}

TEST(Store, RefusesToWriteUnsortedOrRaggedData) {
  const test::TemporaryFolder folder;
  auto unsorted = sample();
  test::column<std::int64_t>(unsorted, "launches", "start")[0] = 99;
  EXPECT_FALSE(write_store(unsorted, folder.file("a.jts")));
  auto ragged = sample();
  test::column<std::int64_t>(ragged, "launches", "duration").pop_back();
  const auto result = write_store(ragged, folder.file("a.jts"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().place, "launches.duration");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Store, AFolderThatDoesNotExistIsAnErrorWithTheFile) {
  const auto result = write_store(sample(), "/nonexistent-folder/a.jts");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Io);
  EXPECT_EQ(result.error().file, "/nonexistent-folder/a.jts");
}

TEST(Store, ATreeOfTheWrongShapeIsRefused) {
  const test::TemporaryFolder folder;
  auto nested = sample();
  for (std::uint32_t i = 0; i < 10; ++i)
    nested.resources.push_back(
        {ResourceKind::Process, static_cast<std::uint32_t>(nested.resources.size() - 1), kNone, 1, -1, ""});
  ASSERT_TRUE(write_store(nested, folder.file("a.jts")));
  const auto opened = Store::open(folder.file("a.jts"));
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("resource tree"), std::string::npos);
}

TEST(Store, NamesThatAreNotUtf8AreStoredAllTheSame) {
  const test::TemporaryFolder folder;
  auto data = sample();
  data.manifest.sources[0].path = "trace\xe9.sqlite";
  data.resources[1].name = "program\xff";
  ASSERT_TRUE(write_store(data, folder.file("a.jts")));
  EXPECT_TRUE(Store::open(folder.file("a.jts")));
}

TEST(Store, WritingCanBeCancelledAndLeavesNoFile) {
  const test::TemporaryFolder folder;
  Job job;
  job.cancelled = [] { return true; };
  EXPECT_FALSE(write_store(sample(), folder.file("a.jts"), job));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// The end of the process is part of the test: HDF5 crashes there if a file could not be closed.
TEST(Store, ADiskThatRefusesLeavesNothingAndAProcessThatEndsNormally) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("a.jts");
  ASSERT_TRUE(write_store(sample(), path));
  const auto whole = std::filesystem::file_size(path);
  std::filesystem::remove(path);
  for (std::uintmax_t limit = 0; limit < whole; limit += whole / 40 + 1) {
    const auto write_with_limit = [&] {
      report_file_size_limit_as_error();
      const rlimit bytes{limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &bytes);
      const auto written = write_store(sample(), path);
      std::exit(written ? 0 : written.error().kind == ErrorKind::Io && written.error().file == path ? 7 : 8);
    };
    EXPECT_EXIT(write_with_limit(), testing::ExitedWithCode(7), "") << limit << " of " << whole << " B";
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << limit;
  }
}

TEST(Store, IsNotWrittenToAPipe) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("a.jts").c_str(), 0600), 0);
  EXPECT_EQ(write_store(sample(), folder.file("a.jts")).error().kind, ErrorKind::BadUse);
}

TEST(Checksum, IsSha256) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("abc")) << "abc";
  EXPECT_EQ(sha256_of_file(folder.file("abc"), {}).value(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
