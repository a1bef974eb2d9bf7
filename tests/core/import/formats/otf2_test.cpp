// Traces in OTF2, written here with the OTF2 library.

#include <filesystem>

#include "tests/core/import/formats/table/table_support.h"

#ifdef JITTERSCOPE_OTF2
#include "tests/core/import/formats/otf2_archive.h"
#endif

namespace jitterscope::import {
namespace {

#ifdef JITTERSCOPE_OTF2

class Otf2 : public testing::Test {
protected:
  std::string write() { return write_otf2_archive(folder_.path("run")); }

  TemporaryFolder folder_;
};

TEST_F(Otf2, KernelsRangesMessagesCopiesAndMetrics) {
  const auto data = import_good({write()});
  EXPECT_EQ(data.manifest.sources[0].format, "OTF2 trace");
  EXPECT_EQ(data.manifest.sources[0].utc_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"axpy", 2}}));
  EXPECT_EQ(launch_starts(data), (Integers{30'000, 60'000})); // 100 ns per tick
  EXPECT_EQ(launch_durations(data), (Integers{20'000, 5'000}));
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration"), (Integers{100'000, 60'000}));
  EXPECT_EQ(column<std::int64_t>(data, "calls", "duration"), (Integers{1'000}));
  EXPECT_EQ(column<std::int64_t>(data, "messages", "bytes"), (Integers{64, 4096}));
  EXPECT_EQ(column<std::uint8_t>(data, "messages", "kind"), (Codes{1, 0}));
  EXPECT_EQ(column<std::uint32_t>(data, "messages", "peer"), (Rows{kNone, 1}));
  EXPECT_EQ(column<std::uint32_t>(data, "messages", "tag")[1], 7u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{512}));
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "duration"), (Integers{2'000}));
  EXPECT_EQ(column<double>(data, "samples", "value"), (std::vector<double>{210}));
  EXPECT_EQ(reported(data, "open-range"), 1);
  std::vector<std::int32_t> ranks;
  for (const auto& resource : data.resources)
    if (resource.kind == store::ResourceKind::Process) ranks.push_back(resource.rank);
  EXPECT_EQ(ranks, (std::vector<std::int32_t>{0, 1}));
  const auto device = std::find_if(data.resources.begin(), data.resources.end(),
                                   [](const auto& r) { return r.kind == store::ResourceKind::Device; });
  ASSERT_NE(device, data.resources.end());
  EXPECT_EQ(device->name, "NVIDIA A100");
  EXPECT_EQ(data.resources[device->parent].rank, 0);
}

TEST_F(Otf2, ChunksOfImpossibleSizeAreRefused) {
  const auto anchor = write();
  auto bytes = read_bytes(anchor);
  bytes[27] = '\x44'; // a byte of a chunk size
  write_bytes(anchor, bytes);
  const auto data = import_files({anchor}, Job{});
  ASSERT_FALSE(data.has_value());
  EXPECT_NE(data.error().message.find("anchor"), std::string::npos);
}

TEST_F(Otf2, NumbersOfPropertiesBeyondTheFileAreRefused) {
  const auto anchor = write();
  auto bytes = read_bytes(anchor);
  bytes[52] = '\x70';
  write_bytes(anchor, bytes);
  const auto data = import_files({anchor}, Job{});
  ASSERT_FALSE(data.has_value());
  EXPECT_NE(data.error().message.find("anchor"), std::string::npos);
}

TEST_F(Otf2, MissingPartsAreNamed) {
  const auto anchor = write();
  std::filesystem::remove(folder_.path("run/traces.def"));
  const auto data = import_files({anchor}, Job{});
  ASSERT_FALSE(data.has_value());
  EXPECT_EQ(data.error().kind, ErrorKind::BadInput);
  EXPECT_NE(data.error().hint.find("traces.def"), std::string::npos);
}

TEST_F(Otf2, CutOffFilesAreSurvived) {
  const auto anchor = write();
  for (const auto* name : {"run/traces/0.evt", "run/traces/2.evt", "run/traces.def", "run/traces.otf2"}) {
    const auto whole = read_bytes(folder_.path(name));
    for (const auto size :
         {std::size_t{0}, std::size_t{5}, whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(size));
      write_bytes(folder_.path(name), whole.substr(0, size));
      expect_trace_or_error(anchor);
    }
    write_bytes(folder_.path(name), whole);
  }
}

#else

TEST(Otf2, WithoutItsLibraryTheReaderReportsThat) {
  const TemporaryFolder folder;
  write_bytes(folder.path("traces.otf2"), std::string("\x03"
                                                      "BOTF2\0",
                                                      7));
  const auto data = import_files({folder.path("traces.otf2")}, Job{});
  ASSERT_FALSE(data.has_value());
  EXPECT_NE(data.error().message.find("without the OTF2 library"), std::string::npos);
}

#endif

} // namespace
} // namespace jitterscope::import
