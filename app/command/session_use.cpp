#include "app/command/session_use.h"

#include <QFile>
#include <algorithm>

#include "app/engine/row_texts.h"
#include "app/engine/store_cache.h"
#include "app/session/questions.h"

namespace jitterscope::app {

using nlohmann::json;

namespace {

/// Sets a key unless the command line gave it; empty texts and null count as not given.
void set_unless_given(json& options, const char* key, json value) {
  const auto found = options.find(key);
  const bool given = found != options.end() && *found != json("") && !found->is_null();
  if (!given) options[key] = std::move(value);
}

json intervals_of(const SessionFile& session) {
  json intervals = json::array();
  for (const auto& each : session.intervals) intervals.push_back({each.begin.count, each.end.count});
  return intervals;
}

} // namespace

Expected<std::optional<SessionFile>> extract_session(std::vector<std::string>& files, CommonOptions& common) {
  if (files.size() != 1 || !looks_like_session(QFile::decodeName(files.front().c_str()))) return std::nullopt;
  auto session = read_session(QFile::decodeName(files.front().c_str()));
  if (!session) return forward(session.error());
  files.clear();
  for (const auto& file : session->files) files.push_back(QFile::encodeName(file).toStdString());
  if (common.mapping.empty()) common.mapping = mapping_entries(session->mapping);
  common.session_columns = session->views.value("columns", json::object());
  return std::optional(std::move(*session));
}

QuestionRows use_causal_choices(const SessionFile& session, json& options) {
  set_unless_given(options, "target", session.causal.target);
  if (options.value("reading", std::string("automatic")) == "automatic")
    options["reading"] = session.causal.reading;
  if (session.views.contains("knowledge")) {
    const auto given = options.find("knowledge");
    if (given == options.end() || *given == json("")) {
      options["knowledge"] = session.views.at("knowledge");
      options["knowledge_must_match"] =
          false; // as in the window: a selection may lack a column that the run has
    }
  }
  const bool own_rows = !options.value("where", std::string()).empty() || options.contains("intervals");
  if (own_rows || session.causal.rows == CausalRows::All) return QuestionRows::Own;
  options["where"] = session.filter.toStdString();
  if (session.causal.rows == CausalRows::KeptBins) return QuestionRows::KeptBins;
  if (!session.intervals.empty()) options["intervals"] = intervals_of(session);
  return QuestionRows::Selection;
}

namespace {

/// The question about the launches that `rows` selects ("where", "intervals") instead of its own.
json with_rows(json question, const json& rows) {
  question.erase("where");
  question.erase("intervals");
  question.update(rows);
  return question;
}

} // namespace

Expected<CausalAnswer> answer_causal(BlockingEngine& engine, const json& question, QuestionRows rows,
                                     const Job& job) {
  const bool in_time = question.contains("intervals");
  const bool selects = in_time || !question.value("where", std::string()).empty();
  CausalAnswer asked{{}, question, {}};
  auto answer = engine.run("causal", question, job);
  const auto impossible = [&] { return !answer && answer.error().kind == ErrorKind::BadInput; };
  const auto ask_wider = [&](const WiderQuestion& wider) {
    asked.question = with_rows(question, wider.rows);
    asked.remark = row_text(wider.remark.toStdString());
    answer = engine.run("causal", asked.question, job);
  };
  const auto why = [&] { return QString::fromStdString(answer.error().message); };
  if (rows == QuestionRows::Selection && in_time && impossible()) {
    const json selection = {{"where", question.value("where", std::string())},
                            {"intervals", question.at("intervals")}};
    if (const auto kernels = engine.run("kernels", selection, job))
      ask_wider(about_kernels(kernels->document, why()));
  }
  if (rows == QuestionRows::Selection && selects && impossible()) ask_wider(about_all_launches(why()));
  if (!answer) return forward(answer.error());
  asked.answer = std::move(*answer);
  return asked;
}

Expected<json> answer_contrast(BlockingEngine& engine, const json& question, QuestionRows rows,
                               const std::string& against, const Job& job) {
  const bool selects = question.contains("intervals") || !question.value("where", std::string()).empty();
  if (rows != QuestionRows::Selection || !selects) return json();
  auto answer = engine.run("contrast", contrast_question(question, against), job);
  if (!answer && answer.error().kind == ErrorKind::BadInput && against.empty()) return json();
  if (!answer) return forward(answer.error());
  if (answer->document.at("n") == 0 && against.empty() && !question.contains("intervals")) return json();
  return std::move(answer->document);
}

std::vector<std::string> sentences_beyond(const json& contrast, const json& causal) {
  auto sentences = causal.at("sentences").get<std::vector<std::string>>();
  if (contrast.is_null()) return sentences;
  const auto known = contrast.at("sentences").get<std::vector<std::string>>();
  std::erase_if(sentences, [&](const std::string& sentence) {
    return std::find(known.begin(), known.end(), sentence) != known.end();
  });
  return sentences;
}

void use_bin_choices(const SessionFile& session, json& options) {
  set_unless_given(options, "where", session.filter.toStdString());
  set_unless_given(options, "metric", session.bins.metric);
  options["rank_by"] = session.bins.rank_by;
  options["top_count"] = session.bins.top_count;
  options["top_share"] = session.bins.top_share;
  if (session.bins.width_ns > 0) options["width_ns"] = session.bins.width_ns;
}

Expected<void> restrict_to_kept_bins(BlockingEngine& engine, json& options, const json& ranking,
                                     const Job& job) {
  json question = ranking;
  question["where"] = options.value("where", std::string());
  auto bins = engine.run("bins", question, job);
  if (!bins) return forward(bins.error());
  const auto width = bins->document.at("width_ns").get<std::int64_t>();
  options["intervals"] = json::array();
  for (const auto& bin : bins->document.at("kept_bins")) {
    const auto start = bin.at("start_ns").get<std::int64_t>();
    options["intervals"].push_back({start, start + width});
  }
  return {};
}

} // namespace jitterscope::app
