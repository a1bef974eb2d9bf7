#include "core/engine/model/run_answer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/prediction/launch_inputs.h"
#include "core/engine/model/call_messages.h"
#include "core/model/gpu/kernel_model.h"
#include "core/model/gpu/occupancy.h"
#include "core/model/gpu/what_if.h"
#include "core/model/run/overlap.h"
#include "core/store/format/analysis_rows.h"

namespace jitterscope::engine {
namespace {

using model::Activity;
using model::Work;
using nlohmann::json;

constexpr std::size_t kBetween = 8'192; // rows between two looks for a cancel

bool on_device(store::TransferKind kind) {
  return kind == store::TransferKind::DeviceToDevice || kind == store::TransferKind::Memset;
}

bool runs_kernels(const analysis::Trace& trace) {
  return store::analysis_rows(trace.store) == store::AnalysisRows::Launches;
}

/// What is predicted of a scenario: factors by what they depend on.
struct Factors {
  std::vector<double> kernel; ///< by configuration of the session
  double all_kernels = 1;     ///< of the time of all kernels
};

/// Memory operations of one kind.
struct Copies {
  std::vector<double> bytes, durations;
  model::CopyFit fit;
};

class RunModel {
public:
  RunModel(const analysis::Session& session, const analysis::LaunchColumns& columns,
           std::vector<GpuSpecification> gpus, const MessageModels& models, const PredictedMessages& messages,
           const Job& job)
      : session_(session), columns_(columns), gpus_(std::move(gpus)), models_(models), messages_(messages),
        job_(job), calls_(session, messages.messages) {}

  Expected<bool> prepare();
  Expected<json> run(const Scenario& scenario) const;
  json notes() const;

private:
  struct Process {
    std::string name;
    std::size_t trace = 0;
    std::vector<std::pair<std::size_t, std::size_t>> pieces; ///< kind of table, row
  };
  enum Table : std::size_t { kLaunches, kTransfers, kMessages };

  Expected<void> learn_kernels();
  Expected<void> learn_copies();
  void find_processes();
  Expected<void> add_rows(const char* table, const char* resource, Table kind);
  double kernel_factor(std::uint32_t configuration, const Scenario& scenario) const;
  Factors factors_of(const Scenario& scenario) const;
  double copy_factor(store::TransferKind kind, double bytes, const Scenario& scenario) const;
  double message_factor(std::size_t row, std::int64_t duration, std::size_t trace, const Scenario& scenario,
                        double waiting) const;
  double memory_ratio(const Scenario& scenario) const;
  SessionMessage in_scenario(SessionMessage m, const Scenario& scenario) const;
  Expected<model::RunParts> parts_of(const Process& process, const Scenario& scenario,
                                     const Factors& factors) const;
  json terms_of(const model::RunParts& parts, const Scenario& scenario, const Factors& factors) const;

  const analysis::Session& session_;
  const analysis::LaunchColumns& columns_;
  std::vector<GpuSpecification> gpus_; ///< of each trace; empty ones where unknown
  const MessageModels& models_;
  const PredictedMessages& messages_;
  const Job& job_;
  CallMessages calls_;
  std::vector<Process> processes_;
  std::vector<std::vector<std::size_t>> process_of_; ///< by trace and resource
  std::map<std::uint32_t, analysis::ModelLaunch>
      inputs_;                                ///< first launch of each configuration with counters
  std::map<std::uint32_t, double> predicted_; ///< as recorded [s]
  std::map<store::TransferKind, Copies> copies_;
  std::vector<double> kernel_time_;                  ///< by configuration [ns]
  std::int64_t begin_ = INT64_MAX, end_ = INT64_MIN; ///< of the run, bursts included
};

Expected<bool> RunModel::prepare() {
  if (session_.launch_order()) return false;
  find_processes();
  for (const auto& [table, resource, kind] :
       {std::tuple{"launches", "stream", kLaunches}, std::tuple{"transfers", "stream", kTransfers},
        std::tuple{"messages", "thread", kMessages}})
    if (auto done = add_rows(table, resource, kind); !done) return forward(done.error());
  std::erase_if(processes_, [](const Process& p) { return p.pieces.empty(); });
  if (processes_.empty()) return false;
  if (auto done = learn_kernels(); !done) return forward(done.error());
  if (auto done = learn_copies(); !done) return forward(done.error());
  return true;
}

void RunModel::find_processes() {
  for (std::size_t t = 0; t < session_.traces().size(); ++t) {
    const auto& trace = session_.traces()[t];
    std::vector<std::size_t> of(trace.store.resources().size(), 0);
    for (std::size_t r = 0; r < of.size(); ++r) {
      const auto& resource = trace.store.resources()[r];
      if (resource.kind == store::ResourceKind::Process || resource.parent == kNone) {
        of[r] = processes_.size();
        std::string name = resource.rank >= 0 ? fmt::format("rank {}", resource.rank)
                                              : fmt::format("process {}", resource.number);
        processes_.push_back({session_.traces().size() > 1 ? trace.name + " " + name : name, t, {}});
      } else {
        of[r] = of[resource.parent];
      }
    }
    process_of_.push_back(std::move(of));
  }
}

Expected<void> RunModel::add_rows(const char* table, const char* resource, Table kind) {
  for (std::size_t t = 0; t < session_.traces().size(); ++t) {
    const auto& trace = session_.traces()[t];
    const auto starts = trace.store.starts(table);
    const auto durations = trace.store.column<std::int64_t>(table, "duration");
    const auto of = trace.store.column<std::uint32_t>(table, resource);
    const auto kinds = trace.store.column<std::uint8_t>("messages", "kind");
    const bool bursts = kind == kLaunches && !runs_kernels(trace); // they stay as measured
    for (std::size_t row = 0; row < starts.size(); ++row) {
      if (row % kBetween == 0 && job_.cancelled()) return Job::cancelled_error();
      if (kind == kMessages && kinds[row] == 4) continue; // in flight
      if (!bursts) processes_[process_of_[t][of[row]]].pieces.emplace_back(kind, row);
      begin_ = std::min(begin_, starts[row] + trace.shift_ns);
      end_ = std::max(end_, starts[row] + durations[row] + trace.shift_ns);
    }
  }
  return {};
}

// The first launch of a configuration stands for all.
Expected<void> RunModel::learn_kernels() {
  kernel_time_.assign(session_.configurations().size(), 0);
  for (std::size_t c = 0; c < kernel_time_.size(); ++c)
    kernel_time_[c] = static_cast<double>(session_.configurations()[c].duration_sum_ns);
  for (const auto& trace : session_.traces()) {
    if (runs_kernels(trace)) continue;
    const auto durations = trace.durations();
    const auto of = trace.configurations();
    for (std::size_t row = 0; row < durations.size(); ++row)
      if (durations[row] > 0)
        kernel_time_[trace.configuration[of[row]]] -= static_cast<double>(durations[row]);
  }
  const auto counters = analysis::model_columns(columns_);
  if (!counters.missing.empty()) return {};
  std::vector<std::uint8_t> seen(session_.configurations().size(), 0);
  for (std::size_t t = 0; t < session_.traces().size(); ++t) {
    const auto& trace = session_.traces()[t];
    const auto of = trace.configurations();
    for (std::int64_t row = 0; row < trace.launches(); ++row) {
      if (static_cast<std::size_t>(row) % kBetween == 0 && job_.cancelled()) return Job::cancelled_error();
      auto& known = seen[trace.configuration[of[static_cast<std::size_t>(row)]]];
      if (known) continue;
      known = 1;
      analysis::LeftOut left_out;
      auto done = analysis::for_model_launches(
          session_, columns_, {t, row, row + 1}, {}, counters, gpus_, left_out,
          [&](analysis::ModelLaunch& launch) -> Expected<void> {
            if (const auto p = model::predict_kernel(gpus_[t], launch.inputs.kernel)) {
              predicted_[launch.configuration] = p->seconds;
              inputs_[launch.configuration] = launch;
            }
            return {};
          });
      if (!done) return forward(done.error());
    }
  }
  return {};
}

Expected<void> RunModel::learn_copies() {
  for (const auto& trace : session_.traces()) {
    const auto durations = trace.store.column<std::int64_t>("transfers", "duration");
    const auto bytes = trace.store.column<std::int64_t>("transfers", "bytes");
    const auto kinds = trace.store.column<std::uint8_t>("transfers", "kind");
    for (std::size_t row = 0; row < durations.size(); ++row) {
      if (row % kBetween == 0 && job_.cancelled()) return Job::cancelled_error();
      if (bytes[row] < 0) continue;
      auto& of = copies_[static_cast<store::TransferKind>(kinds[row])];
      of.bytes.push_back(static_cast<double>(bytes[row]));
      of.durations.push_back(static_cast<double>(durations[row]));
    }
  }
  for (auto& [kind, of] : copies_) of.fit = model::fit_copies(of.bytes, of.durations);
  return {};
}

/// Bandwidth of the recorded GPU's memory over that of the asked one; 1 where either is unknown.
double RunModel::memory_ratio(const Scenario& scenario) const {
  if (!scenario.gpu) return 1;
  for (const auto& gpu : gpus_) {
    if (gpu.levels.empty() || scenario.gpu->levels.empty()) continue;
    const double from = gpu.levels.back().bandwidth, to = scenario.gpu->levels.back().bandwidth;
    if (from > 0 && to > 0) return from / to;
  }
  return 1;
}

double RunModel::kernel_factor(std::uint32_t configuration, const Scenario& scenario) const {
  const double shrink = scenario.strong ? scenario.nodes : 1;
  const auto known = inputs_.find(configuration);
  if (known != inputs_.end()) {
    auto launch = known->second;
    const auto& recorded = gpus_[launch.trace];
    auto& kernel = launch.inputs.kernel;
    kernel.blocks = std::max(1.0, std::ceil(kernel.blocks / shrink));
    kernel.tma_bytes /= shrink;
    model::WhatIf what_if;
    what_if.gpu = scenario.gpu;
    if (model::apply(what_if, recorded, kernel, launch.facts))
      if (const auto p = model::predict_kernel(scenario.gpu ? *scenario.gpu : recorded, kernel))
        return p->seconds / predicted_.at(configuration);
  }
  double factor = memory_ratio(scenario);
  if (shrink <= 1) return factor;
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

Factors RunModel::factors_of(const Scenario& scenario) const {
  Factors out;
  double before = 0, after = 0;
  for (std::uint32_t c = 0; c < kernel_time_.size(); ++c) {
    out.kernel.push_back(kernel_factor(c, scenario));
    before += kernel_time_[c], after += kernel_time_[c] * out.kernel.back();
  }
  if (before > 0) out.all_kernels = after / before; // without kernels nothing that is waited for changes
  return out;
}

double RunModel::copy_factor(store::TransferKind kind, double bytes, const Scenario& scenario) const {
  const auto known = copies_.find(kind);
  double factor = on_device(kind) ? memory_ratio(scenario) : 1;
  if (known == copies_.end() || bytes < 0 || !scenario.strong || scenario.nodes <= 1) return factor;
  const auto& fit = known->second.fit;
  const double before = fit.time(bytes);
  return before > 0 ? factor * fit.time(bytes / scenario.nodes) / before : factor;
}

SessionMessage RunModel::in_scenario(SessionMessage m, const Scenario& scenario) const {
  double factor = scenario.message_size;
  if (!m.collective && scenario.strong) factor *= std::pow(scenario.nodes, -2.0 / 3);
  m.bytes = std::llround(static_cast<double>(m.bytes) * factor);
  return m;
}

// A call of MPI: its transfer as the model has it, the rest of it waits.
double RunModel::message_factor(std::size_t row, std::int64_t duration, std::size_t trace,
                                const Scenario& scenario, double waiting) const {
  if (duration <= 0) return 1;
  const auto ranks = static_cast<double>(std::max<std::int64_t>(messages_.messages.ranks, 1));
  double before = 0, after = 0;
  for (const auto& m : calls_.messages_of(trace, row)) {
    before += 1e3 * predicted_us(models_, m, ranks);
    after += 1e3 * predicted_us(models_, in_scenario(m, scenario), ranks * scenario.nodes);
  }
  if (!(before > 0)) return waiting;
  const auto time = static_cast<double>(duration);
  const double transfer = std::min(before, time);
  return transfer * after / before / time + (time - transfer) / time * waiting;
}

Expected<model::RunParts> RunModel::parts_of(const Process& process, const Scenario& scenario,
                                             const Factors& factors) const {
  const auto& trace = session_.traces()[process.trace];
  const auto& store = trace.store;
  const auto launches = store.starts("launches"), transfers = store.starts("transfers"),
             messages = store.starts("messages");
  const auto of = trace.configurations();
  const auto kernel_durations = trace.durations();
  const auto copy_durations = store.column<std::int64_t>("transfers", "duration");
  const auto copy_bytes = store.column<std::int64_t>("transfers", "bytes");
  const auto copy_kinds = store.column<std::uint8_t>("transfers", "kind");
  const auto message_durations = store.column<std::int64_t>("messages", "duration");
  std::vector<Activity> activities;
  activities.reserve(process.pieces.size());
  const auto add = [&](std::int64_t start, std::int64_t duration, Work work, double factor) {
    activities.push_back({start + trace.shift_ns, start + duration + trace.shift_ns, work, factor});
  };
  for (const auto& [table, row] : process.pieces) {
    if (activities.size() % kBetween == 0 && job_.cancelled()) return Job::cancelled_error();
    if (table == kLaunches)
      add(launches[row], kernel_durations[row], Work::kernel, factors.kernel[trace.configuration[of[row]]]);
    else if (table == kTransfers)
      add(transfers[row], copy_durations[row], Work::copy,
          copy_factor(static_cast<store::TransferKind>(copy_kinds[row]), static_cast<double>(copy_bytes[row]),
                      scenario));
    else
      add(messages[row], message_durations[row], Work::message,
          message_factor(row, message_durations[row], process.trace, scenario, factors.all_kernels));
  }
  return model::run_parts(activities, begin_, end_);
}

json RunModel::terms_of(const model::RunParts& parts, const Scenario& scenario,
                        const Factors& factors) const {
  json terms = json::array();
  const auto add = [&](const std::string& name, double value, const char* unit, const std::string& formula) {
    terms.push_back({{"name", name}, {"value", value}, {"unit", unit}, {"formula", formula}});
  };
  add("Only kernels", parts.kernels, "ns",
      "Σ length · largest factor, of stretches in which only kernels run");
  add("Only copies", parts.copies, "ns", "the same for memory operations");
  add("Only MPI", parts.messages, "ns", "the same for MPI calls");
  add("Overlapped", parts.overlapped, "ns",
      "stretches in which several kinds run: the largest of their factors applies");
  add("None of these", parts.other, "ns", "the host computes or waits: as measured");
  double covered = 0, all = 0;
  for (std::uint32_t c = 0; c < kernel_time_.size(); ++c) {
    all += kernel_time_[c];
    if (inputs_.contains(c)) covered += kernel_time_[c];
  }
  if (all > 0) {
    add("Factor of kernels", factors.all_kernels, "",
        "predicted time / predicted time as recorded, mean over the time of all kernels");
    add("Kernel time with counters", 100 * covered / all, "%",
        covered > 0 ? "predicted by the kernel model"
                    : "none: the factor is a ratio of bandwidths and of waves, not a prediction");
    if (scenario.gpu && covered < all)
      add("Factor of kernels without counters", memory_ratio(scenario), "",
          "assumed: bandwidth of the recorded memory / bandwidth of the requested one");
  }
  for (const auto& [kind, of] : copies_) {
    const double bytes = of.bytes.empty() ? 0 : of.bytes[of.bytes.size() / 2];
    add(fmt::format("Copies {}", store::to_string(kind)), copy_factor(kind, bytes, scenario), "",
        of.fit.bytes_per_ns > 0
            ? fmt::format(
                  "factor of one of {:.0f} B; T = {:.1f} µs + bytes / {:.1f} GB/s, fitted to {} copies",
                  bytes, of.fit.latency_ns * 1e-3, of.fit.bytes_per_ns, of.bytes.size())
            : fmt::format("factor of one of {:.0f} B; T = {:.1f} µs, fitted to {} copies", bytes,
                          of.fit.latency_ns * 1e-3, of.bytes.size()));
  }
  if (!messages_.messages.list.empty()) {
    add("Ranks", static_cast<double>(messages_.messages.ranks) * scenario.nodes, "", "of collectives");
    add("Bytes of point-to-point messages", scenario.strong ? std::pow(scenario.nodes, -2.0 / 3) : 1, "",
        "of those recorded: nodes^(−2/3), the surface of a three-dimensional part");
  }
  return terms;
}

Expected<json> RunModel::run(const Scenario& scenario) const {
  const auto factors = factors_of(scenario);
  json out;
  std::pair<double, double> longest{-1, 0};
  for (const auto& process : processes_) {
    const auto parts = parts_of(process, scenario, factors);
    if (!parts) return forward(parts.error());
    const std::pair busiest{parts->total(), -parts->other}; // all take as long in the measured run
    if (busiest <= longest) continue;
    longest = busiest;
    out = {{"title", scenario.title},
           {"total_ns", parts->total()},
           {"process", process.name},
           {"kernels_ns", parts->kernels},
           {"copies_ns", parts->copies},
           {"messages_ns", parts->messages},
           {"overlapped_ns", parts->overlapped},
           {"other_ns", parts->other},
           {"terms", terms_of(*parts, scenario, factors)}};
  }
  return out;
}

json RunModel::notes() const {
  json notes = json::array();
  notes.push_back(fmt::format(
      "Time from the first to the last recorded activity, of the process that takes longest of {}.",
      processes_.size()));
  notes.push_back("Activities that overlap in the trace still overlap; host time between activities remains "
                  "as measured.");
  if (predicted_.empty())
    notes.push_back("No kernel has the counters that the kernel model needs: its times on another GPU are "
                    "ratios of bandwidths, without a claim of accuracy.");
  if (!messages_.messages.list.empty() && !models_.measured())
    notes.push_back("Messages: " + models_.source() + ".");
  return notes;
}

} // namespace

Expected<json> run_document(const analysis::Session& session, const analysis::LaunchColumns& columns,
                            std::vector<GpuSpecification> gpus, const MessageModels& models,
                            const PredictedMessages& messages, const std::vector<Scenario>& scenarios,
                            const Job& job) {
  RunModel run(session, columns, std::move(gpus), models, messages, job);
  const auto any = run.prepare();
  if (!any) return forward(any.error());
  if (!*any) return json();
  json runs = json::array();
  std::vector<Scenario> all = {{"measured", 1, true, {}}};
  all.insert(all.end(), scenarios.begin(), scenarios.end());
  for (const auto& scenario : all) {
    auto one = run.run(scenario);
    if (!one) return forward(one.error());
    const double measured =
        runs.empty() ? one->at("total_ns").get<double>() : runs[0].at("total_ns").get<double>();
    (*one)["speedup"] = measured / one->at("total_ns").get<double>();
    runs.push_back(std::move(*one));
  }
  return json{{"runs", std::move(runs)}, {"notes", run.notes()}};
}

} // namespace jitterscope::engine
