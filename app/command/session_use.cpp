#include "app/command/session_use.h"

#include <QFile>
#include <algorithm>

#include "app/engine/row_texts.h"
#include "app/engine/store_cache.h"
#include "app/session/questions.h"
#include "core/engine/messages/selection.h"

namespace jitterscope::app {

using nlohmann::json;

namespace {

/// Sets a text unless the command line gave it.
void set_unless_given(std::string& text, const std::string& value) {
  if (text.empty()) text = value;
}

} // namespace

Expected<std::optional<SessionFile>> extract_session(std::vector<std::string>& files, CommonOptions& common) {
  if (files.size() != 1 || !looks_like_session(QFile::decodeName(files.front().c_str()))) return std::nullopt;
  auto session = read_session(QFile::decodeName(files.front().c_str()));
  if (!session) return forward(session.error());
  files.clear();
  for (const auto& file : session->files) files.push_back(QFile::encodeName(file).toStdString());
  if (common.mapping.empty()) common.mapping = mapping_entries(session->mapping);
  const auto short_names = session->views.find("short_names"); // may be of another type in an edited file
  if (short_names != session->views.end() && *short_names == true) common.short_names = true;
  common.session_columns = session->views.value("columns", json::object());
  return std::optional(std::move(*session));
}

QuestionRows use_causal_choices(const SessionFile& session, engine::CausalOptions& options) {
  set_unless_given(options.target, session.causal.target);
  if (options.reading.empty() || options.reading == "automatic") options.reading = session.causal.reading;
  if (session.views.contains("knowledge") && options.knowledge.empty() && options.knowledge_file.empty()) {
    options.knowledge = session.views.at("knowledge").dump();
    options.knowledge_must_match = false; // as in the window: a selection may lack a column that the run has
  }
  const bool own_rows = !options.where.empty() || !options.intervals.empty();
  if (own_rows || session.causal.rows == CausalRows::All) return QuestionRows::Own;
  options.where = session.filter.toStdString();
  if (session.causal.rows == CausalRows::KeptBins) return QuestionRows::KeptBins;
  options.intervals = session.intervals;
  return QuestionRows::Selection;
}

Expected<CausalAnswer> answer_causal(BlockingEngine& engine, const engine::CausalOptions& question,
                                     QuestionRows rows, const Job& job) {
  const bool in_time = !question.intervals.empty();
  const bool selects = in_time || !question.where.empty();
  CausalAnswer asked;
  asked.question = question;
  auto answer = engine.run(question, job);
  const auto impossible = [&] { return !answer && answer.error().kind == ErrorKind::BadInput; };
  const auto ask_wider = [&](const WiderQuestion& wider) {
    asked.question = with_selection(question, wider.rows);
    asked.remark = row_text(wider.remark.toStdString());
    answer = engine.run(asked.question, job);
  };
  const auto why = [&] { return QString::fromStdString(answer.error().message); };
  if (rows == QuestionRows::Selection && in_time && impossible())
    if (const auto kernels = engine.run(with_selection(engine::KernelsOptions(), selection_in(question)), job)
                                 .and_then(engine::table_of<engine::answers::KernelsAnswer>))
      ask_wider(about_kernels(*kernels, question.where, why()));
  if (rows == QuestionRows::Selection && selects && impossible()) ask_wider(about_all_launches(why()));
  if (!answer) return forward(answer.error());
  auto rest = engine::table_of<engine::answers::CausalAnswer>(*answer);
  if (!rest) return forward(rest.error());
  auto result = causal::decode_result(std::exchange(rest->result, {}));
  if (!result) return forward(result.error());
  asked.result = std::move(*result), asked.rest = std::move(*rest);
  return asked;
}

Expected<std::optional<engine::answers::ContrastAnswer>>
answer_contrast(BlockingEngine& engine, const engine::SelectionOptions& selection, QuestionRows rows,
                const std::string& against, const Job& job) {
  const bool selects = !selection.intervals.empty() || !selection.where.empty();
  if (rows != QuestionRows::Selection || !selects) return std::nullopt;
  auto answer = engine.run(contrast_question(selection, against), job)
                    .and_then(engine::table_of<engine::answers::ContrastAnswer>);
  if (!answer && answer.error().kind == ErrorKind::BadInput && against.empty()) return std::nullopt;
  if (!answer) return forward(answer.error());
  if (answer->n == 0 && against.empty() && selection.intervals.empty()) return std::nullopt;
  return std::move(*answer);
}

std::vector<std::string> sentences_beyond(const std::optional<engine::answers::ContrastAnswer>& contrast,
                                          const causal::CausalResult& causal) {
  auto sentences = causal.sentences;
  if (contrast)
    std::erase_if(sentences, [&](const std::string& sentence) {
      return std::ranges::find(contrast->sentences, sentence) != contrast->sentences.end();
    });
  return sentences;
}

void use_bin_choices(const SessionFile& session, engine::BinsOptions& options) {
  set_unless_given(options.where, session.filter.toStdString());
  set_unless_given(options.metric, session.bins.metric);
  options.rank_by = session.bins.rank_by;
  options.top_count = session.bins.top_count;
  options.top_share = session.bins.top_share;
  if (session.bins.width_ns > 0) options.width_ns = session.bins.width_ns;
}

Expected<void> restrict_to_kept_bins(BlockingEngine& engine, engine::CausalOptions& question,
                                     engine::BinsOptions ranking, const Job& job) {
  ranking.where = question.where;
  auto bins = engine.run(ranking, job);
  if (!bins) return forward(bins.error());
  const Nanoseconds width{bins->document.at("width_ns").get<std::int64_t>()};
  question.intervals.clear();
  for (const auto& bin : bins->document.at("kept_bins")) {
    const Nanoseconds start{bin.at("start_ns").get<std::int64_t>()};
    question.intervals.push_back({start, start + width});
  }
  return {};
}

} // namespace jitterscope::app
