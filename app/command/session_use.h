#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command/command.h"
#include "app/session/session_file.h"

namespace jitterscope::app {

/// A session file among the inputs of a command stands for its files: they take its place, and how they are
/// read with them. None where the inputs are no single session file. Errors: those of read_session.
Expected<std::optional<SessionFile>> take_session(std::vector<std::string>& files, CommonOptions& common);

/// The session's question about causes as options of the engine's operation "causal": target, reading, what
/// was stated, and the launches that it was put to. What `options` says already stays. True: the launches are
/// those of kept bins.
bool use_causal_choices(const SessionFile& session, nlohmann::json& options);

/// Its ranking as options of the operation "bins", under its filter. What `options` says already stays.
void use_bin_choices(const SessionFile& session, nlohmann::json& options);

/// Limits a question to the launches of the bins that the ranking keeps. Errors: those of the operation
/// "bins".
Expected<void> restrict_to_kept_bins(BlockingEngine& engine, nlohmann::json& options,
                                     const nlohmann::json& ranking, const Job& job);

} // namespace jitterscope::app
