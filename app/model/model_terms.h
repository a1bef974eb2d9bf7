#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "views/model/model_data.h"

namespace jitterscope::app {

/// Inputs and terms of a kernel of an answer of "predict", each with its formula and its numbers, in the
/// order in which they are computed (the names are those of the help page). `gpu`: the specification that it
/// was predicted for. `tool`: "ncu" or "rocprof", whose counters the inputs are from.
std::vector<views::ModelTerm> kernel_terms(const nlohmann::json& kernel, const nlohmann::json& gpu,
                                           const std::string& tool);

} // namespace jitterscope::app
