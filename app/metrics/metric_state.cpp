#include "app/metrics/metric_state.h"

#include <nlohmann/json.hpp>

#include "core/efficiency/metrics/syntax.h"

namespace jitterscope::app {

using nlohmann::json;

QString title_in(const std::string& definition) {
  const auto parsed = efficiency::metrics::parse(definition);
  return parsed ? QString::fromStdString(parsed->title) : QString();
}

json to_json(const views::MetricPanel& panel) {
  json state = {{"text", panel.text}, {"level", panel.level.toStdString()}, {"maximum", panel.maximum}};
  if (panel.mergedMaximum) state["merged"] = "maximum";
  if (panel.scale) state["scale"] = {panel.scale->first, panel.scale->second};
  return state;
}

views::MetricPanel panel_from(const json& state) {
  views::MetricPanel panel;
  panel.text = state.at("text").get<std::string>();
  panel.title = title_in(panel.text);
  panel.level = QString::fromStdString(state.value("level", std::string()));
  panel.maximum = state.value("maximum", false);
  panel.mergedMaximum = state.value("merged", std::string()) == "maximum";
  if (const auto scale = state.find("scale"); scale != state.end())
    panel.scale = views::MetricScale{scale->at(0).get<double>(), scale->at(1).get<double>()};
  return panel;
}

json to_json(const HistogramState& histogram) {
  // null: derived from the values
  const auto limit = [](const std::optional<double>& value) { return value ? json(*value) : json(); };
  return {{"text", histogram.metric.text},
          {"level", histogram.metric.level.toStdString()},
          {"bins", histogram.bins.count},
          {"values", {limit(histogram.bins.low), limit(histogram.bins.high)}},
          {"logarithmic", histogram.bins.logarithmic},
          {"statistic", histogram.statistic},
          {"data", histogram.data}};
}

HistogramState histogram_from(const json& state) {
  HistogramState histogram;
  histogram.metric.text = state.value("text", std::string());
  histogram.metric.level = QString::fromStdString(state.value("level", std::string()));
  histogram.bins.count = state.value("bins", histogram.bins.count);
  histogram.bins.logarithmic = state.value("logarithmic", false);
  const auto limits = state.value("values", json::array({nullptr, nullptr}));
  const auto limit = [&](std::size_t end) {
    return limits.at(end).is_null() ? std::nullopt : std::optional(limits.at(end).get<double>());
  };
  histogram.bins.low = limit(0);
  histogram.bins.high = limit(1);
  histogram.statistic = state.value("statistic", std::string());
  histogram.data = state.value("data", std::string());
  return histogram;
}

} // namespace jitterscope::app
