#pragma once

#include "app/engine/blocking_engine.h"
#include "core/engine/messages/selection_options.h"

namespace jitterscope::app {

/// Adds `reason`, `reason_note` and the excess of every kept bin to an answer of the operation "bins" that
/// was requested for these launches.
Expected<void> add_reasons(BlockingEngine& engine, const engine::SelectionOptions& launches,
                           nlohmann::json& bins, const Job& job);

} // namespace jitterscope::app
