#include "core/analysis/launch_rows.h"
#include "core/causal/analyse.h"
#include "core/causal/csv_table.h"
#include "core/engine/operations.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

Expected<causal::Options> causal_options(const json& options) {
  causal::Options wanted;
  wanted.target = column_name(options.value("target", std::string()));
  wanted.features = options.value("features", std::vector<std::string>());
  wanted.bootstrap = options.value("bootstrap", wanted.bootstrap);
  auto method = causal::method_from(options.value("method", std::string("boss")));
  if (!method) return forward(method.error());
  wanted.method = *method;
  auto reading = causal::reading_from(options.value("reading", causal::to_string(wanted.reading)));
  if (!reading) return forward(reading.error());
  wanted.reading = *reading;
  auto scale = causal::scale_from(options.value("scale", causal::to_string(wanted.scale)));
  if (!scale) return forward(scale.error());
  wanted.scale = *scale;
  wanted.nonlinear = options.value("nonlinear", wanted.nonlinear);
  wanted.counterfactual_row = options.value("row", wanted.counterfactual_row);
  for (const auto& item : options.value("do", json::array()))
    wanted.interventions.emplace_back(item.at(0).get<std::string>(), item.at(1).get<double>());
  if (const auto file = options.value("knowledge", std::string()); !file.empty()) {
    auto knowledge = causal::read_knowledge(file);
    if (!knowledge) return forward(knowledge.error());
    wanted.knowledge = std::move(*knowledge);
  }
  return wanted;
}

Expected<Answer> answer_of(const Context& context, const causal::RowSource& source,
                           const causal::Options& wanted) {
  auto result = causal::analyse(source, wanted, context.communicator, context.job);
  if (!result) return forward(result.error());
  Answer answer;
  answer.document = causal::to_json(*result);
  answer.document["schema_version"] = 1;
  answer.document["ranks"] = context.communicator.size();
  return answer;
}

/// causal {target, features, method, reading, scale, bootstrap, nonlinear, do, row, knowledge, where, intervals, table}
/// → the causal document. With `table` the rows are those of a CSV file, else the selected launches of the
/// open session.
Expected<Answer> causal(const Context& context, const json& options) {
  auto wanted = causal_options(options);
  if (!wanted) return forward(wanted.error());
  if (const auto table = options.value("table", std::string()); !table.empty()) {
    causal::TableOptions table_options;
    table_options.target = wanted->target;
    auto rows = causal::read_csv_table(table, table_options);
    if (!rows) return forward(rows.error());
    return answer_of(context, *rows, *wanted);
  }
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  if (context.workspace.session->launches() == 0)
    return failure(ErrorKind::BadInput, "no kernel was launched, so there is nothing to explain");
  const auto& columns = *context.workspace.columns;
  if (wanted->target.empty())
    wanted->target = analysis::default_column(columns, {"kernel_variability", "duration"});
  auto selection = analysis::Selection::from_json(options, columns);
  if (!selection) return forward(selection.error());
  auto rows = analysis::LaunchRows::make(*context.workspace.session, columns, *selection, wanted->target,
                                         context.communicator, context.job);
  if (!rows) return forward(rows.error());
  return answer_of(context, *rows, *wanted);
}

} // namespace

std::vector<Operation> causal_operations() {
  return {{"causal", Reach::AllRanks, causal}};
}

} // namespace jitterscope::engine
