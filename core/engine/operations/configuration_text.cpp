#include "core/engine/operations/configuration_text.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/store/format/analysis_rows.h"

namespace jitterscope::engine {

std::string grid_text(const analysis::Session& session, const analysis::Configuration& c) {
  const bool launches = std::ranges::any_of(session.traces(), [](const analysis::Trace& trace) {
    return store::analysis_rows(trace.store) == store::AnalysisRows::Launches;
  });
  if (!launches) return {};
  return fmt::format("<<<({}, {}, {}), ({}, {}, {})>>>", c.grid[0], c.grid[1], c.grid[2], c.block[0],
                     c.block[1], c.block[2]);
}

std::string configuration_text(const analysis::Session& session, const analysis::Configuration& c) {
  const auto grid = grid_text(session, c);
  if (grid.empty()) return c.variant;
  return fmt::format("{}, {} registers, {} B + {} B shared{}", grid, c.registers, c.static_shared_memory,
                     c.dynamic_shared_memory, c.variant.empty() ? "" : ", " + c.variant);
}

} // namespace jitterscope::engine
