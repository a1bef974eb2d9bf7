#include "core/engine/operations/operations.h"

#include <algorithm>
#include <exception>
#include <new>

#include "core/analysis/columns/info.h"
#include "core/engine/messages/request_limits.h"
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

/// Whether a request refers to columns that need the model of durations.
bool needs_excess(const nlohmann::json& options) {
  const auto text = options.dump();
  return text.find("excess") != std::string::npos || text.find(analysis::Excess::kWork) != std::string::npos;
}

/// Whether a request reads columns that need the call sites: by name, or because it reads all columns.
bool needs_call_sites(const Operation& operation, const nlohmann::json& options) {
  const auto text = options.dump();
  return text.find(analysis::kCallSite) != std::string::npos ||
         text.find(analysis::kCollectiveWait) != std::string::npos ||
         (operation.name == "parallel" && !options.contains("axes")) || operation.name == "widest_columns";
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

// "open" replaces the session, "import" and "verify" do not use it.
bool uses_session(const Operation& operation) {
  return operation.name != "open" && operation.name != "import" && operation.name != "verify";
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

std::string rows_of(const Context& context) {
  return context.workspace.session ? analysis::rows_name(*context.workspace.session) : std::string();
}

/// Names that the answer of a request may contain.
NounNames names_of(const Workspace& workspace, const nlohmann::json& options) {
  auto names = workspace.noun_names;
  names.add_options(options);
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

/// Whether the answer of an operation explains rows, in words.
bool explains_rows(const Operation& operation) {
  constexpr std::string_view kNames[] = {"causal",  "devices",      "contrast",
                                         "reasons", "causes_along", "launch_excess"};
  return std::ranges::find(kNames, operation.name) != std::end(kNames);
}

} // namespace

Expected<Answer> run_operation(const Operation& operation, const Context& context,
                               const nlohmann::json& options) {
  try {
    if (auto within = check_limits(options); !within) return forward(within.error());
    if (auto agreed = agree_on_stores(operation, context); !agreed) return forward(agreed.error());
    if (context.workspace.columns && needs_call_sites(operation, options))
      if (auto known = context.workspace.columns->prepare_call_sites(context.job); !known)
        return forward(known.error());
    if (context.workspace.columns && needs_excess(options))
      if (auto known = prepare_excess(operation, context); !known) return forward(known.error());
    auto answer = operation.run(context, options);
    // The error itself may result from damaged data of the store.
    if (auto intact = check_stores(context.workspace); !intact && operation.name != "import")
      return forward(intact.error());
    const auto rows = rows_of(context);
    if (rows.empty() || rows == "launches") return answer;
    const auto names = names_of(context.workspace, options);
    if (!answer) return forward(with_row_noun(answer.error(), rows, names));
    set_row_noun(answer->document, rows, names, explains_rows(operation));
    return answer;
  } catch (const nlohmann::json::exception& problem) {
    return failure(ErrorKind::BadUse,
                   "the options of \"" + operation.name + "\" are not valid: " + problem.what());
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::Engine, "out of memory while running \"" + operation.name + "\"", {}, {},
                   "Close other programs, choose a smaller range, or spread the work over more nodes.");
  } catch (const std::exception& problem) {
    return failure(ErrorKind::Internal, operation.name + ": " + problem.what());
  }
}

Expected<std::shared_ptr<const analysis::TypicalWindows>> typical_windows_of(const Context& context) {
  auto& workspace = context.workspace;
  return kept_by_all(context.communicator, workspace.typical_windows,
                     [&] { return analysis::TypicalWindows::make(*workspace.session, context.job); });
}

Expected<std::shared_ptr<const analysis::LaunchReasons>> reasons_of(const Context& context, bool first) {
  auto& workspace = context.workspace;
  if (auto typical = typical_windows_of(context); !typical) return forward(typical.error());
  return kept_by_all(context.communicator, first ? workspace.first_reasons : workspace.reasons, [&] {
    return analysis::LaunchReasons::make(*workspace.session, *workspace.columns, workspace.typical_windows,
                                         context.communicator, context.job, first);
  });
}

Expected<void> check_stores(const Workspace& workspace) {
  if (workspace.session)
    for (const auto& trace : workspace.session->traces())
      if (auto intact = trace.store.check_intact(); !intact) return intact;
  return {};
}

std::string column_name(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

Expected<void> require_session(const Workspace& workspace) {
  if (!workspace.session) return failure(ErrorKind::BadUse, "no session is open");
  return {};
}

} // namespace jitterscope::engine
