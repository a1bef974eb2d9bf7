#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <map>
#include <set>

#include "app/engine/engine_link.h"
#include "app/engine/kept_answers.h"

namespace jitterscope::app {

/// Everything that is asked of an engine and not answered yet: what runs can be told, cancelled one by one or
/// all at once. Of requests with the same operation and option "channel" the engine answers the newest.
class EngineQuestions : public QObject {
  Q_OBJECT

public:
  using Use = std::function<void(const engine::Answer&)>;
  using Refuse = std::function<void(const Error&)>;
  using Ended = std::function<void()>;

  explicit EngineQuestions(EngineLink& engine, QObject* parent = nullptr)
      : QObject(parent), engine_(engine) {}

  /// The handler is called once, from the event loop, with the answer or what went wrong. `doing` names it to
  /// the user.
  quint64 request(const std::string& operation, nlohmann::json options, const QString& doing,
                  EngineLink::Handler handler);
  /// The same for views that show answers only: failures are told by failed(), a cancelled request and those
  /// of a lost engine by nothing. `refuse` gets errors of the kind BadInput instead; `ended` is called in any
  /// case, last. What was asked before in this session is answered from what is kept, from the event loop
  /// too, and nothing runs.
  quint64 ask(const std::string& operation, nlohmann::json options, const QString& doing, Use use,
              Refuse refuse = {}, Ended ended = {});
  /// Work that is not a question to this engine, as running; end_other() when it is over.
  void begin_other() { ++other_; }
  void end_other();

  bool keeps(const std::string& operation, const nlohmann::json& options) {
    return kept_.find(operation, options) != nullptr;
  }
  void cancel(quint64 number);
  /// Another session: nothing that was known of the one before is shown any more.
  void forget();
  /// All but opening a session, which nothing can be shown without. Returns what was ended, each name once.
  QStringList cancel_all();

signals:
  void started(quint64 number, const QString& doing);
  void finished(quint64 number);
  void failed(const jitterscope::Error& error, const QString& doing);
  void answered(const QString& doing); ///< what was asked by ask(), before its answer is used
  void idle();                         ///< nothing runs any more

private:
  void tell_idle();
  quint64 hand_over(const std::string& operation, const nlohmann::json& options, KeptAnswers::Kept answer,
                    Use use, Ended ended);

  EngineLink& engine_;
  struct Running {
    std::string operation;
    QString doing, channel;
  };
  std::map<quint64, Running> running_; ///< by number
  KeptAnswers kept_;
  int generation_ = 0;              ///< of sessions: answers of earlier ones are not kept
  std::set<quint64> handed_over_;   ///< kept answers on their way
  quint64 next_kept_ = ~quint64{0}; ///< counted down: the engine's numbers go up
  int other_ = 0;
};

} // namespace jitterscope::app
