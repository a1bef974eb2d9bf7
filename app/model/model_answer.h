#pragma once

#include <nlohmann/json.hpp>

#include "views/model/model_data.h"

namespace jitterscope::app {

/// Converts an answer of the operation "predict" for the view. `asked`: text of the what-if question; empty
/// if there is none.
views::ModelData model_data_of(const nlohmann::json& document, const QString& asked);

/// Text of an answer of "predict_launch": "Launch 7 (gemm): expected 92 µs at 1.41 GHz, took 140 µs: 48 µs
/// unexplained by work." Empty if there is no prediction.
QString launch_sentence(const nlohmann::json& document);

} // namespace jitterscope::app
