#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/core.h>

#include "core/analysis/filter/filter_node.h"
#include "core/causal/answer/analyse.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/wording.h"
#include "core/causal/effects/evidence.h"
#include "core/causal/groups/grouped_rows.h"
#include "core/causal/table/table_rows.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/request_limits.h"
#include "core/engine/operations/advice_answer.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/trace_tool.h"
#include "core/import/formats/table/all_columns.h"
#include "core/reasons/rows/launch_rows.h"

namespace jitterscope::engine {
namespace {

constexpr auto kDefaultRows = RequestLimits::kCausalRows, kMaxRows = RequestLimits::kMaxCausalRows;

Expected<causal::Knowledge> knowledge_of(const CausalOptions& options) {
  if (options.knowledge.empty())
    return options.knowledge_file.empty() ? causal::Knowledge{}
                                          : causal::read_knowledge(options.knowledge_file);
  if (auto within = check_text(options.knowledge); !within) return forward(within.error());
  return causal::parse_knowledge(options.knowledge);
}

Expected<causal::Options> causal_options(const CausalOptions& options) {
  causal::Options requested;
  requested.target = column_name(options.target);
  requested.features = options.features;
  requested.bootstrap = static_cast<int>(std::max<std::int64_t>(options.bootstrap, -1));
  auto method = causal::method_from(options.method.empty() ? "boss" : options.method);
  if (!method) return forward(method.error());
  requested.method = *method;
  auto reading =
      causal::reading_from(options.reading.empty() ? causal::to_string(requested.reading) : options.reading);
  if (!reading) return forward(reading.error());
  requested.reading = *reading;
  auto scale = causal::scale_from(options.scale.empty() ? causal::to_string(requested.scale) : options.scale);
  if (!scale) return forward(scale.error());
  requested.scale = *scale;
  requested.nonlinear = options.nonlinear;
  requested.counterfactual_row = options.row.value_or(requested.counterfactual_row);
  for (const auto& each : options.interventions)
    requested.interventions.emplace_back(each.feature, each.value);
  auto known = knowledge_of(options);
  if (!known) return forward(known.error());
  requested.knowledge = std::move(*known);
  requested.left_out = requested.knowledge.ignored;
  requested.knowledge_must_match = options.knowledge_must_match;
  return requested;
}

/// The question of options that refer to one.
template <class Options>
CausalOptions question_of(const Options& options) {
  return options.question ? *options.question : CausalOptions();
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
analysis::SampleSize sample_of(const CausalOptions& options, bool of_launches) {
  if (options.most_rows) return {*options.most_rows};
  return {of_launches && !options.row ? kDefaultRows : kMaxRows, kMaxRows};
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
Expected<std::unique_ptr<causal::RowSource>> rows_of(const Context& context, const CausalOptions& options,
                                                     causal::Options& requested) {
  if (!options.table.empty()) {
    auto rows = rows_of_file(options.table, requested.target, context.job);
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
  auto selection = selection_of(context, options);
  if (!selection) return forward(selection.error());
  if (const auto& condition = selection->filter.root())
    add_outcomes(*condition, requested.target, requested.selected_by);
  auto typical = typical_rows_of(context);
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
CausalOptions provisional(CausalOptions options) {
  constexpr std::int64_t kFirstRows = 10'000, kReplicates = 20;
  options.most_rows = kFirstRows;
  options.bootstrap = std::min(options.bootstrap, kReplicates);
  options.nonlinear = false;
  return options;
}

/// With `provisional` a first answer from a small sample, marked as such. Of more than `most_rows` launches
/// (default kDefaultRows, increased up to kMaxRows if needed: SampleSize) a sample is used.
Expected<answers::CausalAnswer> causal(const Context& context, const CausalOptions& given) {
  const auto options = given.provisional ? provisional(given) : given;
  auto requested = causal_options(options);
  if (!requested) return forward(requested.error());
  auto rows = rows_of(context, options, *requested);
  if (!rows) return forward(rows.error());
  auto result = causal::analyse(**rows, *requested, context.communicator, context.job);
  if (!result) return forward(result.error());
  if (options.target.empty() && !causal::is_result_by_name(result->target))
    result->warnings.push_back(
        causal::note<causal::notes::kGuessedTarget>(causal::words_for(result->target)));
  const auto advice =
      causal::advice_on(*result, options.table.empty() ? tool_of(context.workspace) : causal::Tool::other);
  for (auto& line : causal::in_words(advice))
    result->sentences.push_back(std::move(line)), ++result->advice_sentences;
  causal::reword(*result, [&](const std::string& text) { return row_words(context, text); });
  return answers::CausalAnswer{
      .result = causal::encode(*result), .advice = packed(advice, context), .provisional = given.provisional};
}

/// Names the columns that `devices` accepts as target: at most kNamed of them.
std::string columns_to_compare(const causal::RowSource& rows) {
  constexpr std::size_t kNamed = 12;
  std::vector<std::string> names;
  if (rows.has_durations()) names.emplace_back("duration (of launches)");
  for (const auto& feature : rows.features())
    if (feature.role == causal::FeatureRole::numeric && feature.name != "duration")
      names.push_back(feature.name);
  const auto more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  if (more > 0) names.push_back(fmt::format("{} more", more));
  return fmt::format("Columns that can be compared: {}.", causal::listed(std::move(names)));
}

/// Components of variance and ranked devices (resources/help/devices.md); the default target of launches is
/// the duration.
Expected<answers::DevicesAnswer> devices(const Context& context, const DevicesOptions& given) {
  constexpr std::size_t kLeastDevices = 2;
  const auto options = question_of(given);
  auto requested = causal_options(options);
  if (!requested) return forward(requested.error());
  const bool launches =
      context.workspace.session && options.table.empty() && context.workspace.session->has_durations();
  if (requested->target.empty() && launches) requested->target = "duration";
  auto rows = rows_of(context, options, *requested);
  if (!rows) return forward(rows.error());
  const auto target = causal::target_of(**rows, *requested);
  const auto column = std::ranges::find((*rows)->features(), target, &causal::FeatureInfo::name);
  const bool named = column != (*rows)->features().end();
  if (!named && target != "duration" && target != "kernel_variability")
    return failure(ErrorKind::BadUse, "there is no column \"" + target + "\" to compare", {}, "--target",
                   columns_to_compare(**rows));
  auto grouped =
      causal::GroupedRows::make(**rows, *requested, context.communicator, context.job, kLeastDevices);
  if (!grouped) return forward(grouped.error());
  causal::GroupEstimates estimates;
  if (grouped->row_groups())
    estimates = causal::estimate_groups(*grouped, target);
  else
    estimates.sentences.push_back(
        "There are no devices to compare: no column identifies two or more devices, "
        "ranks or nodes with several rows each.");
  causal::reword(estimates, [&](const std::string& text) { return row_words(context, text); });
  answers::DevicesAnswer answer{.target = target,
                                .target_unit = named ? column->unit : "ns",
                                .n = (*rows)->rows(),
                                .groups = causal::encode(estimates),
                                .sentences = estimates.sentences};
  auto notes = (*rows)->remarks();
  notes.insert(notes.end(), estimates.notes.begin(), estimates.notes.end());
  for (const auto& note : notes)
    answer.warnings.push_back({.code = note.code, .text = row_words(context, note.text)});
  return answer;
}

answers::EvidenceAxis packed(const causal::EvidenceAxis& axis) {
  return {axis.minimum, axis.maximum, axis.knee};
}

std::unique_ptr<answers::ScatterAnswer> packed(causal::EvidenceScatter& scatter) {
  return std::make_unique<answers::ScatterAnswer>(
      answers::ScatterAnswer{.x = packed(scatter.x),
                             .y = packed(scatter.y),
                             .x_unit = scatter.x.unit,
                             .y_unit = scatter.y.unit,
                             .columns = scatter.columns,
                             .rows = scatter.rows,
                             .counts = std::move(scatter.counts),
                             .point_x = std::move(scatter.point_x),
                             .point_y = std::move(scatter.point_y),
                             .point_row = std::move(scatter.point_row)});
}

Expected<answers::EvidenceAnswer> evidence(const Context& context, const EvidenceOptions& options) {
  const auto asked = question_of(options);
  auto requested = causal_options(asked);
  if (!requested) return forward(requested.error());
  auto rows = rows_of(context, asked, *requested);
  if (!rows) return forward(rows.error());
  causal::EvidenceQuestion question;
  question.from = options.from;
  question.to = options.to;
  question.given = options.given;
  question.reading = options.feature_reading.empty() ? "pooled" : options.feature_reading;
  auto found = causal::evidence(**rows, *requested, question, context.communicator, context.job);
  if (!found) return forward(found.error());
  answers::EvidenceAnswer answer;
  answer.from = question.from, answer.to = question.to, answer.given = question.given;
  answer.reading = found->reading;
  answer.n = found->n, answer.n_with = found->n_with;
  answer.event = found->event, answer.threshold = found->threshold;
  answer.slope = found->slope;
  answer.slope_low = found->slope_ci.low, answer.slope_high = found->slope_ci.high;
  answer.mean_with = found->mean_with, answer.mean_without = found->mean_without;
  answer.median_with = found->median_with, answer.median_without = found->median_without;
  answer.measured = packed(found->measured), answer.partial = packed(found->partial);
  answer.line_x = std::move(found->line_x), answer.line_y = std::move(found->line_y);
  answer.line_low = std::move(found->line_low), answer.line_high = std::move(found->line_high);
  answer.histogram_axis = packed(found->histogram_axis);
  answer.histogram_unit = found->histogram_axis.unit;
  answer.edges = std::move(found->edges);
  answer.with = std::move(found->with), answer.without = std::move(found->without);
  return answer;
}

} // namespace

std::vector<Operation> causal_operations() {
  return {{Reach::AllRanks, causal, true}, {Reach::AllRanks, evidence}, {Reach::AllRanks, devices}};
}

} // namespace jitterscope::engine
