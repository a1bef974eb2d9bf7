#pragma once

#include "core/analysis/session/session.h"
#include "core/causal/answer/advice.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {

/// The tool that made the session's traces, by the first of their sources; `other` without a session.
inline causal::Tool tool_of(const Workspace& workspace) {
  if (!workspace.session || workspace.session->traces().empty()) return causal::Tool::other;
  const auto& sources = workspace.session->traces().front().store.manifest().sources;
  return sources.empty() ? causal::Tool::other : causal::tool_of(sources.front().format);
}

} // namespace jitterscope::engine
