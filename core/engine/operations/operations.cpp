#include "core/engine/operations/operations.h"

#include <algorithm>
#include <exception>
#include <new>

#include "core/analysis/columns/info.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/request_limits.h"
#include "core/engine/messages/session_options.h"
#include "core/reasons/excess.h"

namespace jitterscope::engine {

const std::vector<Operation>& operations() {
  static const std::vector<Operation> kAll = [] {
    std::vector<Operation> all;
    for (auto group :
         {session_operations, statistics_operations, comparison_operations, timeline_operations,
          launch_operations, table_operations, causal_operations, reason_operations, efficiency_operations,
          cut_operations, export_operations, metric_operations, column_operations, model_operations})
      for (auto& operation : group()) all.push_back(std::move(operation));
    return all;
  }();
  return kAll;
}

const Operation* find_operation(const std::string& name) {
  for (const auto& operation : operations())
    if (operation.name == name) return &operation;
  return nullptr;
}

namespace {

using Texts = std::vector<std::string_view>; ///< all texts of a request

bool any_contains(const Texts& texts, std::string_view part) {
  return std::ranges::any_of(texts, [&](std::string_view text) { return text.find(part) != text.npos; });
}

/// Whether a request refers to columns that need the model of durations.
bool needs_excess(const Texts& texts) {
  return any_contains(texts, "excess") || any_contains(texts, analysis::Excess::kWork);
}

/// Whether a request names columns that need the call sites.
bool needs_call_sites(const Texts& texts) {
  return any_contains(texts, analysis::kCallSite) || any_contains(texts, analysis::kCollectiveWait);
}

/// Adds the columns of excess, on the ranks that run the operation.
Expected<void> prepare_excess(const Operation& operation, const Context& context) {
  auto& columns = *context.workspace.columns;
  const bool there = columns.find(analysis::Excess::kTotal) != nullptr;
  if (!there || (columns.excess() && operation.reach != Reach::AllRanks)) return {};
  const auto alone = local_communicator();
  const Context of_ranks{
      context.workspace, operation.reach == Reach::AllRanks ? context.communicator : *alone, context.job, {}};
  auto reasons = reasons_of(of_ranks);
  if (!reasons) return forward(reasons.error());
  if (!columns.excess()) columns.set_excess(std::make_shared<const analysis::Excess>(*reasons));
  return {};
}

/// Whether an operation has options of one of these types.
template <TableType... Options>
bool is_one_of(const Operation& operation) {
  return ((operation.name == operation_name<Options>()) || ...);
}

// OpenOptions replace the session, the others do not use it.
bool uses_session(const Operation& operation) {
  return !is_one_of<OpenOptions, ImportOptions, VerifyStoresOptions>(operation);
}

// A rank whose stores are damaged does not join the operation: the first communicator call of the others then
// fails, and no rank starts.
Expected<void> agree_on_stores(const Operation& operation, const Context& context) {
  if (!uses_session(operation)) return {};
  if (auto intact = check_stores(context.workspace); !intact) return intact;
  if (operation.reach != Reach::AllRanks || context.communicator.size() == 1) return {};
  std::int64_t well[1] = {1};
  return context.communicator.minimum(well);
}

const std::string kLaunches = "launches";

std::string rows_of(const Context& context) {
  return context.workspace.session ? analysis::rows_name(*context.workspace.session) : kLaunches;
}

/// Names that the answer of a request may contain.
NounNames names_of(const Workspace& workspace, const Texts& texts) {
  auto names = workspace.noun_names;
  for (const auto text : texts) names.add_option(text);
  for (const auto& column : workspace.columns->list()) {
    if (!column.recorded && !column.chosen) continue; // descriptions by the program are about rows
    auto words = column.name;                         // as causal::words_for() shows them
    std::replace(words.begin(), words.end(), '_', ' ');
    constexpr std::string_view kMean = "mean ";
    names.add(words.starts_with(kMean) ? std::string_view(words).substr(kMean.size()) : words);
    names.add(column.name);
  }
  return names;
}

} // namespace

Expected<Answer> run_operation(const Context& context, const Request& request) {
  const auto* operation = find_operation(request.operation);
  if (!operation)
    return failure(ErrorKind::BadUse, "the engine has no operation \"" + request.operation + "\"");
  return run_operation(*operation, context, request);
}

Expected<Answer> run_operation(const Operation& operation, const Context& context, const Request& request) {
  try {
    if (!operation.verify(request.options))
      return failure(ErrorKind::Engine, "the options of \"" + operation.name + "\" are damaged");
    const auto texts = check_limits(request.options, *operation.fields);
    if (!texts) return forward(texts.error());
    if (auto agreed = agree_on_stores(operation, context); !agreed) return forward(agreed.error());
    if (context.workspace.columns && needs_call_sites(*texts))
      if (auto known = context.workspace.columns->prepare_call_sites(context.job); !known)
        return forward(known.error());
    if (context.workspace.columns && needs_excess(*texts))
      if (auto known = prepare_excess(operation, context); !known) return forward(known.error());
    auto of_rows = context;
    std::optional<NounNames> known; // only `open` replaces the session, and it has no typed answer
    of_rows.reworded = [&](const std::string& text) {
      const auto rows = rows_of(context);
      if (rows == kLaunches) return text;
      if (!known) known = names_of(context.workspace, *texts);
      return with_row_noun(text, rows, *known);
    };
    auto answer = operation.run(of_rows, request.options);
    // The error itself may result from damaged data of the store.
    if (auto intact = check_stores(context.workspace); !intact && !is_one_of<ImportOptions>(operation))
      return forward(intact.error());
    const auto rows = rows_of(context);
    if (rows == kLaunches) return answer;
    const auto names = names_of(context.workspace, *texts);
    if (!answer) return forward(with_row_noun(answer.error(), rows, names));
    set_row_noun(answer->document, rows, names);
    return answer;
  } catch (const nlohmann::json::exception& problem) { // a JSON text in the options
    return failure(ErrorKind::BadUse,
                   "the options of \"" + operation.name + "\" are not valid: " + problem.what());
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::Engine, "out of memory while running \"" + operation.name + "\"", {}, {},
                   "Close other programs, choose a smaller range, or spread the work over more nodes.");
  } catch (const std::exception& problem) {
    return failure(ErrorKind::Internal, operation.name + ": " + problem.what());
  }
}

Expected<std::shared_ptr<const analysis::TypicalRows>> typical_rows_of(const Context& context) {
  auto& workspace = context.workspace;
  return kept_by_all(context.communicator, workspace.typical, [&] {
    return analysis::TypicalRows::make(*workspace.session, *workspace.columns, context.job);
  });
}

Expected<std::shared_ptr<const analysis::LaunchReasons>> reasons_of(const Context& context, bool first) {
  auto& workspace = context.workspace;
  if (auto typical = typical_rows_of(context); !typical) return forward(typical.error());
  return kept_by_all(context.communicator, first ? workspace.first_reasons : workspace.reasons, [&] {
    return analysis::LaunchReasons::make(*workspace.session, *workspace.columns, workspace.typical,
                                         context.communicator, context.job, first);
  });
}

Expected<void> check_stores(const Workspace& workspace) {
  if (workspace.session)
    for (const auto& trace : workspace.session->traces())
      if (auto intact = trace.store.check_intact(); !intact) return intact;
  return {};
}

std::string row_words(const Context& context, const std::string& text) {
  return context.reworded ? context.reworded(text) : text;
}

std::string column_name(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

Expected<analysis::Selection> selection_of(const Context& context, const SelectionOptions& requested) {
  std::vector<std::vector<std::uint32_t>> streams;
  for (const auto& trace : requested.streams) streams.push_back(trace.resources);
  return analysis::Selection::make(requested.where, *context.workspace.columns, requested.intervals,
                                   std::move(streams));
}

Expected<std::optional<Interval>> range_of(std::optional<std::int64_t> begin_ns,
                                           std::optional<std::int64_t> end_ns) {
  if (begin_ns.has_value() != end_ns.has_value())
    return failure(ErrorKind::BadUse, "a range must be a pair of start and end", {}, "range");
  if (!begin_ns) return std::nullopt;
  return Interval{{*begin_ns}, {*end_ns}};
}

Expected<void> require_session(const Workspace& workspace) {
  if (!workspace.session) return failure(ErrorKind::BadUse, "no session is open");
  return {};
}

} // namespace jitterscope::engine
