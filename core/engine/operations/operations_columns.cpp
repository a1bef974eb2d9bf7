#include <set>

#include <fmt/core.h>

#include "core/analysis/columns/info.h"
#include "core/efficiency/columns/efficiency_columns.h"
#include "core/efficiency/columns/metric_column.h"
#include "core/efficiency/steps.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/operations/derived_inputs.h"

namespace jitterscope::engine {
namespace {

using efficiency::KeptColumn;
using nlohmann::json;

constexpr std::size_t kMaxColumns = 64; ///< maximum metrics of one session

/// Names of all columns except those that the user chose (metrics, efficiencies).
std::set<std::string> used_names(const analysis::LaunchColumns& columns) {
  std::set<std::string> names;
  for (const auto& column : columns.list())
    if (!column.chosen) names.insert(column.name);
  return names;
}

/// Returns an unused name and adds it to the used ones.
std::string free_name(std::string name, std::set<std::string>& taken) {
  if (taken.contains(name)) name = "metric_" + name;
  const auto base = name;
  for (int number = 2; taken.contains(name); ++number) name = fmt::format("{}_{}", base, number);
  taken.insert(name);
  return name;
}

/// Windows of one length starting at the first launch, as for bins.
Expected<std::vector<Interval>> windows_of_width(const analysis::Session& session, std::int64_t width) {
  const auto span = session.launch_span();
  if (width <= 0)
    return failure(ErrorKind::BadUse, "the length of a time window must be above 0", {}, "efficiencies");
  const auto count = span.length().count / width + 1;
  if (count > efficiency::kMaxCells)
    return failure(ErrorKind::BadUse,
                   fmt::format("{} time windows exceed the limit of {}", count, efficiency::kMaxCells), {},
                   "efficiencies", "Choose longer windows.");
  std::vector<Interval> windows;
  for (std::int64_t i = 0; i < count; ++i)
    windows.push_back({{span.begin.count + i * width}, {span.begin.count + (i + 1) * width}});
  return windows;
}

Expected<std::vector<KeptColumn>> columns_of_efficiencies(const Context& context,
                                                          const ColumnEfficienciesOptions& options) {
  const auto& session = *context.workspace.session;
  auto activity = activity_of(context);
  if (!activity) return forward(activity.error());
  EfficiencyOptions of_all;
  of_all.collectives_as = options.collectives_as;
  of_all.ranks = options.ranks;
  of_all.devices = options.devices;
  auto requested = efficiency_options(session, of_all);
  if (!requested) return forward(requested.error());
  if (options.width_ns) {
    auto made = windows_of_width(session, *options.width_ns);
    if (!made) return forward(made.error());
    requested->parts = std::move(*made);
  } else {
    auto steps = efficiency::find_steps(**activity, session, options.step, {}, context.job);
    if (!steps) return forward(steps.error());
    requested->parts = std::move(steps->ranges);
  }
  return efficiency::efficiency_columns(session, **activity, std::move(*requested), context.communicator,
                                        context.job);
}

/// choose_columns → {columns: as info, metrics: [column name of each]}: makes metrics and efficiencies
/// columns of launches, replacing those chosen before. On an error the columns stay unchanged; an error in a
/// metric has the metric's name as file.
Expected<Answer> choose_columns(const Context& context, const ChooseColumnsOptions& options) {
  auto& workspace = context.workspace;
  if (auto open = require_session(workspace); !open) return forward(open.error());
  auto taken = used_names(*workspace.columns);
  if (options.metrics.size() > kMaxColumns)
    return failure(ErrorKind::BadUse, fmt::format("at most {} metrics can be columns", kMaxColumns), {},
                   "metrics");
  Answer answer;
  auto& names = answer.document["metrics"] = json::array();
  std::vector<KeptColumn> made;
  for (const auto& metric : options.metrics) {
    const auto& title = metric.name;
    const auto named = [&](Error error) {
      if (error.file.empty()) error.file = title;
      return forward(std::move(error));
    };
    auto bound = bound_of(context, metric.text);
    if (!bound) return named(bound.error());
    auto name = free_name(efficiency::column_name_of(title, "metric_"), taken);
    names.push_back(name);
    auto column = efficiency::metric_column(*workspace.session, **bound, std::move(name),
                                            context.communicator, context.job);
    if (!column) return named(column.error());
    made.push_back(std::move(*column));
  }
  if (options.efficiencies) {
    auto columns = columns_of_efficiencies(context, *options.efficiencies);
    if (!columns) return forward(columns.error());
    for (auto& column : *columns) {
      column.name = free_name(column.name, taken);
      made.push_back(std::move(column));
    }
  }
  if (auto agreed = all_ranks_succeeded(context.communicator); !agreed) return forward(agreed.error());
  workspace.columns->choose(
      {std::make_shared<const efficiency::KeptColumns>(*workspace.session, std::move(made))});
  workspace.parallel = {}; // names may mean other columns now
  answer.document["columns"] = analysis::column_list(*workspace.columns);
  return answer;
}

} // namespace

std::vector<Operation> column_operations() {
  return {{Reach::AllRanks, choose_columns}};
}

} // namespace jitterscope::engine
