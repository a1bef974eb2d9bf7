#include "app/engine/engine_questions.h"

#include <QTimer>
#include <memory>
#include <vector>

#include "core/engine/messages/session_options.h"
#include "core/engine/messages/timeline_options.h"

namespace jitterscope::app {

quint64 EngineQuestions::request(const engine::Request& request, const QString& doing,
                                 EngineLink::Handler handler) {
  const auto number = std::make_shared<quint64>(0);
  drop_older(request);
  *number =
      engine_.request(request, [this, number, handler = std::move(handler)](Expected<engine::Answer> answer) {
        // The answer may have been sent before the engine read the cancellation.
        if (const auto of = running_.find(*number); of != running_.end()) {
          if (of->second.dropped && answer) answer = Job::cancelled_error();
          running_.erase(of);
        }
        emit finished(*number);
        report_idle();
        handler(std::move(answer));
      });
  running_.emplace(*number, Running{request.operation, request.channel, doing});
  emit started(*number, doing);
  return *number;
}

quint64 EngineQuestions::ask(const engine::Request& asked, const QString& doing, Use use, Refuse refuse,
                             Ended ended, ErrorKind refused) {
  const auto operation = QString::fromStdString(asked.operation);
  const auto show = [this, operation, use = std::move(use)](const engine::Answer& answer) {
    emit answered(operation);
    use(answer);
  };
  const bool lasting = !asked.is<engine::OpenOptions>();
  if (auto kept = lasting ? kept_.find(asked) : nullptr)
    return hand_over(asked, std::move(kept), show, std::move(ended));
  auto handler = [this, operation, lasting, asked, generation = generation_, doing, show,
                  refuse = std::move(refuse), ended = std::move(ended),
                  refused](Expected<engine::Answer> answer) {
    if (answer) {
      const auto kept = std::make_shared<const engine::Answer>(std::move(*answer));
      if (lasting && generation == generation_) kept_.keep(asked, kept);
      show(*kept);
      if (ended) ended();
      return;
    }
    const bool dropped =
        answer.error().kind == ErrorKind::Cancelled || engine_.state() == EngineLink::State::Stopped;
    const auto kind = answer.error().kind;
    if (!dropped && refuse && (kind == ErrorKind::BadInput || kind == refused))
      refuse(answer.error());
    else if (!dropped)
      emit failed(answer.error(), doing, operation);
    if (ended) ended();
  };
  return request(asked, doing, std::move(handler));
}

quint64 EngineQuestions::hand_over(const engine::Request& request, KeptAnswers::Kept answer, Use use,
                                   Ended ended) {
  for (const auto number : drop_older(request)) engine_.cancel(number);
  const quint64 number = next_kept_--;
  handed_over_.emplace(number, Running{request.operation, request.channel, {}});
  QTimer::singleShot(
      0, this, [this, number, answer = std::move(answer), use = std::move(use), ended = std::move(ended)] {
        if (handed_over_.erase(number) > 0) use(*answer);
        if (ended) ended();
        report_idle();
      });
  return number;
}

std::vector<quint64> EngineQuestions::drop_older(const engine::Request& request) {
  const auto same = [&](const Running& of) {
    return of.operation == request.operation && of.channel == request.channel;
  };
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
    if (running.operation == engine::operation_name<engine::OpenOptions>() ||
        running.operation == engine::operation_name<engine::TracksOptions>())
      continue;
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
