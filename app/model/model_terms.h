#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "views/model/model_data.h"

namespace jitterscope::app {

/// The number; NaN if `value` is not a number.
double number(const nlohmann::json& value);

/// Inputs and terms of a kernel in an answer of "predict", each with its formula and numbers, in the order of
/// computation (names as in resources/help/performance-model.md). `gpu`: the specification that the
/// prediction used. `tool`: "ncu" or "rocprof", the source of the counters.
std::vector<views::ModelTerm> kernel_terms(const nlohmann::json& kernel, const nlohmann::json& gpu,
                                           const std::string& tool);

} // namespace jitterscope::app
