// Numbers obtained from the real files by other means (SQL), and expected from their import.

#include <algorithm>
#include <set>

#include "tests/core/import/import_support.h"

namespace jitterscope::import {
namespace {

using store::TransferKind;

struct Oracle {
  const char* file;
  std::size_t kernels;
  std::int64_t kernel_ns;
  std::int64_t copies;
  std::int64_t bytes;
  std::int64_t first_start, last_end;
};

class RealFiles : public testing::TestWithParam<Oracle> {};

TEST_P(RealFiles, GiveTheNumbersOfTheirTables) {
  const auto& oracle = GetParam();
  REQUIRE_REAL_DATA(path, oracle.file);
  const auto data = import_good({path});
  const auto& start = launch_starts(data);
  const auto& duration = launch_durations(data);
  EXPECT_EQ(start.size(), oracle.kernels);
  EXPECT_EQ(sum(duration), oracle.kernel_ns);
  ASSERT_FALSE(start.empty());
  EXPECT_EQ(start.front(), oracle.first_start);
  std::int64_t last_end = 0;
  for (std::size_t row = 0; row < start.size(); ++row)
    last_end = std::max(last_end, start[row] + duration[row]);
  EXPECT_EQ(last_end, oracle.last_end);

  const auto& kind = column<std::uint8_t>(data, "transfers", "kind");
  const auto& bytes = column<std::int64_t>(data, "transfers", "bytes");
  std::int64_t copies = 0, copied = 0;
  for (std::size_t row = 0; row < kind.size(); ++row)
    if (static_cast<TransferKind>(kind[row]) != TransferKind::Memset) {
      ++copies;
      copied += bytes[row];
    }
  EXPECT_EQ(copies, oracle.copies);
  EXPECT_EQ(copied, oracle.bytes);
}

INSTANTIATE_TEST_SUITE_P(Nsys, RealFiles,
                         testing::Values(Oracle{"nsys/gtls-cupy/report1.sqlite", 23419, 2206306218, 5105,
                                                215934872, 1964727734, 4247033968},
                                         Oracle{"nsys/gtls-cupy/report1.schema372.sqlite", 23419, 2206306218,
                                                5105, 215934872, 1964727734, 4247033968},
                                         Oracle{"nsys/perlmutter/perlmutter-cloverleaf-cuda.sqlite", 1312,
                                                294404540, 279, 225116952, 533338240, 875678947},
                                         Oracle{"nsys/h100-2gpu/h100_2gpu_1s.sqlite", 3442, 44829522, 904,
                                                110318980178, 155360295935, 156320780944},
                                         Oracle{"nsys/h100-2gpu/mfu_2gpu_before.sqlite", 4010, 535200650,
                                                1020, 8046134544, 60111513113, 60411390119},
                                         Oracle{"nsys/rtx3090-20runs/report19.sqlite", 9359, 15528020, 3834,
                                                286516, 434542073, 519577289}));

struct Migrations {
  const char* file;
  std::int64_t migrations;
  std::int64_t long_launches; ///< number of launches longer than 20 µs
  std::int64_t long_while_migrating;
  std::int64_t short_while_migrating;
};

class UnifiedMemory : public testing::TestWithParam<Migrations> {};

TEST_P(UnifiedMemory, IsSeenWhereItStretchesLaunches) {
  const auto& oracle = GetParam();
  REQUIRE_REAL_DATA(path, oracle.file);
  const auto data = import_good({path});
  const auto& kind = column<std::uint8_t>(data, "transfers", "kind");
  EXPECT_EQ(std::count_if(kind.begin(), kind.end(),
                          [](std::uint8_t k) { return is_migration(static_cast<TransferKind>(k)); }),
            oracle.migrations);
  const auto& duration = launch_durations(data);
  const auto& migration = column<float>(data, "launches", "migration_ns");
  std::int64_t all_long = 0, long_migrating = 0, short_migrating = 0;
  for (std::size_t row = 0; row < duration.size(); ++row) {
    const bool is_long = duration[row] > 20'000;
    all_long += is_long;
    long_migrating += is_long && migration[row] > 0;
    short_migrating += !is_long && migration[row] > 0;
  }
  EXPECT_EQ(all_long, oracle.long_launches);
  EXPECT_EQ(long_migrating, oracle.long_while_migrating);
  EXPECT_EQ(short_migrating, oracle.short_while_migrating);
}

INSTANTIATE_TEST_SUITE_P(Nsys, UnifiedMemory,
                         testing::Values(Migrations{"nsys/rtx3090-20runs/report1.sqlite", 0, 0, 0, 0},
                                         Migrations{"nsys/rtx3090-20runs/report2.sqlite", 0, 0, 0, 0},
                                         Migrations{"nsys/rtx3090-20runs/report3.sqlite", 0, 0, 0, 0},
                                         Migrations{"nsys/rtx3090-20runs/report5.sqlite", 0, 0, 0, 0},
                                         Migrations{"nsys/rtx3090-20runs/report19.sqlite", 0, 0, 0, 0},
                                         Migrations{"nsys/rtx3090-20runs/report7.sqlite", 39, 17, 17, 0},
                                         Migrations{"nsys/rtx3090-20runs/report8.sqlite", 53, 24, 24, 0},
                                         Migrations{"nsys/rtx3090-20runs/report11.sqlite", 99, 200, 47, 0},
                                         Migrations{"nsys/rtx3090-20runs/report12.sqlite", 53, 188, 24, 0},
                                         Migrations{"nsys/rtx3090-20runs/report14.sqlite", 57, 184, 26, 0}));

TEST(RealFile, MpiRangesOfAnOldToolBecomeMessagesAndItsRankIsKnown) {
  REQUIRE_REAL_DATA(path, "nsys/perlmutter/saxpy-mpi-cuda_nsys_perlmutter0.sqlite");
  const auto data = import_good({path});
  const auto process =
      std::find_if(data.resources.begin(), data.resources.end(),
                   [](const store::Resource& r) { return r.kind == store::ResourceKind::Process; });
  ASSERT_NE(process, data.resources.end());
  EXPECT_EQ(process->rank, 0);
  EXPECT_EQ(column<std::int64_t>(data, "messages", "start").size(), 17u);
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "start").size(), 22u);
  EXPECT_EQ(reported(data, "back-trace-duplicates"), 38);
  for (const auto name : column<std::uint32_t>(data, "messages", "name"))
    EXPECT_TRUE(data.strings[StringId{name}].starts_with("MPI_")) << data.strings[StringId{name}];
}

TEST(RealFile, SampledClocksAreRepairedAndTheSampleBeforeTheStartIsDropped) {
  REQUIRE_REAL_DATA(path, "nsys/gpu-metrics/vector_add_profile_v3.schema372.sqlite");
  const auto data = import_good({path});
  EXPECT_EQ(column<std::uint32_t>(data, "counters", "name").size(), 14u);
  EXPECT_EQ(column<std::int64_t>(data, "samples", "time").size(), 57204u - 14u);
  EXPECT_EQ(reported(data, "sample-before-start"), 14);
  for (const auto value : column<double>(data, "samples", "value")) ASSERT_GE(value, 0.0);
  const auto* clock = data.find("launches")->find("mean_gpc_clock_frequency");
  ASSERT_NE(clock, nullptr);
  EXPECT_EQ(clock->unit, "Hz");
  const auto& values = std::get<SpillVector<float>>(clock->values);
  EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](float v) { return v > 1e8f; }));
}

TEST(RealFile, CorrelationNumbersAreTakenPerProcess) {
  REQUIRE_REAL_DATA(path, "nsys/h100-2gpu/mfu_2gpu_before.sqlite");
  const auto data = import_good({path});
  const auto& call = column<std::uint32_t>(data, "launches", "call");
  const auto& start = launch_starts(data);
  const auto& call_start = column<std::int64_t>(data, "calls", "start");
  for (std::size_t row = 0; row < call.size(); ++row)
    if (call[row] != kNone) {
      ASSERT_LE(call_start[call[row]], start[row]);
    }
  EXPECT_EQ(reported(data, "overlapping-launches"), 1);
  REQUIRE_REAL_DATA(trimmed, "nsys/h100-2gpu/h100_2gpu_1s.sqlite");
  const auto partial = import_good({trimmed});
  const auto& matched = column<std::uint32_t>(partial, "launches", "call");
  EXPECT_EQ(std::count_if(matched.begin(), matched.end(), [](std::uint32_t c) { return c != kNone; }), 1632);
}

TEST(RealFile, KernelsCanBeMergedByTheirShortNames) {
  REQUIRE_REAL_DATA(path, "nsys/perlmutter/perlmutter-cloverleaf-cuda.sqlite");
  const auto data = import_good({path});
  const auto different = [&](const char* name) {
    const auto& names = column<std::uint32_t>(data, "kernels", name);
    return std::set<std::uint32_t>(names.begin(), names.end()).size();
  };
  EXPECT_EQ(different("name"), 102u);
  EXPECT_EQ(different("short_name"), 3u);
}

TEST(RealFile, DevicesAreNamedByTheNumberThatKernelsUse) {
  REQUIRE_REAL_DATA(path, "nsys/perlmutter/perlmutter-cloverleaf-cuda.sqlite");
  const auto data = import_good({path});
  ASSERT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(data.manifest.devices[0].uuid, "b17c6502-716a-c2c7-0f65-854136d5f79f"); // id 3, cuDevice 0
  EXPECT_EQ(data.manifest.devices[0].multiprocessors, 108);
  EXPECT_EQ(data.resources[data.manifest.devices[0].resource].name, "NVIDIA A100-SXM4-80GB");
}

} // namespace
} // namespace jitterscope::import
