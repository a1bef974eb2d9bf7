#include "core/model/correction/kernel_features.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::model {
namespace {

double ln(double value) {
  return value > 0 ? std::log(value) : value == 0 ? std::log(1e-9) : kUnknownQuantity;
}

/// Levels by name, so that GPUs with three and with four levels have the same columns.
constexpr const char* kLevels[] = {"L1", "L2", "DRAM"};

double of_level(const KernelPrediction& p, const SmallVector<double>& values, const char* name) {
  for (std::size_t l = 0; l < p.levels.size() && l < values.size(); ++l)
    if (p.levels[l] == name) return values[l];
  return kUnknownQuantity;
}

/// Names and values come from one list, so that they always have the same order.
template <class Use>
void for_each_feature(const GpuSpecification& gpu, const KernelInputs& in, const LaunchFacts& facts,
                      const KernelPrediction& p, Use&& use) {
  const double n = p.load.warps, memory = p.load.memory_instructions;
  use("ln_predicted", [&] { return ln(p.seconds); });
  for (int c = 1; c <= 3; ++c)
    use("case_" + std::to_string(c), [&] { return p.time.which_case == c ? 1.0 : 0.0; });
  for (const char* name : {"compute", "latency", "L1", "L2", "DRAM", "dispatch"})
    use(std::string("bound_") + name, [&] { return p.bottleneck() == name ? 1.0 : 0.0; });
  use("ln_blocks", [&] { return ln(in.blocks); });
  use("ln_threads_per_block", [&] { return ln(in.threads_per_block); });
  use("occupancy",
      [&] { return gpu.max_warps > 0 ? n / static_cast<double>(gpu.max_warps) : kUnknownQuantity; });
  use("waves", [&] { return p.waves; });
  use("wave_fraction", [&] { return p.waves - std::floor(p.waves); });
  use("active_multiprocessors", [&] {
    return std::min(in.blocks / static_cast<double>(std::max<std::int64_t>(gpu.multiprocessors, 1)), 1.0);
  });
  use("ln_memory", [&] { return ln(memory); });
  use("ln_compute", [&] { return ln(in.compute_instructions); });
  use("compute_per_memory", [&] { return memory > 0 ? in.compute_instructions / memory : kUnknownQuantity; });
  use("transactions", [&] { return in.transactions; });
  use("h1", [&] { return in.hit_rates.empty() ? kUnknownQuantity : in.hit_rates[0]; });
  use("h2", [&] { return in.hit_rates.size() > 1 ? in.hit_rates[1] : kUnknownQuantity; });
  for (const char* name : kLevels)
    use(std::string("ln_bytes_") + name, [&] { return ln(of_level(p, p.bytes, name)); });
  use("ln_bytes_by_hit_rates", [&] { return ln(p.dram_bytes_by_hit_rates); });
  use("mwp", [&] { return p.time.mwp / n; });
  use("cwp", [&] { return p.time.cwp / n; });
  use("registers", [&] { return facts.registers_per_thread; });
  use("shared_bytes", [&] { return facts.shared_bytes; });
  use("synchronisations", [&] { return in.synchronisations; });
  use("pipe_per_issue",
      [&] { return p.load.compute_cycles > 0 ? p.pipe_cycles / p.load.compute_cycles : kUnknownQuantity; });
  use("ln_data_path", [&] { return ln(in.data_path_cycles); });
  use("dram_per_hit_rates", [&] {
    return p.dram_bytes_by_hit_rates > 0 ? in.dram_bytes / p.dram_bytes_by_hit_rates : kUnknownQuantity;
  });
  use("dispatch", [&] { return p.cycles > 0 ? p.dispatch_cycles / p.cycles : kUnknownQuantity; });
  use("tensor_share", [&] { return in.tensor_share; });
  use("warp_size", [&] { return static_cast<double>(gpu.warp_size); });
  use("clock_ghz", [&] { return p.clock_hz * 1e-9; });
  use("multiprocessors", [&] { return static_cast<double>(gpu.multiprocessors); });
  for (const char* name : kLevels) {
    use(std::string("latency_") + name,
        [&] { return gpu.level(name) ? gpu.level(name)->latency : kUnknownQuantity; });
    use(std::string("ln_bandwidth_") + name,
        [&] { return gpu.level(name) ? ln(gpu.level(name)->bandwidth) : kUnknownQuantity; });
  }
}

} // namespace

const std::vector<std::string>& kernel_feature_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for_each_feature({}, {}, {}, {},
                     [&](std::string name, const auto&) { names.push_back(std::move(name)); });
    return names;
  }();
  return kNames;
}

std::string family_of(std::string_view kernel) {
  const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string out;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const bool of_name = i > 0 && (word(kernel[i - 1]) || digit(kernel[i - 1])); // float4, half2
    if (!digit(kernel[i]) || of_name) {
      out += kernel[i];
      continue;
    }
    while (i + 1 < kernel.size() && digit(kernel[i + 1])) ++i;
    out += '#';
  }
  return out;
}

std::vector<std::size_t> kernel_machine_features() {
  std::vector<std::size_t> out;
  const auto& names = kernel_feature_names();
  for (std::size_t f = 0; f < names.size(); ++f)
    if (names[f] == "multiprocessors" || names[f] == "warp_size" || names[f].starts_with("latency_"))
      out.push_back(f);
  return out;
}

std::vector<double> kernel_features(const GpuSpecification& gpu, const KernelInputs& inputs,
                                    const LaunchFacts& facts, const KernelPrediction& prediction) {
  std::vector<double> values;
  values.reserve(kernel_feature_names().size());
  for_each_feature(gpu, inputs, facts, prediction, [&](const std::string&, const auto& value) {
    const double found = value();
    values.push_back(std::isinf(found) ? kUnknownQuantity : found);
  });
  return values;
}

} // namespace jitterscope::model
