#include "core/engine/operations/run_question.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/engine/model/run_answer.h"
#include "core/engine/operations/model_launches.h"
#include "core/model/correction/saved_model.h"

namespace jitterscope::engine {

using nlohmann::json;

Expected<model::WhatIf> what_if_of(const WhatIfOptions* requested, const Job& job) {
  model::WhatIf out;
  if (!requested) return out;
  if (!requested->gpu.empty()) {
    auto gpu = gpu_named(requested->gpu, job);
    if (!gpu) return forward(gpu.error());
    out.gpu = std::move(*gpu);
  }
  out.threads_per_block = requested->block;
  for (const auto& each : requested->hit_rates) out.hit_rates[each.level] = each.rate;
  return out;
}

namespace {

/// Requested scenarios: multiples of the nodes (default [2, 4] if there is MPI), another GPU, another size of
/// messages.
Expected<std::vector<Scenario>> scenarios_of(const PredictOptions& options, bool messages, const Job& job) {
  std::vector<Scenario> out;
  const bool strong = options.scaling != "weak";
  const bool recommended = options.nodes.empty() && options.default_nodes && messages;
  const auto nodes = recommended ? std::vector<double>{2, 4} : options.nodes;
  for (const double times : nodes) {
    if (!(times > 0) || times > 1e6)
      return failure(ErrorKind::BadUse, "the multiple of nodes must be above 0 and at most 1,000,000", {},
                     "--what-if", "Example: nodes=4");
    out.push_back({fmt::format("{:g} × nodes, {}", times, strong ? "same problem" : "problem grows"),
                   times,
                   strong,
                   {},
                   1});
  }
  const auto what_if = what_if_of(options.what_if.get(), job);
  if (!what_if) return forward(what_if.error());
  if (what_if->gpu) out.push_back({"on " + what_if->gpu->name, 1, true, what_if->gpu, 1});
  if (const double size = options.message_size; size != 1) {
    if (!(size >= 0) || size > 1e6)
      return failure(ErrorKind::BadUse, "the factor of the size of messages must be from 0 to 1,000,000", {},
                     "--what-if", "Example: message-size=2");
    out.push_back({fmt::format("messages of {:g} × the recorded size", size), 1, true, {}, size});
  }
  return out;
}

} // namespace

model::Provenance provenance_of(const analysis::Session& session, const std::vector<GpuSpecification>& gpus) {
  model::Provenance out;
  out.library = model::boosting_library();
  for (const auto& gpu : gpus)
    if (!gpu.name.empty() && std::find(out.gpus.begin(), out.gpus.end(), gpu.name) == out.gpus.end())
      out.gpus.push_back(gpu.name);
  for (const auto& trace : session.traces())
    for (const auto& source : trace.store.manifest().sources)
      out.inputs.push_back(source.sha256 + " " + source.path);
  return out;
}

Expected<void> predict_run(const Context& context, const PredictOptions& options,
                           const MessageCorrection& correction, json& document) {
  const auto& session = *context.workspace.session;
  const MessageModels models(session);
  const RankPlacement placement{options.ranks_per_node, options.ranks_per_socket};
  auto messages =
      predict_messages(session, *context.workspace.columns, models, placement, correction, context.job);
  if (!messages) return forward(messages.error());
  if (messages->correction && !correction.saved) {
    messages->correction->provenance = provenance_of(session, {});
    document["message_model"] = model::saved(*messages->correction);
  }
  const auto& found = messages->messages;
  const bool any = !found.list.empty() || (!found.profile.empty() && found.unknown_bytes > 0);
  document["mpi"] = any ? messages_document(*messages, models) : json();
  const auto scenarios = scenarios_of(options, any, context.job);
  if (!scenarios) return forward(scenarios.error());
  auto gpus = gpus_of(session, options.gpu, context.job);
  if (!gpus) gpus = std::vector<GpuSpecification>(session.traces().size());
  auto run = run_document(session, *context.workspace.columns, std::move(*gpus), models, *messages,
                          *scenarios, context.job);
  if (!run) return forward(run.error());
  document["run"] = std::move(*run);
  return {};
}

} // namespace jitterscope::engine
