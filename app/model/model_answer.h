#pragma once

#include <nlohmann/json.hpp>

#include "views/model/model_data.h"

namespace jitterscope::app {

/// Converts an answer of the operation "predict" for the view. `asked`: text of the what-if question; empty
/// if there is none.
views::ModelData model_data_of(const nlohmann::json& document, const QString& asked);

} // namespace jitterscope::app
