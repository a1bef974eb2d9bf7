// Tables of rocprofv3 in its three generations: kernel traces, copies, calls, counters, samples.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/core.h>

#include "core/import/text/csv/csv_reader.h"
#include "tests/core/import/formats/rocm/rocm_support.h"

namespace jitterscope::import {
namespace {

using store::TransferKind;

TEST(RocmTraces, LlamaDecodeGivesItsKernelsAndCopyKernels) {
  REQUIRE_REAL_DATA(path, "rocm/rocprofv3-llamacpp/decode_kernel_trace.csv");
  const auto data = import_good({path});
  EXPECT_EQ(starts(data).size(), 138u); // 144 dispatches
  EXPECT_EQ(reported(data, "copy-kernels"), 6);
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            std::vector<std::uint8_t>(6, static_cast<std::uint8_t>(TransferKind::DeviceToDevice)));
  EXPECT_EQ(sum(durations(data)), 1'842'674);
  EXPECT_EQ(starts(data).front(), 342331487558371);
  // Calls in the table next to the file are read as well and identify the process.
  EXPECT_EQ(column<std::int64_t>(data, "calls", "start").size(), 920u);
  const auto& call = column<std::uint32_t>(data, "launches", "call");
  EXPECT_EQ(std::count_if(call.begin(), call.end(), [](std::uint32_t row) { return row != kNone; }), 25);
  EXPECT_EQ(data.resources[1].number, 2684120);
  EXPECT_EQ(configured(data, 1, "grid_x"), 1u);
  EXPECT_EQ(configured(data, 1, "grid_y"), 96u);
}

TEST(RocmTraces, CountersOfOtherRunsAreJoinedAndDoubted) {
  REQUIRE_REAL_DATA(folder, "rocm/rocprofv3-llamacpp");
  const auto data = import_good({folder});
  EXPECT_EQ(starts(data).size(), 138u);
  EXPECT_GT(reported(data, "counters-of-other-run"), 0);
  const auto busy = counter(data, "SQ_BUSY_CYCLES");
  const auto fetch = counter(data, "FETCH_SIZE");
  ASSERT_EQ(busy.size(), 138u);
  EXPECT_EQ(data.find("launches")->find("fetch_size")->unit, "KiB");
  EXPECT_EQ(data.find("launches")->find("l2cachehit")->unit, "%");
  EXPECT_GT(std::count_if(fetch.begin(), fetch.end(), [](double v) { return v == v; }), 20);
}

TEST(RocmTraces, CountersAloneAreLaunchesOfTheirOwn) {
  REQUIRE_REAL_DATA(path, "rocm/rocprofv3-llamacpp/decode_stall_counter_collection.csv");
  const auto data = import_good({path});
  EXPECT_FALSE(data.manifest.launch_order);
  EXPECT_EQ(starts(data).size(), 34u); // 340 rows of 10 counters
  for (const auto value : counter(data, "Wavefronts")) EXPECT_EQ(value, value);
  EXPECT_EQ(reported(data, "durations-of-own-pass"), 1);
}

struct Documented {
  const char* file;
  std::size_t launches, transfers;
  bool launch_order;
};

class RocmDocumentation : public testing::TestWithParam<Documented> {};

TEST_P(RocmDocumentation, ExampleIsRead) {
  const auto& oracle = GetParam();
  REQUIRE_REAL_DATA(path, std::string("rocm/rocprofv3-docs/") + oracle.file);
  const auto data = import_good({path});
  EXPECT_EQ(starts(data).size(), oracle.launches);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "start").size(), oracle.transfers);
  EXPECT_EQ(data.manifest.launch_order, oracle.launch_order);
}

INSTANTIATE_TEST_SUITE_P(Rocprofv3, RocmDocumentation,
                         testing::Values(Documented{"2024-10/kernel_trace.csv", 7, 0, false},
                                         Documented{"2025-08/kernel_trace.csv", 9, 0, false},
                                         Documented{"2025-08/kernel_trace_truncated.csv", 4, 0, false},
                                         Documented{"2024-10/memory_copy_trace.csv", 0, 2, false},
                                         Documented{"2025-08/memory_copy_trace.csv", 0, 4, false},
                                         Documented{"2024-10/counter_collection.csv", 7, 0, true},
                                         Documented{"2024-10/kernel_names.csv", 4, 0, true},
                                         Documented{"2025-08/counter_collection.csv", 4, 0, false},
                                         Documented{"2025-08/hip_api_stats.csv", 17, 0, true},
                                         Documented{"2024-10", 7, 2, false},
                                         Documented{"2025-08", 13, 4, false}));

TEST_F(MadeFiles, CallsAloneOpenAndAreDoubted) {
  for (const std::string file : {"2024-10/hip_runtime_trace.csv", "2025-08/hsa_core_api_trace.csv",
                                 "2025-08/marker_api_trace.csv", "2025-08/rocpd-to-csv.csv",
                                 "2025-08/scratch_memory_trace.csv", "2025-08/memory_allocation_trace.csv"}) {
    REQUIRE_REAL_DATA(path, "rocm/rocprofv3-docs/" + file);
    const auto data = import_good({path});
    EXPECT_EQ(starts(data).size(), 0u);
    EXPECT_GT(column<std::int64_t>(data, "calls", "start").size() +
                  column<std::int64_t>(data, "ranges", "start").size(),
              0u);
    EXPECT_EQ(reported(data, "no-kernels"), 1);
  }
  const auto regions = import_text("Guid,Kind,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,"
                                   "End_Timestamp\ng-1,HIP_API,hipMalloc,5,6,1,100,300\n"
                                   "g-1,ROCTX,step,5,6,1,50,400\n");
  EXPECT_EQ(column<std::int64_t>(regions, "calls", "duration"), Integers{200});
  EXPECT_EQ(column<std::int64_t>(regions, "ranges", "duration"), Integers{350});
  EXPECT_TRUE(has(refusal_of(made("hip_api_trace.csv", "Domain,Function,Process_Id,Thread_Id,Correlation_Id,"
                                                       "Start_Timestamp,End_Timestamp\n"))
                      .message,
                  "host calls"));
  REQUIRE_REAL_DATA(samples, "rocm/rocprofv3-docs/2025-08/pc_sampling_host_trap.csv");
  EXPECT_TRUE(has(refusal_of(samples).message, "program counter samples"));
}

TEST(RocmTraces, ResultsOfTheFirstRocprofAreRead) {
  REQUIRE_REAL_DATA(path, "rocm/rocprofv1-hip-trace/HSA_trace/results.csv");
  const auto data = import_good({path});
  EXPECT_EQ(starts(data), Integers{849432249316636});
  EXPECT_EQ(durations(data), Integers{7840});
  EXPECT_EQ(configured(data, 0, "grid_x"), 1u);
  EXPECT_EQ(configured(data, 0, "registers"), 28u);
  EXPECT_EQ(counter(data, "accum_vgpr"), std::vector<double>{4});
}

// One run as written by current versions of rocprofv3: every cell quoted.
const std::string kKernels = "\"Guid\",\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\","
                             "\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\","
                             "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"Lds_Block_Size\","
                             "\"Scratch_Size\",\"Vgpr_Count\","
                             "\"Accum_Vgpr_Count\",\"Sgpr_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\","
                             "\"Workgroup_Size_Z\",\"Grid_Size_X\","
                             "\"Grid_Size_Y\",\"Grid_Size_Z\",\"Duration\"\n";

std::string kernel(int dispatch, int correlation, int start, int end, const std::string& name = "k(int)") {
  const auto n = [](int value) { return std::to_string(value); };
  return "\"g-1\",\"KERNEL_DISPATCH\",\"Agent 4\",\"1\",\"3\",\"900\",\"" + n(dispatch) + "\",\"9\",\"" +
         name + "\",\"" + n(correlation) + "\",\"" + n(start) + "\",\"" + n(end) +
         "\",\"128\",\"0\",\"32\",\"4\",\"112\",\"64\",\"2\",\"1\",\"640\",\"8\",\"3\",\"" + n(end - start) +
         "\"\n";
}

// rocprof of ROCm 3 put no quotes around names.
TEST_F(MadeFiles, NamesWithCommasWithoutQuotesAreWhole) {
  const auto data = import_text("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"
                                "void f<A<int, 2u>, B>(int, float*)::{lambda(int)#1},2,1000,500,90.5\n"
                                "g(),1,100,100,9.5\nbad(,1,2,3,4,5\n");
  EXPECT_EQ(kernel_name(data, 0), "void f<A<int, 2u>, B>(int, float*)::{lambda(int)#1}");
  EXPECT_EQ(durations(data)[0], 500);
  EXPECT_EQ(counter(data, "calls")[0], 2);
  EXPECT_EQ(durations(data)[1], 100);
  expect_reported(data, {{"unquoted-name", 1}, {"long-row", 1}});
}

TEST_F(MadeFiles, InstructionsOfAThreadTraceAreNotLaunches) {
  const auto error = refusal_of(
      made("stats_ui_output_agent_1_dispatch_1.csv",
           "\"CodeObj\",\"Vaddr\",\"Instruction\",\"Hitcount\",\"Latency\",\"Stall\",\"Idle\",\"Source\"\n"
           "2,15872,\"s_load_dword s2, s[0:1], 0x0\",4,16,0,250,\"\"\n2,15880,\"s_endpgm\",4,16,0,0,\"\"\n"));
  EXPECT_TRUE(has(error.message, "instructions"));
}

TEST_F(MadeFiles, ARunIsPutTogether) {
  made("77_kernel_trace.csv", kKernels + kernel(1, 5, 1000, 2000) + kernel(2, 6, 3000, 4000) +
                                  kernel(3, 6, 3500, 4500) +
                                  kernel(4, 7, 5000, 5100, "__amd_rocclr_fillBufferAligned.kd"));
  made("77_hip_api_trace.csv",
       "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
       "HIP_RUNTIME_API_EXT,hipLaunchKernel,77,900,5,900,950\n"
       "HIP_RUNTIME_API_EXT,hipGraphLaunch,77,900,6,2900,2950\n");
  made("77_marker_api_trace.csv",
       "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
       "MARKER_CORE_RANGE_API,step,77,900,1,800,4600\nMARKER_CORE_API,now,77,900,2,850,850\n");
  made("77_memory_copy_trace.csv", "Kind,Direction,Stream_Id,Source_Agent_Id,Destination_Agent_Id,"
                                   "Correlation_Id,Start_Timestamp,End_Timestamp\n"
                                   "MEMORY_COPY,MEMORY_COPY_DEVICE_TO_HOST,0,Agent 4,Agent 0,8,4600,4700\n");
  made("77_agent_info.csv", "Node_Id,Logical_Node_Id,Agent_Type,Cu_Count,Name,Product_Name\n0,0,CPU,0,cpu,"
                            "EPYC\n4,1,GPU,304,gfx942,AMD Instinct MI300X\n");
  made("77_pc_sampling_stochastic.csv",
       "Sample_Timestamp,Exec_Mask,Dispatch_Id,Instruction,Instruction_Comment,Correlation_Id,Stall_Reason\n"
       "1500,18446744073709551615,1,\"s_waitcnt vmcnt(0)\",\"\",5,X_REASON_WAITCNT\n"
       "1600,65535,1,\"s_endpgm\",\"\",5,X_REASON_OTHER_WAIT\n1700,65535,99,\"s_endpgm\",\"\",5,X_REASON_"
       "OTHER_WAIT\n");
  const auto data =
      import_good({folder_.path("77_kernel_trace.csv"), folder_.path("77_pc_sampling_stochastic.csv")});
  EXPECT_EQ(starts(data), (Integers{1000, 3000, 3500}));
  EXPECT_EQ(configured(data, 0, "grid_x"), 10u);
  EXPECT_EQ(configured(data, 0, "grid_y"), 4u);
  EXPECT_EQ(configured(data, 0, "grid_z"), 3u);
  EXPECT_EQ(configured(data, 0, "registers"), 32u);
  EXPECT_EQ(configured(data, 0, "static_shared_memory"), 128u);
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, 1, 1}));
  const auto& flags = column<std::uint8_t>(data, "launches", "flags");
  EXPECT_FALSE(flags[0] & store::kLaunchGraph);
  EXPECT_TRUE(flags[1] & store::kLaunchGraph);
  EXPECT_TRUE(flags[2] & store::kLaunchOverlaps);
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(TransferKind::DeviceToHost),
                   static_cast<std::uint8_t>(TransferKind::Memset)}));
  EXPECT_EQ(column<std::uint8_t>(data, "ranges", "kind"), (Codes{kPushPopRange, kMark}));
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "range")[0], 0u);
  ASSERT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(data.manifest.devices[0].name, "AMD Instinct MI300X");
  EXPECT_EQ(data.manifest.devices[0].multiprocessors, 304);
  EXPECT_EQ(counter(data, "pc_samples")[0], 2);
  EXPECT_TRUE(std::isnan(counter(data, "pc_samples")[1]));
  EXPECT_EQ(counter(data, "pc_samples_waitcnt")[0], 1);
  EXPECT_EQ(reported(data, "samples-without-launch"), 1);
}

TEST_F(MadeFiles, CopiesBetweenTwoGpusAreDistinguishedFromCopiesOnOne) {
  made("77_kernel_trace.csv", kKernels + kernel(1, 5, 1000, 2000));
  made("77_memory_copy_trace.csv",
       "Kind,Direction,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
       "MEMORY_COPY,MEMORY_COPY_DEVICE_TO_DEVICE,\"Agent 4\",Agent 4,8,4600,4700\n"
       "MEMORY_COPY,MEMORY_COPY_DEVICE_TO_DEVICE,Agent 4,Agent 5,9,4800,4900\n");
  EXPECT_EQ(column<std::uint8_t>(import_good({folder_.path("77_kernel_trace.csv")}), "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(TransferKind::DeviceToDevice),
                   static_cast<std::uint8_t>(TransferKind::PeerToPeer)}));
}

// Concatenated tables ("cat *.csv").
TEST_F(MadeFiles, TitlesAgainAreNoRowAndOtherTablesAreReported) {
  const auto again = import_good(
      {made("kernel_trace.csv", kKernels + kernel(1, 5, 1000, 2000) + kKernels + kernel(2, 6, 3000, 4000))});
  EXPECT_EQ(starts(again), (Integers{1000, 3000}));
  expect_reported(again, {{"repeated-titles", 1}, {"missing-time", 0}});
  const auto other = import_good(
      {made("kernel_trace.csv",
            kKernels + kernel(1, 5, 1000, 2000) +
                "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
                "HIP_RUNTIME_API,hipLaunchKernel,77,900,5,900,950\n")});
  EXPECT_EQ(starts(other), (Integers{1000}));
  expect_reported(other, {{"other-tables", 1}, {"short-row", 0}});
}

TEST_F(MadeFiles, CollectiveKernelsStayKernels) {
  const auto data = import_good(
      {made("kernel_trace.csv",
            kKernels + kernel(1, 1, 10, 20, "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)"))});
  EXPECT_EQ(kernel_name(data, 0, "short_name"), "ncclDevKernel_Generic_1");
}

TEST_F(MadeFiles, AClockOfTheMachineBeginsAtTheFirstActivity) {
  std::string text =
      "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n";
  for (const std::int64_t start : {13386742234691895, 13386742234692895})
    text += fmt::format("\"KERNEL_DISPATCH\",1,1,\"k\",{},{}\n", start, start + 500);
  const auto data = import_good({made("1_kernel_trace.csv", text)});
  EXPECT_EQ(launch_starts(data), (Integers{0, 1000}));
  EXPECT_EQ(data.manifest.sources[0].shift_ns, -13386742234691895);
  EXPECT_EQ(data.manifest.sources[0].alignment,
            "zero is the first activity, at 13386742234691895 ns on the clock of the file");
}

// rocprofv2 writes an empty line after its header, copies without a kernel, and ends of ranges without a
// name.
TEST_F(MadeFiles, TracesOfTheSecondRocprofArePutTogether) {
  const auto kernels = made("hcc_ops_trace_1.csv",
                            "Domain,Operation,Kernel_Name,Start_Timestamp,Stop_Timestamp,Correlation_ID\n\n"
                            "HIP_OPS_DOMAIN,\"KernelExecution\",\"add(int, int)\",1000,3000,7\n"
                            "HIP_OPS_DOMAIN,\"KernelExecution\",\"add(int, int)\",5000,7100,8\n"
                            "HIP_OPS_DOMAIN,\"CopyHostToDevice\",,100,900,5\n"
                            "HIP_OPS_DOMAIN,\"FillBuffer\",,950,980,6\n"
                            "HIP_OPS_DOMAIN,\"Marker\",,990,991,6\n");
  const auto copies = made("async_copy_trace_1.csv",
                           "Domain,Operation,Start_Timestamp,Stop_Timestamp,Correlation_ID\n\n"
                           "HSA_OPS_DOMAIN,\"Copy\",100,900,5\nHSA_OPS_DOMAIN,\"Copy\",8000,8100,9\n");
  const auto calls =
      made("hip_api_trace_1.csv", "Domain,Function,Start_Timestamp,End_Timestamp,Correlation_ID\n\n"
                                  "HIP_API_DOMAIN,\"hipLaunchKernel\",800,990,7\n"
                                  "HIP_API_DOMAIN,\"hipLaunchKernel\",4000,4090,8\n");
  const auto ranges = made("roctx_trace_1.csv", "Domain,ROCTX_ID,Message,Timestamp\n\n"
                                                "ROCTX_DOMAIN,0,\"outer\",700\nROCTX_DOMAIN,0,\"inner\",800\n"
                                                "ROCTX_DOMAIN,0,,900\nROCTX_DOMAIN,0,,9000\n"
                                                "ROCTX_DOMAIN,0,,9050\nROCTX_DOMAIN,1,\"mark\",9100\n");
  const auto data = import_good({kernels, copies, calls, ranges});
  EXPECT_EQ(starts(data), (Integers{1000, 5000}));
  EXPECT_EQ(durations(data), (Integers{2000, 2100}));
  EXPECT_EQ(kernel_name(data, 0), "add(int, int)");
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, 1}));
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "start"), (Integers{100, 950, 8000}));
  using enum store::TransferKind;
  const auto& kinds = column<std::uint8_t>(data, "transfers", "kind");
  EXPECT_EQ(store::TransferKind{kinds[0]}, HostToDevice);
  EXPECT_EQ(store::TransferKind{kinds[1]}, Memset);
  EXPECT_EQ(store::TransferKind{kinds[2]}, Unknown);
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "start"), (Integers{700, 800, 9100}));
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "duration"), (Integers{8300, 100, 0}));
  expect_reported(data, {{"copies-in-two-tables", 1}, {"other-operations", 1}, {"end-without-begin", 1}});
}

TEST_F(MadeFiles, CountersOfTheSecondRocprofAreOfTheTimedExecution) {
  const auto data =
      import_text("Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,"
                  "accum_vgpr,sgpr,wave_size,SQ_WAVES,DispatchNs,BeginNs,EndNs,CompleteNs\n\n"
                  "1,\"k\",0,140,0,55,55,1024,256,512,0,8,0,16,64,16.000000,0,1000,3000,0\n");
  EXPECT_EQ(durations(data), (Integers{2000}));
  EXPECT_EQ(counter(data, "SQ_WAVES"), (std::vector<double>{16}));
  EXPECT_EQ(reported(data, "durations-of-own-pass"), 1) << report_of(data);
}

// Timestamps since 1970 are accepted like any others.
TEST_F(MadeFiles, ClocksMayCountFrom1970) {
  const auto data = import_text("Kind,Agent_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp\n"
                                "KERNEL_DISPATCH,1,k,1,1712195495519689047,1712195495519699047\n"
                                "KERNEL_DISPATCH,1,k,2,1712195495519789047,1712195495519799048\n"
                                "KERNEL_DISPATCH,1,k,3,9012195495519789047,9012195495519799048\n");
  EXPECT_EQ(launch_starts(data), (Integers{0, 100000}));
  EXPECT_EQ(durations(data), (Integers{10000, 10001}));
  EXPECT_EQ(reported(data, "impossible-time"), 1);
}

// A trace of kernels stays one when scripts keep only some of its columns.
TEST_F(MadeFiles, TracesOfFewColumnsAreTraces) {
  const auto data =
      import_text("Kernel_Name,Agent_Id,Queue_Id,Correlation_Id,Start_Timestamp,End_Timestamp,Pid\n"
                  "attention,Agent 3,2,1,1000,2500,4242\n");
  EXPECT_EQ(kernel_name(data, 0), "attention");
  EXPECT_EQ(durations(data), (Integers{1500}));
  EXPECT_EQ(data.resources[1].number, 4242);
  EXPECT_EQ(data.resources[2].number, 3);
  const auto calls =
      import_text("Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
                  "hipModuleLoad,20,21,4340,1000,1500\n");
  EXPECT_EQ(column<std::int64_t>(calls, "calls", "duration"), (Integers{500}));
  EXPECT_EQ(calls.find("launches")->rows(), 0u);
}

TEST_F(MadeFiles, ColumnsOfVersionsToComeAreKept) {
  const auto data =
      import_text("Kind,Agent_Id,Kernel_Name,Start_Timestamp,End_Timestamp,Cluster_Size,Launch_Mode\n"
                  "KERNEL_DISPATCH,1,k,100,200,4,cooperative\n");
  EXPECT_EQ(counter(data, "Cluster_Size"), (std::vector<double>{4}));
  ASSERT_NE(data.find("launches")->find("launch_mode"), nullptr);
  const auto copies = import_text("Kind,Direction,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,"
                                  "Start_Timestamp,End_Timestamp,Size\n"
                                  "MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,0,4,1,100,200,4096\n");
  EXPECT_EQ(column<std::int64_t>(copies, "transfers", "bytes"), (Integers{4096}));
  EXPECT_EQ(reported(copies, "unknown-bytes"), 0);
}

TEST_F(MadeFiles, PassFoldersAreJoinedByOccurrence) {
  const std::string header = "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Thread_Id,Grid_Size,"
                             "Kernel_Name,Workgroup_Size,"
                             "LDS_Block_Size,Scratch_Size,VGPR_Count,SGPR_Count,Counter_Name,Counter_Value\n";
  for (const std::string host : {"", "/node7"}) { // without a named output file, hosts have folders
    SCOPED_TRACE(host);
    const auto run = "run" + std::to_string(host.size());
    std::filesystem::create_directories(folder_.path(run + "/pass_1" + host));
    std::filesystem::create_directories(folder_.path(run + "/pass_2" + host));
    made(run + "/pass_1" + host + "/1_counter_collection.csv",
         header + "1,1,1,1,10,10,256,a,64,0,0,8,16,SQ_WAVES,4\n2,2,1,1,10,10,256,a,64,0,0,8,16,SQ_WAVES,5\n"
                  "3,3,1,1,10,10,256,b,64,0,0,8,16,SQ_WAVES,6\n");
    made(run + "/pass_2" + host + "/2_counter_collection.csv",
         header + "1,1,1,1,11,11,256,a,64,0,0,8,16,TCC_HIT,40\n3,3,1,1,11,11,256,b,64,0,0,8,16,TCC_HIT,60\n"
                  "4,4,1,1,11,11,256,a,64,0,0,8,16,TCC_HIT,50\n");
    const auto data = import_good({folder_.path(run)});
    EXPECT_TRUE(data.manifest.launch_order);
    EXPECT_EQ(counter(data, "SQ_WAVES"), (std::vector<double>{4, 5, 6}));
    EXPECT_EQ(counter(data, "TCC_HIT"), (std::vector<double>{40, 50, 60}));
  }
}

// A table saved by a spreadsheet program in a locale with decimal commas: semicolons between the
// fields, every text in quotes.
std::string resaved(const std::string& content, char separator, const std::string& before = {}) {
  const auto stream = open_memory(content);
  CsvReader csv(*stream, {});
  std::string out = before;
  for (;;) {
    const auto more = csv.next();
    if (!more || !*more) return out;
    for (std::size_t i = 0; i < csv.fields().size(); ++i) {
      std::string field(csv.fields()[i]);
      const bool number = !field.empty() && field.find_first_not_of("0123456789.-") == std::string::npos;
      if (number) std::replace(field.begin(), field.end(), '.', ',');
      out += (i > 0 ? std::string(1, separator) : std::string()) + (number ? field : '"' + field + '"');
    }
    out += "\r\n";
  }
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class RocmResaved : public MadeFiles {};

TEST_F(RocmResaved, TracesOfASpreadsheetAreTheSameTraces) {
  REQUIRE_REAL_DATA(path, "rocm/rocprofv3-llamacpp/decode_kernel_trace.csv");
  const auto content = content_of(path);
  const auto original = import_text(content);
  for (const auto& [separator, before] :
       {std::pair(';', ""), std::pair(';', "sep=;\r\n"), std::pair('\t', "")}) {
    const auto data = import_text(resaved(content, separator, before));
    EXPECT_EQ(data.manifest.sources[0].format, original.manifest.sources[0].format);
    EXPECT_EQ(starts(data), starts(original));
    EXPECT_EQ(durations(data), durations(original));
    EXPECT_EQ(kernel_name(data, 5), kernel_name(original, 5));
    EXPECT_EQ(configured(data, 1, "grid_y"), configured(original, 1, "grid_y"));
  }
}

TEST_F(RocmResaved, CountersKeepTheirFractions) {
  const auto data = import_text("Correlation_Id;Dispatch_Id;Agent_Id;Queue_Id;Kernel_Id;Kernel_Name;Grid_"
                                "Size;Counter_Name;Counter_Value;"
                                "Start_Timestamp;End_Timestamp\n"
                                "1;1;4;1;7;\"add(int*, float)\";64;FETCH_SIZE;12,5;1000;2000\n"
                                "2;2;4;1;7;\"add(int*, float)\";64;FETCH_SIZE;1.048.576,25;3000;4000\n"
                                "3;3;4;1;7;\"add(int*, float)\";64;FETCH_SIZE;1,5E+06;5000;6000\n"
                                "4;4;4;1;7;\"add(int*, float)\";64;FETCH_SIZE;7;7000;8000\n");
  EXPECT_EQ(counter(data, "FETCH_SIZE"), (std::vector<double>{12.5, 1'048'576.25, 1.5e6, 7}));
  EXPECT_EQ(kernel_name(data, 0), "add(int*, float)");
  EXPECT_EQ(reported(data, "decimal-comma"), 3);
}

TEST_F(RocmResaved, TimesThatASpreadsheetRoundedAreReported) {
  const std::string titles = "Kind;Agent_Id;Queue_Id;Kernel_Name;Start_Timestamp;End_Timestamp;Grid_Size_X\n";
  const auto data = import_text(titles + "KERNEL_DISPATCH;1;1;k;3,42331E+14;3,42331E+14;64\n"
                                         "KERNEL_DISPATCH;1;1;k;342331487558371;342331487558471;64\n");
  EXPECT_EQ(starts(data).size(), 1u);
  EXPECT_EQ(reported(data, "timestamps-lost-precision"), 1);
  for (const auto* damaged : {"sep=;", "sep=;\n", "sep=;\nsep=;\n", ";;;;;;\n", ";\n;"})
    (void)import_files({made("table.csv", damaged)}, Job{}); // returns
  for (std::size_t size = 0; size < titles.size(); ++size)
    (void)import_files({made("table.csv", titles.substr(0, size) + "\n,;,;,,5;-,;E,;1,\n")}, Job{});
}

} // namespace
} // namespace jitterscope::import
