#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/analysis/lanes/tracks.h"
#include "core/analysis/parallel/parallel_cache.h"
#include "core/analysis/session/names.h"
#include "core/analysis/session/session.h"
#include "core/base/agreement.h"
#include "core/efficiency/activity.h"
#include "core/efficiency/metrics/bound.h"
#include "core/engine/messages/messages.h"
#include "core/reasons/launch_reasons.h"
#include "core/reasons/usual_windows.h"

namespace jitterscope::engine {

/// What an engine holds between requests. The same on every rank but for `names` and `tracks`: it changes by
/// the rule of core/base/agreement.h.
struct Workspace {
  std::unique_ptr<analysis::Session> session;
  std::unique_ptr<analysis::LaunchColumns> columns;
  std::unique_ptr<analysis::NameTable> names;                           ///< rank 0
  std::unique_ptr<analysis::Tracks> tracks;                             ///< rank 0
  std::shared_ptr<const analysis::UsualWindows> usual_windows;          ///< once causes were asked for
  std::shared_ptr<const analysis::LaunchReasons> reasons;               ///< once a moment was asked about
  std::shared_ptr<const efficiency::Activity> activity;                 ///< once efficiencies were asked for
  std::shared_ptr<const efficiency::metrics::Data> metric_data;         ///< once a metric was asked for
  std::shared_ptr<const efficiency::metrics::LaunchCalls> metric_calls; ///< once one needed them
  std::map<std::string, std::shared_ptr<const efficiency::metrics::Bound>> metrics; ///< by text
  analysis::ParallelCache parallel; ///< bins of the axes that were looked at
};

/// How an operation runs.
enum class Reach {
  AllRanks, ///< collective; one at a time
  RankZero, ///< only rank 0, quick: also answered between the pieces of a running collective one
  Alone     ///< only rank 0, long; nothing else runs meanwhile
};

/// Where an operation's share of the work is done and who may stop it.
struct Context {
  Workspace& workspace;
  Communicator& communicator;
  const Job& job;
  /// Sends what is known of an answer before it is complete; on rank 0 only, from the thread that runs the
  /// operation.
  std::function<void(const Answer& so_far)> partial = {};
};

struct Operation {
  std::string name;
  Reach reach;
  std::function<Expected<Answer>(const Context&, const nlohmann::json& options)> run;
};

/// All operations, with their options and answers described at each in operations_*.cpp.
const std::vector<Operation>& operations();
const Operation* find_operation(const std::string& name);

/// Runs one operation and turns stray exceptions (JSON of the wrong type, memory) into errors.
Expected<Answer> run_operation(const Operation& operation, const Context& context,
                               const nlohmann::json& options);

/// The model of the session's durations, made when it is first asked for. Collective.
Expected<std::shared_ptr<const analysis::LaunchReasons>> reasons_of(const Context& context);

/// An error when a store of the session is damaged or changed while it was open: no number of it may be used
/// any more. Such a session answers with this error until another is opened.
Expected<void> check_stores(const Workspace& workspace);

/// "a session must be opened first" unless there is one.
Expected<void> require_session(const Workspace& workspace);

/// The typical surroundings of the session's launches, made when they are first asked for. Collective.
Expected<std::shared_ptr<const analysis::UsualWindows>> usual_windows_of(const Context& context);

/// The command line writes kernel-variability, columns are called kernel_variability.
std::string column_name(std::string text);

// One group of operations per file.
std::vector<Operation> session_operations();
std::vector<Operation> statistics_operations();
std::vector<Operation> launch_operations();
std::vector<Operation> timeline_operations();
std::vector<Operation> table_operations();
std::vector<Operation> causal_operations();
std::vector<Operation> reason_operations();
std::vector<Operation> efficiency_operations();
std::vector<Operation> cut_operations();
std::vector<Operation> metric_operations();
std::vector<Operation> column_operations();
std::vector<Operation> model_operations();

} // namespace jitterscope::engine
