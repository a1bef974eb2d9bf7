#include "core/causal/base/group_estimates.h"

#include <nlohmann/json.hpp>

namespace jitterscope::causal {
namespace {

using Json = nlohmann::json;

Json component_json(const VarianceComponent& c) {
  return {{"group", c.group},     {"label", c.label},   {"levels", c.levels},
          {"percent", c.percent}, {"ci_low", c.ci_low}, {"ci_high", c.ci_high}};
}

VarianceComponent component_of(const Json& c) {
  return {c.value("group", ""),    c.value("label", ""),   c.value("levels", std::int64_t{0}),
          c.value("percent", 0.0), c.value("ci_low", 0.0), c.value("ci_high", 0.0)};
}

} // namespace

void add_json(const GroupEstimates& estimates, Json& to) {
  to["variance_components"] = Json::array(), to["devices"] = Json::array();
  for (const auto& c : estimates.components) to["variance_components"].push_back(component_json(c));
  for (const auto& d : estimates.devices)
    to["devices"].push_back({{"name", d.name},
                             {"places", d.places},
                             {"n", d.n},
                             {"mean", d.mean},
                             {"difference_percent", d.difference_percent},
                             {"ci_low", d.ci_low},
                             {"ci_high", d.ci_high}});
  to["variance_between"] = component_json(estimates.between);
  to["device_unit"] = estimates.unit, to["device_places"] = estimates.place_columns;
  to["device_sentences"] = estimates.sentences;
}

std::optional<GroupEstimates> group_estimates_of(const Json& from) {
  if (!from.contains("variance_between")) return std::nullopt;
  try {
    GroupEstimates estimates;
    for (const auto& c : from.at("variance_components")) estimates.components.push_back(component_of(c));
    for (const auto& d : from.at("devices"))
      estimates.devices.push_back({d.value("name", ""), d.value("places", std::vector<std::string>()),
                                   d.value("n", std::int64_t{0}), d.value("mean", 0.0),
                                   d.value("difference_percent", 0.0), d.value("ci_low", 0.0),
                                   d.value("ci_high", 0.0)});
    estimates.between = component_of(from.at("variance_between"));
    estimates.unit = from.value("device_unit", ""),
    estimates.place_columns = from.value("device_places", std::vector<std::string>());
    estimates.sentences = from.value("device_sentences", std::vector<std::string>());
    return estimates;
  } catch (const Json::exception&) {
    return std::nullopt; // the rest of the answer is still valid
  }
}

} // namespace jitterscope::causal
