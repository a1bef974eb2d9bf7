#pragma once

#include <string>

#include "core/analysis/session/session.h"

namespace jitterscope::engine {

/// "<<<(grid), (block)>>>", as in CUDA source; empty if the rows of the session are not launches.
std::string grid_text(const analysis::Session& session, const analysis::Configuration& configuration);
/// The same, then registers, static and dynamic shared memory, and any further property.
std::string configuration_text(const analysis::Session& session,
                               const analysis::Configuration& configuration);

} // namespace jitterscope::engine
