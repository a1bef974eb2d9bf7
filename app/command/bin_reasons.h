#pragma once

#include <string>

#include "app/engine/blocking_engine.h"

namespace jitterscope::app {

/// Adds `reason`, `reason_note` and the excess of every kept bin to an answer of the operation "bins" that
/// was requested with the filter `where`.
Expected<void> add_reasons(BlockingEngine& engine, const std::string& where, nlohmann::json& bins,
                           const Job& job);

} // namespace jitterscope::app
