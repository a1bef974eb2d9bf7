#pragma once

#include <nlohmann/json.hpp>

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/efficiency_options.h"
#include "core/engine/messages/export_options.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/model_options.h"
#include "core/engine/messages/statistics_options.h"

namespace jitterscope::app {

/// The entry "options" of documents that --json writes: what was asked. Options that were not given are left
/// out, except texts with a default.
nlohmann::json options_json(const engine::BinsOptions& options);
nlohmann::json options_json(const engine::CausalOptions& options);
nlohmann::json options_json(const engine::ContrastOptions& options);
nlohmann::json options_json(const engine::EfficiencyOptions& options);
nlohmann::json options_json(const engine::MetricOptions& options);
nlohmann::json options_json(const engine::MetricHistogramOptions& options);
nlohmann::json options_json(const engine::PredictOptions& options);
nlohmann::json options_json(const engine::ReduceOptions& options);

} // namespace jitterscope::app
