#pragma once

#include <nlohmann/json.hpp>

#include "views/model/model_data.h"

namespace jitterscope::app {

/// An answer of the operation "predict" as the view shows it. `asked`: the what-if in words; empty without.
views::ModelData model_data_of(const nlohmann::json& document, const QString& asked);

/// An answer of "predict_launch" in sentences: "Expected 92 µs at 1.41 GHz, took 140 µs: 48 µs unexplained by
/// work."
QString launch_sentence(const nlohmann::json& document);

} // namespace jitterscope::app
