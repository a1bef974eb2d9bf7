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

/// A run as it is asked about.
struct Scenario {
  std::string title;
  double nodes = 1;   ///< times as many nodes
  bool strong = true; ///< the same problem on more nodes; else the same problem for each node
  std::optional<GpuSpecification> gpu; ///< another GPU
  double message_size = 1;             ///< times the bytes of all messages

  /// Work of a node divided by this is its work in the scenario.
  double shrink() const { return strong ? nodes : 1; }
};

/// Memory operations of one kind.
struct Copies {
  std::vector<double> bytes, durations;
  model::CopyFit fit;
};

/// How much longer kernels, bursts, copies and messages of a session take in a scenario: predicted time
/// divided by measured time. The rules are those of run_document (run_answer.h).
class RunFactors {
public:
  /// `gpus`: of each trace; empty ones where unknown. All references must outlive this. Errors: Cancelled.
  static Expected<RunFactors> of(const analysis::Session& session, const analysis::LaunchColumns& columns,
                                 std::vector<GpuSpecification> gpus, const MessageModels& models,
                                 const PredictedMessages& messages, const Job& job);

  double kernel(std::uint32_t configuration, const Scenario& scenario) const;
  /// Of useful computation of host threads.
  static double burst(const Scenario& scenario) { return 1 / scenario.shrink(); }
  double copy(store::TransferKind kind, double bytes, const Scenario& scenario) const;
  /// Of an MPI call, a row of table "messages"; `waiting` is the factor of its part that is no transfer.
  double message(std::size_t row, std::int64_t duration, std::size_t trace, const Scenario& scenario,
                 double waiting) const;
  /// Bandwidth of the recorded GPU's memory over that of the asked one; 1 where either is unknown.
  double memory_ratio(const Scenario& scenario) const;

  const std::vector<double>& kernel_time() const { return kernel_time_; } ///< by configuration [ns]
  double burst_time() const { return burst_time_; }                       ///< [ns]
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
  SessionMessage in_scenario(SessionMessage m, const Scenario& scenario) const;

  const analysis::Session& session_;
  std::vector<GpuSpecification> gpus_;
  const MessageModels& models_;
  const PredictedMessages& messages_;
  CallMessages calls_;
  std::map<std::uint32_t, analysis::ModelLaunch>
      inputs_;                                ///< first launch of each configuration with counters
  std::map<std::uint32_t, double> predicted_; ///< as recorded [s]
  std::map<store::TransferKind, Copies> copies_;
  std::vector<double> kernel_time_;
  double burst_time_ = 0;
};

/// Whether rows of analysis of a trace are launches of kernels, or useful computation of host threads.
bool runs_kernels(const analysis::Trace& trace);
bool runs_bursts(const analysis::Trace& trace);

} // namespace jitterscope::engine
