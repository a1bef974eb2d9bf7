// Tables of nsys stats: traces with real timestamps, and summaries.

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using store::TraceData;

class NsysStats : public TableTest {};

using Times = std::vector<std::int64_t>;

std::size_t rows_of(const TraceData& data, std::string_view group) {
  return column<std::int64_t>(data, group, "start").size();
}

const std::string kTitles =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),"
    "Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n";
const std::string kRows =
    "1000,500,11,64,2,1,256,1,1,32,0.048,0.002,,,,,\"NVIDIA A100 (1)\",1,,7,\"void ns::f<int>(float *, "
    "int)\"\n"
    "1600,400,12,,,,,,,,,,2.500,6.25,Pageable,Device,NVIDIA A100 (1),1,,7,[CUDA memcpy Host-to-Device]\n"
    "2100,50,13,,,,,,,,,,0.004,,Device,,NVIDIA A100 (1),1,,14,[CUDA memset]\n"
    "2200,60,,,,,,,,,,,0.065,,,,NVIDIA A100 (1),,,,[CUDA Unified Memory memcpy DtoH]\n";

TEST_F(NsysStats, GpuTrace) {
  const auto data = import_good_text(kTitles + kRows);
  EXPECT_FALSE(data.manifest.launch_order);
  EXPECT_EQ(launch_starts(data), Times{1000});
  EXPECT_EQ(launch_durations(data), Times{500});
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"f", 1}}));
  EXPECT_EQ(configuration_value(data, "grid_y", 0), 2u);
  EXPECT_EQ(configuration_value(data, "static_shared_memory", 0), 48'000u);
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "correlation")[0], 11u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Times{2'500'000, 4'000, 65'000}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind"),
            (Codes{static_cast<std::uint8_t>(store::TransferKind::HostToDevice),
                   static_cast<std::uint8_t>(store::TransferKind::Memset),
                   static_cast<std::uint8_t>(store::TransferKind::MigrationDeviceToHost)}));
  ASSERT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(data.manifest.devices[0].name, "NVIDIA A100");
  EXPECT_EQ(data.resources[data.manifest.devices[0].resource].number, 1);
  EXPECT_EQ(reported(data, "rounded-bytes"), 3);
}

TEST_F(NsysStats, OtherSpellingsAndTextBefore) {
  for (const std::string titles :
       {"Start (nsec),Duration (nsec),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem "
        "(MB),Bytes "
        "(MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n",
        "Start(nsec),Duration(nsec),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem,DymSMem,Bytes(MB),"
        "Throughput(MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n",
        "Start:ts_ns,Duration:dur_ns,CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/"
        "Trd,StcSMem:mem_B,DymSMem:mem_B,"
        "Bytes:mem_MB,Throughput:thru_B,SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"}) {
    const auto data = import_good_text("Generating '/tmp/x.sqlite'\nProcessing [x.sqlite] with "
                                       "[cuda_gpu_trace.py]... \n\n ** CUDA GPU Trace "
                                       "(cuda_gpu_trace):\n\n" +
                                       titles + kRows);
    EXPECT_EQ(launch_starts(data), Times{1000});
    EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes")[0], 2'500'000);
  }
  const auto data =
      import_good_text("Start (us),Duration (us),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Device,Ctx,Strm,Name\n"
                       "1.5,0.25,1,1,1,1,32,1,1,GPU0,1,0,k\n");
  EXPECT_EQ(launch_starts(data), Times{1500});
  EXPECT_EQ(launch_durations(data), Times{250});
}

TEST_F(NsysStats, LaunchAndExecution) {
  const auto data = import_good_text(
      "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total "
      "Dur (ns),PID,TID,"
      "DevId,API Function,GridXYZ,BlockXYZ,Kernel Name\n"
      "100,20,120,30,150,1000,1050,5,6,0,cudaLaunchKernel_v7000,  148    1    2, 256    1    1,\"k(int, "
      "int)\"\n"
      "200,20,None,None,1200,500,1500,5,6,0,cudaLaunchKernel_v7000, 4 1 1, 32 1 1,\"k(int, int)\"\n");
  EXPECT_EQ(launch_starts(data), (Times{150, 1200}));
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), (Rows{0, 1}));
  EXPECT_EQ(string_at(data, "calls", "name", 0), "cudaLaunchKernel");
  EXPECT_EQ(configuration_value(data, "grid_x", 0), 148u);
  EXPECT_EQ(configuration_value(data, "grid_z", 0), 2u);
}

const std::string kRanges =
    "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,"
    "ParentId,RangeStack,NameTree\n"
    "900,2000,1100,300,800,step,42,43,0,1,1,,:1,step\n"
    "1000,1300,300,0,300,  solver:inner,42,43,1,0,2,1,:1:2,  inner\n";

TEST_F(NsysStats, RangesAlone) {
  const auto data = import_good_text(kRanges);
  EXPECT_EQ(column<std::int64_t>(data, "ranges", "start"), (Times{900, 1000}));
  EXPECT_EQ(column<std::uint8_t>(data, "ranges", "depth"), (Codes{0, 1}));
  EXPECT_EQ(string_at(data, "ranges", "name", 1), "inner");
  EXPECT_EQ(string_at(data, "ranges", "domain", 1), "solver");
  EXPECT_EQ(reported(data, "no-kernels"), 1);
  EXPECT_TRUE(store::write_store(data, folder_.path("x.jts")).has_value());
}

TEST_F(NsysStats, TablesOfOneReportShareAnAxisAndTheirCalls) {
  using Names = std::array<std::string, 3>;
  const auto read = [this](const Names& names) {
    std::vector<std::string> paths;
    for (const auto& name : names) paths.push_back(folder_.path(name));
    write_bytes(paths[0], kTitles + kRows);
    write_bytes(paths[1], kRanges);
    write_bytes(paths[2], "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
                          "950,10,cudaLaunchKernel,0,11,42,43,20,main\n");
    return import_good(paths);
  };
  for (const auto& names :
       {Names{"r1_cuda_gpu_trace.csv", "r1_nvtx_pushpop_trace.csv", "r1_cuda_api_trace.csv"},
        Names{"run-gpu.csv", "run-nvtx-trace.csv", "run-api.csv"},
        Names{"gpu_trace.csv", "nvtx.csv", "api_trace.csv"}}) {
    const auto data = read(names);
    EXPECT_EQ(launch_starts(data), Times{1000});
    EXPECT_EQ(column<std::int64_t>(data, "ranges", "start")[0], 900);
    EXPECT_EQ(column<std::uint32_t>(data, "launches", "call"), Rows{0}) << names[0];
    EXPECT_EQ(data.manifest.sources.size(), 3u);
    EXPECT_EQ(reported(data, "alignment-unknown"), 0) << names[0];
  }
  for (const auto& names :
       {Names{"run1-gpu.csv", "run2-nvtx.csv", "run3-api.csv"}, Names{"a.csv", "trace.csv", "b.csv"}})
    EXPECT_EQ(column<std::uint32_t>(read(names), "launches", "call"), Rows{kNone}) << names[0];
}

TEST_F(NsysStats, ErrorsAreCounted) {
  const auto data = import_good_text(
      kTitles + kRows + "x,y\n3000,-5,1,1,1,1,1,1,1,1,0,0,,,,,G (0),1,,7,k\n" +
      "9999999999999999999,5,1,1,1,1,1,1,1,1,0,0,,,,,G (0),1,,7,k\n" +
      "9e18,5,1,1,1,1,1,1,1,1,0,0,,,,,G (0),1,,7,k\n3000,5,1,1,1,1,1,1,1,1,0,0,,,,,G (0),1,,7,\n");
  EXPECT_EQ(launches_of(data), 1u);
  expect_reported(data, {{"not-a-row", 1},
                         {"negative-duration", 1},
                         {"missing-time", 1},
                         {"impossible-time", 1},
                         {"missing-name", 1}});
}

TEST_F(NsysStats, SummariesAreTables) {
  const auto data = import_good_text(
      "Processing...\nTime (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
      "(ns),Name\n24.9,1231822285,329035,3743.7,3712.0,2079,5856,416.2,\"f<int, "
      "2>(T1)\"\n75,5,1,5,5,5,5,0,g\n",
      "report1_cuda_gpu_kern_sum.csv");
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(launches_by_kernel(data, "name"), (std::map<std::string, int>{{"f<int, 2>(T1)", 1}, {"g", 1}}));
  EXPECT_EQ(numbers(data, "total_time"), (std::vector<double>{1231822285, 5}));
  EXPECT_EQ(launch_durations(data)[0], store::kMissingDuration);
  EXPECT_EQ(reported(data, "sums-over-launches"), 1);
}

// As written by omniperf.
TEST_F(NsysStats, SummariesNameTheirKernelsInOneWord) {
  const auto data =
      import_good_text("KernelName,Count,Sum(ns),Mean(ns),Median(ns),Pct\nf,2,10.5,5.25,5.0,50.0\n"
                       "g,2,10.5,5.25,5.0,50.0\n");
  EXPECT_EQ(launches_by_kernel(data, "name"), (std::map<std::string, int>{{"f", 1}, {"g", 1}}));
}

TEST_F(NsysStats, SummariesStateWhatTheirRowsAre) {
  const std::string sums =
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),";
  const auto messages_of = [this](const std::string& text) {
    const auto data = import_good_text(text, "report1_sum.csv");
    EXPECT_EQ(reported(data, "sums-over-launches"), 1) << text;
    return std::pair(reported(data, "no-kernels"), reported(data, "mixed-rows"));
  };
  const auto kernels = std::pair<std::int64_t, std::int64_t>(0, 0),
             others = std::pair<std::int64_t, std::int64_t>(1, 0),
             mixed = std::pair<std::int64_t, std::int64_t>(0, 1);
  EXPECT_EQ(
      messages_of(
          "Kernel_Name,Count,Sum(ns),Mean(ns),Median(ns),Pct\n\"k<1, 2>(int)\",2,10.5,5.25,5.0,100.0\n"),
      kernels);
  EXPECT_EQ(messages_of(sums + "Name\n100,5,1,5,5,5,5,0,k\n"), kernels);
  EXPECT_EQ(messages_of(sums + "Style,Range\n100,5,1,5,5,5,5,0,PushPop,:step\n"), others);
  EXPECT_EQ(messages_of(sums + "Range\n100,5,1,5,5,5,5,0,:step\n"), others);
  EXPECT_EQ(messages_of(sums + "Category,Operation\n100,5,1,5,5,5,5,0,CUDA_API,cudaLaunchKernel\n"), mixed);
  EXPECT_EQ(
      messages_of(
          "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Med (ns),Min (ns),Max (ns),"
          "StdDev (ns),Kernel Name\n:step,PushPop,7,7,1,2,10,5,5,5,5,0,k(float *)\n"),
      kernels);
  EXPECT_EQ(messages_of(
                "Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns),Total "
                "GPU Ops\n"
                ":step,PushPop,10,20,2,5,12\n"),
            others);
  EXPECT_EQ(
      messages_of(
          "Virtual Address,HtoD Migration Size (MB),DtoH Migration Size (MB),CPU Page Faults,GPU PageFaults,"
          "Migration Throughput (MB/s)\n0x7f0000000000,2.097,0.000,3,12,10240.123\n"),
      others);
  EXPECT_EQ(
      messages_of(
          "Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,Total GPU "
          "PageFaults\n4.194,2.097,4,15\n"),
      others);
  EXPECT_EQ(messages_of("CPU Page Faults,CPU Instruction Address\n3,main+0x12\n1,memset\n"), others);
  const auto both = import_good_text(sums + "Name\n100,5,1,5,5,5,5,0,k\n\nProcessing [x]\n" + sums +
                                         "Style,Range\n100,5,1,5,5,5,5,0,PushPop,:step\n",
                                     "all.csv");
  EXPECT_EQ(launches_by_kernel(both), (std::map<std::string, int>{{"k", 1}}));
  EXPECT_EQ(reported(both, "other-tables"), 1);
}

TEST_F(NsysStats, CallsOfRocprofAreNotKernels) {
  const std::string titles = "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n";
  const auto calls = import_good_text(titles + "\"hipMemcpy\",2,10,5,50.0\n\"hipLaunchKernel\",2,10,5,50.0\n",
                                      "results.hip_stats.csv");
  EXPECT_EQ(reported(calls, "no-kernels"), 2);
  EXPECT_EQ(calls.find("kernels")->rows(), 1u);
  EXPECT_EQ(text_at(calls, "function", 1), "hipLaunchKernel");
  const auto kernels =
      import_good_text(titles + "\"hipify\",2,10,5,50.0\n\"k\",2,10,5,50.0\n", "results.stats.csv");
  EXPECT_EQ(launches_by_kernel(kernels), (std::map<std::string, int>{{"hipify", 1}, {"k", 1}}));
}

TEST_F(NsysStats, SumsOverMemoryOperationsAreNotKernels) {
  const std::string titles =
      "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,us,,us,us,us,\n";
  const std::string copy = "\"GPU activities\",60,6,2,3,2,4,\"[CUDA memcpy HtoD]\"\n";
  const auto data =
      import_good_text(titles + copy + "\"GPU activities\",40,4,1,4,4,4,\"k(int)\"\n", "nvprof.csv");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"k", 1}}));
  EXPECT_EQ(reported(data, "memory-operations"), 1);
  EXPECT_EQ(launches_of(import_good_text(titles + copy, "copies.csv")), 1u);
}

// Columns may be missing from reports; the remaining ones show that these rows ran on the host.
TEST_F(NsysStats, CallsWithoutNumbersOfTheirOwnAreCalls) {
  const std::string rows =
      "100,50,cudaMalloc,0,7,8\n200,60,cudaLaunchKernel_v7000,0,7,8\n300,70,cuStreamSynchronize,0,7,8\n";
  const auto all = import_good_text("Start (ns),Duration (ns),Name,Result,Pid,Tid\n" + rows);
  const auto without_result =
      import_good_text("Start (ns),Duration (ns),Name,Pid,Tid,Thread Name\n"
                       "100,50,cudaMalloc,7,8,main\n200,60,cudaLaunchKernel_v7000,7,8,main\n");
  const auto names_only =
      import_good_text("Start (ns),Duration (ns),Name\n100,50,hipMalloc\n200,60,hsa_queue_create\n");
  for (const auto* data : {&all, &without_result, &names_only}) {
    EXPECT_EQ(rows_of(*data, "launches"), 0u);
    EXPECT_EQ(reported(*data, "no-kernels"), 1);
  }
  EXPECT_EQ(rows_of(all, "calls"), 3u);
  EXPECT_EQ(rows_of(without_result, "calls"), 2u);
  EXPECT_EQ(rows_of(names_only, "calls"), 2u);
}

TEST_F(NsysStats, KernelsWithTimesAndNamesStayKernels) {
  for (const std::string text : {"Start (ns),Duration (ns),Name\n100,50,gemm\n200,60,cudaVectorAdd\n",
                                 "Start (ns),Duration (ns),Name\n100,50,cumsum\n",
                                 "Start (ns),Duration (ns),Name,Stream\n100,50,cudaMallocTest,7\n",
                                 "Start (ns),Duration (ns),Name\n1,5,cudaMalloc(int)\n"})
    EXPECT_EQ(rows_of(import_good_text(text), "calls"), 0u) << text;
}

TEST_F(NsysStats, ATraceOfFewColumnsDistinguishesCopiesFromKernels) {
  const auto data = import_good_text("Start (ns),Duration (ns),Name,Device,Strm,SrcMemKd,DstMemKd,Bytes\n"
                                     "100,50,k,0,7,,,\n200,40,[CUDA memcpy HtoD],0,7,Pageable,Device,1024\n");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"k", 1}}));
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), Times{1024});
  EXPECT_EQ(launches_by_kernel(import_good_text("Start (ns),Duration (ns),Name,Ctx,Strm\n100,50,k,1,7\n"
                                                "200,40,[CUDA memset],1,7\n")),
            (std::map<std::string, int>{{"k", 1}}));
}

// Tools of other accelerators write tables like those of nsys stats.
TEST_F(NsysStats, CopiesWithoutBracketsAreNotKernels) {
  const auto data = import_good_text(
      "Row#,Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (bytes),DymSMem "
      "(bytes),"
      "Bytes (bytes),Throughput (B/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name,\n"
      "1,100,30,5,\"-\",\"-\",\"-\",\"-\",\"-\",\"-\",\"-\",\"-\",\"-\",256,85,\"Device\",\"-\",\"\",1,1,"
      "\"Memset\",\n"
      "2,200,13,6,\"-\",\"-\",\"-\",\"-\",\"-\",\"-\",\"-\",\"-\",\"-\",512,192,\"Pageable\",\"Device\",\"\","
      "1,1,\"Memcpy HtoD (device)\",\n"
      "3,300,45,8,64,1,1,1,1,1,32,0,0,\"-\",\"-\",\"-\",\"-\",\"\",1,1,\"memset_rows(int*, int)\",\n");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"memset_rows", 1}}));
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), (Times{256, 512}));
  EXPECT_EQ(column<std::uint8_t>(data, "transfers", "kind")[1],
            static_cast<std::uint8_t>(store::TransferKind::HostToDevice));
}

TEST_F(NsysStats, ALaunchWithinSeveralRangesIsOne) {
  const auto data = import_good_text(
      "Row#,Range Name,Style,PID,TID,Device ID,Context ID,Stream ID,Range ID,Kernel Exec ID,Kernel Start "
      "(ns),"
      "Kernel Duration (ns),API Start (ns),API Duration (ns),GridXYZ,BlockXYZ,Correlation ID,Kernel Name,\n"
      "1,step,PushPop,7,8,1,1,3,6,23,500,100,400,40,\"64 1 1\",\"32 1 1\",8,\"k(int*)\",\n"
      "2,loop,PushPop,7,8,1,1,3,7,23,500,100,400,40,\"64 1 1\",\"32 1 1\",8,\"k(int*)\",\n"
      "3,loop,PushPop,7,8,1,1,4,7,24,500,100,410,40,\"64 1 1\",\"32 1 1\",9,\"k(int*)\",\n");
  EXPECT_EQ(launch_starts(data), (Times{500, 500}));
  EXPECT_EQ(column<std::uint32_t>(data, "launches", "correlation"), (Rows{8, 9}));
  EXPECT_EQ(rows_of(data, "calls"), 2u);
  expect_reported(data, {{"launch-in-ranges", 1}, {"missing-time", 0}});
}

TEST_F(NsysStats, Damage) {
  expect_damage_is_survived("text\n" + kTitles + kRows, 5);
  expect_damage_is_survived(kRanges, 5);
}

TEST_F(NsysStats, WrittenAgainByASpreadsheet) {
  for (const char separator : {';', '\t'}) {
    auto text = kTitles + "1000,500,11,64,2,1,256,1,1,32,0.048,0.002,,,,,NVIDIA A100 (1),1,,7,k(int)\n";
    std::replace(text.begin(), text.end(), ',', separator);
    const auto data = import_good_text(text);
    EXPECT_FALSE(data.manifest.launch_order);
    EXPECT_EQ(launch_durations(data), Times{500});
  }
}

TEST_F(NsysStats, BinaryPrefixesAreBinaryInEveryColumn) {
  const auto data =
      import_good_text("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem "
                       "(MiB),DymSMem (KiB),Bytes (MiB),"
                       "Throughput (MiB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n"
                       "10,5,1,4,1,1,64,1,1,8,0.0625,1.5,,,,,GPU (0),1,7,k(int)\n"
                       "20,5,2,,,,,,,,,,2,5,Pageable,Device,GPU (0),1,7,[CUDA memcpy HtoD]\n");
  EXPECT_EQ(configuration_value(data, "static_shared_memory", 0), 65'536u);
  EXPECT_EQ(configuration_value(data, "dynamic_shared_memory", 0), 1'536u);
  EXPECT_EQ(column<std::int64_t>(data, "transfers", "bytes"), Times{2'097'152});
}

// Sums that a spreadsheet saved: those of nsys stats, those of nvprof with its row of units, and metrics of
// nvprof.
TEST_F(NsysStats, SumsWrittenAgainByASpreadsheet) {
  for (const char separator : {';', '\t'})
    for (const char point : {'.', ','}) {
      const auto written = [&](std::string text) {
        std::replace(text.begin(), text.end(), ',', separator);
        std::replace(text.begin(), text.end(), '.', point);
        return text;
      };
      const auto sums =
          import_good_text(written("Time (%),Total Time (ns),Instances,Avg (ns),Min (ns),Max (ns),Name\n"
                                   "97.0,123456,10,12345.6,10000,20000,add(int)\n"
                                   "3.0,3456,1,3456.0,3456,3456,sub(int)\n"));
      EXPECT_EQ(launches_by_kernel(sums), (std::map<std::string, int>{{"add", 1}, {"sub", 1}}));
      EXPECT_EQ(numbers(sums, "avg"), (std::vector<double>{12345.6, 3456}));
      EXPECT_EQ(reported(sums, "sums-over-launches"), 1);
      const auto nvprof =
          import_good_text(written("==7== Profiling result:\nType,Time(%),Time,Calls,Avg,Min,Max,Name\n"
                                   ",%,s,,ms,us,s,\nGPU activities,57.5,1.25,10,123.5,1.5,1.2,k(int)\n"
                                   "GPU activities,42.5,0.25,10,23.5,1.5,1.2,h(int)\n"));
      EXPECT_EQ(numbers(nvprof, "time_ns"), (std::vector<double>{1.25e9, 0.25e9})) << separator << point;
      EXPECT_EQ(numbers(nvprof, "avg"), (std::vector<double>{123.5e6, 23.5e6}));
      const auto metrics = import_good_text(written(
          "==7== Metric result:\nDevice,Kernel,Invocations,Metric Name,Metric Description,Min,Max,Avg\n"
          "V100 (0),k(int),10,ipc,Executed IPC,0.5,0.75,0.65\nV100 (0),k(int),10,flops,Operations,1,3,2\n"));
      EXPECT_EQ(numbers(metrics, "ipc"), std::vector<double>{0.65});
      EXPECT_EQ(numbers(metrics, "flops"), std::vector<double>{2});
    }
}

// The same kernels in several tables, with the captions of the human-readable form between them.
TEST_F(NsysStats, KernelsOfSeveralSummariesAreThereOnce) {
  const std::string captions[] = {" ** CUDA GPU Summary (Kernels/MemOps) (cuda_gpu_sum):\n\n",
                                  " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n",
                                  " ** CUDA GPU Kernel/Grid/Block Summary (cuda_gpu_kern_gb_sum):\n\n"};
  const std::string sums = "Time (%),Total Time (ns),Instances,Avg (ns),";
  const auto mixed = captions[0] + sums +
                     "Category,Operation\n60.0,1000,2,500.0,CUDA_KERNEL,k\n40.0,9,1,9.0,MEMORY_OPER,copy\n\n";
  const auto kernels = captions[1] + sums + "Name\n60.0,1000,2,500.0,k\n\n";
  const auto grids =
      captions[2] + sums +
      "GridXYZ,BlockXYZ,Name\n30.0,500,1,500.0,1 1 1,32 1 1,k\n30.0,500,1,500.0,2 1 1,32 1 1,k\n\n";
  const auto rows = [this](const std::string& text) {
    const auto data = import_good_text(text);
    EXPECT_EQ(reported(data, "numbers-as-texts"), 0);
    return std::pair(launches_of(data), reported(data, "same-kernels"));
  };
  using Found = std::pair<std::size_t, std::int64_t>;
  EXPECT_EQ(rows(mixed), Found(2, 0));
  EXPECT_EQ(rows(mixed + kernels), Found(1, 1));
  EXPECT_EQ(rows(kernels + mixed), Found(1, 1));
  EXPECT_EQ(rows(mixed + grids + kernels), Found(2, 2));
  EXPECT_EQ(rows(kernels + kernels), Found(2, 0)); // two concatenated reports
}

// The output of nsys stats when no report is chosen.
TEST_F(NsysStats, SeveralSummariesInOneStream) {
  const std::string sums =
      "Processing [r.sqlite] with [osrt_sum.py]... \n\n"
      "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n60.0,1000,2,500.0,poll\n\n"
      "Processing [r.sqlite] with [cuda_gpu_kern_sum.py]... \n\n"
      "Time (%),Total Time (ns),Instances,Avg (ns),Name\n60.0,1000,2,500.0,\"k(int, int)\"\n"
      "40.0,900,1,900.0,h(int)\n\n"
      "Processing [r.sqlite] with [openmp_sum.py]... \n"
      "SKIPPED: r.sqlite does not contain OpenMP event data.\n\n";
  const auto data = import_good_text(sums);
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"h", 1}, {"k", 1}}));
  EXPECT_EQ(numbers(data, "instances"), (std::vector<double>{2, 1}));
  EXPECT_EQ(reported(data, "other-tables"), 1);
  const auto trace = import_good_text(sums + kTitles + kRows);
  EXPECT_FALSE(trace.manifest.launch_order);
  EXPECT_EQ(launches_by_kernel(trace), (std::map<std::string, int>{{"f", 1}}));
  EXPECT_EQ(reported(trace, "summary-not-read"), 2);
}

TEST_F(NsysStats, DecimalCommasInMicroseconds) {
  const auto data = import_good_text(
      "Start (us);Duration (us);CorrId;GrdX;GrdY;GrdZ;BlkX;BlkY;BlkZ;Reg/Trd;Device;Strm;Name\n"
      "1000,125;20,5;1;64;1;1;128;1;1;32;NVIDIA A100 (0);7;k(int)\n");
  EXPECT_EQ(launch_starts(data), Times{1'000'125});
  EXPECT_EQ(launch_durations(data), Times{20'500});
}

TEST_F(NsysStats, MpiCallsAreMessages) {
  const auto data = import_good_text(
      "Start (ns),End (ns),Duration (ns),Event,Pid,Tid,Tag,Rank,PeerRank,RootRank,Size (MB),CollSendSize "
      "(MB),CollRecvSize "
      "(MB)\n0,500,500,MPI_Send,1,1,3,2,1,,0.004,,\n600,900,300,MPI_Bcast,1,1,,2,,0,,0.002,\n");
  EXPECT_EQ(launches_of(data), 1u); // a burst: between the two calls the thread computes
  EXPECT_EQ(column<std::int64_t>(data, "messages", "bytes"), (Times{4'000, 2'000}));
  EXPECT_EQ(column<std::uint32_t>(data, "messages", "peer"), (Rows{1, 0}));
  EXPECT_EQ(column<std::uint8_t>(data, "messages", "kind"), (Codes{kPointToPoint, kCollective}));
  const auto process = std::find_if(data.resources.begin(), data.resources.end(),
                                    [](const auto& r) { return r.kind == store::ResourceKind::Process; });
  EXPECT_EQ(process->rank, 2);
}

TEST_F(NsysStats, TimesRoundedByTheirUnitAreDoubted) {
  std::string seconds =
      "Start (ms),Duration (ms),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Device,Strm,Name\n";
  auto exact = seconds;
  for (int i = 0; i < 40; ++i) {
    seconds += std::to_string(i) + ",0.00" + std::to_string(1 + i % 2) + ",1,1,1,1,32,1,1,16,A (0),7,k\n";
    exact += std::to_string(i) + ",0.0012" + std::to_string(10 + i) + ",1,1,1,1,32,1,1,16,A (0),7,k\n";
  }
  EXPECT_EQ(reported(import_good_text(seconds), "rounded-times"), 40);
  EXPECT_EQ(reported(import_good_text(exact), "rounded-times"), 0);
}

TEST(NsysStatsReal, KernelSummary) {
  REQUIRE_REAL_DATA(path, "ncu/details-rtx5090/nsys_cuda_gpu_kern_sum.csv");
  const auto data = import_good({path});
  EXPECT_GT(launches_of(data), 50u);
  EXPECT_EQ(numbers(data, "instances")[0], 329035);
  EXPECT_EQ(unit_of(data, "stddev"), "ns");
}

} // namespace
} // namespace jitterscope::import
