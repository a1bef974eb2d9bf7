#include "app/engine_questions.h"

#include <memory>
#include <vector>

namespace jitterscope::app {

quint64 EngineQuestions::request(const std::string& operation, nlohmann::json options, const QString& doing,
                                 EngineLink::Handler handler) {
  const auto number = std::make_shared<quint64>(0);
  *number = engine_.request(operation, std::move(options), [this, number, handler = std::move(handler)](Expected<engine::Answer> answer) {
    running_.erase(*number);
    emit finished(*number);
    tell_idle();
    handler(std::move(answer));
  });
  running_.emplace(*number, Running{operation, doing});
  emit started(*number, doing);
  return *number;
}

quint64 EngineQuestions::ask(const std::string& operation, nlohmann::json options, const QString& doing, Use use, Refuse refuse,
                             Ended ended) {
  return request(operation, std::move(options), doing,
                 [this, doing, use = std::move(use), refuse = std::move(refuse), ended = std::move(ended)](Expected<engine::Answer> answer) {
                   const bool dropped =
                       !answer && (answer.error().kind == ErrorKind::Cancelled || engine_.state() == EngineLink::State::Stopped);
                   if (answer) {
                     emit answered(doing);
                     use(*answer);
                   } else if (!dropped && refuse && answer.error().kind == ErrorKind::BadInput)
                     refuse(answer.error());
                   else if (!dropped)
                     emit failed(answer.error(), doing);
                   if (ended) ended();
                 });
}

void EngineQuestions::end_other() {
  --other_;
  tell_idle();
}

QStringList EngineQuestions::cancel_all() {
  std::vector<quint64> numbers;
  QStringList names;
  for (const auto& [number, running] : running_) {
    if (running.operation == "open" || running.operation == "tracks") continue;
    numbers.push_back(number);
    names << running.doing;
  }
  for (const auto number : numbers) engine_.cancel(number);
  names.removeDuplicates();
  return names;
}

void EngineQuestions::tell_idle() {
  if (running_.empty() && other_ == 0) emit idle();
}

} // namespace jitterscope::app
