#include "core/engine/model/profile_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/engine/model/run_terms.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

struct ThreadTime {
  double messages = 0, computation = 0, other = 0; ///< parts of the time of the thread, ns
  std::map<std::string, Calls> calls;
  double total() const { return messages + computation + other; }
};

class ProfileRun {
public:
  ProfileRun(const SessionMessages& messages, const MessageModels& models)
      : messages_(messages), models_(models) {
    for (const auto& thread : messages.profile) {
      const auto*& longest = ranks_[thread.rank];
      if (!longest || longest->total_ns() < thread.total_ns()) longest = &thread;
    }
  }

  json run(const Scenario& scenario) const {
    json out;
    double longest = -1;
    for (const auto& [rank, thread] : ranks_) {
      const auto time = time_of(*thread, scenario);
      if (time.total() <= longest) continue;
      longest = time.total();
      out = {{"title", scenario.title},
             {"total_ns", time.total()},
             {"process", fmt::format("rank {}", rank)},
             {"kernels_ns", 0.0},
             {"copies_ns", 0.0},
             {"messages_ns", time.messages},
             {"computation_ns", time.computation},
             {"overlapped_ns", 0.0},
             {"other_ns", time.other},
             {"terms", terms_of(time, scenario)},
             {"calls", calls_of(time.calls)}};
    }
    return out;
  }

  json notes(bool other_gpu) const {
    json notes = {
        fmt::format("The time of the run is the sum of the exclusive times of a thread{}.",
                    ranks_.size() > 1 ? fmt::format(", for the slowest of {} ranks", ranks_.size())
                                      : std::string()),
        "A profile does not show which activities overlap: MPI and computation are added. GPU kernels "
        "are part of the host functions that wait for them.",
        kNoSerialPart};
    if (other_gpu) notes.push_back("The run on another GPU is not predicted from a profile.");
    if (!models_.measured()) notes.push_back("Messages: " + models_.source() + ".");
    return notes;
  }

private:
  ThreadTime time_of(const ThreadSum& thread, const Scenario& scenario) const {
    ThreadTime out;
    const double burst = RunFactors::burst(scenario);
    out.computation = thread.computation_ns * burst;
    for (const auto& [name, operation] : thread.operations) {
      if (!operation.transfers) {
        out.other += operation.time_ns;
        continue;
      }
      auto& calls = out.calls[name];
      calls.add(call_time(operation, scenario, burst));
      calls.count = std::llround(operation.calls);
      out.messages += calls.time.transfer + calls.time.waiting;
    }
    return out;
  }

  CallTime call_time(const OperationSum& operation, const Scenario& scenario, double waiting) const {
    const auto ranks = static_cast<double>(std::max<std::int64_t>(messages_.ranks, 1));
    double before = 0, after = 0;
    for (const auto& m : operation.messages) {
      const auto n = 1e3 * static_cast<double>(m.count);
      before += n * predicted_us(models_, m, ranks);
      after += n * predicted_us(models_, in_scenario(m, scenario, messages_.nodes), ranks * scenario.nodes);
    }
    CallTime out;
    out.transfer_before = std::min(before, operation.time_ns);
    if (before > 0) out.transfer = out.transfer_before * after / before;
    out.waiting_before = operation.time_ns - out.transfer_before;
    out.waiting = waiting * out.waiting_before;
    return out;
  }

  json terms_of(const ThreadTime& time, const Scenario& scenario) const {
    Terms terms;
    terms.add("Only MPI", time.messages, "ns", "Σ transfer + waiting of the operations with messages");
    terms.add("Only computation of the host", time.computation, "ns",
              "Σ exclusive time of functions that are not MPI · factor of bursts");
    terms.add("None of these", time.other, "ns", "MPI operations without messages: as measured");
    terms.add_bursts(scenario);
    terms.add_messages(
        messages_.ranks, scenario, RunFactors::burst(scenario),
        "applies to the time in MPI calls that is not transfer; equal to the factor of bursts");
    return terms.take();
  }

  const SessionMessages& messages_;
  const MessageModels& models_;
  std::map<std::int32_t, const ThreadSum*> ranks_;
};

} // namespace

Expected<json> profile_run(const SessionMessages& messages, const MessageModels& models,
                           const std::vector<Scenario>& scenarios, const Job& job) {
  if (messages.profile.empty()) return json();
  const ProfileRun run(messages, models);
  json runs = json::array();
  bool other_gpu = false;
  std::vector<Scenario> all = {{"measured", 1, true, {}}};
  all.insert(all.end(), scenarios.begin(), scenarios.end());
  for (const auto& scenario : all) {
    if (job.cancelled()) return Job::cancelled_error();
    other_gpu = other_gpu || scenario.gpu.has_value();
    if (scenario.gpu) continue;
    auto one = run.run(scenario);
    const double measured = (runs.empty() ? one : runs[0]).at("total_ns").get<double>();
    const double total = one.at("total_ns").get<double>();
    one["speedup"] = total > 0 ? measured / total : 1;
    runs.push_back(std::move(one));
  }
  return json{{"runs", std::move(runs)}, {"notes", run.notes(other_gpu)}};
}

} // namespace jitterscope::engine
