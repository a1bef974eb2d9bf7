#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/engine/engine_ending.h"
#include "core/base/error.h"
#include "core/base/job.h"
#include "core/engine/messages/frame.h"
#include "core/engine/messages/messages.h"

class QLocalSocket;

namespace jitterscope::app {

/// Settings for starting an engine. Empty paths have defaults: the engine next to the program, mpirun in
/// PATH.
struct EngineSetup {
  int ranks = 1; ///< 1 runs without MPI
  QString engine;
  QString mpirun;
  int start_limit_ms = 20'000; ///< ranks that are not ready by then are killed; one rank is then started
};

/// A running jitterscope-engine and the connection to it. Use it only in the main thread, because the engine
/// ends with the thread that started it. If the engine is lost, only the open requests fail.
class EngineLink : public QObject {
  Q_OBJECT

public:
  using Handler = std::function<void(Expected<engine::Answer>)>;
  enum class State { Stopped, Starting, Ready };

  explicit EngineLink(QObject* parent = nullptr);
  ~EngineLink() override; ///< does not wait for the engine, which ends as after stop()

  void start(const EngineSetup& setup);
  /// Asks the engine to quit, else terminates it (EngineEnding), without waiting: another engine may be
  /// started meanwhile. Open requests fail as cancelled. `ended` is called once the process is gone, from the
  /// event loop or at the end of the application; the link may be deleted by then.
  void stop(std::function<void()> ended = {});
  /// Whether processes of stopped or lost engines are still ending.
  bool ending() const { return findChild<EngineEnding*>() != nullptr; }

  State state() const { return state_; }
  int ranks() const { return ranks_; }
  /// States how the start differed from the request (no mpirun: one rank); otherwise empty.
  const QString& remark() const { return remark_; }
  /// Process id of the started program; 0 when stopped.
  qint64 processId() const;

  /// Sends a request, or queues it until the engine is ready. The handler is called exactly once, from the
  /// event loop, unless the link is deleted.
  quint64 request(const engine::Request& request, Handler handler);
  void cancel(quint64 number);
  bool busy() const { return !handlers_.empty(); }

signals:
  void ready(int ranks);
  void progress(quint64 number, qint64 done, qint64 total, QString what);
  /// Part of an answer before it is complete (operations_*.cpp document which operations send it, and
  /// with which option). Never emitted after the handler was called.
  void partial(quint64 number, const engine::Answer& so_far);
  /// The engine ended unexpectedly; `message` describes what happened.
  void lost(QString message);

private:
  void launch();
  void start_timed_out();
  void kill_group();
  void connected();
  void readSocket();
  void handle(engine::Frame frame);
  void finished();
  void lose(const QString& message);
  void fail_all(const Error& error);
  void send(const engine::Frame& frame);
  QString how_it_ended() const;
  EngineEnding* end(bool asked_to_quit);

  EngineSetup setup_;
  State state_ = State::Stopped;
  int ranks_ = 0;
  bool start_expired_ = false;
  QString remark_;
  EngineProcess engine_;
  QLocalSocket* socket_ = nullptr;
  engine::FrameReader reader_;
  QByteArray errors_;
  quint64 next_ = 1;
  std::map<quint64, Handler> handlers_;
  std::vector<engine::Frame> waiting_;
};

} // namespace jitterscope::app
