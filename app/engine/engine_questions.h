#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <map>
#include <set>

#include "app/engine/engine_link.h"
#include "app/engine/kept_answers.h"

namespace jitterscope::app {

/// Name of the operation with these options, as failed() and answered() report it.
template <class Options>
QString operation_text() {
  return QString::fromStdString(engine::operation_name<Options>());
}

/// All unanswered requests to an engine: running ones can be listed and cancelled individually or
/// all together. Among requests with the same operation and channel, only the newest is answered.
class EngineQuestions : public QObject {
  Q_OBJECT

public:
  using Use = std::function<void(const engine::Answer&)>;
  using Refuse = std::function<void(const Error&)>;
  using Ended = std::function<void()>;

  explicit EngineQuestions(EngineLink& engine, QObject* parent = nullptr)
      : QObject(parent), engine_(engine) {}

  /// The handler is called once, from the event loop, with the answer or the error. `doing` is the name shown
  /// to the user.
  quint64 request(const engine::Request& request, const QString& doing, EngineLink::Handler handler);
  /// For views that only show answers: failures emit failed(), except for cancelled requests and
  /// those of a lost engine. `refuse` receives errors of the kinds BadInput and `refused` instead; `ended` is
  /// always called, last. Requests already answered in this session are served from the cache, also from the
  /// event loop, without a running request.
  quint64 ask(const engine::Request& request, const QString& doing, Use use, Refuse refuse = {},
              Ended ended = {}, ErrorKind refused = ErrorKind::BadInput);
  /// Counts other work as running, although it is not a request to this engine; end with end_other().
  void begin_other() { ++other_; }
  void end_other();

  bool keeps(const engine::Request& request) { return kept_.find(request) != nullptr; }
  /// Whether a request is running; false for requests that did not pass through this object.
  bool runs(quint64 number) const { return running_.count(number) > 0; }
  void cancel(quint64 number);
  /// For another session: discards all cached answers, and will not cache those of running requests.
  void forget();
  /// Cancels all requests except those that open a session, which are always required. Returns the names of
  /// the cancelled requests, each once.
  QStringList cancel_all();

signals:
  void started(quint64 number, const QString& doing);
  void finished(quint64 number);
  void failed(const jitterscope::Error& error, const QString& doing, const QString& operation);
  /// A request by ask() was answered; emitted before the answer is used.
  void answered(const QString& operation);
  void idle(); ///< no request is running any more

private:
  void report_idle();
  quint64 hand_over(const engine::Request& request, KeptAnswers::Kept answer, Use use, Ended ended);

  EngineLink& engine_;
  struct Running {
    std::string operation, channel;
    QString doing;
    bool dropped = false; ///< cancelled or replaced: an answer that still arrives is not used
  };
  /// As in the engine, a new request on a channel cancels earlier ones of its operation. Returns the running
  /// ones.
  std::vector<quint64> drop_older(const engine::Request& request);
  std::map<quint64, Running> running_; ///< running requests by number
  KeptAnswers kept_;
  int generation_ = 0;                     ///< session counter: answers of earlier sessions are not cached
  std::map<quint64, Running> handed_over_; ///< requests whose cached answers are being delivered
  quint64 next_kept_ = ~quint64{0};        ///< counts down, because the engine's numbers count up
  int other_ = 0;
};

} // namespace jitterscope::app
