#include "core/engine/model/run_factors.h"

#include <algorithm>
#include <cmath>

#include "core/model/gpu/kernel_model.h"
#include "core/model/gpu/occupancy.h"
#include "core/model/gpu/what_if.h"
#include "core/store/format/analysis_rows.h"

namespace jitterscope::engine {
namespace {

constexpr std::size_t kFactorsBetweenPolls = 8'192; // rows between two checks for cancellation

bool on_device(store::TransferKind kind) {
  return kind == store::TransferKind::DeviceToDevice || kind == store::TransferKind::Memset;
}

} // namespace

bool runs_kernels(const analysis::Trace& trace) {
  return store::analysis_rows(trace.store) == store::AnalysisRows::Launches;
}

bool runs_bursts(const analysis::Trace& trace) {
  return store::analysis_rows(trace.store) == store::AnalysisRows::Bursts;
}

Expected<RunFactors> RunFactors::of(const analysis::Session& session, const analysis::LaunchColumns& columns,
                                    std::vector<GpuSpecification> gpus, const MessageModels& models,
                                    const PredictedMessages& messages, const Job& job) {
  RunFactors out(session, std::move(gpus), models, messages);
  if (auto done = out.add_times(job); !done) return forward(done.error());
  if (auto done = out.learn_kernels(columns, job); !done) return forward(done.error());
  if (auto done = out.learn_copies(job); !done) return forward(done.error());
  return out;
}

Expected<void> RunFactors::add_times(const Job& job) {
  kernel_time_.assign(session_.configurations().size(), 0);
  for (const auto& trace : session_.traces()) {
    const bool kernels = runs_kernels(trace), bursts = runs_bursts(trace);
    const auto durations = trace.durations();
    const auto of = trace.configurations();
    for (std::size_t row = 0; row < durations.size(); ++row) {
      if (row % kFactorsBetweenPolls == 0 && job.cancelled()) return Job::cancelled_error();
      if (durations[row] <= 0) continue;
      const auto time = static_cast<double>(durations[row]);
      if (kernels) kernel_time_[trace.configuration[of[row]]] += time;
      if (bursts) burst_time_ += time;
    }
  }
  return {};
}

// The first launch of a configuration represents all launches of the configuration.
Expected<void> RunFactors::learn_kernels(const analysis::LaunchColumns& columns, const Job& job) {
  const auto counters = analysis::model_columns(columns);
  if (!counters.missing.empty()) return {};
  std::vector<std::uint8_t> seen(session_.configurations().size(), 0);
  for (std::size_t t = 0; t < session_.traces().size(); ++t) {
    const auto& trace = session_.traces()[t];
    const auto of = trace.configurations();
    for (std::int64_t row = 0; row < trace.launches(); ++row) {
      auto& known = seen[trace.configuration[of[static_cast<std::size_t>(row)]]];
      const bool check = !known || static_cast<std::size_t>(row) % kFactorsBetweenPolls == 0;
      if (check && job.cancelled()) return Job::cancelled_error();
      if (known) continue;
      known = 1;
      if (auto done = learn_kernel(columns, counters, {t, row, row + 1}); !done) return forward(done.error());
    }
  }
  return {};
}

Expected<void> RunFactors::learn_kernel(const analysis::LaunchColumns& columns,
                                        const analysis::ModelColumns& counters,
                                        const analysis::Segment& launch) {
  analysis::LeftOut left_out;
  return analysis::for_model_launches(
      session_, columns, launch, {}, counters, gpus_, left_out,
      [&](analysis::ModelLaunch& of) -> Expected<void> {
        if (const auto p = model::predict_kernel(gpus_[launch.trace], of.inputs.kernel)) {
          predicted_[of.configuration] = p->seconds;
          inputs_[of.configuration] = of;
        }
        return {};
      });
}

Expected<void> RunFactors::learn_copies(const Job& job) {
  for (const auto& trace : session_.traces()) {
    const auto durations = trace.store.column<std::int64_t>("transfers", "duration");
    const auto bytes = trace.store.column<std::int64_t>("transfers", "bytes");
    const auto kinds = trace.store.column<std::uint8_t>("transfers", "kind");
    for (std::size_t row = 0; row < durations.size(); ++row) {
      if (row % kFactorsBetweenPolls == 0 && job.cancelled()) return Job::cancelled_error();
      if (bytes[row] < 0) continue;
      auto& of = copies_[static_cast<store::TransferKind>(kinds[row])];
      of.bytes.push_back(static_cast<double>(bytes[row]));
      of.durations.push_back(static_cast<double>(durations[row]));
    }
  }
  // Operations of one size do not separate their start-up from their bandwidth: their time is not scaled.
  std::erase_if(copies_, [](const auto& of) {
    const auto [least, most] = std::ranges::minmax(of.second.bytes);
    return least == most;
  });
  for (auto& [kind, of] : copies_) of.fit = model::fit_copies(of.bytes, of.durations);
  return {};
}

bool RunFactors::assumes_bandwidth(const Scenario& scenario) const {
  if (!scenario.gpu) return false;
  const auto unknown = [](const GpuSpecification& gpu) {
    return gpu.levels.empty() || !(gpu.levels.back().bandwidth > 0);
  };
  if (!std::ranges::all_of(gpus_, unknown) && !unknown(*scenario.gpu)) return false;
  for (std::uint32_t c = 0; c < kernel_time_.size(); ++c)
    if (kernel_time_[c] > 0 && !has_counters(c)) return true;
  return false;
}

double RunFactors::memory_ratio(const Scenario& scenario) const {
  if (!scenario.gpu) return 1;
  for (const auto& gpu : gpus_) {
    if (gpu.levels.empty() || scenario.gpu->levels.empty()) continue;
    const double from = gpu.levels.back().bandwidth, to = scenario.gpu->levels.back().bandwidth;
    if (from > 0 && to > 0) return from / to;
  }
  return 1;
}

double RunFactors::kernel(std::uint32_t configuration, const Scenario& scenario) const {
  const double shrink = scenario.shrink();
  const auto known = inputs_.find(configuration);
  if (known != inputs_.end()) {
    auto launch = known->second;
    const auto& recorded = gpus_[launch.trace];
    auto& kernel = launch.inputs.kernel;
    kernel.blocks = std::max(1.0, std::ceil(kernel.blocks / shrink));
    kernel.tma_bytes /= shrink;
    kernel.dram_bytes /= shrink;
    model::WhatIf what_if;
    what_if.gpu = scenario.gpu;
    if (model::apply(what_if, recorded, kernel, launch.facts))
      if (const auto p = model::predict_kernel(scenario.gpu ? *scenario.gpu : recorded, kernel))
        return p->seconds / predicted_.at(configuration);
  }
  double factor = memory_ratio(scenario);
  if (shrink == 1) return factor;
  const auto& c = session_.configurations()[configuration];
  const double blocks = static_cast<double>(c.grid[0]) * c.grid[1] * c.grid[2];
  const auto& gpu = gpus_.front();
  if (!(blocks > 0) || gpu.multiprocessors <= 0) return factor / shrink;
  const double threads = static_cast<double>(c.block[0]) * c.block[1] * c.block[2];
  const double resident = model::resident_blocks(
      gpu, {threads, static_cast<double>(c.registers),
            static_cast<double>(c.static_shared_memory) + static_cast<double>(c.dynamic_shared_memory)});
  const double wave = resident * static_cast<double>(gpu.multiprocessors);
  return factor * std::max(1.0, blocks / shrink / wave) / std::max(1.0, blocks / wave);
}

double RunFactors::copy(store::TransferKind kind, double bytes, const Scenario& scenario) const {
  const auto known = copies_.find(kind);
  double factor = on_device(kind) ? memory_ratio(scenario) : 1;
  if (known == copies_.end() || bytes < 0 || scenario.shrink() == 1) return factor;
  const auto& fit = known->second.fit;
  const double before = fit.time(bytes);
  return before > 0 ? factor * fit.time(bytes / scenario.shrink()) / before : factor;
}

SessionMessage in_scenario(SessionMessage m, const Scenario& scenario, std::int64_t nodes) {
  double factor = scenario.message_size;
  if (!m.collective && scenario.strong) factor *= std::pow(scenario.nodes, -2.0 / 3);
  m.bytes = std::llround(static_cast<double>(m.bytes) * factor);
  const auto recorded = static_cast<double>(std::max<std::int64_t>(nodes, 1));
  if (m.collective && recorded * scenario.nodes > 1)
    m.distance = Distance::inter_node; // the distance of its farthest ranks
  return m;
}

CallTime RunFactors::call(std::size_t row, std::int64_t duration, std::size_t trace, const Scenario& scenario,
                          double waiting) const {
  CallTime out;
  if (duration <= 0) return out;
  const auto ranks = static_cast<double>(std::max<std::int64_t>(messages_.messages.ranks, 1));
  double before = 0, after = 0;
  for (const auto& m : calls_.messages_of(trace, row)) {
    before += 1e3 * predicted_us(models_, m, ranks);
    after += 1e3 * predicted_us(models_, in_scenario(m, scenario, messages_.messages.nodes),
                                ranks * scenario.nodes);
  }
  const auto time = static_cast<double>(duration);
  out.transfer_before = std::min(before, time);
  if (before > 0) out.transfer = out.transfer_before * after / before;
  out.waiting_before = time - out.transfer_before, out.waiting = waiting * out.waiting_before;
  return out;
}

} // namespace jitterscope::engine
