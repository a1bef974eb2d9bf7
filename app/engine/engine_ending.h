#pragma once

#include <QLocalServer>
#include <QObject>
#include <QProcess>
#include <QTimer>
#include <memory>

#include "app/engine/private_folder.h"

namespace jitterscope::app {

/// A started engine with its resources.
struct EngineProcess {
  std::unique_ptr<PrivateFolder> folder; ///< contains the socket and Open MPI's session folder
  std::unique_ptr<PrivateFolder> shared; ///< shared memory of the ranks; null if they use the default folder
  std::unique_ptr<QLocalServer> server;  ///< owns the socket
  std::unique_ptr<QProcess> process;     ///< leader of a process group, so that its children can be ended too
  qint64 group = 0;
};

/// Terminates an engine asynchronously: the engine has two seconds to quit, if it was asked to, then gets
/// SIGTERM, and its process group gets SIGKILL 1.5 s later. The folders are removed once the process is gone.
/// The object then deletes itself. If the application ends first, it waits for all ending engines
/// (finish_all) after its windows have closed.
class EngineEnding : public QObject {
  Q_OBJECT

public:
  EngineEnding(EngineProcess engine, bool asked_to_quit, QObject* parent);
  ~EngineEnding() override;

  /// Completes the termination of all ending engines, within 4.5 s. Needs no event loop; called when the
  /// application ends.
  static void finish_all();

signals:
  /// The process has ended. Emitted exactly once.
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
