#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/median.h"
#include "tests/generator/model.h"

namespace jitterscope::generator {
namespace {

using nlohmann::json;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sum of |duration − mean of the configuration|. Launches of all devices are one group per
// configuration, as in the definition of kernel variability.
template <class Duration, class Typical>
double variability_sum(const Trace& trace, const Duration& duration, const Typical& typical) {
  std::vector<std::vector<double>> of_configuration(trace.configurations.size());
  for (std::size_t row = 0; row < trace.launches.size(); ++row)
    of_configuration[static_cast<std::size_t>(trace.launches[row].configuration)].push_back(duration(row));
  double total = 0.0;
  for (auto& durations : of_configuration) {
    if (durations.empty()) continue;
    const double middle = typical(durations);
    for (const double d : durations) total += std::abs(d - middle);
  }
  return total;
}

std::vector<std::string> features_of(Cause cause, Schema schema) {
  switch (cause) {
  case Cause::Configuration:
    return {"grid_x"};
  case Cause::Copy:
    return {"overlap_host_to_device_ns", "overlap_transfer_bytes"};
  case Cause::Migration:
    return {"migration_ns", "migration_bytes", "migration_count", "page_fault_count"};
  case Cause::Clock:
    return schema == Schema::None ? std::vector<std::string>{}
                                  : std::vector<std::string>{"mean_gpc_clock_frequency"};
  case Cause::Stream:
    return {"stream"};
  case Cause::Warmup:
    break;
  }
  return {"first_launch"};
}

std::vector<std::string> kernels_of(Cause cause, const Trace& trace) {
  std::vector<std::string> names;
  if (cause == Cause::Configuration) names.push_back(trace.kernels.front().short_name);
  if (cause == Cause::Copy)
    for (const auto& kernel : trace.kernels)
      if (kernel.memory_bound) names.push_back(kernel.short_name);
  return names;
}

PlantedCause planted(Cause cause, const Options& options, const Trace& trace) {
  PlantedCause planted;
  planted.cause = cause;
  planted.features = features_of(cause, options.schema);
  planted.kernels = kernels_of(cause, trace);
  const auto& added = trace.contributions[static_cast<std::size_t>(cause)];
  for (const auto ns : added) {
    planted.affected_launches += ns != 0;
    planted.added_ns += std::abs(ns);
  }
  const auto with = [&](std::size_t row) { return static_cast<double>(trace.launches[row].duration); };
  const auto without = [&](std::size_t row) {
    return static_cast<double>(trace.launches[row].duration - added[row]);
  };
  const auto vanishes = [&](const auto& typical) {
    const double all = variability_sum(trace, with, typical);
    return all > 0.0 ? 1.0 - variability_sum(trace, without, typical) / all : 0.0;
  };
  planted.share_of_variability = vanishes(mean_of);
  planted.attributable_share = vanishes(median_of<double>);
  return planted;
}

Expected<void> write_truth(const std::string& text, const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    return failure(ErrorKind::Io, "the file cannot be written", path);
  return {};
}

} // namespace

Truth truth_of(const Options& options, const Trace& trace) {
  Truth truth;
  truth.launches = static_cast<std::int64_t>(trace.launches.size());
  for (const auto& row : trace.memory) {
    truth.memsets += row.kind == MemoryKind::Memset;
    truth.migrations += row.kind == MemoryKind::Migration;
    truth.copies += row.kind == MemoryKind::HostToDevice || row.kind == MemoryKind::DeviceToHost;
    if (row.kind != MemoryKind::Memset) truth.copied_bytes += row.bytes;
  }
  truth.calls = static_cast<std::int64_t>(trace.calls.size());
  truth.ranges = static_cast<std::int64_t>(trace.ranges.size());
  if (options.schema != Schema::None)
    truth.samples = static_cast<std::int64_t>(trace.samples.size()) * kMetrics;
  for (const auto& row : trace.launches) truth.duration_sum_ns += row.duration;
  const double variability = variability_sum(
      trace, [&](std::size_t row) { return static_cast<double>(trace.launches[row].duration); }, mean_of);
  truth.variability_sum_ns = static_cast<std::int64_t>(variability + 0.5);
  for (const auto cause : options.causes) truth.causes.push_back(planted(cause, options, trace));
  return truth;
}

Expected<void> write_truth(const Options& options, const Truth& truth, const std::string& path) {
  json causes = json::array();
  for (const auto& planted : truth.causes)
    causes.push_back({{"cause", to_string(planted.cause)},
                      {"features", planted.features},
                      {"kernels", planted.kernels},
                      {"affected_launches", planted.affected_launches},
                      {"added_ns", planted.added_ns},
                      {"share_of_variability", planted.share_of_variability},
                      {"attributable_share", planted.attributable_share}});
  const json document = {{"schema_version", 1},
                         {"seed", options.seed},
                         {"kernels", options.kernels},
                         {"streams", options.streams},
                         {"devices", options.devices},
                         {"launches", truth.launches},
                         {"copies", truth.copies},
                         {"memsets", truth.memsets},
                         {"migrations", truth.migrations},
                         {"copied_bytes", truth.copied_bytes},
                         {"calls", truth.calls},
                         {"ranges", truth.ranges},
                         {"samples", truth.samples},
                         {"duration_sum_ns", truth.duration_sum_ns},
                         {"variability_sum_ns", truth.variability_sum_ns},
                         {"causes", causes}};
  return write_truth(document.dump(2) + "\n", path);
}

Expected<void> write_parts(const Options& options, const Trace& trace, const std::string& path) {
  std::string text = "start,device,stream,configuration,duration";
  for (const auto cause : options.causes) text += fmt::format(",{}", to_string(cause));
  text += '\n';
  for (std::size_t row = 0; row < trace.launches.size(); ++row) {
    const auto& launch = trace.launches[row];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}", launch.start, launch.device, launch.stream,
                   launch.configuration, launch.duration);
    for (const auto cause : options.causes)
      fmt::format_to(std::back_inserter(text), ",{}",
                     trace.contributions[static_cast<std::size_t>(cause)][row]);
    text += '\n';
  }
  return write_truth(text, path);
}

} // namespace jitterscope::generator
