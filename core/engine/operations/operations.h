#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/analysis/filter/selection.h"
#include "core/analysis/lanes/tracks.h"
#include "core/analysis/parallel/parallel_cache.h"
#include "core/analysis/session/names.h"
#include "core/analysis/session/session.h"
#include "core/base/agreement.h"
#include "core/efficiency/activity.h"
#include "core/efficiency/metrics/bound.h"
#include "core/engine/messages/row_noun.h"
#include "core/engine/messages/selection.h"
#include "core/reasons/contrast.h"
#include "core/reasons/rows/typical_rows.h"

namespace jitterscope::engine {

/// State that an engine keeps between requests. The same on every rank except for `names` and `tracks`: it
/// changes by the rule of core/base/agreement.h.
struct Workspace {
  std::unique_ptr<analysis::Session> session;
  std::unique_ptr<analysis::LaunchColumns> columns;
  std::unique_ptr<analysis::NameTable> names;                   ///< only on rank 0
  std::unique_ptr<analysis::Tracks> tracks;                     ///< only on rank 0
  NounNames noun_names;                                         ///< names in the traces
  std::shared_ptr<const analysis::TypicalRows> typical;         ///< created by the first causal request
  std::shared_ptr<const analysis::LaunchReasons> reasons;       ///< created by the first moment request
  std::shared_ptr<const analysis::LaunchReasons> first_reasons; ///< model of durations, from a smaller sample
  std::shared_ptr<const analysis::Contrasts> contrasts; ///< comparison with all peers; refers to `reasons`
  std::shared_ptr<const efficiency::Activity> activity; ///< created on first use
  std::shared_ptr<const efficiency::metrics::Data> metric_data; ///< created by the first metric request
  std::shared_ptr<const efficiency::metrics::LaunchCalls> metric_calls; ///< created when first needed
  std::map<std::string, std::shared_ptr<const efficiency::metrics::Bound>> metrics; ///< bound metrics by text
  analysis::ParallelCache parallel; ///< cached data of parallel coordinates
};

/// On which ranks an operation runs.
enum class Reach {
  AllRanks, ///< collective; one at a time
  RankZero, ///< only rank 0, fast: also answered between the steps of a running collective operation
  Alone     ///< only rank 0, slow; no other operation runs at the same time
};

/// Environment of an operation: its data, its ranks and its job.
struct Context {
  Workspace& workspace;
  Communicator& communicator;
  const Job& job;
  /// Sends a preliminary answer; on rank 0 only, from the thread that runs the operation.
  std::function<void(const Answer& so_far)> partial = {};
  /// Rewords a text about launches for rows of another kind (row_noun.h).
  std::function<std::string(const std::string& text)> reworded = {};
};

/// One operation. Its name, and how its options are read, follow from the type of its options.
struct Operation {
  using Encoded = std::span<const std::uint8_t>;

  /// `Result`: Answer, or the type of a typed answer.
  template <TableType Options, class Result>
  Operation(Reach on, Expected<Result> (*function)(const Context&, const Options&),
            bool takes_seconds = false)
      : name(operation_name<Options>()), reach(on), slow(takes_seconds), verify(verify_table<Options>),
        fields(Options::TableType::MiniReflectTypeTable()),
        run([function](const Context& context, Encoded options) {
          return function(context, decode_table<Options>(options)).map([](Result result) {
            return Answer(std::move(result));
          });
        }) {}

  std::string name;
  Reach reach;
  bool slow; ///< may take seconds: waiting requests for other operations go first
  std::function<bool(Encoded options)> verify;
  const flatbuffers::TypeTable* fields = nullptr; ///< of the options
  std::function<Expected<Answer>(const Context&, Encoded options)> run;
};

/// All operations. Their options are described in core/engine/messages/*_options.fbs, their answers in
/// operations_*.cpp.
const std::vector<Operation>& operations();
const Operation* find_operation(const std::string& name);

/// Runs one operation, if its options are intact and within the limits (request_limits.h), and converts
/// escaped exceptions (memory) into errors.
Expected<Answer> run_operation(const Operation& operation, const Context& context, const Request& request);
/// The same for the operation that the request names. Errors: BadUse if there is none.
Expected<Answer> run_operation(const Context& context, const Request& request);

/// The model of the session's durations, created on first use; `first`: from a smaller sample. Collective.
Expected<std::shared_ptr<const analysis::LaunchReasons>> reasons_of(const Context& context,
                                                                    bool first = false);

/// Error if a store of the session is damaged or has changed since it was opened: its data must no longer be
/// used. Such a session answers with this error until another is opened.
Expected<void> check_stores(const Workspace& workspace);

/// Error if no session is open.
Expected<void> require_session(const Workspace& workspace);

/// The launches of a request. Errors: BadUse.
Expected<analysis::Selection> selection_of(const Context& context, const SelectionOptions& requested);
/// The same for options that have the fields of a selection.
template <class Options>
Expected<analysis::Selection> selection_of(const Context& context, const Options& options) {
  return selection_of(context, selection_in(options));
}

/// The range [begin, end) of a request, if it has one. Errors: BadUse if only one end is given.
Expected<std::optional<Interval>> range_of(std::optional<std::int64_t> begin_ns,
                                           std::optional<std::int64_t> end_ns);

/// What is typical of the session's launches, created on first use. Collective.
Expected<std::shared_ptr<const analysis::TypicalRows>> typical_rows_of(const Context& context);

/// A text about launches, in a typed answer: worded for the rows of the session. Documents are reworded by
/// run_operation().
std::string row_words(const Context& context, const std::string& text);

/// Column name of a command-line name: kernel-variability becomes kernel_variability.
std::string column_name(std::string text);

// One group of operations per file.
std::vector<Operation> session_operations();
std::vector<Operation> statistics_operations();
std::vector<Operation> comparison_operations();
std::vector<Operation> launch_operations();
std::vector<Operation> timeline_operations();
std::vector<Operation> table_operations();
std::vector<Operation> causal_operations();
std::vector<Operation> reason_operations();
std::vector<Operation> efficiency_operations();
std::vector<Operation> cut_operations();
std::vector<Operation> export_operations();
std::vector<Operation> metric_operations();
std::vector<Operation> column_operations();
std::vector<Operation> model_operations();

} // namespace jitterscope::engine
