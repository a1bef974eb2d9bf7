#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/engine/messages/model_answers.h"
#include "core/engine/model/kernel_sums.h"
#include "core/engine/model/profile_messages.h"
#include "core/engine/model/run_factors.h"
#include "core/engine/operations/model_launches.h"
#include "core/engine/operations/model_networks.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/run_question.h"
#include "core/engine/operations/trace_tool.h"
#include "core/model/correction/kernel_features.h"
#include "core/model/correction/saved_model.h"
#include "core/model/gpu/gpu_table.h"
#include "core/model/gpu/what_if.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

constexpr std::size_t kBetween = 1'024; // rows between two polls for cancellation
constexpr std::size_t kMaxTrainingLaunches =
    5'000; // maximum launches in the training data of a correction: seconds with cross-validation

/// Data kept of each launch until the correction is known.
struct Row {
  std::uint32_t configuration = 0;
  double measured_ns = 0, analytical_ns = 0;
};

struct Prediction {
  std::map<std::uint32_t, KernelSums> kernels; ///< sums of each configuration of the session
  std::vector<Row> rows;
  std::vector<std::int64_t> row_numbers;
  std::vector<std::string> families;         ///< family of each configuration of the session
  std::vector<std::vector<double>> features; ///< features of each row; empty if no correction needs them
  std::vector<GpuSpecification> gpus;        ///< GPU of each trace
  std::optional<GpuSpecification> asked;     ///< the GPU of the what-if, if any
  LeftOut left_out;
  std::int64_t refused = 0; ///< number of launches refused by the model
  std::string refusal;
};

Expected<model::KernelOptions> kernel_options(const PredictOptions& options) {
  model::KernelOptions out;
  const auto &mode = options.mode, &waves = options.waves;
  if (!mode.empty() && mode != "guarded" && mode != "paper")
    return failure(ErrorKind::BadUse, "there is no mode \"" + mode + "\"", {}, "--mode",
                   "Use guarded or paper.");
  if (!waves.empty() && waves != "real" && waves != "whole")
    return failure(ErrorKind::BadUse, "waves cannot be counted as \"" + waves + "\"", {}, "--waves",
                   "Use real or whole.");
  out.mode = mode == "paper" ? model::Mode::paper : model::Mode::guarded;
  out.repetition = waves == "whole" ? model::Repetition::waves : model::Repetition::real;
  out.kappa = std::clamp(options.kappa, 0.0, 1.0);
  return out;
}

/// Predicts all selected launches; computes features only if a correction needs them.
Expected<Prediction> predict_launches(const Context& context, const PredictOptions& options, bool features) {
  const auto& session = *context.workspace.session;
  const auto& columns = *context.workspace.columns;
  Prediction out;
  auto gpus = gpus_of(session, options.gpu, context.job);
  if (!gpus) return forward(gpus.error());
  out.gpus = std::move(*gpus);
  const auto what_if = what_if_of(options.what_if.get(), context.job);
  if (!what_if) return forward(what_if.error());
  out.asked = what_if->gpu;
  const bool changed_at_all = !what_if->nothing();
  const auto how = kernel_options(options);
  if (!how) return forward(how.error());
  const auto selection = selection_of(context, options);
  if (!selection) return forward(selection.error());
  if (features)
    for (const auto& c : session.configurations())
      out.families.push_back(model::family_of(session.kernels()[c.kernel].name));
  const auto counters = model_columns(columns);
  auto left = for_each_model_launch(
      session, columns, *selection, counters, out.gpus, context.job,
      [&](ModelLaunch& launch) -> Expected<void> {
        const auto& recorded_on = out.gpus[launch.trace];
        const ModelLaunch as_recorded = changed_at_all ? launch : ModelLaunch{};
        if (auto changed = model::apply(*what_if, recorded_on, launch.inputs.kernel, launch.facts); !changed)
          return forward(changed.error());
        const auto& gpu = what_if->gpu ? *what_if->gpu : recorded_on;
        const auto p = model::predict_kernel(gpu, launch.inputs.kernel, *how);
        if (!p) {
          if (out.refused++ == 0) out.refusal = p.error().message;
          return {};
        }
        auto& sums = out.kernels[launch.configuration];
        if (changed_at_all)
          if (auto before = add_before(sums, as_recorded, recorded_on, *how); !before)
            return forward(before.error());
        add(sums, launch, *p, gpu);
        out.rows.push_back({launch.configuration, launch.measured_ns, 1e9 * p->seconds});
        out.row_numbers.push_back(launch.row);
        if (features)
          out.features.push_back(model::kernel_features(gpu, launch.inputs.kernel, launch.facts, *p));
        return {};
      });
  if (!left) return forward(left.error());
  out.left_out = *left;
  return out;
}

bool learnable(const Row& row) {
  return row.measured_ns > 0 && row.analytical_ns > 0;
}

/// Rows usable for training a correction; a sample of each configuration if there are too many.
std::vector<std::size_t> learnt_rows(const Prediction& prediction) {
  std::vector<std::size_t> all;
  std::vector<std::uint64_t> configurations;
  for (std::size_t r = 0; r < prediction.rows.size(); ++r)
    if (learnable(prediction.rows[r])) {
      all.push_back(r);
      configurations.push_back(prediction.rows[r].configuration);
    }
  std::vector<std::size_t> some;
  for (const auto i : model::sample_rows(configurations, kMaxTrainingLaunches)) some.push_back(all[i]);
  return some;
}

/// Factors of all rows; a few µs each.
Expected<std::vector<model::Factor>> factors_of(const model::Correction& correction,
                                                const Prediction& prediction, const Job& job) {
  std::vector<model::Factor> out;
  out.reserve(prediction.features.size());
  for (const auto& row : prediction.features) {
    if (out.size() % kBetween == 0 && job.cancelled()) return Job::cancelled_error();
    out.push_back(
        model::factor_of(correction, row, prediction.families[prediction.rows[out.size()].configuration]));
  }
  return out;
}

/// Trains a correction and returns the factors of all rows, from the fold that excluded their kernel.
Expected<model::Correction> learn(const Context& context, const Prediction& prediction,
                                  std::vector<model::Factor>& factors) {
  const auto& session = *context.workspace.session;
  model::CorrectionRows rows;
  rows.features = model::kernel_feature_names();
  rows.machine = model::kernel_machine_features();
  const auto learnt = learnt_rows(prediction);
  for (const auto r : learnt) {
    const auto& row = prediction.rows[r];
    rows.values.push_back(prediction.features[r]);
    rows.measured.push_back(row.measured_ns);
    rows.predicted.push_back(row.analytical_ns);
    rows.groups.push_back(session.kernels()[session.configurations()[row.configuration].kernel].name);
    rows.families.push_back(prediction.families[row.configuration]);
  }
  auto fit = model::fit_correction(rows, "kernels", context.job.cancelled);
  if (!fit) return forward(fit.error());
  for (const auto& row : prediction.features) {
    if (factors.size() % kBetween == 0 && context.job.cancelled()) return Job::cancelled_error();
    const auto of = prediction.rows[factors.size()].configuration;
    factors.push_back(fit->held_out_factor(row, session.kernels()[session.configurations()[of].kernel].name,
                                           prediction.families[of]));
  }
  for (std::size_t i = 0; i < learnt.size(); ++i) factors[learnt[i]] = fit->held_out[i];
  fit->correction.provenance = provenance_of(session, prediction.gpus);
  return std::move(fit->correction);
}

json validation_of(const model::Correction& correction) {
  const auto& v = correction.validation;
  return {{"folds", v.folds},
          {"groups", v.groups},
          {"rows", v.rows},
          {"rounds", v.rounds},
          {"split", "grouped by kernel"},
          {"analytical_mean_percent", v.analytical.mean},
          {"analytical_median_percent", v.analytical.median},
          {"analytical_p95_percent", v.analytical.p95},
          {"corrected_mean_percent", v.corrected.mean},
          {"corrected_median_percent", v.corrected.median},
          {"corrected_p95_percent", v.corrected.p95},
          {"families", correction.families.size()},
          {"families_refused", std::count_if(correction.families.begin(), correction.families.end(),
                                             [](const auto& f) { return !f.second; })},
          {"carries_over", correction.carries_over()},
          {"family_analytical_mean_percent", correction.family_validation.analytical.mean},
          {"family_corrected_mean_percent", correction.family_validation.corrected.mean},
          {"family_folds", correction.family_validation.folds},
          {"applied", correction.applied()},
          {"refusal", correction.applied() ? json() : json(correction.refusal)}};
}

/// Errors on the launches of this session, with the factors of a saved correction.
json error_of(const Prediction& prediction, const std::vector<model::Factor>& factors) {
  std::vector<double> measured, analytical, corrected;
  for (std::size_t r = 0; r < prediction.rows.size(); ++r) {
    const auto& row = prediction.rows[r];
    if (!learnable(row)) continue;
    measured.push_back(row.measured_ns), analytical.push_back(row.analytical_ns);
    corrected.push_back(row.analytical_ns * factors[r].value);
  }
  if (measured.empty()) return nullptr;
  json out = {{"rows", measured.size()}};
  for (const auto& [name, predicted] : {std::pair{"analytical", &analytical}, {"corrected", &corrected}}) {
    const auto errors = model::error_summary(measured, *predicted);
    out[std::string(name) + "_mean_percent"] = errors.mean;
    out[std::string(name) + "_median_percent"] = errors.median;
    out[std::string(name) + "_p95_percent"] = errors.p95;
  }
  return out;
}

void warn(json& warnings, const char* code, std::int64_t count, const std::string& text) {
  if (count > 0) warnings.push_back({{"code", code}, {"count", count}, {"text", text}});
}

json warnings_of(const Prediction& prediction) {
  json warnings = json::array();
  warn(warnings, "left-out", prediction.left_out.launches,
       fmt::format("{} launches are left out; reason for the first one: {}", prediction.left_out.launches,
                   prediction.left_out.reason));
  warn(warnings, "refused", prediction.refused,
       fmt::format("{} launches cannot be predicted: {}", prediction.refused, prediction.refusal));
  return warnings;
}

/// Specifications of the GPUs; `gpu_of_trace`: index of the GPU on which each trace was recorded.
void add_gpus(const Prediction& prediction, json& document) {
  document["gpus"] = json::array(), document["gpu_of_trace"] = json::array();
  std::map<std::string, std::size_t> places;
  for (const auto& gpu : prediction.gpus) {
    const auto [place, added] = places.emplace(gpu.name, places.size());
    document["gpu_of_trace"].push_back(place->second);
    if (added) document["gpus"].push_back(store::to_json(gpu));
  }
  document["asked_gpu"] = prediction.asked ? store::to_json(*prediction.asked) : json();
}

/// Applies factors and writes kernels, validation, warnings and the arrays of launches.
void write(const Context& context, Prediction& prediction, const std::vector<model::Factor>& factors,
           bool arrays, Answer& answer) {
  std::vector<double> measured, analytical, predicted;
  for (std::size_t r = 0; r < prediction.rows.size(); ++r) {
    const auto& row = prediction.rows[r];
    const auto factor = factors.empty() ? model::Factor{} : factors[r];
    auto& sums = prediction.kernels[row.configuration];
    sums.predicted_ns += row.analytical_ns * factor.value;
    sums.extrapolated += factor.extrapolated, sums.untrusted += factor.untrusted;
    measured.push_back(row.measured_ns), analytical.push_back(row.analytical_ns);
    predicted.push_back(row.analytical_ns * factor.value);
  }
  auto& document = answer.document;
  document["kernels"] = json::array();
  for (const auto& [configuration, sums] : prediction.kernels)
    document["kernels"].push_back(kernel_document(*context.workspace.session, configuration, sums));
  add_gpus(prediction, document);
  document["warnings"] = warnings_of(prediction);
  if (!arrays) return;
  answer.add("row", std::move(prediction.row_numbers));
  answer.add("measured_ns", std::move(measured));
  answer.add("analytical_ns", std::move(analytical));
  answer.add("predicted_ns", std::move(predicted));
}

/// The correction in a file, if one is named.
Expected<std::optional<model::Correction>> saved_correction(const std::string& file) {
  if (file.empty()) return std::nullopt;
  auto correction = model::read_correction(file);
  if (!correction) return forward(correction.error());
  const auto& features =
      correction->kind == "messages" ? message_feature_names() : model::kernel_feature_names();
  if ((correction->kind != "kernels" && correction->kind != "messages") || correction->features != features)
    return failure(ErrorKind::BadInput,
                   "the model is not a correction of kernels or messages that this version can use", file, {},
                   "Fit it again: jitterscope predict FILES… --fit MODEL.");
  return std::optional(std::move(*correction));
}

/// Adds the kernels' part of the answer; if required counters are missing, only their names.
Expected<void> predict_kernels(const Context& context, const PredictOptions& options,
                               const std::optional<model::Correction>& saved, bool fit, Answer& answer) {
  const auto& session = *context.workspace.session;
  auto& document = answer.document;
  document["kernels"] = json::array(), document["validation"] = nullptr, document["missing"] = nullptr;
  document["warnings"] = json::array(), document["gpus"] = json::array();
  document["gpu_of_trace"] = json::array(), document["asked_gpu"] = nullptr, document["tool"] = nullptr;
  if (is_profile(session, *context.workspace.columns) ||
      std::none_of(session.traces().begin(), session.traces().end(),
                   [](const auto& trace) { return trace.launches() > 0 && runs_kernels(trace); }))
    return {};
  const bool amd = tool_of(context.workspace) == causal::Tool::rocm;
  const auto counters = model_columns(*context.workspace.columns, amd);
  document["tool"] = counters.tool == model::CounterTool::ncu ? "ncu" : "rocprof";
  if (!counters.missing.empty()) {
    document["missing"] = {{"inputs", counters.missing}, {"command", model::how_to_record(counters.tool)}};
    return {};
  }
  const bool apply = saved && saved->kind == "kernels";
  auto prediction = predict_launches(context, options, fit || apply);
  if (!prediction) return forward(prediction.error());
  std::vector<model::Factor> factors;
  if (apply) {
    auto all = factors_of(*saved, *prediction, context.job);
    if (!all) return forward(all.error());
    factors = std::move(*all);
    document["validation"] = validation_of(*saved);
    document["validation"]["here"] = error_of(*prediction, factors);
    document["model_provenance"] = {{"inputs", saved->provenance.inputs}, {"gpus", saved->provenance.gpus}};
  } else if (fit) {
    const auto correction = learn(context, *prediction, factors);
    if (!correction) return forward(correction.error());
    document["validation"] = validation_of(*correction);
    document["model"] = model::saved(*correction);
  }
  write(context, *prediction, factors, options.arrays, answer);
  return {};
}

/// predict → {kernels, validation (with a saved correction: of its training, and `here` the errors of these
/// launches), warnings, missing, gpus, network, model, mpi (message_answer.h), run
/// (run_answer.h)} (resources/help/performance-model.md); with `arrays` (default) row, measured_ns,
/// analytical_ns, predicted_ns of each launch. Corrections of kernels and of messages ("message_model") are
/// learnt unless `model` names a saved one of either, `fit` is false or `what_if` changes something; training
/// rows are predicted by the fold that excluded them. `missing`: counters that the launches lack, and the
/// command that records them.
Expected<Answer> predict(const Context& context, const PredictOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  Answer answer;
  answer.document["schema_version"] = 1;
  const auto saved = saved_correction(options.model);
  if (!saved) return forward(saved.error());
  const bool what_if = options.what_if && *options.what_if != WhatIfOptions();
  if (what_if && options.fit.value_or(false))
    return failure(ErrorKind::BadUse, "a correction cannot be trained on launches that a what-if changes");
  MessageCorrection messages{options.fit.value_or(!what_if) && !*saved, {}};
  if (*saved && (*saved)->kind == "messages") messages.saved = *saved;
  if (auto done = predict_kernels(context, options, *saved, messages.fit, answer); !done)
    return forward(done.error());
  auto network = network_document(*context.workspace.session, context.job);
  if (!network) return forward(network.error());
  answer.document["network"] = std::move(*network);
  if (auto done = predict_run(context, options, messages, answer.document); !done)
    return forward(done.error());
  return answer;
}

Expected<answers::PredictLaunchAnswer> predict_launch(const Context& context,
                                                      const PredictLaunchOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& session = *context.workspace.session;
  const auto row = options.row;
  if (row < 0 || row >= session.launches())
    return failure(ErrorKind::BadUse, fmt::format("there is no launch {}", row));
  answers::PredictLaunchAnswer answer{.row = row};
  const auto counters = model_columns(*context.workspace.columns);
  if (!counters.missing.empty()) return answer;
  const auto gpus = gpus_of(session, options.gpu, context.job);
  if (!gpus) return answer;
  const auto done = for_model_rows(session, *context.workspace.columns, row, row + 1, counters, *gpus,
                                   context.job, [&](ModelLaunch& launch) -> Expected<void> {
                                     const auto p =
                                         model::predict_kernel((*gpus)[launch.trace], launch.inputs.kernel);
                                     if (!p) return {};
                                     const auto& of = session.configurations()[launch.configuration];
                                     answer.short_name = session.kernels()[of.kernel].short_name;
                                     answer.expected_ns = 1e9 * p->seconds;
                                     answer.measured_ns = launch.measured_ns;
                                     answer.clock_hz = p->clock_hz;
                                     return {};
                                   });
  if (!done) return forward(done.error());
  return answer;
}

Expected<answers::GpusAnswer> gpus(const Context&, const GpusOptions&) {
  answers::GpusAnswer answer;
  for (const auto& gpu : model::known_gpus()) answer.names.push_back(gpu.name);
  return answer;
}

} // namespace

std::vector<Operation> model_operations() {
  return {{Reach::Alone, predict}, {Reach::RankZero, predict_launch}, {Reach::RankZero, gpus}};
}

} // namespace jitterscope::engine
