// model-speed [LAUNCHES]: time to predict launches from their counters, one thread, in memory.

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <fmt/core.h>

#include "core/model/gpu/counter_inputs.h"
#include "core/model/gpu/gpu_table.h"

namespace jitterscope::bench {
namespace {

/// Counters of one launch of 16,384 blocks of 256 threads, different for each `i`.
std::vector<double> counters_of(model::CounterTool tool, std::size_t i) {
  const double warps = 65'536, work = 50 + static_cast<double>(i % 997);
  std::vector<double> values;
  for (const auto& need : model::needs_of(tool)) {
    const auto name = need.metric;
    double value = 8 * warps;
    if (name == "SQ_WAVES") value = warps;
    if (name == "SQ_INSTS" || name == "smsp__inst_executed.sum") value = warps * work;
    if (name.ends_with(".pct")) value = 50;
    if (name.starts_with("launch__")) value = 8;
    if (name.find("per_second") != std::string_view::npos) value = 1.4e9;
    if (name.find("tma") != std::string_view::npos) value = 0;
    values.push_back(value);
  }
  return values;
}

void run(const char* name, model::CounterTool tool, const char* gpu_name, std::size_t launches) {
  const auto gpu = model::find_gpu(gpu_name);
  if (!gpu) return fmt::print("{}\n", describe(gpu.error()));
  constexpr std::size_t kDifferent = 1'000;
  std::vector<std::vector<double>> counters;
  for (std::size_t i = 0; i < kDifferent; ++i) counters.push_back(counters_of(tool, i));
  const model::LaunchFacts facts{16'384, 256, 32, 0};
  double sum = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto cpu_begin = std::clock();
  for (std::size_t i = 0; i < launches; ++i) {
    const auto inputs = model::inputs_of(tool, *gpu, facts, counters[i % kDifferent]);
    if (!inputs) return fmt::print("{}\n", describe(inputs.error()));
    const auto p = model::predict_kernel(*gpu, inputs->kernel);
    if (!p) return fmt::print("{}\n", describe(p.error()));
    sum += p->seconds;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const double cpu = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  fmt::print(
      "  {:10} {:>10} launches {:8.3f} s, CPU {:8.3f} s {:8.2f} M launches/s of CPU   mean {:.2f} us\n", name,
      launches, took.count(), cpu, 1e-6 * static_cast<double>(launches) / cpu,
      1e6 * sum / static_cast<double>(launches));
}

} // namespace
} // namespace jitterscope::bench

int main(int argc, char** argv) {
  const auto launches = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  fmt::print("counters to predicted times, one thread\n");
  jitterscope::bench::run("ncu", jitterscope::model::CounterTool::ncu, "A100", launches);
  jitterscope::bench::run("rocprof", jitterscope::model::CounterTool::rocprof, "MI100", launches);
  return 0;
}
