#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/session/session_file.h"

class QLockFile;

namespace jitterscope::app {

/// Saves the session to disk while the window is open, so that nothing is lost when the program is killed.
/// Each window has its own file, guarded by a lock; the file of a dead process is offered to the next
/// window.
class Autosave : public QObject {
  Q_OBJECT

public:
  /// `folder` is created if needed; `current` returns the session to save, nullopt while none is open.
  Autosave(const QString& folder, std::function<std::optional<SessionFile>()> current,
           QObject* parent = nullptr);
  ~Autosave() override;

  /// $JITTERSCOPE_STATE or the user's folder for program data.
  static QString default_folder();
  /// Takes over the most recent session of a dead process for this window; empty if there is none. It is kept
  /// for the next window until settle_leftover().
  QString claim_leftover();
  /// The session taken over was restored or is not wanted: it is removed when the window closes.
  void settle_leftover() { settled_ = true; }
  /// Removes an abandoned session that is no longer needed.
  static void remove(const QString& path);

public slots:
  void changed();  ///< saves within two seconds; changes without this call are saved within six
  void save();     ///< saves now, unless the file is up to date
  void finished(); ///< the window closes normally: removes the file

signals:
  void failed(const jitterscope::Error& error); ///< emitted once, until saving works again

private:
  QString folder_, path_;
  std::unique_ptr<QLockFile> lock_;
  std::function<std::optional<SessionFile>()> current_;
  QTimer timer_, check_timer_;
  std::string saved_; ///< content of the file
  bool reported_ = false, settled_ = false;
};

} // namespace jitterscope::app
