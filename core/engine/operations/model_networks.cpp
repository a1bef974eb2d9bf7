#include "core/engine/operations/model_networks.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/model/correction/correction.h"
#include "core/model/network/held_out.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

json document_of(const model::MessageRegime& regime) {
  json out = {{"form", model::to_string(regime.form)},
              {"last_size_bytes", std::isfinite(regime.last_size) ? json(regime.last_size) : json()},
              {"alpha_us", regime.alpha}};
  if (regime.form == model::MessageForm::k_rate) {
    out["rate_bytes_per_us"] = regime.rate;
    out["added_rate_bytes_per_us"] = regime.added_rate;
  } else {
    out["beta_us_per_byte"] = regime.beta;
  }
  return out;
}

json document_of(const model::PipelinedRate& rate) {
  double maximum = 0;
  for (const auto& p : rate.points) maximum = std::max(maximum, p.value);
  return {{"pairs", rate.pairs}, {"sizes", rate.points.size()}, {"maximum_bytes_per_us", maximum}};
}

json document_of(const model::MessageModel& model, const std::vector<NetworkMeasurement>& curves) {
  json regimes = json::array(), pipelined = json::array();
  for (const auto& rate : model.pipelined) pipelined.push_back(document_of(rate));
  for (const auto& regime : model.regimes) regimes.push_back(document_of(regime));
  std::vector<double> measured, fitted;
  for (const auto& curve : curves)
    if (curve.quantity == NetworkQuantity::latency)
      for (const auto& p : curve.points)
        if (p.value > 0) measured.push_back(p.value), fitted.push_back(model.time(p.bytes, curve.pairs));
  const auto held_out = model::hold_out_sizes(curves);
  const auto error = model::error_summary(held_out.measured, held_out.predicted);
  const bool any = !held_out.measured.empty();
  return {{"distance", to_string(model.distance)},
          {"memory", to_string(model.memory)},
          {"curves", curves.size()},
          {"scaling_unknown", model.scaling_unknown},
          {"regimes", std::move(regimes)},
          {"pipelined", std::move(pipelined)},
          {"fit_mean_percent", measured.empty() ? json() : json(model::error_summary(measured, fitted).mean)},
          {"held_out_sizes", held_out.measured.size()},
          {"held_out_mean_percent", any ? json(error.mean) : json()},
          {"held_out_median_percent", any ? json(error.median) : json()},
          {"held_out_p95_percent", any ? json(error.p95) : json()}};
}

} // namespace

Expected<json> network_document(const analysis::Session& session, const Job& job) {
  std::map<std::pair<Distance, BufferMemory>, std::vector<NetworkMeasurement>> classes;
  for (const auto& trace : session.traces())
    for (const auto& m : trace.store.manifest().machine.networks)
      if (m.point_to_point) classes[{m.distance, m.memory}].push_back(m);
  json out = json::array();
  for (const auto& [of, curves] : classes) {
    if (job.cancelled()) return Job::cancelled_error();
    if (const auto model = model::fit_messages(curves)) out.push_back(document_of(*model, curves));
  }
  return out;
}

} // namespace jitterscope::engine
