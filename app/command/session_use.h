#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command/command.h"
#include "app/session/session_file.h"

namespace jitterscope::app {

/// Replaces a session file among the inputs of a command by its files, and sets how they are
/// read. nullopt if the inputs are not a single session file. Errors: those of read_session.
Expected<std::optional<SessionFile>> extract_session(std::vector<std::string>& files, CommonOptions& common);

/// Adds the session's causal question as options of the engine's operation "causal": target, reading,
/// stated knowledge, and the launches it refers to. Keys of `options` that have a value are kept, except the
/// reading "automatic". Returns true if the question refers to the launches of the kept bins.
bool use_causal_choices(const SessionFile& session, nlohmann::json& options);

/// Adds the session's ranking and filter as options of the operation "bins". An existing filter and metric
/// are kept.
void use_bin_choices(const SessionFile& session, nlohmann::json& options);

/// Limits a question to the launches of the bins that the ranking keeps. Errors: those of the operation
/// "bins".
Expected<void> restrict_to_kept_bins(BlockingEngine& engine, nlohmann::json& options,
                                     const nlohmann::json& ranking, const Job& job);

} // namespace jitterscope::app
