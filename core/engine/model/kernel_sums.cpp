#include "core/engine/model/kernel_sums.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::engine {

using nlohmann::json;

json number_or_null(double value) {
  return std::isfinite(value) ? json(value) : json();
}

void add(KernelSums& sums, const analysis::ModelLaunch& launch, const model::KernelPrediction& p,
         const GpuSpecification& gpu) {
  if (sums.launches++ == 0) {
    sums.first = p;
    sums.inputs = launch.inputs.kernel;
    sums.flops = launch.inputs.flops;
    sums.trace = launch.trace;
    sums.roofline_ns = 1e9 * model::roofline_seconds(gpu, p);
  }
  if (std::isfinite(launch.measured_ns)) ++sums.measured, sums.measured_ns += launch.measured_ns;
  sums.analytical_ns += 1e9 * p.seconds;
  sums.mwp += p.time.mwp;
  sums.cwp += p.time.cwp;
  ++sums.bottlenecks[p.bottleneck()];
}

Expected<void> add_before(KernelSums& sums, const analysis::ModelLaunch& launch, const GpuSpecification& gpu,
                          const model::KernelOptions& how) {
  auto p = model::predict_kernel(gpu, launch.inputs.kernel, how);
  if (!p) return forward(p.error());
  sums.before_ns += 1e9 * p->seconds;
  if (sums.launches > 0) return {};
  sums.first_before = std::move(*p);
  sums.inputs_before = launch.inputs.kernel;
  return {};
}

namespace {

json terms_of(const model::KernelPrediction& p, const model::KernelInputs& in) {
  json levels = json::array();
  for (std::size_t l = 0; l < p.levels.size(); ++l)
    levels.push_back({{"name", p.levels[l]},
                      {"reach", p.caches.reach[l]},
                      {"slowest_at", p.caches.slowest_at[l]},
                      {"delay_cycles", p.delays[l]},
                      {"occupied_cycles", p.caches.occupied[l]},
                      {"bytes", p.bytes[l]}});
  json notes = json::array();
  for (const auto note : p.notes) notes.push_back(model::text_of(note));
  return {{"memory_latency_cycles", p.caches.memory_latency},
          {"departure_delay_cycles", p.caches.departure_delay},
          {"memory_cycles", p.load.memory_cycles},
          {"compute_cycles", p.load.compute_cycles},
          {"memory_instructions", p.load.memory_instructions},
          {"warps", p.load.warps},
          {"warps_in_all", p.warps_in_all},
          {"case", p.time.which_case},
          {"mwp", p.time.mwp},
          {"cwp_full", p.time.cwp_full},
          {"cwp", p.time.cwp},
          {"execution_cycles", p.time.execution},
          {"synchronisation_cycles", p.time.synchronisation},
          {"floor_active", p.time.floor_active},
          {"bottleneck", p.bottleneck()},
          {"seconds", p.seconds},
          {"active_blocks", p.load.active_blocks},
          {"repetitions", p.load.repetitions},
          {"waves", p.waves},
          {"clock_hz", p.clock_hz},
          {"cycles", p.cycles},
          {"levels", std::move(levels)},
          {"pipe_cycles", p.pipe_cycles},
          {"dispatch_cycles", p.dispatch_cycles},
          {"launch_seconds", p.launch_seconds},
          {"dram_bytes_counted", number_or_null(in.dram_bytes)},
          {"dram_bytes_by_hit_rates", p.dram_bytes_by_hit_rates},
          {"notes", std::move(notes)}};
}

json inputs_of(const model::KernelInputs& in) {
  return {{"blocks", in.blocks},
          {"threads_per_block", in.threads_per_block},
          {"resident_blocks", in.resident_blocks},
          {"memory_instructions", in.memory_instructions},
          {"compute_instructions", in.compute_instructions},
          {"synchronisations", in.synchronisations},
          {"transactions", in.transactions},
          {"hit_rates", in.hit_rates},
          {"tensor_share", in.tensor_share},
          {"tma_bytes", in.tma_bytes},
          {"dram_bytes", number_or_null(in.dram_bytes)},
          {"data_path_cycles", number_or_null(in.data_path_cycles)},
          {"pipes",
           {{"fp64", in.pipes.fp64},
            {"integer", in.pipes.integer},
            {"transcendental", in.pipes.transcendental},
            {"matrix_half", in.pipes.matrix_half},
            {"matrix_tf32", in.pipes.matrix_tf32},
            {"matrix_fp64", in.pipes.matrix_fp64},
            {"matrix_byte", in.pipes.matrix_byte}}}};
}

} // namespace

json kernel_document(const analysis::Session& session, std::uint32_t configuration, const KernelSums& sums) {
  const auto& c = session.configurations()[configuration];
  const auto launches = static_cast<double>(sums.launches);
  const auto maximum = std::max_element(sums.bottlenecks.begin(), sums.bottlenecks.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  const double measured =
      sums.measured > 0 ? sums.measured_ns / static_cast<double>(sums.measured) : kUnknownQuantity;
  const double predicted = sums.predicted_ns / launches;
  const auto& p = sums.first;
  const double instructions =
      (sums.inputs.compute_instructions + p.load.memory_instructions) * p.warps_in_all;
  json out = {
      {"name", session.kernels()[c.kernel].name},
      {"kernel", c.kernel},
      {"configuration", configuration},
      {"grid", c.grid},
      {"block", c.block},
      {"registers", c.registers},
      {"shared_memory_bytes", std::int64_t{c.static_shared_memory} + std::int64_t{c.dynamic_shared_memory}},
      {"trace", sums.trace},
      {"launches", sums.launches},
      {"measured_ns", number_or_null(measured)},
      {"analytical_ns", sums.analytical_ns / launches},
      {"predicted_ns", predicted},
      {"residual_percent", number_or_null(100 * (predicted / measured - 1))},
      {"roofline_ns", sums.roofline_ns},
      {"bottleneck", maximum->first},
      {"case", sums.first.time.which_case},
      {"mwp", sums.mwp / launches},
      {"cwp", sums.cwp / launches},
      {"extrapolated", sums.extrapolated > 0},
      {"untrusted", sums.untrusted > 0},
      {"instructions", instructions},
      {"flops", number_or_null(sums.flops)},
      {"inputs", inputs_of(sums.inputs)},
      {"terms", terms_of(p, sums.inputs)}};
  if (sums.before_ns > 0)
    out["before"] = {{"analytical_ns", sums.before_ns / launches},
                     {"inputs", inputs_of(sums.inputs_before)},
                     {"terms", terms_of(sums.first_before, sums.inputs_before)}};
  return out;
}

} // namespace jitterscope::engine
