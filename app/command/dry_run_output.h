#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "views/base/export.h"
#include "views/base/view_style.h"

namespace jitterscope::app {

/// "128,256" → {128, 256}; BadUse for anything else.
Expected<std::vector<int>> parse_rank_list(const std::string& text);

/// Prints the document of engine::dry_run as a table on standard output.
void print_dry_run(const nlohmann::json& document);

/// Log-log plot of the document's times over the ranks: strong scaling with the ideal, weak scaling, messages
/// alone.
views::PaintFunction dry_run_plot(const nlohmann::json& document, const views::ViewStyle& style);

} // namespace jitterscope::app
