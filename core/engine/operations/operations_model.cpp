#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "core/engine/operations/model_launches.h"
#include "core/engine/operations/model_networks.h"
#include "core/engine/operations/operations.h"
#include "core/model/correction/kernel_features.h"
#include "core/model/correction/saved_model.h"
#include "core/model/gpu/gpu_table.h"
#include "core/model/gpu/what_if.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLearnt =
    5'000; // launches that a correction is learnt from: seconds with cross-validation

json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}

/// Launches of one configuration, as sums in row order.
struct KernelSums {
  std::int64_t launches = 0, measured = 0, extrapolated = 0;
  double measured_ns = 0, analytical_ns = 0, predicted_ns = 0, mwp = 0, cwp = 0;
  std::map<std::string, std::int64_t> bottlenecks;
  model::KernelPrediction first; ///< terms of the first launch
  model::KernelInputs inputs;    ///< of the first launch
  double dram_bytes = 0;         ///< counted, of the first launch
  double roofline_ns = 0;
};

/// What is kept of each launch until the correction is known.
struct Row {
  std::uint32_t configuration = 0;
  double measured_ns = 0, analytical_ns = 0;
};

struct Prediction {
  std::map<std::uint32_t, KernelSums> kernels; ///< by configuration of the session
  std::vector<Row> rows;
  std::vector<std::int64_t> row_numbers;
  std::vector<std::vector<double>> features; ///< of rows that a correction needs; empty otherwise
  std::vector<GpuSpecification> gpus;
  LeftOut left_out;
  std::int64_t refused = 0; ///< by the model
  std::string refusal;
};

Expected<model::WhatIf> what_if_of(const json& options, const Job& job) {
  model::WhatIf out;
  if (!options.contains("what_if")) return out;
  const auto& given = options.at("what_if");
  if (const auto name = given.value("gpu", std::string()); !name.empty()) {
    auto gpu = gpu_named(name, job);
    if (!gpu) return forward(gpu.error());
    out.gpu = std::move(*gpu);
  }
  if (given.contains("block")) out.threads_per_block = given.at("block").get<double>();
  const auto hit_rates = given.value("hit_rates", json::object());
  for (const auto& [level, rate] : hit_rates.items()) out.hit_rates[level] = rate.get<double>();
  return out;
}

Expected<model::KernelOptions> kernel_options(const json& options) {
  model::KernelOptions out;
  const auto mode = options.value("mode", std::string("guarded")),
             waves = options.value("waves", std::string("real"));
  if (mode != "guarded" && mode != "paper")
    return failure(ErrorKind::BadUse, "the mode is 'guarded' or 'paper'", {}, "--mode");
  if (waves != "real" && waves != "whole")
    return failure(ErrorKind::BadUse, "waves are 'real' or 'whole'", {}, "--waves");
  out.mode = mode == "paper" ? model::Mode::paper : model::Mode::guarded;
  out.repetition = waves == "whole" ? model::Repetition::waves : model::Repetition::real;
  out.kappa = std::clamp(options.value("kappa", 0.0), 0.0, 1.0);
  return out;
}

void add(KernelSums& sums, const ModelLaunch& launch, const model::KernelPrediction& p,
         const GpuSpecification& gpu) {
  if (sums.launches++ == 0) {
    sums.first = p;
    sums.inputs = launch.inputs.kernel;
    sums.dram_bytes = launch.inputs.dram_bytes;
    sums.roofline_ns = 1e9 * model::roofline_seconds(gpu, p);
  }
  if (std::isfinite(launch.measured_ns)) ++sums.measured, sums.measured_ns += launch.measured_ns;
  sums.analytical_ns += 1e9 * p.seconds;
  sums.mwp += p.time.mwp;
  sums.cwp += p.time.cwp;
  ++sums.bottlenecks[p.bottleneck()];
}

/// Predicts all selected launches; features only where a correction asks for them.
Expected<Prediction> predict_launches(const Context& context, const json& options, bool features) {
  const auto& session = *context.workspace.session;
  const auto& columns = *context.workspace.columns;
  Prediction out;
  auto gpus = gpus_of(session, options.value("gpu", std::string()), context.job);
  if (!gpus) return forward(gpus.error());
  out.gpus = std::move(*gpus);
  const auto what_if = what_if_of(options, context.job);
  if (!what_if) return forward(what_if.error());
  const auto how = kernel_options(options);
  if (!how) return forward(how.error());
  const auto selection = analysis::Selection::from_json(options, columns);
  if (!selection) return forward(selection.error());
  const auto counters = model_columns(columns);
  auto left = for_each_model_launch(
      session, columns, *selection, counters, out.gpus, context.job,
      [&](ModelLaunch& launch) -> Expected<void> {
        const auto& recorded_on = out.gpus[launch.trace];
        if (auto changed = model::apply(*what_if, recorded_on, launch.inputs.kernel, launch.facts); !changed)
          return forward(changed.error());
        const auto& gpu = what_if->gpu ? *what_if->gpu : recorded_on;
        const auto p = model::predict_kernel(gpu, launch.inputs.kernel, *how);
        if (!p) {
          if (out.refused++ == 0) out.refusal = p.error().message;
          return {};
        }
        add(out.kernels[launch.configuration], launch, *p, gpu);
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

/// Evenly spread rows that a correction can be learnt from.
std::vector<std::size_t> learnt_rows(const Prediction& prediction) {
  std::vector<std::size_t> all;
  for (std::size_t r = 0; r < prediction.rows.size(); ++r)
    if (learnable(prediction.rows[r])) all.push_back(r);
  if (all.size() <= kMostLearnt) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < kMostLearnt; ++i) some.push_back(all[i * all.size() / kMostLearnt]);
  return some;
}

/// Of all rows; some µs each.
Expected<std::vector<model::Factor>> factors_of(const model::Correction& correction,
                                                const Prediction& prediction, const Job& job) {
  constexpr std::size_t kBetween = 1'024;
  std::vector<model::Factor> out;
  out.reserve(prediction.features.size());
  for (const auto& row : prediction.features) {
    if (out.size() % kBetween == 0 && job.cancelled()) return Job::cancelled_error();
    out.push_back(model::factor_of(correction, row));
  }
  return out;
}

/// Learns a correction and gives the factors of all rows: of rows that it learnt from those of the fold that
/// had not seen them.
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
  }
  auto fit = model::fit_correction(rows, "kernels", context.job.cancelled);
  if (!fit) return forward(fit.error());
  auto all = factors_of(fit->correction, prediction, context.job);
  if (!all) return forward(all.error());
  factors = std::move(*all);
  for (std::size_t i = 0; i < learnt.size(); ++i) factors[learnt[i]] = fit->held_out[i];
  auto& provenance = fit->correction.provenance;
  for (const auto& gpu : prediction.gpus)
    if (std::find(provenance.gpus.begin(), provenance.gpus.end(), gpu.name) == provenance.gpus.end())
      provenance.gpus.push_back(gpu.name);
  for (const auto& trace : session.traces())
    for (const auto& source : trace.store.manifest().sources)
      provenance.inputs.push_back(source.sha256 + " " + source.path);
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
          {"applied", correction.applied()},
          {"refusal", correction.applied() ? json() : json(correction.refusal)}};
}

json terms_of(const KernelSums& sums) {
  const auto& p = sums.first;
  json levels = json::array();
  for (std::size_t l = 0; l < p.levels.size(); ++l)
    levels.push_back({{"name", p.levels[l]},
                      {"reach", p.caches.reach[l]},
                      {"occupied_cycles", p.caches.occupied[l]},
                      {"bytes", p.bytes[l]}});
  json notes = json::array();
  for (const auto note : p.notes) notes.push_back(model::text_of(note));
  return {{"memory_latency_cycles", p.caches.memory_latency},
          {"departure_delay_cycles", p.caches.departure_delay},
          {"memory_cycles", p.load.memory_cycles},
          {"compute_cycles", p.load.compute_cycles},
          {"warps", p.load.warps},
          {"active_blocks", p.load.active_blocks},
          {"repetitions", p.load.repetitions},
          {"waves", p.waves},
          {"clock_hz", p.clock_hz},
          {"cycles", p.cycles},
          {"levels", std::move(levels)},
          {"dram_bytes_counted", number(sums.dram_bytes)},
          {"notes", std::move(notes)}};
}

json inputs_of(const KernelSums& sums) {
  const auto& in = sums.inputs;
  return {{"blocks", in.blocks},
          {"threads_per_block", in.threads_per_block},
          {"resident_blocks", in.resident_blocks},
          {"memory_instructions", in.memory_instructions},
          {"compute_instructions", in.compute_instructions},
          {"synchronisations", in.synchronisations},
          {"transactions", in.transactions},
          {"hit_rates", in.hit_rates},
          {"tensor_share", in.tensor_share},
          {"tma_bytes", in.tma_bytes}};
}

json kernel_document(const analysis::Session& session, std::uint32_t configuration, const KernelSums& sums) {
  const auto& c = session.configurations()[configuration];
  const auto launches = static_cast<double>(sums.launches);
  const auto most = std::max_element(sums.bottlenecks.begin(), sums.bottlenecks.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const double measured =
      sums.measured > 0 ? sums.measured_ns / static_cast<double>(sums.measured) : kUnknownQuantity;
  const double predicted = sums.predicted_ns / launches;
  return {{"name", session.kernels()[c.kernel].name},
          {"configuration", configuration},
          {"launches", sums.launches},
          {"measured_ns", number(measured)},
          {"analytical_ns", sums.analytical_ns / launches},
          {"predicted_ns", predicted},
          {"residual_percent", number(100 * (predicted / measured - 1))},
          {"roofline_ns", sums.roofline_ns},
          {"bottleneck", most->first},
          {"case", sums.first.time.which_case},
          {"mwp", sums.mwp / launches},
          {"cwp", sums.cwp / launches},
          {"extrapolated", sums.extrapolated > 0},
          {"inputs", inputs_of(sums)},
          {"terms", terms_of(sums)}};
}

void warn(json& warnings, const char* code, std::int64_t count, const std::string& text) {
  if (count > 0) warnings.push_back({{"code", code}, {"count", count}, {"text", text}});
}

json warnings_of(const Prediction& prediction) {
  json warnings = json::array();
  std::int64_t apart = 0;
  constexpr double kApart = 0.2; // models.md 1.5
  for (const auto& [configuration, sums] : prediction.kernels)
    apart += sums.dram_bytes > 0 && !sums.first.bytes.empty() &&
             std::abs(sums.first.bytes.back() / sums.dram_bytes - 1) > kApart;
  warn(warnings, "dram-bytes", apart,
       fmt::format("the bytes that reach DRAM in the model and in the counters differ by more than 20 % in "
                   "{} of {} kernels",
                   apart, prediction.kernels.size()));
  warn(warnings, "left-out", prediction.left_out.launches,
       fmt::format("{} launches lack counters ({}) and are left out", prediction.left_out.launches,
                   prediction.left_out.reason));
  warn(warnings, "refused", prediction.refused,
       fmt::format("{} launches cannot be predicted: {}", prediction.refused, prediction.refusal));
  return warnings;
}

/// Applies factors and writes kernels, validation, warnings and the arrays of launches.
void write(const Context& context, Prediction& prediction, const std::vector<model::Factor>& factors,
           Answer& answer) {
  std::vector<double> measured, analytical, predicted;
  for (std::size_t r = 0; r < prediction.rows.size(); ++r) {
    const auto& row = prediction.rows[r];
    const auto factor = factors.empty() ? model::Factor{} : factors[r];
    auto& sums = prediction.kernels[row.configuration];
    sums.predicted_ns += row.analytical_ns * factor.value;
    sums.extrapolated += factor.extrapolated;
    measured.push_back(row.measured_ns), analytical.push_back(row.analytical_ns);
    predicted.push_back(row.analytical_ns * factor.value);
  }
  auto& document = answer.document;
  document["kernels"] = json::array();
  for (const auto& [configuration, sums] : prediction.kernels)
    document["kernels"].push_back(kernel_document(*context.workspace.session, configuration, sums));
  document["gpus"] = json::array();
  for (const auto& gpu : prediction.gpus)
    if (!gpu.name.empty() && (document["gpus"].empty() || document["gpus"].back().at("name") != gpu.name))
      document["gpus"].push_back(store::to_json(gpu));
  document["warnings"] = warnings_of(prediction);
  answer.add("row", std::move(prediction.row_numbers));
  answer.add("measured_ns", std::move(measured));
  answer.add("analytical_ns", std::move(analytical));
  answer.add("predicted_ns", std::move(predicted));
}

/// The kernels' part of the answer; without the counters that are needed only what is missing.
Expected<void> predict_kernels(const Context& context, const json& options, Answer& answer) {
  const auto& session = *context.workspace.session;
  auto& document = answer.document;
  document["kernels"] = json::array(), document["validation"] = nullptr, document["missing"] = nullptr;
  document["warnings"] = json::array(), document["gpus"] = json::array();
  if (session.launches() == 0) return {};
  const auto counters = model_columns(*context.workspace.columns);
  if (!counters.missing.empty()) {
    document["missing"] = {{"inputs", counters.missing}, {"command", model::how_to_record(counters.tool)}};
    return {};
  }
  const auto saved = options.value("model", std::string());
  const bool what_if = options.contains("what_if") && !options.at("what_if").empty();
  const bool fit = options.value("fit", !what_if) && saved.empty();
  auto prediction = predict_launches(context, options, fit || !saved.empty());
  if (!prediction) return forward(prediction.error());
  std::vector<model::Factor> factors;
  if (!saved.empty()) {
    const auto correction = model::read_correction(saved);
    if (!correction) return forward(correction.error());
    if (correction->kind != "kernels" || correction->features != model::kernel_feature_names())
      return failure(ErrorKind::BadInput, "the model corrects something else than kernels of this version",
                     saved, {}, "Fit it again: jitterscope predict FILES… --fit MODEL.");
    auto all = factors_of(*correction, *prediction, context.job);
    if (!all) return forward(all.error());
    factors = std::move(*all);
    document["validation"] = validation_of(*correction);
    document["model_provenance"] = {{"inputs", correction->provenance.inputs},
                                    {"gpus", correction->provenance.gpus}};
  } else if (fit) {
    const auto correction = learn(context, *prediction, factors);
    if (!correction) return forward(correction.error());
    document["validation"] = validation_of(*correction);
    document["model"] = model::saved(*correction);
  }
  write(context, *prediction, factors, answer);
  return {};
}

/// predict {gpu, what_if: {gpu, block, hit_rates: {level: rate}}, mode: guarded | paper, waves: real | whole,
/// kappa, fit, model, where, intervals} → {kernels, validation, warnings, missing, gpus, network, model}
/// (product.md); arrays row, measured_ns, analytical_ns, predicted_ns of each launch. A correction is learnt
/// unless `model` names a saved one, `fit` is false or something is asked by what_if; rows it learnt from are
/// predicted by the fold that had not seen them. `missing`: counters that the launches lack, and the command
/// that records them.
Expected<Answer> predict(const Context& context, const json& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  Answer answer;
  answer.document["schema_version"] = 1;
  if (auto done = predict_kernels(context, options, answer); !done) return forward(done.error());
  auto network = network_document(*context.workspace.session, context.job);
  if (!network) return forward(network.error());
  answer.document["network"] = std::move(*network);
  return answer;
}

/// gpus {} → {gpus: […]}: the built-in table.
Expected<Answer> gpus(const Context&, const json&) {
  Answer answer;
  answer.document["gpus"] = json::array();
  for (const auto& gpu : model::known_gpus()) answer.document["gpus"].push_back(store::to_json(gpu));
  return answer;
}

} // namespace

std::vector<Operation> model_operations() {
  return {{"predict", Reach::Alone, predict}, {"gpus", Reach::RankZero, gpus}};
}

} // namespace jitterscope::engine
