#include "core/engine/operations/configuration_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/store/format/analysis_rows.h"

namespace jitterscope::engine {

std::string grid_text(const analysis::Session& session, const analysis::Configuration& c) {
  const bool launches = std::ranges::any_of(session.traces(), [](const analysis::Trace& trace) {
    return store::analysis_rows(trace.store) == store::AnalysisRows::Launches;
  });
  const auto recorded = [](const std::uint32_t(&size)[3]) { return size[0] + size[1] + size[2] > 0; };
  if (!launches || (!recorded(c.grid) && !recorded(c.block))) return {};
  return fmt::format("<<<({}, {}, {}), ({}, {}, {})>>>", c.grid[0], c.grid[1], c.grid[2], c.block[0],
                     c.block[1], c.block[2]);
}

std::string configuration_text(const analysis::Session& session, const analysis::Configuration& c) {
  std::vector<std::string> parts;
  if (auto grid = grid_text(session, c); !grid.empty()) parts.push_back(std::move(grid));
  if (c.registers > 0) parts.push_back(fmt::format("{} registers", c.registers));
  if (c.registers + c.static_shared_memory + c.dynamic_shared_memory > 0)
    parts.push_back(fmt::format("{} B + {} B shared", c.static_shared_memory, c.dynamic_shared_memory));
  if (!c.variant.empty()) parts.push_back(c.variant);
  return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace jitterscope::engine
