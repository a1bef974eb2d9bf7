#pragma once

#include <QLocalServer>
#include <QObject>
#include <QProcess>
#include <QTimer>
#include <memory>

#include "app/engine/private_folder.h"

namespace jitterscope::app {

/// A started engine and the places that belong to it.
struct EngineProcess {
  std::unique_ptr<PrivateFolder> folder; ///< of the socket and of Open MPI's session
  std::unique_ptr<PrivateFolder>
      shared; ///< of memory that the ranks share; null where they use the usual place
  std::unique_ptr<QLocalServer> server; ///< owns the socket
  std::unique_ptr<QProcess> process;    ///< leads a process group: what it starts can be ended with it
  qint64 group = 0;
};

/// Ends an engine without waiting for it: the engine has two seconds to quit, if it was asked to, then gets
/// SIGTERM, and its process group SIGKILL 1.5 s later. The folders are removed once the process is gone. The
/// object then deletes itself. An application that ends before waits for the same end of all of them
/// (finish_all): its windows are closed by then.
class EngineEnding : public QObject {
  Q_OBJECT

public:
  EngineEnding(EngineProcess engine, bool asked_to_quit, QObject* parent);
  ~EngineEnding() override;

  /// Ends all engines that are still ending, within 4.5 s. Needs no event loop; called when the application
  /// ends.
  static void finish_all();

signals:
  /// Its process is gone. Emitted exactly once.
  void ended();

private:
  bool runs() const;
  void next_step();
  void kill_group();
  void process_gone();

  EngineProcess engine_;
  bool terminated_ = false, gone_ = false;
  QTimer patience_;
};

} // namespace jitterscope::app
