#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/core.h>

#include "core/analysis/filter/filter_node.h"
#include "core/causal/answer/analyse.h"
#include "core/causal/effects/evidence.h"
#include "core/causal/groups/estimate_groups.h"
#include "core/causal/table/table_rows.h"
#include "core/engine/messages/request_limits.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/trace_tool.h"
#include "core/import/formats/table/all_columns.h"
#include "core/reasons/rows/launch_rows.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

constexpr auto kDefaultRows = RequestLimits::kCausalRows, kMaxRows = RequestLimits::kMaxCausalRows;

/// Knowledge as the name of a file, or as the object in such a file.
Expected<causal::Knowledge> knowledge_of(const json& given) {
  if (given.is_object()) return causal::parse_knowledge(given.dump());
  const auto file = given.is_string() ? given.get<std::string>() : std::string();
  return file.empty() ? causal::Knowledge{} : causal::read_knowledge(file);
}

Expected<causal::Options> causal_options(const json& options) {
  causal::Options requested;
  requested.target = column_name(options.value("target", std::string()));
  requested.features = options.value("features", std::vector<std::string>());
  requested.bootstrap = options.value("bootstrap", requested.bootstrap);
  auto method = causal::method_from(options.value("method", std::string("boss")));
  if (!method) return forward(method.error());
  requested.method = *method;
  auto reading = causal::reading_from(options.value("reading", causal::to_string(requested.reading)));
  if (!reading) return forward(reading.error());
  requested.reading = *reading;
  auto scale = causal::scale_from(options.value("scale", causal::to_string(requested.scale)));
  if (!scale) return forward(scale.error());
  requested.scale = *scale;
  requested.nonlinear = options.value("nonlinear", requested.nonlinear);
  requested.counterfactual_row = options.value("row", requested.counterfactual_row);
  for (const auto& item : options.value("do", json::array()))
    requested.interventions.emplace_back(item.at(0).get<std::string>(), item.at(1).get<double>());
  if (auto known = knowledge_of(options.value("knowledge", json())); known)
    requested.knowledge = std::move(*known);
  else
    return forward(known.error());
  requested.left_out = requested.knowledge.ignored;
  requested.knowledge_must_match = options.value("knowledge_must_match", true);
  return requested;
}

Expected<Answer> answer_of(const Context& context, const causal::RowSource& source,
                           const causal::Options& requested, causal::Tool tool) {
  auto result = causal::analyse(source, requested, context.communicator, context.job);
  if (!result) return forward(result.error());
  const auto advice = causal::advice_on(*result, tool);
  for (auto& line : causal::in_words(advice))
    result->sentences.push_back(std::move(line)), ++result->advice_sentences;
  Answer answer;
  answer.document = causal::to_json(*result);
  answer.document["advice"] = causal::to_json(advice);
  answer.document["schema_version"] = 1;
  answer.document["ranks"] = context.communicator.size();
  return answer;
}

/// Adds the outcome columns that a condition refers to.
void add_outcomes(const analysis::FilterNode& node, const std::string& target,
                  std::vector<std::string>& found) {
  for (const auto& child : node.children) add_outcomes(*child, target, found);
  for (const auto& name : {node.column, node.other}) {
    const bool outcome = name == target || name == "duration" || name == "kernel_variability" ||
                         name == "relative_variability";
    if (outcome && std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
  }
}

/// Sample size of a question: as requested; otherwise the maximum for a plain table or a single launch, and
/// the default for all others.
analysis::SampleSize sample_of(const json& options, bool of_launches) {
  if (options.contains("most_rows")) return {options.at("most_rows").get<std::int64_t>()};
  return {of_launches && !options.contains("row") ? kDefaultRows : kMaxRows, kMaxRows};
}

Expected<causal::MemoryRows> rows_of_file(const std::string& file, const std::string& target,
                                          const Job& job) {
  std::error_code status;
  if (std::filesystem::is_directory(file, status))
    return failure(ErrorKind::BadUse, "this is a folder", file, {}, "Name the file of one table.");
  if (std::filesystem::exists(file, status) && !std::filesystem::is_regular_file(file, status))
    return failure(ErrorKind::BadUse, "this is a device or a pipe, not a file", file, {},
                   "Copy its content into a file first.");
  const auto inputs = import::expand(file, job);
  if (!inputs) return forward(inputs.error());
  if (inputs->size() != 1)
    return failure(ErrorKind::BadInput, fmt::format("the archive contains {} files", inputs->size()), file,
                   {}, "Unpack it and name the file of one table.");
  auto table = import::table::read_all_columns(inputs->front(), job);
  if (!table) return forward(table.error());
  return causal::rows_of_table({std::move(table->titles), std::move(table->units), std::move(table->values),
                                std::move(table->labels), std::move(table->remarks)},
                               target, file);
}

/// The rows of a request: with `table` those of a table file, else the selected launches of the open session.
/// Chooses the target if none is named.
Expected<std::unique_ptr<causal::RowSource>> rows_of(const Context& context, const json& options,
                                                     causal::Options& requested) {
  if (const auto table = options.value("table", std::string()); !table.empty()) {
    auto rows = rows_of_file(table, requested.target, context.job);
    if (!rows) return forward(rows.error());
    return std::make_unique<causal::MemoryRows>(std::move(*rows));
  }
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  if (context.workspace.session->launches() == 0)
    return failure(ErrorKind::BadInput, "the trace has no kernel launch, so there is nothing to explain", {},
                   {}, "Open a trace with kernels, or analyse other rows with --rows.");
  const auto& columns = *context.workspace.columns;
  const auto& session = *context.workspace.session;
  for (auto& name : requested.features)
    if (const auto* column = columns.find(name)) name = column->name; // "gap" is gap_ns
  if (requested.target.empty()) requested.target = analysis::default_target(session, columns);
  const bool of_launches = requested.target == "kernel_variability" && session.has_durations();
  auto selection = analysis::Selection::from_json(options, columns);
  if (!selection) return forward(selection.error());
  if (const auto& condition = selection->filter.root())
    add_outcomes(*condition, requested.target, requested.selected_by);
  auto typical = typical_windows_of(context);
  if (!typical) return forward(typical.error());
  auto rows = analysis::LaunchRows::make(session, columns, *selection, requested.target, context.communicator,
                                         context.job, sample_of(options, of_launches), *typical,
                                         requested.features, true);
  if (!rows) return forward(rows.error());
  if (rows->rows() < rows->selected() && requested.counterfactual_row >= 0)
    return failure(ErrorKind::BadUse, "--row needs all launches, but only a sample of them is analysed", {},
                   "--row", "Select fewer launches with --where, or analyse all of them with --max-rows 0.");
  if (analysis::of_no_launches(session) && !of_launches && requested.reading == causal::Reading::automatic) {
    auto grouped = causal::GroupedRows::make(*rows, requested, context.communicator, context.job);
    if (!grouped) return forward(grouped.error());
    if (!grouped->by_unit())
      requested.reading = causal::Reading::pooled; // otherwise between and within units
  }
  return std::make_unique<analysis::LaunchRows>(std::move(*rows));
}

// A first answer within a second, even for many launches: from a sample, with wide intervals.
json provisional(json options) {
  constexpr std::int64_t kFirstRows = 10'000;
  constexpr int kReplicates = 20;
  options["most_rows"] = kFirstRows;
  options["bootstrap"] = std::min(options.value("bootstrap", kReplicates), kReplicates);
  options["nonlinear"] = false;
  return options;
}

/// causal {target, features, method, reading, scale, bootstrap, nonlinear, do, row, knowledge, where,
/// intervals, table, most_rows, provisional} → the causal document, with `provisional` a first answer from a
/// small sample, marked as such. Of more than `most_rows` launches (0: no limit; default kDefaultRows,
/// increased up to kMaxRows if needed: SampleSize) a sample is used. `knowledge` is a file or the object in
/// such a file; `knowledge_must_match` false ignores columns that these rows do not have.
Expected<Answer> causal(const Context& context, const json& given) {
  const bool first = given.value("provisional", false);
  const json options = first ? provisional(given) : given;
  auto requested = causal_options(options);
  if (!requested) return forward(requested.error());
  auto rows = rows_of(context, options, *requested);
  if (!rows) return forward(rows.error());
  const auto tool = options.contains("table") ? causal::Tool::other : tool_of(context.workspace);
  auto answer = answer_of(context, **rows, *requested, tool);
  if (answer) answer->document["provisional"] = first;
  return answer;
}

/// devices {target, where, intervals, table, knowledge} → {variance_components, variance_between, devices,
/// device_unit, device_places, sentences, warnings, target, n}: components of variance and ranked devices
/// (resources/help/devices.md); the default target of launches is the duration.
Expected<Answer> devices(const Context& context, const json& options) {
  auto requested = causal_options(options);
  if (!requested) return forward(requested.error());
  const bool launches =
      context.workspace.session && !options.contains("table") && context.workspace.session->has_durations();
  if (requested->target.empty() && launches) requested->target = "duration";
  auto rows = rows_of(context, options, *requested);
  if (!rows) return forward(rows.error());
  auto grouped = causal::GroupedRows::make(**rows, *requested, context.communicator, context.job);
  if (!grouped) return forward(grouped.error());
  Answer answer;
  auto& document = answer.document;
  document["target"] = causal::target_of(**rows, *requested), document["n"] = (*rows)->rows(),
  document["schema_version"] = 1;
  causal::GroupEstimates estimates;
  if (grouped->row_groups())
    estimates = causal::estimate_groups(*grouped, document.at("target").get<std::string>());
  else
    estimates.sentences.push_back("There are no devices to compare: no column identifies at least 8 devices, "
                                  "ranks or nodes with several rows each.");
  causal::add_json(estimates, document);
  document["sentences"] = estimates.sentences;
  document["warnings"] = json::array();
  for (const auto& remark : (*rows)->remarks())
    document["warnings"].push_back({{"code", remark.code}, {"text", remark.text}});
  return answer;
}

json document_of(const causal::EvidenceAxis& axis) {
  return {{"name", axis.name},       {"label", axis.label},     {"unit", axis.unit},
          {"minimum", axis.minimum}, {"maximum", axis.maximum}, {"knee", axis.knee}};
}

json add_scatter(Answer& answer, const std::string& name, causal::EvidenceScatter& scatter) {
  answer.add(name + "/counts", std::move(scatter.counts));
  answer.add(name + "/x", std::move(scatter.point_x));
  answer.add(name + "/y", std::move(scatter.point_y));
  answer.add(name + "/row", std::move(scatter.point_row));
  return {{"x", document_of(scatter.x)},
          {"y", document_of(scatter.y)},
          {"columns", scatter.columns},
          {"rows", scatter.rows}};
}

/// evidence {from, to, given, feature_reading, and the options that found the edge: target, knowledge, where,
/// intervals, table} → the data of an edge (core/causal/effects/evidence.h):
/// scatters "measured" and "partial" with arrays <scatter>/counts, /x, /y, /row; arrays line/x, /y, /low,
/// /high; histogram/edges, /with, /without.
Expected<Answer> evidence(const Context& context, const json& options) {
  auto requested = causal_options(options);
  if (!requested) return forward(requested.error());
  auto rows = rows_of(context, options, *requested);
  if (!rows) return forward(rows.error());
  causal::EvidenceQuestion question;
  question.from = options.value("from", std::string());
  question.to = options.value("to", std::string());
  question.given = options.value("given", std::vector<std::string>());
  question.reading = options.value("feature_reading", std::string("pooled"));
  auto found = causal::evidence(**rows, *requested, question, context.communicator, context.job);
  if (!found) return forward(found.error());
  Answer answer;
  auto& document = answer.document;
  document = {{"from", question.from},
              {"to", question.to},
              {"given", question.given},
              {"reading", found->reading},
              {"n", found->n},
              {"n_with", found->n_with},
              {"event", found->event},
              {"threshold", found->threshold},
              {"slope", found->slope},
              {"slope_low", found->slope_ci.low},
              {"slope_high", found->slope_ci.high},
              {"mean_with", found->mean_with},
              {"mean_without", found->mean_without},
              {"median_with", found->median_with},
              {"median_without", found->median_without},
              {"histogram_axis", document_of(found->histogram_axis)}};
  document["measured"] = add_scatter(answer, "measured", found->measured);
  document["partial"] = add_scatter(answer, "partial", found->partial);
  answer.add("line/x", std::move(found->line_x));
  answer.add("line/y", std::move(found->line_y));
  answer.add("line/low", std::move(found->line_low));
  answer.add("line/high", std::move(found->line_high));
  answer.add("histogram/edges", std::move(found->edges));
  answer.add("histogram/with", std::move(found->with));
  answer.add("histogram/without", std::move(found->without));
  return answer;
}

} // namespace

std::vector<Operation> causal_operations() {
  return {{"causal", Reach::AllRanks, causal, true},
          {"evidence", Reach::AllRanks, evidence},
          {"devices", Reach::AllRanks, devices}};
}

} // namespace jitterscope::engine
