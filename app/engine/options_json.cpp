#include "app/engine/options_json.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

json pairs_of(const std::vector<Interval>& intervals) {
  json pairs = json::array();
  for (const auto& each : intervals) pairs.push_back({each.begin.count, each.end.count});
  return pairs;
}

template <class Options>
void add_range(json& document, const Options& options) {
  if (options.begin_ns && options.end_ns) document["range"] = {*options.begin_ns, *options.end_ns};
}

template <class Options>
void add_level_and_range(json& document, const Options& options) {
  if (!options.level.empty()) document["level"] = options.level;
  add_range(document, options);
}

/// Adds the range, the ranks and the devices, if there are any.
template <class Options>
void add_part(json& document, const Options& options) {
  add_range(document, options);
  if (!options.ranks.empty()) document["ranks"] = options.ranks;
  if (!options.devices.empty()) document["devices"] = options.devices;
}

} // namespace

json options_json(const engine::BinsOptions& options) {
  json document = {
      {"metric", options.metric}, {"by", options.by}, {"rank_by", options.rank_by}, {"where", options.where}};
  if (options.width_ns > 0) document["width_ns"] = options.width_ns;
  if (options.top_count > 0)
    document["top_count"] = options.top_count;
  else
    document["top_share"] = options.top_share;
  return document;
}

json options_json(const engine::CausalOptions& options) {
  json document = {
      {"target", options.target},   {"features", options.features}, {"method", options.method},
      {"reading", options.reading}, {"scale", options.scale},       {"bootstrap", options.bootstrap},
      {"where", options.where},     {"do", json::array()},          {"knowledge", options.knowledge_file}};
  if (!options.knowledge.empty()) document["knowledge"] = json::parse(options.knowledge, nullptr, false);
  if (!options.knowledge_must_match) document["knowledge_must_match"] = false;
  for (const auto& each : options.interventions) document["do"].push_back({each.feature, each.value});
  if (!options.intervals.empty()) document["intervals"] = pairs_of(options.intervals);
  if (options.row) document["row"] = *options.row;
  if (options.most_rows) document["most_rows"] = *options.most_rows;
  if (options.provisional) document["provisional"] = true;
  if (!options.table.empty()) document["table"] = options.table;
  return document;
}

json options_json(const engine::ContrastOptions& options) {
  json document = {{"where", options.where}, {"against", options.against}};
  if (!options.intervals.empty()) document["intervals"] = pairs_of(options.intervals);
  if (options.provisional) document["provisional"] = true;
  return document;
}

json options_json(const engine::EfficiencyOptions& options) {
  json document = {{"collectives_as", options.collectives_as}, {"by", options.by}};
  add_part(document, options);
  if (!options.traces_except.empty()) document["traces_except"] = options.traces_except;
  if (!options.step.empty()) document["step"] = options.step;
  if (options.timeline) document["timeline"] = *options.timeline;
  if (options.talp) document["talp"] = true;
  if (options.ideal_ns) document["ideal_ns"] = *options.ideal_ns;
  return document;
}

json options_json(const engine::MetricOptions& options) {
  json document = {{"text", options.text}};
  add_level_and_range(document, options);
  if (options.exact)
    document["exact"] = true;
  else
    document["columns"] = options.columns;
  return document;
}

json options_json(const engine::MetricHistogramOptions& options) {
  json document = {{"text", options.text},
                   {"bins", options.bins},
                   {"zero", options.zero},
                   {"logarithmic", options.logarithmic}};
  add_level_and_range(document, options);
  if (options.low && options.high) document["values"] = {*options.low, *options.high};
  if (!options.data.empty()) document["data"] = options.data;
  return document;
}

json options_json(const engine::PredictOptions& options) {
  json document = {{"gpu", options.gpu},
                   {"mode", options.mode},
                   {"waves", options.waves},
                   {"model", options.model},
                   {"where", options.where},
                   {"scaling", options.scaling},
                   {"ranks_per_node", options.ranks_per_node},
                   {"ranks_per_socket", options.ranks_per_socket}};
  if (options.what_if) {
    auto& what_if = document["what_if"] = json::object();
    if (!options.what_if->gpu.empty()) what_if["gpu"] = options.what_if->gpu;
    if (options.what_if->block) what_if["block"] = *options.what_if->block;
    for (const auto& each : options.what_if->hit_rates) what_if["hit_rates"][each.level] = each.rate;
  }
  if (!options.nodes.empty()) document["nodes"] = options.nodes;
  if (options.message_size != 1) document["message_size"] = options.message_size;
  if (options.fit) document["fit"] = *options.fit;
  return document;
}

json options_json(const engine::ReduceOptions& options) {
  json document = {{"output", options.output},       {"clip", options.clip},
                   {"from_zero", options.from_zero}, {"software_counters", options.software_counters},
                   {"overwrite", options.overwrite}, {"where", options.where}};
  add_part(document, options);
  if (options.kernels_above_ns > 0) document["kernels_above_ns"] = options.kernels_above_ns;
  if (options.bursts_above_ns > 0) document["bursts_above_ns"] = options.bursts_above_ns;
  if (!options.keep.empty()) document["keep"] = options.keep;
  return document;
}

} // namespace jitterscope::app
