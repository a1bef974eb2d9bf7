#pragma once

#include <string>

#include "core/analysis/session/session.h"

namespace jitterscope::engine {

/// "<<<(grid), (block)>>>", as in CUDA source.
std::string grid_text(const analysis::Configuration& configuration);
/// Registers, static and dynamic shared memory, and any further property.
std::string resources_text(const analysis::Configuration& configuration);

} // namespace jitterscope::engine
