// Counter tables of rocprof, Omniperf and rocprof-compute: every layout of pmc_perf.csv, its passes, and the
// files next to it.

#include <algorithm>
#include <filesystem>

#include "tests/core/import/formats/rocm/rocm_support.h"

namespace jitterscope::import {
namespace {

struct Mixbench {
  const char* folder;
  std::int64_t first_start, kernel_ns;
  std::size_t constant_counters; ///< constant columns that are counters
};

class MixbenchRuns : public testing::TestWithParam<Mixbench> {};

TEST_P(MixbenchRuns, GiveAllDispatchesAndCounters) {
  const auto& oracle = GetParam();
  REQUIRE_REAL_DATA(path, std::string("rocm/") + oracle.folder + "/pmc_perf.csv");
  const auto data = import_good({path});
  EXPECT_FALSE(data.manifest.launch_order);
  ASSERT_EQ(starts(data).size(), 167u);
  EXPECT_EQ(starts(data).front(), oracle.first_start);
  EXPECT_EQ(sum(durations(data)), oracle.kernel_ns);
  EXPECT_EQ(column<std::uint32_t>(data, "kernels", "name").size(), 167u);
  for (const auto* title :
       {"SQ_WAVES", "SQ_BUSY_CYCLES", "SQ_INSTS_VALU", "TCC_HIT_sum", "TCP_PENDING_STALL_CYCLES_sum",
        "TA_BUFFER_READ_WAVEFRONTS_sum", "TD_LOAD_WAVEFRONT_sum"})
    EXPECT_EQ(counter(data, title).size(), 167u) << title;
  const auto waves = counter(data, "SQ_WAVES");
  EXPECT_EQ(std::accumulate(waves.begin(), waves.end(), 0.0), 11'338'240.0);
  // Constant columns whose names begin with a hardware block are counters; 7 others are resources and sizes.
  const auto& constant = data.manifest.constant_columns;
  const auto counters = std::count_if(constant.begin(), constant.end(), [](const std::string& name) {
    static const char* const kBlocks[] = {"sq_",  "sqc_", "ta_",  "td_",  "tcp_",
                                          "tcc_", "cpc_", "cpf_", "spi_", "grbm_"};
    return std::any_of(std::begin(kBlocks), std::end(kBlocks),
                       [&](const char* block) { return name.starts_with(block); });
  });
  EXPECT_EQ(static_cast<std::size_t>(counters), oracle.constant_counters);
  EXPECT_EQ(reported(data, "durations-without-counters"), 1);
}

INSTANTIATE_TEST_SUITE_P(Amd, MixbenchRuns,
                         testing::Values(Mixbench{"mixbench-mi100", 12073201000180193, 65'921'178, 377 - 7},
                                         Mixbench{"mixbench-mi200", 14234006575542, 42'795'834, 402 - 7}));

TEST(RocmCounters, ChannelsOfOnePassSumUpExactly) {
  REQUIRE_REAL_DATA(path, "rocm/mixbench-mi100/pmc_perf.csv");
  const auto data = import_good({path});
  const auto total = counter(data, "TCC_HIT_sum");
  std::vector<double> channels(total.size(), 0.0);
  for (int channel = 0; channel < 32; ++channel) {
    const auto values = counter(data, "TCC_HIT[" + std::to_string(channel) + "]");
    ASSERT_EQ(values.size(), total.size());
    for (std::size_t row = 0; row < values.size(); ++row) channels[row] += values[row];
  }
  EXPECT_EQ(channels, total);
}

TEST(RocmCounters, GridsAreCountedInBlocksAndNamesLoseTheirSuffix) {
  REQUIRE_REAL_DATA(path, "rocm/mixbench-mi100/pmc_perf.csv");
  const auto data = import_good({path});
  EXPECT_EQ(kernel_name(data, 0), "__amd_rocclr_fillBuffer");
  EXPECT_EQ(configured(data, 0, "grid_x"), 33554432u / 256);
  EXPECT_EQ(configured(data, 0, "block_x"), 256u);
  EXPECT_EQ(configured(data, 0, "registers"), 8u);
  EXPECT_EQ(kernel_name(data, 1), "void benchmark_func<short, 256, 8u, 0u>(short, short*)");
  EXPECT_EQ(kernel_name(data, 1, "short_name"), "benchmark_func");
}

TEST(RocmCounters, AFolderOfAWorkloadIsOneSourceWithItsDevice) {
  REQUIRE_REAL_DATA(folder, "rocm/mixbench-mi200");
  const auto data = import_good({folder});
  EXPECT_EQ(starts(data).size(), 167u);
  ASSERT_EQ(data.manifest.devices.size(), 1u);
  const auto& device = data.manifest.devices.front();
  EXPECT_FALSE(device.name.empty());
  EXPECT_GT(device.multiprocessors, 100);
  EXPECT_TRUE(device.properties.contains("roofline HBMBw"));
  EXPECT_EQ(device.properties.at("roofline hbmBwHigh"), "1408.0273 GB/s");
  for (const auto& [name, value] : device.properties)
    EXPECT_FALSE(has(name, "host_name") || has(name, "command"));
  // The same column of five files has five meanings.
  for (const auto* level :
       {"SQ_LEVEL_WAVES", "SQ_IFETCH_LEVEL", "SQ_INST_LEVEL_LDS", "SQ_INST_LEVEL_SMEM", "SQ_INST_LEVEL_VMEM"})
    EXPECT_EQ(counter(data, std::string("SQ_ACCUM_PREV_HIRES (") + level + ")").size(), 167u) << level;
  EXPECT_TRUE(counter(data, "SQ_ACCUM_PREV_HIRES").empty());
}

TEST(RocmCounters, RunsOfOneFolderStayRuns) {
  REQUIRE_REAL_DATA(folder, "rocm/mixbench-runs");
  const auto data = import_good({folder});
  EXPECT_EQ(starts(data).size(), 6u * 167);
  EXPECT_EQ(data.manifest.devices.size(), 6u);
  EXPECT_EQ(starts(data).front(), 0); // each machine's clock starts at its first dispatch
  EXPECT_LT(starts(data).back(), 3'600'000'000'000);
}

TEST(RocmCounters, PassesJoinedByOccurrenceGiveTheJoinedTable) {
  namespace fs = std::filesystem;
  REQUIRE_REAL_DATA(folder, "rocm/raw-passes");
  const auto joined = import_good({folder + "/pmc_perf.csv"});
  TemporaryFolder passes;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != "pmc_perf.csv" && entry.path().extension() == ".csv")
      fs::copy_file(entry.path(), passes.path(entry.path().filename().string()));
  const auto data = import_good({passes.path("")});
  ASSERT_EQ(starts(data), starts(joined));
  EXPECT_EQ(starts(data).front(), 170459569892517);
  EXPECT_EQ(durations(data), durations(joined));
  std::size_t same = 0, counters = 0;
  for (const auto& column : joined.find("launches")->columns) {
    const auto* values = std::get_if<SpillVector<double>>(&column.values);
    const auto* other = data.find("launches")->find(column.name);
    if (!values || values->empty() || column.name.find('_') == std::string::npos) continue;
    ++counters;
    ASSERT_NE(other, nullptr) << column.name;
    same += std::get<SpillVector<double>>(other->values) == *values;
  }
  EXPECT_GT(counters, 940u);
  EXPECT_GE(same + 20, counters); // counters of several passes may have the value of another pass
  const auto whole = import_good({folder});
  EXPECT_EQ(reported(whole, "pass-values-confirmed"), 949);
  EXPECT_EQ(reported(data, "durations-without-counters"), 1); // durations of timestamps.csv
}

TEST(RocmCounters, MeansOverPassesKeepTheirFraction) {
  REQUIRE_REAL_DATA(folder, "rocm/mi350");
  const auto data = import_good({folder});
  EXPECT_EQ(starts(data), (Integers{1248227792617386, 1248227793203453, 1248227793701339}));
  EXPECT_EQ(durations(data), (Integers{21762, 16920, 16864}));
  expect_reported(data, {{"durations-mean-of-passes", 1}, {"pass-values-confirmed", 1021}});
  // The mean over the 13 files of passes equals the value in the joined table.
  const auto exact = counter(data, "duration_exact"), mean = counter(data, "pass_duration_mean");
  ASSERT_EQ(mean.size(), 3u);
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_NEAR(mean[row], exact[row], 0.5); // the file rounds to 1/4 ns
  // In these files, few channels have values.
  int channels = 0;
  for (int channel = 0; channel < 128; ++channel)
    channels += !counter(data, "TCC_HIT[" + std::to_string(channel) + "]").empty();
  EXPECT_EQ(channels, 52);
  EXPECT_EQ(data.manifest.devices.front().name, "MI350");
  EXPECT_FALSE(data.manifest.devices.front().properties.contains("cur_mclk")); // empty in the file
}

TEST(RocmCounters, TimesThatASpreadsheetRoundedAreNotShownAsTimes) {
  for (const std::string gpu : {"MI300A_A1", "MI300X_A1"}) {
    REQUIRE_REAL_DATA(folder, "rocm/vcopy-4gpus/" + gpu);
    const auto data = import_good({folder});
    EXPECT_TRUE(data.manifest.launch_order);
    EXPECT_EQ(starts(data), (Integers{0, 1, 2}));
    EXPECT_EQ(durations(data), std::vector<std::int64_t>(3, store::kMissingDuration));
    EXPECT_EQ(reported(data, "timestamps-lost-precision"), 3);
    EXPECT_EQ(counter(data, "TCC_HIT[95]").size(), 3u);
    EXPECT_EQ(counter(data, "TCC_HIT[127]").size(), gpu == "MI300X_A1" ? 3u : 0u);
  }
}

TEST(RocmCounters, TheOtherGpusOfThatRunAreTimed) {
  for (const std::string gpu : {"MI100", "MI200"}) {
    REQUIRE_REAL_DATA(folder, "rocm/vcopy-4gpus/" + gpu);
    const auto data = import_good({folder});
    EXPECT_EQ(starts(data).size(), 3u);
    EXPECT_EQ(sum(durations(data)), gpu == "MI100" ? 24'800 + 18'880 + 18'880 : 20'480 + 16'320 + 15'520);
    EXPECT_EQ(configured(data, 0, "grid_x"), 1'048'576u / 256);
    EXPECT_TRUE(counter(data, "wave_size_1").empty()); // a duplicate caused by joining
    EXPECT_EQ(counter(data, "SQC_DCACHE_REQ_READ_1").size(), 3u);
    EXPECT_EQ(counter(data, "SQ_WAVES_LT_16").size(), 3u);
  }
}

TEST(RocmCounters, GoodMi300FoldersAreTimed) {
  REQUIRE_REAL_DATA(folder, "rocm/mi300-good-timestamps/dispatch_7/MI300X_A1");
  const auto data = import_good({folder});
  EXPECT_EQ(starts(data), (Integers{716227786739855, 716227786779014, 716227786812052}));
  EXPECT_EQ(durations(data), (Integers{16759, 13318, 12799}));
}

TEST(RocmCounters, EveryNarrowWorkloadIsRead) {
  REQUIRE_REAL_DATA(folder, "rocm/ipblocks");
  const auto data = import_good({folder});
  EXPECT_EQ(starts(data).size(), 60u);
  expect_reported(data, {{"short-row", 0}, {"not-a-number", 0}});
}

TEST_F(MadeFiles, EmptyWorkloadsAreReported) {
  REQUIRE_REAL_DATA(folder, "rocm/empty-and-odd");
  for (const auto* workload : {"/dispatch_6_8/MI100", "/dispatch_6_8/MI200", "/kernel_inv_int/MI100"}) {
    const auto error = refusal_of(folder + workload);
    EXPECT_TRUE(has(error.message, "only their headers")) << error.message;
    EXPECT_TRUE(has(error.hint, "filter"));
  }
  const auto data = import_good({folder});
  EXPECT_EQ(starts(data).size(), 4u); // two dispatches on each of two GPUs
  EXPECT_EQ(reported(data, "file-left-out"), 4);
}

// Descriptive tables next to the named file are read with it, but errors name the given file.
TEST_F(MadeFiles, TheFileThatWasNamedIsTheOneThatFails) {
  REQUIRE_REAL_DATA(path, "rocm/empty-and-odd/dispatch_6_8/MI100/timestamps.csv");
  EXPECT_TRUE(has(refusal_of(path).file, "timestamps.csv")) << refusal_of(path).file;
}

TEST_F(MadeFiles, ColumnsOfOtherPassesAreCounted) {
  const auto data = import_text(
      "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,wave_size,obj,SQ_WAVES,wave_size_1,obj_1,"
      "SQC_DCACHE_REQ_READ_16,Start_Timestamp,End_Timestamp\n0,k,2,64,64,64,0x1,3,64,0x1,5,10,20\n");
  EXPECT_EQ(reported(data, "columns-of-other-passes"), 2) << report_of(data);
  EXPECT_EQ(counter(data, "SQC_DCACHE_REQ_READ_16"), std::vector<double>{5});
}

// Layouts without a sample file.

const std::string kV1 =
    "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,obj,"
    "SQ_WAVES,DispatchNs,BeginNs,EndNs,CompleteNs\n";

TEST_F(MadeFiles, TheFirstLayoutIsRead) {
  const auto data = import_text(
      kV1 + "0,\"k(int, float) [clone .kd]\",2,1,0,77,78,1024,256,512,0,24,16,1,0x0,0x7f,16,90,100,150,200\n"
            "1,_Z3addPfi.kd,3,0,1,77,78,100,64,0,8,32,16,1,0x0,0x7f,2,290,300,310,320\n");
  EXPECT_EQ(starts(data), (Integers{100, 300}));
  EXPECT_EQ(durations(data), (Integers{50, 10}));
  EXPECT_EQ(kernel_name(data, 0), "k(int, float)");
  EXPECT_EQ(kernel_name(data, 1), "add(float*, int)");
  EXPECT_EQ(kernel_name(data, 1, "short_name"), "add");
  EXPECT_EQ(configured(data, 0, "grid_x"), 4u);
  EXPECT_EQ(configured(data, 0, "static_shared_memory"), 512u);
  EXPECT_EQ(configured(data, 1, "grid_x"), 2u);
  EXPECT_EQ(reported(data, "odd-grid"), 1);
  EXPECT_EQ(counter(data, "SQ_WAVES"), (std::vector<double>{16, 2}));
  EXPECT_EQ(counter(data, "scratch"), (std::vector<double>{0, 8}));
  EXPECT_EQ(data.manifest.devices.size(), 2u);
  EXPECT_EQ(reported(data, "durations-of-own-pass"), 1);
}

TEST_F(MadeFiles, HeadersMayComeInAnyCaseAndOrderWithByteOrderMarkAndCrLf) {
  const auto data = import_text(
      "\xEF\xBB\xBF\"END_TIMESTAMP\",\"start_timestamp\",\"sq_waves\",\"KERNEL_NAME\",\"dispatch_id\","
      "\"Vgpr_Count\"\r\n\"2000\",\"1000\",\"5.5\",\"a \"\"b\"\"\n(.kd)\",\"0\",\"12\"\r\n");
  EXPECT_EQ(starts(data), Integers{1000});
  EXPECT_EQ(counter(data, "sq_waves"), std::vector<double>{5.5});
  EXPECT_EQ(configured(data, 0, "registers"), 12u);
  EXPECT_EQ(kernel_name(data, 0), "a \"b\"");
}

TEST_F(MadeFiles, TimesBeyondDoublePrecisionStayExact) {
  const auto data = import_text(
      "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp\n0,k,13386742234691895,14496916400818857\n");
  EXPECT_EQ(starts(data), Integers{13386742234691895});
  EXPECT_EQ(durations(data), Integers{14496916400818857 - 13386742234691895});
}

TEST_F(MadeFiles, MissingValuesStayMissing) {
  const auto data = import_text("Dispatch_ID,Kernel_Name,A,B,Start_Timestamp,End_Timestamp\n0,k,,1,10,20\n1,"
                                "k,N/A,0,30,40\n2,k,7,oops,50,60\n");
  const auto a = counter(data, "a"), b = counter(data, "b");
  const auto* column = data.find("launches")->find("recorded_a") ? "recorded_a" : "a";
  EXPECT_TRUE(std::isnan(counter(data, column)[0]) && std::isnan(counter(data, column)[1]));
  EXPECT_EQ(counter(data, column)[2], 7);
  EXPECT_EQ(b[0], 1);
  EXPECT_EQ(b[1], 0);
  EXPECT_TRUE(std::isnan(b[2]));
  EXPECT_EQ(reported(data, "not-a-number"), 1);
}

TEST_F(MadeFiles, TimesThatAreAllTheSameAreNotShownAsTimes) {
  const auto data = import_text(
      "Dispatch_ID,Kernel_Name,SQ_WAVES,Start_Timestamp,End_Timestamp\n0,k,1,500,500\n1,k,2,500,500\n");
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(durations(data), std::vector<std::int64_t>(2, store::kMissingDuration));
  EXPECT_EQ(reported(data, "timestamps-lost-precision"), 2);
}

TEST_F(MadeFiles, ATableWithoutTimesIsATable) {
  const auto data = import_text(
      "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,SQ_WAVES\n0,k,2,256,64,4\n1,k,2,512,64,8\n");
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(counter(data, "SQ_WAVES"), (std::vector<double>{4, 8}));
  EXPECT_EQ(configured(data, 1, "grid_x"), 8u);
}

const std::string kV6 =
    "GPU_ID,Dispatch_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,"
    "Accum_VGPR,SGPR,Kernel_Name,Start_Timestamp,End_Timestamp,Kernel_ID,Counter_Name,Counter_Value\n";

TEST_F(MadeFiles, TheLongLayoutMakesOneLaunchOfAllPasses) {
  std::string rows;
  const auto row = [&](int dispatch, int start, int duration, const std::string& counter,
                       const std::string& value) {
    rows += "0," + std::to_string(dispatch) + ",1048576,256,0,0,4,0,16,\"vecCopy(double*)\"," +
            std::to_string(start) + "," + std::to_string(start + duration) + ",13," + counter + "," + value +
            "\n";
  };
  for (int pass = 0; pass < 3; ++pass)
    for (int dispatch = 1; dispatch <= 2; ++dispatch) {
      const int start = pass * 1000 + dispatch * 100;
      row(dispatch, start, 10 + pass, "GRBM_COUNT", std::to_string(100 + pass));
      if (pass == 1) row(dispatch, start, 10 + pass, "SQ_LEVEL_WAVES", "3");
      if (pass == 1) row(dispatch, start, 10 + pass, "SQ_ACCUM_PREV_HIRES", "44");
      if (pass == 2) row(dispatch, start, 10 + pass, "SQ_IFETCH_LEVEL", "5");
      if (pass == 2) row(dispatch, start, 10 + pass, "SQ_ACCUM_PREV_HIRES", "55");
    }
  const auto data = import_text(kV6 + rows);
  EXPECT_EQ(starts(data), (Integers{100, 200}));
  EXPECT_EQ(durations(data), (Integers{10, 10}));
  EXPECT_EQ(counter(data, "GRBM_COUNT"), (std::vector<double>{100, 100}));
  EXPECT_EQ(counter(data, "pass_duration_mean"), (std::vector<double>{11, 11}));
  EXPECT_EQ(counter(data, "pass_duration_max"), (std::vector<double>{12, 12}));
  EXPECT_EQ(counter(data, "SQ_ACCUM_PREV_HIRES (SQ_LEVEL_WAVES)"), (std::vector<double>{44, 44}));
  EXPECT_EQ(counter(data, "SQ_ACCUM_PREV_HIRES (SQ_IFETCH_LEVEL)"), (std::vector<double>{55, 55}));
  expect_reported(data, {{"durations-of-own-pass", 1}, {"counters-in-several-passes", 4}});
}

TEST_F(MadeFiles, PassesWithTimesOfTheirOwnGiveDurationsOfPasses) {
  const std::string header = "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,Kernel_Name,Start_"
                             "Timestamp,End_Timestamp,Correlation_ID,";
  made("pmc_perf_0.csv", header + "A_sum\n2,0,1,5,5,64,64,k,300,320,2,22\n1,0,1,5,5,64,64,k,100,110,1,11\n");
  made("pmc_perf_1.csv", header + "B_sum\n1,0,1,6,6,64,64,k,1100,1130,1,33\n2,0,1,6,6,64,64,k,1300,1340,2,"
                                  "44\n3,0,1,6,6,64,64,k,1500,1540,3,55\n");
  const auto data = import_good({folder_.path("")});
  EXPECT_EQ(starts(data), (Integers{100, 300}));
  EXPECT_EQ(counter(data, "A_sum"), (std::vector<double>{11, 22}));
  EXPECT_EQ(counter(data, "B_sum"), (std::vector<double>{33, 44}));
  EXPECT_EQ(counter(data, "pass_duration_mean"), (std::vector<double>{20, 30}));
  expect_reported(data, {{"unjoined-dispatches", 1}, {"durations-of-own-pass", 1}});
}

TEST_F(MadeFiles, StatisticsAloneAreATableOfKernels) {
  const auto data = import_text(
      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n"
      "\"k\",4,400,100.5,80.0,90,110,1e+01\n\"l\",1,100,100,20.0,100,100,0.0\n");
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(durations(data), (Integers{100, 100}));
  EXPECT_EQ(counter(data, "calls"), (std::vector<double>{4, 1}));
  EXPECT_EQ(reported(data, "statistics-only"), 1);
}

TEST_F(MadeFiles, DescriptionsStateWhatToOpenInstead) {
  EXPECT_TRUE(has(
      refusal_of(made("sysinfo.csv", "workload_name,command,ip_blocks,gpu_model\nx,./secret,SQ|LDS,MI300\n"))
          .message,
      "describes the machine"));
  EXPECT_TRUE(has(refusal_of(made("roofline.csv", "device,HBMBw\n0,1\n")).message, "describes the machine"));
  EXPECT_TRUE(
      has(refusal_of(made("pmc_dispatch_info.csv", "Dispatch_ID,Kernel_Name,GPU_ID\n0,k,1\n")).message,
          "lists names"));
}

} // namespace
} // namespace jitterscope::import
