// Output of Intel's unitrace and its predecessors.

#include "core/import/formats/unitrace/command.h"
#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using unitrace::command_of;
using enum store::TransferKind;

class Unitrace : public TableTest {};

const std::string kLines = R"t(Matrix multiplication, 4 repeats
Thread 47571 Device 35747536 : "zeCommandListAppendMemoryCopy(M2D)[4194304]" [ns] 542502841453331 (append) 542502841453331 (submit) 542502841481411 (start) 542502842346371 (end)
Thread 47571 Device 35747536 : "gemm<int, 2>(float*)[SIMD32 {4; 1024; 1} {256; 1; 1}]" [ns] 542502847242858 (append) 542502847242958 (submit) 542502847858138 (start) 542502850711898 (end)
Thread 47571 Device 0x22 : "zeCommandListAppendMemoryCopy(D2M)[64 bytes]" [ns] 542502850756675 (append) 542502850756675 (submit) 542502851484595 (start) 542502851921715 (end)
Thread 47571 Device 35747536 : "zeCommandListAppendBarrier" [ns] 542502850756675 (append) 542502850756675 (submit) 542502851484595 (start) 542502851921715 (end)
Thread 47571 Device 35747536 : "late" [ns] 5 (append) 5 (submit) 9 (start) 8 (end)
)t";

const std::string kSums = R"t(
=== Device Timing Summary ===

                Total Execution Time (ns):            295236137
    Total Device Time for L0 backend (ns):            177147822

== L0 Backend ==

                              Kernel,        Calls,            Time (ns),     Time (%),         Average (ns),             Min (ns),             Max (ns)
         "gemm(int, float)[SIMD32 {4; 1; 1} {2; 1; 1}]",            4,            172104499,    97.150000,             43026124,             42814000,             43484166
 relu(float*, int),            2,              2099164,     1.180000,              1049582,              1000000,              1099164
"zeCommandListAppendMemoryCopy(M2D)",            8,              2934831,     1.660000,               366853,               286500,               585333

=== Kernel Properties ===

 Kernel, Compiled, SIMD, Number of Arguments, SLM Per Work Group, Private Memory Per Thread, Spill Memory Per Thread, Register File Size Per Thread
"gemm",      JIT,   32,                   0,                  0,                         0,                       0,                            16
)t";

TEST(UnitraceCommand, NamesAreSplit) {
  const auto kernel = command_of("a[b]<int>[SIMD32 {4; 1024; 1} {256; 2; 1}]");
  EXPECT_EQ(kernel.name, "a[b]<int>");
  EXPECT_EQ((*kernel.groups)[1], 1024);
  EXPECT_EQ((*kernel.group_size)[0], 256);
  EXPECT_EQ(command_of("zeCommandListAppendMemoryFill[64 bytes]").bytes, 64);
  EXPECT_EQ(command_of("zeCommandListAppendMemoryFill[64 bytes]").name, "zeCommandListAppendMemoryFill");
  for (const char* plain : {"gemm", "void k<int[3]>()", "k[7]", "[SIMD32]", "", "]"})
    EXPECT_EQ(command_of(plain).name, plain);
  EXPECT_FALSE(command_of("k[SIMD32 {4; 1").groups);
  EXPECT_FALSE(command_of("k[SIMD32]").groups);
  EXPECT_TRUE(unitrace::is_memory_command("clEnqueueReadBuffer"));
  EXPECT_TRUE(unitrace::is_other_command("zeCommandListAppendBarrier"));
  EXPECT_FALSE(unitrace::is_other_command("zebra") || unitrace::is_memory_command("clear"));
}

TEST_F(Unitrace, LinesOfATimelineAreLaunchesAndCopies) {
  const auto data = import_good_text(kLines, "timeline.txt");
  EXPECT_EQ(data.manifest.sources[0].format, "unitrace output");
  EXPECT_FALSE(data.manifest.launch_order);
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"gemm", 1}}));
  EXPECT_EQ(launch_durations(data), (Integers{2'853'760}));
  EXPECT_EQ(configuration_value(data, "grid_y", 0), 1024u);
  EXPECT_EQ(configuration_value(data, "block_x", 0), 256u);
  EXPECT_EQ(numbers(data, "since_append")[0], 615'280);
  EXPECT_EQ(numbers(data, "since_submit")[0], 615'180);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Integers{4'194'304, 64}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(HostToDevice), static_cast<std::uint8_t>(DeviceToHost)}));
  EXPECT_EQ(data.manifest.devices.size(), 2u);
  EXPECT_EQ(reported(data, "not-imported"), 1); // a barrier
  EXPECT_EQ(reported(data, "negative-duration"), 1);
}

TEST_F(Unitrace, LinesOfElderTools) {
  const auto data =
      import_good_text("Device Timeline: start time [ns] = 2736828495339248\n"
                       "Device Timeline (queue: 0x556fa2318fc0): GEMM [ns] = 397513563 (append) 398002195 "
                       "(submit) 400548943 (start) 443632026 (end)\n"
                       "<PID:77> Device Timeline (queue: 0x556fa2318fd0): clEnqueueWriteBuffer [ns] = "
                       "317341082 (queued) 317355010 (submit) 317452332 (start) 317980165 (end)\n",
                       "ze_tracer.txt");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"GEMM", 1}}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(HostToDevice)}));
  EXPECT_EQ(reported(data, "unknown-bytes"), 1);
}

TEST_F(Unitrace, SumsAreRowsOfKernels) {
  const auto data = import_good_text(kSums, "sums.txt");
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"gemm", 1}, {"relu", 1}}));
  EXPECT_EQ(numbers(data, "calls"), (std::vector<double>{4, 2}));
  EXPECT_EQ(numbers(data, "max")[1], 1'099'164);
  expect_reported(data, {{"sums-over-launches", 1}, {"memory-operations", 1}});
  const auto both = import_good_text(kLines + kSums, "both.txt");
  EXPECT_EQ(launches_of(both), 1u);
  EXPECT_EQ(reported(both, "same-kernels"), 1);
}

TEST_F(Unitrace, OutputWithoutKernelsStatesWhatToRecord) {
  const auto error =
      error_of("=== API Timing Summary ===\n\n  Function, Calls, Time (ns)\n zeInit, 1, 5\n", "api.txt");
  EXPECT_NE(error.message.find("no kernel"), std::string::npos);
  EXPECT_NE(error.hint.find("--device-timeline"), std::string::npos);
}

TEST_F(Unitrace, DamageIsSurvived) {
  expect_damage_is_survived(kLines.substr(0, 500), 13);
  expect_damage_is_survived(kSums, 31);
}

} // namespace
} // namespace jitterscope::import
