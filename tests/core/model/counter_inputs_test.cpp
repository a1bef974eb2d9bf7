// Counters of Nsight Compute and rocprof as inputs of the kernel model.

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "core/model/correction/kernel_features.h"
#include "core/model/gpu/counter_inputs.h"
#include "core/model/gpu/gpu_table.h"

namespace jitterscope::model {
namespace {

using Counters = std::map<std::string, double>;

std::vector<double> values(CounterTool tool, const Counters& counters) {
  std::vector<double> out;
  for (const auto& need : needs_of(tool)) {
    const auto found = counters.find(std::string(need.metric));
    out.push_back(found == counters.end() ? std::nan("") : found->second);
  }
  return out;
}

const LaunchFacts kFacts{2160, 256, 32, 0}; // 17280 warps of 32

Counters ncu_counters() {
  return {{"smsp__inst_executed.sum", 64 * 17280.0},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 3 * 17280.0},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1 * 17280.0},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 12 * 17280.0},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 4 * 17280.0},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 8 * 17280.0},
          {"lts__t_sectors_srcunit_tex_lookup_hit.sum", 600},
          {"lts__t_sectors_srcunit_tex.sum", 1000}};
}

std::vector<double> rates_of(const KernelInputs& kernel) {
  return {kernel.hit_rates.begin(), kernel.hit_rates.end()};
}

TEST(CounterInputs, OfNsightCompute) {
  const auto in =
      inputs_of(CounterTool::ncu, *known_gpu("A100"), kFacts, values(CounterTool::ncu, ncu_counters()));
  ASSERT_TRUE(in) << in.error().message;
  EXPECT_EQ(in->kernel.memory_instructions, 4);
  EXPECT_EQ(in->kernel.compute_instructions, 60);
  EXPECT_EQ(in->kernel.transactions, 4);
  EXPECT_EQ(rates_of(in->kernel), (std::vector<double>{0.5, 0.6})); // stores miss: 8 of 16
  EXPECT_EQ(in->kernel.resident_blocks, 8);
  EXPECT_TRUE(std::isnan(in->kernel.dram_bytes));
}

TEST(CounterInputs, RatesReplaceCountsOfHits) {
  auto counters = ncu_counters();
  counters.erase("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum");
  counters.erase("lts__t_sectors_srcunit_tex_lookup_hit.sum");
  counters["l1tex__t_sector_hit_rate.pct"] = 60;
  counters["lts__t_sector_hit_rate.pct"] = 25;
  const auto in = inputs_of(CounterTool::ncu, *known_gpu("A100"), kFacts, values(CounterTool::ncu, counters));
  ASSERT_TRUE(in);
  EXPECT_NEAR(in->kernel.hit_rates[0], 0.45, 1e-12); // 60 % of the loads, which are 12 of 16 sectors
  EXPECT_EQ(in->kernel.hit_rates[1], 0.25);
}

TEST(CounterInputs, LimitsClockSpillsTmaAndTensorAreUsed) {
  auto counters = ncu_counters();
  counters["launch__occupancy_limit_blocks"] = 32, counters["launch__occupancy_limit_registers"] = 3;
  counters["launch__occupancy_limit_shared_mem"] = 16, counters["launch__occupancy_limit_warps"] = 8;
  counters["sm__cycles_elapsed.avg.per_second"] = 1.1e9;
  counters["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"] = 17280;
  counters["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"] = 9 * 17280.0;
  counters["l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"] = 4096;
  counters["smsp__inst_executed_pipe_tensor.sum"] = 16 * 17280.0;
  counters["dram__bytes_read.sum"] = 100, counters["dram__bytes_write.sum"] = 28;
  const auto in = inputs_of(CounterTool::ncu, *known_gpu("A100"), kFacts, values(CounterTool::ncu, counters));
  ASSERT_TRUE(in);
  EXPECT_EQ(in->kernel.resident_blocks, 3);
  EXPECT_EQ(in->kernel.clock_hz, 1.1e9);
  EXPECT_EQ(in->kernel.memory_instructions, 5);
  EXPECT_EQ(in->kernel.transactions, 5);
  EXPECT_EQ(in->kernel.tma_bytes, 4096);
  EXPECT_EQ(in->kernel.tensor_share, 0.25);
  EXPECT_EQ(in->kernel.dram_bytes, 128);
}

Counters rocprof_counters() {
  return {{"SQ_WAVES", 1000},
          {"SQ_INSTS", 64000},
          {"SQ_INSTS_VMEM", 8000},
          {"TCP_TOTAL_CACHE_ACCESSES_sum", 128000},
          {"TCP_TCC_READ_REQ_sum", 50000},
          {"TCP_TCC_WRITE_REQ_sum", 14000},
          {"TCC_HIT_sum", 16000},
          {"TCC_MISS_sum", 48000},
          {"TCC_EA_RDREQ_sum", 900},
          {"TCC_EA_RDREQ_32B_sum", 100},
          {"TCC_EA_WRREQ_sum", 50},
          {"TCC_EA_WRREQ_64B_sum", 40}};
}

TEST(CounterInputs, OfRocprof) {
  const LaunchFacts facts{250, 256, 24, 0};
  const auto& gpu = *known_gpu("MI210");
  const auto in =
      inputs_of(CounterTool::rocprof, gpu, facts, values(CounterTool::rocprof, rocprof_counters()));
  ASSERT_TRUE(in) << in.error().message;
  EXPECT_EQ(in->kernel.memory_instructions, 8);
  EXPECT_EQ(in->kernel.compute_instructions, 56);
  EXPECT_EQ(in->kernel.transactions, 16);
  EXPECT_EQ(rates_of(in->kernel), (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(in->kernel.resident_blocks, 8);
  EXPECT_EQ(in->kernel.dram_bytes, 32 * 100 + 64 * 800 + 64 * 40 + 32 * 10);
  auto counters = rocprof_counters();
  counters["SQ_INSTS_FLAT_LDS_ONLY"] = 1000;
  const auto flat = inputs_of(CounterTool::rocprof, gpu, facts, values(CounterTool::rocprof, counters));
  EXPECT_EQ(flat->kernel.memory_instructions, 7);
  EXPECT_EQ(flat->kernel.compute_instructions, 57);
}

TEST(CounterInputs, SumsReplaceCountersThatAGenerationLacks) {
  auto counters = rocprof_counters();
  counters.erase("SQ_INSTS"), counters.erase("SQ_INSTS_VMEM");
  counters["SQ_INSTS_VMEM_RD"] = 6000, counters["SQ_INSTS_VMEM_WR"] = 2000;
  counters["SQ_INSTS_VALU"] = 50000, counters["SQ_INSTS_SALU"] = 5000, counters["SQ_INSTS_SMEM"] = 1000;
  const auto in = inputs_of(CounterTool::rocprof, *known_gpu("MI100"), {250, 256, 24, 0},
                            values(CounterTool::rocprof, counters));
  ASSERT_TRUE(in);
  EXPECT_EQ(in->kernel.memory_instructions, 8);
  EXPECT_EQ(in->kernel.compute_instructions, 56);
}

TEST(CounterInputs, MissingCountersAreNamedWithTheLineThatRecordsThem) {
  std::vector<bool> there(needs_of(CounterTool::ncu).size(), false);
  EXPECT_EQ(missing_of(CounterTool::ncu, there).size(), 7u);
  for (std::size_t i = 0; i < there.size(); ++i)
    there[i] = needs_of(CounterTool::ncu)[i].metric != "lts__t_sector_hit_rate.pct";
  EXPECT_TRUE(missing_of(CounterTool::ncu, there).empty());
  const auto line = how_to_record(CounterTool::ncu);
  EXPECT_TRUE(line.starts_with("ncu --csv --page raw --print-units base"));
  for (const auto& need : needs_of(CounterTool::ncu))
    if (need.alternative > 0 && !need.metric.ends_with(".pct")) {
      EXPECT_NE(line.find(need.metric), std::string::npos) << need.metric;
    }
  auto counters = ncu_counters();
  counters.erase("smsp__inst_executed.sum");
  const auto in = inputs_of(CounterTool::ncu, *known_gpu("A100"), kFacts, values(CounterTool::ncu, counters));
  ASSERT_FALSE(in);
  EXPECT_NE(in.error().message.find("smsp__inst_executed.sum"), std::string::npos);
}

TEST(CounterInputs, OddCountsGiveAnErrorOrFiniteInputs) {
  for (const double odd : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e300}) {
    for (const auto& [name, value] : rocprof_counters()) {
      auto counters = rocprof_counters();
      counters[name] = odd;
      const auto in = inputs_of(CounterTool::rocprof, *known_gpu("MI100"), {250, 256, 24, 0},
                                values(CounterTool::rocprof, counters));
      if (!in) continue;
      const auto p = predict_kernel(*known_gpu("MI100"), in->kernel);
      if (p) {
        EXPECT_TRUE(std::isfinite(p->seconds)) << name << " = " << odd;
      }
    }
  }
}

TEST(CounterInputs, ColumnsAreNamedAsInStores) {
  EXPECT_EQ(column_of("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"),
            "l1tex_t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit_sum");
  EXPECT_EQ(column_of("TCP_TCC_READ_REQ_sum"), "tcp_tcc_read_req_sum");
}

TEST(KernelFeatures, HaveTheirNamesAndNoKernelName) {
  const auto in =
      inputs_of(CounterTool::ncu, *known_gpu("A100"), kFacts, values(CounterTool::ncu, ncu_counters()));
  const auto p = predict_kernel(*known_gpu("A100"), in->kernel);
  ASSERT_TRUE(p);
  const auto features = kernel_features(*known_gpu("A100"), in->kernel, kFacts, *p);
  const auto& names = kernel_feature_names();
  ASSERT_EQ(features.size(), names.size());
  const auto of = [&](const std::string& name) {
    return features[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
  };
  EXPECT_NEAR(of("ln_predicted"), std::log(p->seconds), 1e-12);
  EXPECT_EQ(of("case_3"), p->time.which_case == 3 ? 1 : 0);
  EXPECT_EQ(of("h1"), 0.5);
  EXPECT_EQ(of("waves"), 2.5);
  EXPECT_EQ(of("wave_fraction"), 0.5);
  EXPECT_EQ(std::count(names.begin(), names.end(), "name"), 0);
}

TEST(CompletedSpecification, FillsMissingValuesFromTheTable) {
  GpuSpecification gpu;
  gpu.name = "NVIDIA A100-PCIE-40GB", gpu.vendor = "NVIDIA";
  gpu.multiprocessors = 108, gpu.warp_size = 32, gpu.clock_hz = 1.41e9;
  gpu.levels = {
      {"L1", 68, kUnknownQuantity, 32, 0}, {"L2", 200, 1e12, 32, 0}, {"DRAM", 600, kUnknownQuantity, 32, 0}};
  const auto full = completed(gpu);
  EXPECT_EQ(full.lanes, 64);
  EXPECT_EQ(full.max_warps, 64);
  EXPECT_EQ(full.levels[0].bandwidth, 128 * 1.41e9 * 108);
  EXPECT_EQ(full.levels[1].bandwidth, 1e12); // measured values stay
  EXPECT_EQ(full.levels[2].bandwidth, 1555e9);
  EXPECT_EQ(full.assumed.size(), 4u);
  gpu.name = "Unheard of";
  EXPECT_EQ(completed(gpu).levels[0].bandwidth, 128 * 1.41e9 * 108);
  EXPECT_TRUE(std::isnan(completed(gpu).levels[2].bandwidth));
}

} // namespace
} // namespace jitterscope::model
