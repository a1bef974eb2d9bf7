#include "core/model/gpu/counter_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/model/gpu/occupancy.h"

namespace jitterscope::model {
namespace {

namespace ncu {
enum Index : std::size_t {
  instructions,
  requests_ld,
  requests_st,
  local_ld,
  local_st,
  atomics,
  reductions,
  sectors_ld,
  sectors_st,
  local_sectors_ld,
  local_sectors_st,
  atomic_sectors,
  reduction_sectors,
  l1_hits,
  l1_rate,
  l2_hits,
  l2_sectors,
  l2_rate,
  dram_read,
  dram_write,
  limit_blocks,
  limit_registers,
  limit_shared,
  limit_warps,
  clock,
  tensor,
  tma,
  data_path,
  pipe_fp64,
  pipe_alu,
  pipe_xu,
  matrix_bf16,
  matrix_fp16,
  matrix_tf32,
  matrix_fp64,
  matrix_fp8,
  matrix_int8,
  fadd,
  fmul,
  ffma,
  dadd,
  dmul,
  dfma,
  hadd,
  hmul,
  hfma,
  count
};
constexpr std::array<CounterNeed, count> kNeeds{{
    {"smsp__inst_executed.sum", 1},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 2},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 3},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 0},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 0},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", 0},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 4},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 5},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 0},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 6},
    {"l1tex__t_sector_hit_rate.pct", 6},
    {"lts__t_sectors_srcunit_tex_lookup_hit.sum", 7},
    {"lts__t_sectors_srcunit_tex.sum", 0},
    {"lts__t_sector_hit_rate.pct", 7},
    {"dram__bytes_read.sum", 0},
    {"dram__bytes_write.sum", 0},
    {"launch__occupancy_limit_blocks", 0},
    {"launch__occupancy_limit_registers", 0},
    {"launch__occupancy_limit_shared_mem", 0},
    {"launch__occupancy_limit_warps", 0},
    {"sm__cycles_elapsed.avg.per_second", 0},
    {"smsp__inst_executed_pipe_tensor.sum", 0},
    {"l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", 0},
    {"l1tex__data_pipe_lsu_wavefronts.sum", 0},
    {"smsp__inst_executed_pipe_fp64.sum", 0},
    {"smsp__inst_executed_pipe_alu.sum", 0},
    {"smsp__inst_executed_pipe_xu.sum", 0},
    {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 0},
    {"sm__ops_path_tensor_src_fp16.sum", 0},
    {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 0},
    {"sm__ops_path_tensor_src_fp64.sum", 0},
    {"sm__ops_path_tensor_src_fp8.sum", 0},
    {"sm__ops_path_tensor_src_int8.sum", 0},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 0},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0},
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 0},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 0},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 0},
    {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 0},
    {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 0},
    {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 0},
}};
} // namespace ncu

namespace rocprof {
enum Index : std::size_t {
  waves,
  all,
  valu,
  salu,
  smem,
  lds,
  vmem,
  vmem_rd,
  vmem_wr,
  flat_lds_only,
  l1_accesses,
  l2_read,
  l2_write,
  l2_atomic_ret,
  l2_atomic,
  l2_hit,
  l2_miss,
  ea_read,
  ea_read_32,
  ea_write,
  ea_write_64,
  first_flops,                   ///< ADD, MUL, TRANS and FMA of F16, F32 and F64
  first_mops = first_flops + 12, ///< operations of the matrix units, of F16, BF16, F32 and F64
  count = first_mops + 4
};
constexpr std::array<CounterNeed, count> kNeeds{{
    {"SQ_WAVES", 1},
    {"SQ_INSTS", 2},
    {"SQ_INSTS_VALU", 2},
    {"SQ_INSTS_SALU", 0},
    {"SQ_INSTS_SMEM", 0},
    {"SQ_INSTS_LDS", 0},
    {"SQ_INSTS_VMEM", 3},
    {"SQ_INSTS_VMEM_RD", 3},
    {"SQ_INSTS_VMEM_WR", 0},
    {"SQ_INSTS_FLAT_LDS_ONLY", 0},
    {"TCP_TOTAL_CACHE_ACCESSES_sum", 4},
    {"TCP_TCC_READ_REQ_sum", 5},
    {"TCP_TCC_WRITE_REQ_sum", 6},
    {"TCP_TCC_ATOMIC_WITH_RET_REQ_sum", 0},
    {"TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", 0},
    {"TCC_HIT_sum", 7},
    {"TCC_MISS_sum", 8},
    {"TCC_EA_RDREQ_sum", 0},
    {"TCC_EA_RDREQ_32B_sum", 0},
    {"TCC_EA_WRREQ_sum", 0},
    {"TCC_EA_WRREQ_64B_sum", 0},
    {"SQ_INSTS_VALU_ADD_F16", 0},
    {"SQ_INSTS_VALU_MUL_F16", 0},
    {"SQ_INSTS_VALU_TRANS_F16", 0},
    {"SQ_INSTS_VALU_FMA_F16", 0},
    {"SQ_INSTS_VALU_ADD_F32", 0},
    {"SQ_INSTS_VALU_MUL_F32", 0},
    {"SQ_INSTS_VALU_TRANS_F32", 0},
    {"SQ_INSTS_VALU_FMA_F32", 0},
    {"SQ_INSTS_VALU_ADD_F64", 0},
    {"SQ_INSTS_VALU_MUL_F64", 0},
    {"SQ_INSTS_VALU_TRANS_F64", 0},
    {"SQ_INSTS_VALU_FMA_F64", 0},
    {"SQ_INSTS_VALU_MFMA_MOPS_F16", 0},
    {"SQ_INSTS_VALU_MFMA_MOPS_BF16", 0},
    {"SQ_INSTS_VALU_MFMA_MOPS_F32", 0},
    {"SQ_INSTS_VALU_MFMA_MOPS_F64", 0},
}};
} // namespace rocprof

bool known(double value) {
  return std::isfinite(value) && value >= 0;
}
double or_zero(double value) {
  return known(value) ? value : 0;
}
double rate(double part, double whole) {
  return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
}

/// Hit rates for all levels of the GPU except the last; a level between L2 and DRAM has no counter.
void set_hit_rates(const GpuSpecification& gpu, double h1, double h2, KernelInputs& kernel) {
  kernel.hit_rates.assign(std::clamp<std::size_t>(gpu.levels.size(), 1, kMaxLevels) - 1, 0);
  if (!kernel.hit_rates.empty()) kernel.hit_rates[0] = h1;
  if (kernel.hit_rates.size() > 1) kernel.hit_rates[1] = h2;
}

/// Converts counts over all warps into counts per warp.
void set_counts(double warps, double instructions, double memory, double transactions, KernelInputs& kernel) {
  kernel.memory_instructions = memory / warps;
  kernel.compute_instructions = std::max(instructions - memory, 0.0) / warps;
  kernel.transactions = memory > 0 ? transactions / memory : 1;
}

/// Sum of the floating-point operations of several counters; NaN if none was recorded.
template <class Factor>
double operations(std::span<const double> v, std::size_t first, std::size_t last, Factor&& each) {
  double sum = 0;
  bool any = false;
  for (std::size_t i = first; i < last; ++i)
    if (known(v[i])) sum += each(i - first) * v[i], any = true;
  return any ? sum : kUnknownQuantity;
}

CounterInputs of_ncu(const GpuSpecification& gpu, const LaunchFacts& facts, std::span<const double> v) {
  CounterInputs out;
  auto& kernel = out.kernel;
  const double warps = facts.blocks * std::ceil(facts.threads_per_block / static_cast<double>(gpu.warp_size));
  const double loads = v[ncu::sectors_ld];
  const double sectors = loads + v[ncu::sectors_st] + or_zero(v[ncu::local_sectors_ld]) +
                         or_zero(v[ncu::local_sectors_st]) + or_zero(v[ncu::atomic_sectors]) +
                         or_zero(v[ncu::reduction_sectors]);
  const double requests = v[ncu::requests_ld] + v[ncu::requests_st] + or_zero(v[ncu::local_ld]) +
                          or_zero(v[ncu::local_st]) + or_zero(v[ncu::atomics]) + or_zero(v[ncu::reductions]);
  set_counts(warps, v[ncu::instructions], requests, sectors, kernel);
  const double h1 =
      known(v[ncu::l1_hits]) ? rate(v[ncu::l1_hits], sectors) : rate(v[ncu::l1_rate] / 100 * loads, sectors);
  const bool of_tex = known(v[ncu::l2_hits]) && known(v[ncu::l2_sectors]);
  set_hit_rates(gpu, h1, of_tex ? rate(v[ncu::l2_hits], v[ncu::l2_sectors]) : rate(v[ncu::l2_rate], 100),
                kernel);
  for (const auto limit : {ncu::limit_blocks, ncu::limit_registers, ncu::limit_shared, ncu::limit_warps})
    if (v[limit] >= 1)
      kernel.resident_blocks =
          kernel.resident_blocks > 0 ? std::min(kernel.resident_blocks, v[limit]) : v[limit];
  if (v[ncu::clock] > 0) kernel.clock_hz = v[ncu::clock];
  kernel.tensor_share = rate(or_zero(v[ncu::tensor]), v[ncu::instructions]);
  kernel.tma_bytes = or_zero(v[ncu::tma]);
  if (known(v[ncu::dram_read]) && known(v[ncu::dram_write]))
    kernel.dram_bytes = v[ncu::dram_read] + v[ncu::dram_write];
  if (known(v[ncu::data_path])) kernel.data_path_cycles = v[ncu::data_path] / warps;
  kernel.pipes = {.fp64 = or_zero(v[ncu::pipe_fp64]) / warps,
                  .integer = or_zero(v[ncu::pipe_alu]) / warps,
                  .transcendental = or_zero(v[ncu::pipe_xu]) / warps,
                  .matrix_half = (or_zero(v[ncu::matrix_bf16]) + or_zero(v[ncu::matrix_fp16])) / warps,
                  .matrix_tf32 = or_zero(v[ncu::matrix_tf32]) / warps,
                  .matrix_fp64 = or_zero(v[ncu::matrix_fp64]) / warps,
                  .matrix_byte = (or_zero(v[ncu::matrix_fp8]) + or_zero(v[ncu::matrix_int8])) / warps};
  // order: add, mul, fma of each precision
  out.flops = operations(v, ncu::fadd, ncu::count, [](std::size_t i) { return i % 3 == 2 ? 2.0 : 1.0; });
  return out;
}

CounterInputs of_rocprof(const GpuSpecification& gpu, const LaunchFacts&, std::span<const double> v) {
  CounterInputs out;
  auto& kernel = out.kernel;
  const double read_write = v[rocprof::vmem_rd] + or_zero(v[rocprof::vmem_wr]);
  const double vmem = known(v[rocprof::vmem]) ? v[rocprof::vmem] : read_write;
  const double memory = std::max(vmem - or_zero(v[rocprof::flat_lds_only]), 0.0);
  double all = v[rocprof::all];
  if (!known(all))
    all = v[rocprof::valu] + or_zero(v[rocprof::salu]) + or_zero(v[rocprof::smem]) +
          or_zero(v[rocprof::lds]) + vmem;
  const double accesses = v[rocprof::l1_accesses];
  set_counts(v[rocprof::waves], all, memory, accesses, kernel);
  const double beyond = v[rocprof::l2_read] + v[rocprof::l2_write] + or_zero(v[rocprof::l2_atomic_ret]) +
                        or_zero(v[rocprof::l2_atomic]);
  set_hit_rates(gpu, accesses > 0 ? rate(accesses - beyond, accesses) : 0,
                rate(v[rocprof::l2_hit], v[rocprof::l2_hit] + v[rocprof::l2_miss]), kernel);
  if (known(v[rocprof::ea_read]) && known(v[rocprof::ea_write]))
    kernel.dram_bytes = 32 * or_zero(v[rocprof::ea_read_32]) +
                        64 * (v[rocprof::ea_read] - or_zero(v[rocprof::ea_read_32])) +
                        64 * or_zero(v[rocprof::ea_write_64]) +
                        32 * (v[rocprof::ea_write] - or_zero(v[rocprof::ea_write_64]));
  // As in rocprof-compute: 64 threads of a wave, 512 operations of a matrix operation.
  out.flops = operations(v, rocprof::first_flops, rocprof::first_mops,
                         [](std::size_t i) { return i % 4 == 3 ? 128.0 : 64.0; });
  const double matrix = operations(v, rocprof::first_mops, rocprof::count, [](std::size_t) { return 512.0; });
  if (known(matrix)) out.flops = or_zero(out.flops) + matrix;
  return out;
}

/// Whether every required alternative has a value, so that missing_of() would be empty; in one pass over the
/// values.
bool suffices(CounterTool tool, std::span<const double> values) {
  const auto needs = needs_of(tool);
  std::uint32_t needed = 0, there = 0;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].alternative == 0) continue;
    const auto bit = std::uint32_t{1} << needs[i].alternative;
    needed |= bit;
    if (known(values[i])) there |= bit;
  }
  return needed == there;
}

} // namespace

std::span<const CounterNeed> needs_of(CounterTool tool) {
  if (tool == CounterTool::ncu) return ncu::kNeeds;
  return rocprof::kNeeds;
}

std::string column_of(std::string_view metric) {
  std::string out;
  for (const char c : metric) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      out += c;
    else if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (out.ends_with('_')) out.pop_back();
  return out;
}

std::vector<std::string> missing_of(CounterTool tool, const std::vector<bool>& there) {
  const auto needs = needs_of(tool);
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].alternative == 0) continue;
    bool any = false, first = true;
    for (std::size_t j = 0; j < needs.size(); ++j) {
      if (needs[j].alternative != needs[i].alternative) continue;
      any = any || there[j];
      first = first && j >= i;
    }
    if (!any && first) missing.emplace_back(needs[i].metric);
  }
  return missing;
}

std::string how_to_record(CounterTool tool) {
  if (tool == CounterTool::rocprof) return "rocprof-compute profile --name RUN -- PROGRAM";
  std::string metrics =
      "gpu__time_duration.sum"; // without metrics that only some GPUs have: ncu rejects unknown metrics
  for (const auto& need : ncu::kNeeds)
    if (!need.metric.starts_with("launch__") && !need.metric.ends_with(".pct") &&
        need.metric.find("_tma_") == std::string_view::npos && !need.metric.starts_with("sm__ops_path_"))
      metrics += "," + std::string(need.metric);
  return fmt::format("ncu --csv --page raw --print-units base --section LaunchStats --section Occupancy "
                     "--metrics {} PROGRAM > REPORT.csv",
                     metrics);
}

Expected<CounterInputs> inputs_of(CounterTool tool, const GpuSpecification& gpu, const LaunchFacts& facts,
                                  std::span<const double> values) {
  if (!suffices(tool, values)) {
    std::vector<bool> there;
    for (const double value : values) there.push_back(known(value));
    return failure(ErrorKind::BadUse, fmt::format("the launch lacks {}", missing_of(tool, there).front()));
  }
  if (!(facts.blocks > 0) || !(facts.threads_per_block > 0) || gpu.warp_size <= 0)
    return failure(ErrorKind::BadUse, "the launch lacks its grid or block");
  if (tool == CounterTool::rocprof && !(values[rocprof::waves] > 0))
    return failure(ErrorKind::BadUse, "the launch has no waves");
  auto out = tool == CounterTool::ncu ? of_ncu(gpu, facts, values) : of_rocprof(gpu, facts, values);
  out.kernel.blocks = facts.blocks;
  out.kernel.threads_per_block = facts.threads_per_block;
  if (out.kernel.resident_blocks < 1)
    out.kernel.resident_blocks = model::resident_blocks(
        gpu, {facts.threads_per_block, facts.registers_per_thread, facts.shared_bytes});
  return out;
}

} // namespace jitterscope::model
