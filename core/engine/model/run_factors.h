#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/analysis/prediction/launch_inputs.h"
#include "core/base/gpu_specification.h"
#include "core/engine/model/call_messages.h"
#include "core/engine/model/message_answer.h"
#include "core/model/run/overlap.h"

namespace jitterscope::engine {

/// A scenario of a run.
struct Scenario {
  std::string title;
  double nodes = 1;   ///< number of nodes, relative to the recorded run
  bool strong = true; ///< the same problem on more nodes; else the same problem for each node
  std::optional<GpuSpecification> gpu; ///< another GPU than the recorded one, if any
  double message_size = 1;             ///< bytes of all messages, relative to the recorded run

  /// Divisor of the work of a node.
  double shrink() const { return strong ? nodes : 1; }
};

/// Memory operations of one kind.
struct Copies {
  std::vector<double> bytes, durations;
  model::CopyFit fit;
};

/// Time of an MPI call in two parts, each as recorded and as predicted [ns].
struct CallTime {
  double transfer_before = 0, transfer = 0; ///< by the message model; transfer_before ≤ the call's duration
  double waiting_before = 0, waiting = 0;   ///< the rest of the call; scaled in `waiting`
  /// Predicted divided by recorded time; 1 for a call without duration.
  double factor() const {
    const double before = transfer_before + waiting_before;
    return before > 0 ? (transfer + waiting) / before : 1;
  }
};

/// Scaling factors of kernels, bursts, memory operations and messages of a session in a scenario: time in the
/// scenario divided by time as recorded. The rules are those of run_document (run_answer.h).
class RunFactors {
public:
  /// `gpus`: by trace; an empty specification where unknown. All references must outlive this object. Errors:
  /// Cancelled.
  static Expected<RunFactors> of(const analysis::Session& session, const analysis::LaunchColumns& columns,
                                 std::vector<GpuSpecification> gpus, const MessageModels& models,
                                 const PredictedMessages& messages, const Job& job);

  double kernel(std::uint32_t configuration, const Scenario& scenario) const;
  /// Factor for useful computation of host threads.
  static double burst(const Scenario& scenario) { return 1 / scenario.shrink(); }
  double copy(store::TransferKind kind, double bytes, const Scenario& scenario) const;
  /// Time of an MPI call, a row of table "messages"; `waiting`: factor of its part that is not transfer.
  CallTime call(std::size_t row, std::int64_t duration, std::size_t trace, const Scenario& scenario,
                double waiting) const;
  /// Memory bandwidth of the recorded GPU divided by that of the requested one; 1 if either is unknown.
  double memory_ratio(const Scenario& scenario) const;
  /// Whether a scenario on another GPU needs a memory bandwidth that is unknown, for kernels without
  /// counters.
  bool assumes_bandwidth(const Scenario& scenario) const;

  const std::vector<double>& kernel_time() const { return kernel_time_; } ///< time by configuration [ns]
  double burst_time() const { return burst_time_; }                       ///< time of all bursts [ns]
  bool has_counters(std::uint32_t configuration) const { return inputs_.contains(configuration); }
  bool any_counters() const { return !inputs_.empty(); }
  const std::map<store::TransferKind, Copies>& copies() const { return copies_; }
  const SessionMessages& messages() const { return messages_.messages; }

private:
  RunFactors(const analysis::Session& session, std::vector<GpuSpecification> gpus,
             const MessageModels& models, const PredictedMessages& messages)
      : session_(session), gpus_(std::move(gpus)), models_(models), messages_(messages),
        calls_(session, messages.messages) {}
  Expected<void> add_times(const Job& job);
  Expected<void> learn_kernels(const analysis::LaunchColumns& columns, const Job& job);
  Expected<void> learn_kernel(const analysis::LaunchColumns& columns, const analysis::ModelColumns& counters,
                              const analysis::Segment& launch);
  Expected<void> learn_copies(const Job& job);

  const analysis::Session& session_;
  std::vector<GpuSpecification> gpus_;
  const MessageModels& models_;
  const PredictedMessages& messages_;
  CallMessages calls_;
  std::map<std::uint32_t, analysis::ModelLaunch>
      inputs_;                                ///< first launch of each configuration with counters
  std::map<std::uint32_t, double> predicted_; ///< predicted times in the recorded conditions [s]
  std::map<store::TransferKind, Copies> copies_;
  std::vector<double> kernel_time_;
  double burst_time_ = 0;
};

/// A message in a scenario: its size, and the distance of collectives. `nodes`: of the recorded run.
SessionMessage in_scenario(SessionMessage message, const Scenario& scenario, std::int64_t nodes);

/// True if analysis rows of a trace are launches of kernels, or useful computation of host threads.
bool runs_kernels(const analysis::Trace& trace);
bool runs_bursts(const analysis::Trace& trace);

} // namespace jitterscope::engine
