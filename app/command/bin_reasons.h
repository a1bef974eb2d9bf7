#pragma once

#include <string>

#include "app/engine/blocking_engine.h"

namespace jitterscope::app {

/// Adds `reason`, `reason_note` and the excess of every kept bin to an answer of the operation "bins" that
/// was requested with the filter `where`, and in these intervals [begin, end) ns; all if there are none.
Expected<void> add_reasons(BlockingEngine& engine, const std::string& where, nlohmann::json& bins,
                           const Job& job, const nlohmann::json& intervals = nlohmann::json::array());

} // namespace jitterscope::app
