// Databases of HPCToolkit: meta.db, profile.db and trace.db.

#include <cstring>
#include <filesystem>

#include "tests/core/import/formats/hpctoolkit_text.h"
#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using hpctoolkit::MetaFile;
using hpctoolkit::Node;
using hpctoolkit::profile_file;
using hpctoolkit::Sample;
using hpctoolkit::trace_file;
using enum store::TransferKind;

constexpr std::uint64_t kStart = 1'700'000'000'000'000'000;

// main calls print and, at a line, solve, which launches axpy and a kernel without a name, copies data in,
// and waits.
std::string meta_bytes() {
  const Node launched = {10, "<gpu kernel>", {{11, "_Z4axpyPf"}}};
  return MetaFile(
             {{2,
               "main",
               {{3,
                 "",
                 {{4, "solve", {launched, {12, "<gpu copyin>"}, {13, "<gpu sync>"}, {14, "<gpu kernel>"}}}}},
                {5, "print"}}}})
      .bytes();
}

class HpcToolkit : public TableTest {
protected:
  std::string write(const std::vector<std::vector<hpctoolkit::Identifier>>& places,
                    const std::vector<std::vector<Sample>>& lines, const std::string& meta = meta_bytes()) {
    write_bytes(folder_.path("meta.db"), meta);
    write_bytes(folder_.path("profile.db"), profile_file(places));
    write_bytes(folder_.path("trace.db"), trace_file(lines, kStart));
    return folder_.path("trace.db");
  }
};

std::map<std::string, std::int64_t> ranges_of(const store::TraceData& data) {
  std::map<std::string, std::int64_t> time;
  const auto& names = column<std::uint32_t>(data, "ranges", "name");
  const auto& durations = column<std::int64_t>(data, "ranges", "duration");
  for (std::size_t row = 0; row < names.size(); ++row)
    time[data.strings[StringId{names[row]}]] += durations[row];
  return time;
}

TEST_F(HpcToolkit, StreamsHaveLaunchesAndThreadsHaveFunctions) {
  const auto data = import_good(
      {write({{{hpctoolkit::kNode, 0, 0xA8C0}, {hpctoolkit::kRank, 3}, {hpctoolkit::kThread, 1}},
              {{hpctoolkit::kNode, 0, 0xA8C0},
               {hpctoolkit::kRank, 3},
               {hpctoolkit::kGpuContext, 2},
               {hpctoolkit::kGpuStream, 7}}},
             {{{kStart, 0}, {kStart + 100, 3}, {kStart + 200, 4}, {kStart + 300, 5}, {kStart + 400, 0}},
              {{kStart + 210, 11},
               {kStart + 240, 12},
               {kStart + 250, 0},
               {kStart + 260, 13},
               {kStart + 270, 14},
               {kStart + 290, 0}}})});
  EXPECT_EQ(data.manifest.sources[0].format, "HPCToolkit database");
  EXPECT_EQ(data.manifest.sources[0].schema, "4.0");
  EXPECT_EQ(ranges_of(data),
            (std::map<std::string, std::int64_t>{{"main", 300}, {"solve", 100}, {"print", 100}}));
  EXPECT_EQ(launches_by_kernel(data, "name"),
            (std::map<std::string, int>{{"axpy(float*)", 1}, {"gpu kernel of solve", 1}}));
  EXPECT_EQ(launch_starts(data), (Integers{210, 270}));
  EXPECT_EQ(launch_durations(data), (Integers{30, 20}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(HostToDevice)}));
  EXPECT_EQ(reported(data, "not-imported"), 1); // <gpu sync>
  EXPECT_EQ(reported(data, "sampled"), 3);
  EXPECT_EQ(data.manifest.origin_utc_ns, static_cast<std::int64_t>(kStart));
  const auto ranks =
      std::count_if(data.resources.begin(), data.resources.end(), [](const auto& r) { return r.rank == 3; });
  EXPECT_EQ(ranks, 1);
}

TEST_F(HpcToolkit, NodesAreHostsAndRanksAreProcesses) {
  std::vector<std::vector<hpctoolkit::Identifier>> places;
  std::vector<std::vector<Sample>> lines;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    places.push_back({{hpctoolkit::kNode, rank / 2, 100 + rank / 2},
                      {hpctoolkit::kRank, rank},
                      {hpctoolkit::kGpuDevice, 0},
                      {hpctoolkit::kGpuStream, 0}});
    lines.push_back({{kStart + rank, 11}, {kStart + 10 + rank, 0}});
  }
  const auto data = import_good({write(places, lines)});
  EXPECT_EQ(launches_of(data), 4u);
  EXPECT_EQ(data.manifest.devices.size(), 2u); // one device of each node
  const auto hosts = std::count_if(data.resources.begin(), data.resources.end(),
                                   [](const auto& r) { return r.kind == store::ResourceKind::Host; });
  EXPECT_EQ(hosts, 2);
}

// A database that was made without the program structure files.
TEST_F(HpcToolkit, CallsWithoutFunctionsAreRecognisedByTheirInstructions) {
  const auto meta = MetaFile({{2, "", {{3, "", {}, 0x40}, {4, "", {}, 0x1f8}}, 0x20}}).bytes();
  const auto data =
      import_good({write({{{hpctoolkit::kThread, 0}}},
                         {{{kStart, 3}, {kStart + 10, 4}, {kStart + 30, 2}, {kStart + 60, 0}}}, meta)});
  EXPECT_EQ(ranges_of(data),
            (std::map<std::string, std::int64_t>{
                {"libsolve.so@0x20", 60}, {"libsolve.so@0x40", 10}, {"libsolve.so@0x1f8", 20}}));
}

TEST_F(HpcToolkit, AnyFileOfTheDatabaseOpensAllOfIt) {
  write({{{hpctoolkit::kGpuStream, 0}}}, {{{kStart, 11}, {kStart + 5, 0}}});
  EXPECT_EQ(launches_of(import_good({folder_.path("meta.db")})), 1u);
  EXPECT_EQ(launches_of(import_good({folder_.path("profile.db")})), 1u);
}

TEST_F(HpcToolkit, MissingPartsAreReported) {
  const auto trace = write({{{hpctoolkit::kThread, 0}}}, {{{kStart, 4}, {kStart + 5, 0}}});
  std::filesystem::remove(folder_.path("profile.db"));
  const auto data = import_good({trace});
  expect_reported(data, {{"unknown-thread", 1}, {"no-kernels", 1}});
  std::filesystem::remove(folder_.path("meta.db"));
  EXPECT_NE(import_files({trace}, Job{}).error().message.find("meta.db"), std::string::npos);
  write({}, {});
  std::filesystem::remove(trace);
  EXPECT_NE(import_files({folder_.path("meta.db")}, Job{}).error().hint.find("hpcrun -t"), std::string::npos);
  const auto newer = error_of(trace_file({}, kStart, 5), "other.db");
  EXPECT_NE(newer.message.find("version 5.0"), std::string::npos);
  EXPECT_NE(newer.hint.find("hpcprof"), std::string::npos);
}

TEST_F(HpcToolkit, TreesThatLeadBackAreDamage) {
  auto meta = meta_bytes();
  const auto file = write({{{hpctoolkit::kGpuStream, 0}}}, {{{kStart, 11}, {kStart + 5, 0}}});
  hpctoolkit::Blob blob;
  const auto at = [&](std::size_t place) {
    std::uint64_t value = 0;
    for (std::size_t byte = 8; byte-- > 0;)
      value = value << 8 | static_cast<unsigned char>(meta[place + byte]);
    return value;
  };
  const auto tree = at(0x48), first = at(at(tree) + 8);
  std::memcpy(meta.data() + first + 8, &first, 8); // main is its own child
  write_bytes(folder_.path("meta.db"), meta);
  const auto data = import_files({file}, Job{});
  if (data) {
    EXPECT_GE(reported(*data, "damaged-file"), 1);
  }
}

TEST_F(HpcToolkit, DamageIsSurvived) {
  const auto trace = write(
      {{{hpctoolkit::kRank, 1}, {hpctoolkit::kGpuStream, 7}}, {{hpctoolkit::kThread, 1}}},
      {{{kStart, 11}, {kStart + 5, 12}, {kStart + 9, 0}}, {{kStart, 4}, {kStart + 5, 5}, {kStart + 7, 0}}});
  for (const char* name : {"meta.db", "profile.db", "trace.db"}) {
    const auto good = read_bytes(folder_.path(name));
    for (std::size_t at = 10; at < good.size(); at += 13)
      for (const char damage : {'\0', '\xFF', '\x20'}) {
        SCOPED_TRACE(fmt::format("{} {}", name, at));
        auto bytes = good;
        bytes[at] = damage;
        write_bytes(folder_.path(name), bytes);
        jitterscope::import::expect_trace_or_error(trace);
      }
    for (std::size_t size = 14; size < good.size(); size += 31) {
      write_bytes(folder_.path(name), good.substr(0, size));
      jitterscope::import::expect_trace_or_error(trace);
    }
    write_bytes(folder_.path(name), good);
  }
}

} // namespace
} // namespace jitterscope::import
