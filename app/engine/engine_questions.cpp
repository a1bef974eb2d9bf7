#include "app/engine/engine_questions.h"

#include <QTimer>
#include <memory>
#include <vector>

namespace jitterscope::app {

namespace {

QString channel_of(const nlohmann::json& options) {
  return QString::fromStdString(options.value("channel", std::string()));
}

} // namespace

quint64 EngineQuestions::request(const std::string& operation, nlohmann::json options, const QString& doing,
                                 EngineLink::Handler handler) {
  const auto number = std::make_shared<quint64>(0);
  const QString channel = channel_of(options);
  drop_older(operation, channel);
  *number = engine_.request(operation, std::move(options),
                            [this, number, handler = std::move(handler)](Expected<engine::Answer> answer) {
                              // The answer may have been sent before the engine read the cancellation.
                              if (const auto of = running_.find(*number); of != running_.end()) {
                                if (of->second.dropped && answer) answer = Job::cancelled_error();
                                running_.erase(of);
                              }
                              emit finished(*number);
                              report_idle();
                              handler(std::move(answer));
                            });
  running_.emplace(*number, Running{operation, doing, channel});
  emit started(*number, doing);
  return *number;
}

quint64 EngineQuestions::ask(const std::string& operation, nlohmann::json options, const QString& doing,
                             Use use, Refuse refuse, Ended ended, ErrorKind refused) {
  const auto show = [this, operation, use = std::move(use)](const engine::Answer& answer) {
    emit answered(QString::fromStdString(operation));
    use(answer);
  };
  const bool lasting = operation != "open";
  if (auto kept = lasting ? kept_.find(operation, options) : nullptr)
    return hand_over(operation, options, std::move(kept), show, std::move(ended));
  auto asked = options;
  return request(operation, std::move(options), doing,
                 [this, operation, lasting, asked = std::move(asked), generation = generation_, doing, show,
                  refuse = std::move(refuse), ended = std::move(ended),
                  refused](Expected<engine::Answer> answer) {
                   if (answer) {
                     const auto kept = std::make_shared<const engine::Answer>(std::move(*answer));
                     if (lasting && generation == generation_) kept_.keep(operation, asked, kept);
                     show(*kept);
                     if (ended) ended();
                     return;
                   }
                   const bool dropped = answer.error().kind == ErrorKind::Cancelled ||
                                        engine_.state() == EngineLink::State::Stopped;
                   const auto kind = answer.error().kind;
                   if (!dropped && refuse && (kind == ErrorKind::BadInput || kind == refused))
                     refuse(answer.error());
                   else if (!dropped)
                     emit failed(answer.error(), doing, QString::fromStdString(operation));
                   if (ended) ended();
                 });
}

quint64 EngineQuestions::hand_over(const std::string& operation, const nlohmann::json& options,
                                   KeptAnswers::Kept answer, Use use, Ended ended) {
  for (const auto number : drop_older(operation, channel_of(options))) engine_.cancel(number);
  const quint64 number = next_kept_--;
  handed_over_.emplace(number, Running{operation, {}, channel_of(options)});
  QTimer::singleShot(
      0, this, [this, number, answer = std::move(answer), use = std::move(use), ended = std::move(ended)] {
        if (handed_over_.erase(number) > 0) use(*answer);
        if (ended) ended();
        report_idle();
      });
  return number;
}

std::vector<quint64> EngineQuestions::drop_older(const std::string& operation, const QString& channel) {
  const auto same = [&](const Running& of) { return of.operation == operation && of.channel == channel; };
  std::erase_if(handed_over_, [&](const auto& of) { return same(of.second); });
  std::vector<quint64> older;
  for (auto& [number, running] : running_)
    if (same(running)) running.dropped = true, older.push_back(number);
  return older;
}

void EngineQuestions::cancel(quint64 number) {
  if (handed_over_.erase(number) > 0) return;
  if (const auto running = running_.find(number); running != running_.end()) running->second.dropped = true;
  engine_.cancel(number);
}

void EngineQuestions::forget() {
  ++generation_;
  kept_.forget();
  handed_over_.clear();
}

void EngineQuestions::end_other() {
  --other_;
  report_idle();
}

QStringList EngineQuestions::cancel_all() {
  std::vector<quint64> numbers;
  QStringList names;
  for (auto& [number, running] : running_) {
    if (running.operation == "open" || running.operation == "tracks") continue;
    running.dropped = true;
    numbers.push_back(number);
    names << running.doing;
  }
  for (const auto number : numbers) engine_.cancel(number);
  names.removeDuplicates();
  return names;
}

void EngineQuestions::report_idle() {
  if (running_.empty() && other_ == 0) emit idle();
}

} // namespace jitterscope::app
