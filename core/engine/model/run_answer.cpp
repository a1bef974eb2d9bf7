#include "core/engine/model/run_answer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/engine/model/profile_run.h"
#include "core/engine/model/run_terms.h"
#include "core/store/trace/event_kinds.h"

namespace jitterscope::engine {
namespace {

using model::Activity;
using model::Work;
using nlohmann::json;

constexpr std::size_t kRowsBetweenPolls = 8'192; // rows between two polls for cancellation

/// Factors on times in one scenario: of each configuration, and means over all kernels and bursts, weighted
/// by time.
struct Factors {
  std::vector<double> kernel; ///< factor of each configuration of the session
  double kernels = 1;         ///< mean factor of all kernels
  double work = 1;            ///< mean factor of all kernels and bursts; scales waiting
};

struct ProcessTime {
  model::RunParts parts;
  std::map<std::string, Calls> calls; ///< calls by operation
};

class RunModel {
public:
  RunModel(const analysis::Session& session, const RunFactors& factors, const Job& job)
      : session_(session), factors_(factors), job_(job) {}

  Expected<bool> prepare();
  Expected<json> run(const Scenario& scenario) const;
  json notes(const MessageModels& models) const;

private:
  struct Process {
    std::string name;
    std::size_t trace = 0;
    std::vector<std::pair<Work, std::size_t>> pieces; ///< kind of work, and its row in that kind's table
    std::int64_t begin = INT64_MAX, end = INT64_MIN;  ///< its part of the run
  };

  void find_processes();
  void round_times();
  Expected<void> add_rows(const char* table, const char* resource, Work work);
  Factors factors_of(const Scenario& scenario) const;
  Expected<ProcessTime> time_of(const Process& process, const Scenario& scenario,
                                const Factors& factors) const;
  json terms_of(const ProcessTime& time, const Scenario& scenario, const Factors& factors) const;

  const analysis::Session& session_;
  const RunFactors& factors_;
  const Job& job_;
  std::vector<Process> processes_;
  std::vector<std::vector<std::size_t>> process_of_; ///< [trace][resource]: index in processes_
};

Expected<bool> RunModel::prepare() {
  find_processes();
  for (const auto& [table, resource, work] :
       {std::tuple{"launches", "stream", Work::kernel}, std::tuple{"transfers", "stream", Work::copy},
        std::tuple{"messages", "thread", Work::message}})
    if (auto done = add_rows(table, resource, work); !done) return forward(done.error());
  std::erase_if(processes_, [](const Process& p) { return p.pieces.empty(); });
  if (processes_.empty()) return false;
  round_times();
  return true;
}

// A process that ends early does not wait for the others, and one of another run has times of its own. Times
// close to those of the whole session are the same, so that processes of one run have the same measured time.
void RunModel::round_times() {
  constexpr double kClose = 0.01;
  std::int64_t begin = INT64_MAX, end = INT64_MIN;
  for (const auto& process : processes_)
    begin = std::min(begin, process.begin), end = std::max(end, process.end);
  const auto close = static_cast<std::int64_t>(kClose * static_cast<double>(end - begin));
  for (auto& process : processes_) {
    if (process.begin <= begin + close) process.begin = begin;
    if (process.end >= end - close) process.end = end;
  }
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
        auto& process = processes_.emplace_back();
        process.name = session_.traces().size() > 1 ? trace.name + " " + name : name, process.trace = t;
      } else {
        of[r] = of[resource.parent];
      }
    }
    process_of_.push_back(std::move(of));
  }
}

// Analysis rows other than kernels and bursts (ranges, calls) only extend the time of their process.
Expected<void> RunModel::add_rows(const char* table, const char* resource, Work work) {
  for (std::size_t t = 0; t < session_.traces().size(); ++t) {
    const auto& trace = session_.traces()[t];
    const auto starts = trace.store.starts(table);
    const auto durations = trace.store.column<std::int64_t>(table, "duration");
    const auto of = trace.store.column<std::uint32_t>(table, resource);
    const auto kinds = trace.store.column<std::uint8_t>("messages", "kind");
    const bool bursts = work == Work::kernel && runs_bursts(trace);
    const bool counts = work != Work::kernel || bursts || runs_kernels(trace);
    for (std::size_t row = 0; row < starts.size(); ++row) {
      if (row % kRowsBetweenPolls == 0 && job_.cancelled()) return Job::cancelled_error();
      if (work == Work::message && kinds[row] == store::kTransmission) continue; // a transmission, not a call
      auto& process = processes_[process_of_[t][of[row]]];
      if (counts) process.pieces.emplace_back(bursts ? Work::computation : work, row);
      process.begin = std::min(process.begin, starts[row] + trace.shift_ns);
      process.end = std::max(process.end, starts[row] + durations[row] + trace.shift_ns);
    }
  }
  return {};
}

Factors RunModel::factors_of(const Scenario& scenario) const {
  Factors out;
  double before = 0, after = 0;
  const auto& times = factors_.kernel_time();
  for (std::uint32_t c = 0; c < times.size(); ++c) {
    out.kernel.push_back(times[c] > 0 ? factors_.kernel(c, scenario) : 1);
    before += times[c], after += times[c] * out.kernel.back();
  }
  if (before > 0) out.kernels = after / before;
  before += factors_.burst_time(), after += factors_.burst_time() * RunFactors::burst(scenario);
  if (before > 0) out.work = after / before; // without work no waiting time changes
  return out;
}

Expected<ProcessTime> RunModel::time_of(const Process& process, const Scenario& scenario,
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
  const auto message_names = store.column<std::uint32_t>("messages", "name");
  ProcessTime out;
  std::map<std::uint32_t, Calls> calls; // calls by index of the operation's name
  std::vector<Activity> activities;
  activities.reserve(process.pieces.size());
  for (const auto& [work, row] : process.pieces) {
    if (activities.size() % kRowsBetweenPolls == 0 && job_.cancelled()) return Job::cancelled_error();
    const auto add = [&, kind = work](std::int64_t start, std::int64_t duration, double factor) {
      activities.push_back({start + trace.shift_ns, start + duration + trace.shift_ns, kind, factor});
    };
    switch (work) {
    case Work::kernel:
      add(launches[row], kernel_durations[row], factors.kernel[trace.configuration[of[row]]]);
      break;
    case Work::computation:
      add(launches[row], kernel_durations[row], RunFactors::burst(scenario));
      break;
    case Work::copy:
      add(transfers[row], copy_durations[row],
          factors_.copy(static_cast<store::TransferKind>(copy_kinds[row]),
                        static_cast<double>(copy_bytes[row]), scenario));
      break;
    case Work::message: {
      const auto time = factors_.call(row, message_durations[row], process.trace, scenario, factors.work);
      add(messages[row], message_durations[row], time.factor());
      calls[message_names[row]].add(time);
      break;
    }
    }
  }
  auto parts = model::run_parts(activities, process.begin, process.end, job_);
  if (!parts) return forward(parts.error());
  out.parts = *parts;
  for (const auto& [name, sums] : calls)
    out.calls[name == kNone ? std::string("other MPI calls") : std::string(store.string({name}))] = sums;
  return out;
}

void add_parts(Terms& terms, const model::RunParts& parts) {
  terms.add("Only kernels", parts.kernels, "ns",
            "Σ length · largest factor, of intervals in which only kernels run");
  terms.add("Only memory operations", parts.copies, "ns",
            "Σ length · largest factor, of intervals in which only memory operations run");
  terms.add("Only MPI", parts.messages, "ns",
            "Σ length · largest factor, of intervals in which only MPI calls run");
  if (parts.computation > 0)
    terms.add("Only computation of the host", parts.computation, "ns",
              "Σ length · largest factor, of intervals in which only bursts of host threads run");
  terms.add("Overlapped", parts.overlapped, "ns",
            "intervals with several kinds scale with the largest of their factors");
  terms.add("None of these", parts.other, "ns", "no recorded activity of these kinds: as measured");
}

void add_kernels(Terms& terms, const RunFactors& of, const Scenario& scenario, const Factors& factors) {
  double covered = 0, all = 0;
  for (std::uint32_t c = 0; c < of.kernel_time().size(); ++c) {
    all += of.kernel_time()[c];
    if (of.has_counters(c)) covered += of.kernel_time()[c];
  }
  if (!(all > 0)) return;
  terms.add("Factor of kernels", factors.kernels, "",
            "predicted time / time predicted for the recorded run, mean over the time of all kernels");
  terms.add("Kernel time with counters", 100 * covered / all, "%",
            covered > 0 ? "predicted by the kernel model"
                        : "none: the factor is a ratio of bandwidths and of waves, not a prediction");
  if (scenario.gpu && covered < all)
    terms.add("Factor of kernels without counters", of.memory_ratio(scenario), "",
              "assumed: memory bandwidth of the recorded GPU / that of the requested GPU");
}

void add_copies(Terms& terms, const RunFactors& factors, const Scenario& scenario) {
  for (const auto& [kind, of] : factors.copies()) {
    const double bytes = of.bytes.empty() ? 0 : of.bytes[of.bytes.size() / 2];
    terms.add(
        fmt::format("Memory operations {}", store::to_string(kind)), factors.copy(kind, bytes, scenario), "",
        of.fit.bytes_per_ns > 0
            ? fmt::format(
                  "factor for {:.0f} B; T = {:.1f} µs + bytes / {:.1f} GB/s, fitted to {} memory operations",
                  bytes, of.fit.latency_ns * 1e-3, of.fit.bytes_per_ns, of.bytes.size())
            : fmt::format("factor for {:.0f} B; T = {:.1f} µs, fitted to {} memory operations", bytes,
                          of.fit.latency_ns * 1e-3, of.bytes.size()));
  }
}

json RunModel::terms_of(const ProcessTime& time, const Scenario& scenario, const Factors& factors) const {
  Terms terms;
  add_parts(terms, time.parts);
  add_kernels(terms, factors_, scenario, factors);
  if (factors_.burst_time() > 0) terms.add_bursts(scenario);
  add_copies(terms, factors_, scenario);
  if (!factors_.messages().list.empty())
    terms.add_messages(
        factors_.messages().ranks, scenario, factors.work,
        "applies to the time in MPI calls that is not transfer: mean factor of kernels and bursts, "
        "weighted by time");
  return terms.take();
}

Expected<json> RunModel::run(const Scenario& scenario) const {
  const auto factors = factors_of(scenario);
  json out;
  std::pair<double, double> longest{-1, 0};
  for (const auto& process : processes_) {
    const auto time = time_of(process, scenario, factors);
    if (!time) return forward(time.error());
    const auto& parts = time->parts;
    const std::pair busiest{
        parts.total(),
        -parts.other}; // most processes of the measured run have the same total: the smallest `other` decides
    if (busiest <= longest) continue;
    longest = busiest;
    out = {{"title", scenario.title},
           {"total_ns", parts.total()},
           {"process", process.name},
           {"kernels_ns", parts.kernels},
           {"copies_ns", parts.copies},
           {"messages_ns", parts.messages},
           {"computation_ns", parts.computation},
           {"overlapped_ns", parts.overlapped},
           {"other_ns", parts.other},
           {"terms", terms_of(*time, scenario, factors)},
           {"calls", calls_of(time->calls)}};
  }
  return out;
}

json RunModel::notes(const MessageModels& models) const {
  json notes = json::array();
  notes.push_back(fmt::format(
      "The time of the run is the time from the first to the last recorded activity{}.",
      processes_.size() > 1 ? fmt::format(", for the slowest of {} processes", processes_.size()) : ""));
  notes.push_back("Activities that overlap in the trace still overlap; host time between activities remains "
                  "as measured.");
  const auto& kernels = factors_.kernel_time();
  const bool any = std::any_of(kernels.begin(), kernels.end(), [](double time) { return time > 0; });
  if (any && !factors_.any_counters())
    notes.push_back("No kernel has the counters that the kernel model needs: kernel times are scaled by the "
                    "ratio of memory bandwidths on another GPU and by the waves of blocks on more nodes. The "
                    "accuracy of these estimates is unknown.");
  if (factors_.burst_time() > 0) notes.push_back(kNoSerialPart);
  if (!factors_.messages().list.empty() && !models.measured())
    notes.push_back("Messages: " + models.source() + ".");
  return notes;
}

} // namespace

Expected<json> run_document(const analysis::Session& session, const analysis::LaunchColumns& columns,
                            std::vector<GpuSpecification> gpus, const MessageModels& models,
                            const PredictedMessages& messages, const std::vector<Scenario>& scenarios,
                            const Job& job) {
  if (session.launch_order()) return profile_run(messages.messages, models, scenarios, job);
  const auto factors = RunFactors::of(session, columns, std::move(gpus), models, messages, job);
  if (!factors) return forward(factors.error());
  RunModel run(session, *factors, job);
  const auto any = run.prepare();
  if (!any) return forward(any.error());
  if (!*any) return json();
  json runs = json::array();
  std::vector<Scenario> all = {{"measured", 1, true, {}}};
  all.insert(all.end(), scenarios.begin(), scenarios.end());
  for (const auto& scenario : all) {
    if (factors->assumes_bandwidth(scenario))
      return failure(
          ErrorKind::BadUse,
          "the memory bandwidth of the recorded or of the requested GPU is unknown: the time of kernels "
          "without counters on another GPU cannot be estimated",
          {}, "--what-if",
          "State the GPU of the recording with --gpu, or open its result of MT4G with the trace.");
    auto one = run.run(scenario);
    if (!one) return forward(one.error());
    const double measured =
        runs.empty() ? one->at("total_ns").get<double>() : runs[0].at("total_ns").get<double>();
    (*one)["speedup"] = measured / one->at("total_ns").get<double>();
    runs.push_back(std::move(*one));
  }
  return json{{"runs", std::move(runs)}, {"notes", run.notes(models)}};
}

} // namespace jitterscope::engine
