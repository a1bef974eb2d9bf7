#pragma once

#include "core/analysis/columns/info.h"
#include "core/analysis/session/session.h"
#include "core/causal/answer/advice.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {

/// The tool that made the session's traces, by the first of their sources; `other` without a session.
inline causal::Tool tool_of(const Workspace& workspace) {
  if (!workspace.session || workspace.session->traces().empty()) return causal::Tool::other;
  const auto& sources = workspace.session->traces().front().store.manifest().sources;
  const auto format = sources.empty() ? std::string() : sources.front().format;
  const auto rows = analysis::rows_name(*workspace.session);
  return rows == "launches" || rows == "rows" ? causal::tool_of(format) : causal::host_tool_of(format);
}

} // namespace jitterscope::engine
