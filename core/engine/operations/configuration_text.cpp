#include "core/engine/operations/configuration_text.h"

#include <fmt/core.h>

namespace jitterscope::engine {

std::string grid_text(const analysis::Configuration& c) {
  return fmt::format("<<<({}, {}, {}), ({}, {}, {})>>>", c.grid[0], c.grid[1], c.grid[2], c.block[0],
                     c.block[1], c.block[2]);
}

std::string resources_text(const analysis::Configuration& c) {
  return fmt::format("{} registers, {} B + {} B shared{}", c.registers, c.static_shared_memory,
                     c.dynamic_shared_memory, c.variant.empty() ? "" : ", " + c.variant);
}

} // namespace jitterscope::engine
