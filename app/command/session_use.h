#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command/command.h"
#include "app/session/session_file.h"
#include "core/causal/base/result.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/statistics_options.h"

namespace jitterscope::app {

/// Replaces a session file among the inputs of a command by its files, and sets how they are read and which
/// metrics and efficiencies are columns. nullopt if the inputs are not a single session file. Errors: those
/// of read_session.
Expected<std::optional<SessionFile>> extract_session(std::vector<std::string>& files, CommonOptions& common);

/// Launches that the causal question of a session is about.
enum class QuestionRows {
  Own,       ///< all launches, or those that the command line selects
  Selection, ///< launches of the session's selection
  KeptBins   ///< launches of the kept bins
};

/// Adds the session's causal question: target, reading, stated knowledge, and the launches it refers to.
/// Options that have a value are kept, except the reading "automatic".
QuestionRows use_causal_choices(const SessionFile& session, engine::CausalOptions& options);

/// A causal answer, the question that was answered, and a remark if that question is not the requested one.
struct CausalAnswer {
  causal::CausalResult result;
  engine::answers::CausalAnswer rest; ///< without its `result`
  engine::CausalOptions question;
  std::string remark;
};

/// Answers a causal question. Where the launches of a session's selection do not show why durations vary, the
/// question is extended as in the window: to all launches of their kernels, then to all launches. Errors:
/// those of the operation "causal".
Expected<CausalAnswer> answer_causal(BlockingEngine& engine, const engine::CausalOptions& question,
                                     QuestionRows rows, const Job& job);

/// The session's comparison of its selected launches with their peers, as in the window; nullopt if no
/// launches are selected, or if they are not selected by time and none of them has peers. Errors: those of
/// the operation, except BadInput if `against` is empty.
Expected<std::optional<engine::answers::ContrastAnswer>>
answer_contrast(BlockingEngine& engine, const engine::SelectionOptions& selection, QuestionRows rows,
                const std::string& against, const Job& job);

/// The sentences of a causal answer that `contrast` does not contain.
std::vector<std::string> sentences_beyond(const std::optional<engine::answers::ContrastAnswer>& contrast,
                                          const causal::CausalResult& causal);

/// Adds the session's ranking and filter. An existing filter and metric are kept.
void use_bin_choices(const SessionFile& session, engine::BinsOptions& options);

/// Limits a question to the launches of the bins that the ranking keeps. Errors: those of the operation
/// "bins".
Expected<void> restrict_to_kept_bins(BlockingEngine& engine, engine::CausalOptions& question,
                                     engine::BinsOptions ranking, const Job& job);

} // namespace jitterscope::app
