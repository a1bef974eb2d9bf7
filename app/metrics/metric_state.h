#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_data.h"

namespace jitterscope::app {

/// Title that a definition states: known before the engine answers, and if it cannot; empty: none.
QString title_in(const std::string& definition);

/// A metric of the metrics view as a session stores it, without its values.
nlohmann::json to_json(const views::MetricPanel& panel);
views::MetricPanel panel_from(const nlohmann::json& state);

/// Histogram of a metric as a session stores it.
struct HistogramState {
  views::MetricPanel metric; ///< text and level
  views::HistogramBins bins;
  std::string statistic; ///< CellStatisticSpec::name
  std::string data;      ///< text of the metric whose values the statistic is of; empty: none
};
nlohmann::json to_json(const HistogramState& histogram);
HistogramState histogram_from(const nlohmann::json& state);

} // namespace jitterscope::app
