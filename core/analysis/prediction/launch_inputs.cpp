#include "core/analysis/prediction/launch_inputs.h"

#include <fmt/format.h>

#include "core/analysis/columns/columns.h"
#include "core/model/gpu/gpu_table.h"

namespace jitterscope::analysis {
namespace {

ModelColumns columns_of(const LaunchColumns& columns, model::CounterTool tool) {
  ModelColumns out;
  out.tool = tool;
  std::vector<bool> there;
  for (const auto& need : model::needs_of(tool)) {
    const auto name = model::column_of(need.metric);
    there.push_back(columns.find(name) != nullptr);
    out.names.push_back(there.back() ? name : std::string());
  }
  out.missing = model::missing_of(tool, there);
  return out;
}

double product(const std::uint32_t (&of)[3]) {
  return static_cast<double>(of[0]) * static_cast<double>(of[1]) * static_cast<double>(of[2]);
}

model::LaunchFacts facts_of(const Configuration& c) {
  return {product(c.grid), product(c.block), static_cast<double>(c.registers),
          static_cast<double>(c.static_shared_memory) + static_cast<double>(c.dynamic_shared_memory)};
}

std::string device_of(const Trace& trace) {
  for (const auto& device : trace.store.manifest().devices)
    if (!device.name.empty()) return device.name;
  return {};
}

} // namespace

ModelColumns model_columns(const LaunchColumns& columns, bool amd) {
  auto ncu = columns_of(columns, model::CounterTool::ncu);
  auto rocprof = columns_of(columns, model::CounterTool::rocprof);
  return amd || rocprof.missing.size() < ncu.missing.size() ? rocprof : ncu;
}

Expected<void> for_model_launches(const Session& session, const LaunchColumns& columns,
                                  const Segment& segment, const std::vector<std::uint8_t>& mask,
                                  const ModelColumns& counters, const std::vector<GpuSpecification>& gpus,
                                  LeftOut& left_out, const std::function<Expected<void>(ModelLaunch&)>& use) {
  const auto& trace = session.traces()[segment.trace];
  const auto of_trace = trace.configurations();
  const auto durations = trace.durations();
  std::vector<std::vector<double>> values(counters.names.size());
  std::vector<double> row_values(counters.names.size());
  for (std::size_t c = 0; c < counters.names.size(); ++c)
    if (!counters.names[c].empty()) values[c] = columns.read(counters.names[c], segment);
  for (std::int64_t i = 0; i < segment.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!mask.empty() && !mask[at]) continue;
    const auto row = static_cast<std::size_t>(segment.first + i);
    ModelLaunch launch;
    launch.row = trace.first_launch + segment.first + i;
    launch.trace = segment.trace;
    launch.configuration = trace.configuration[of_trace[row]];
    const auto duration = durations[row];
    launch.measured_ns =
        duration == store::kMissingDuration ? kUnknownQuantity : static_cast<double>(duration);
    launch.facts = facts_of(session.configurations()[launch.configuration]);
    for (std::size_t c = 0; c < values.size(); ++c)
      row_values[c] = values[c].empty() ? kUnknownQuantity : values[c][at];
    auto inputs = model::inputs_of(counters.tool, gpus[segment.trace], launch.facts, row_values);
    if (!inputs) {
      if (left_out.launches++ == 0) left_out.reason = inputs.error().message;
      continue;
    }
    launch.inputs = *inputs;
    if (auto done = use(launch); !done) return forward(done.error());
  }
  return {};
}

GpuSpecification with_measured_bandwidth(GpuSpecification gpu, const Session& session) {
  const BandwidthMeasurement* best = nullptr;
  for (const auto& trace : session.traces())
    for (const auto& b : trace.store.manifest().machine.bandwidths) {
      const auto* of = model::known_gpu(b.device);
      const bool meant = b.device.empty() || b.device == gpu.name || (of && of == model::known_gpu(gpu.name));
      if (meant && (!best || b.bytes_per_second > best->bytes_per_second)) best = &b;
    }
  return best ? model::with_dram_bandwidth(std::move(gpu), best->bytes_per_second, best->name) : gpu;
}

Expected<std::vector<GpuSpecification>> recorded_gpus(const Session& session) {
  const GpuSpecification* of_file = nullptr;
  for (const auto& trace : session.traces())
    if (!trace.store.manifest().machine.gpus.empty()) of_file = &trace.store.manifest().machine.gpus.front();
  std::vector<GpuSpecification> gpus;
  for (const auto& trace : session.traces()) {
    const auto device = device_of(trace);
    const auto* known = model::known_gpu(device);
    if (!of_file && !known && trace.launches() > 0)
      return failure(ErrorKind::BadUse,
                     fmt::format("the performance model has no specification of the GPU \"{}\"", device),
                     trace.name, "--gpu",
                     "Name the GPU: --gpu A100, or --gpu FILE.json with a result of MT4G.");
    auto gpu = of_file ? model::completed(*of_file) : known ? *known : GpuSpecification{};
    gpus.push_back(with_measured_bandwidth(std::move(gpu), session));
  }
  return gpus;
}

} // namespace jitterscope::analysis
