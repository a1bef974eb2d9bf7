#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/session/session_file.h"

class QLockFile;

namespace jitterscope::app {

/// Keeps the session on disk while the window is open, so that nothing is lost when the program is killed.
/// Each window has a file of its own, guarded by a lock; what a dead process left is offered to the next
/// window.
class Autosave : public QObject {
  Q_OBJECT

public:
  /// `folder` is made when needed; `current` gives what is to be kept, nothing while no session is open.
  Autosave(const QString& folder, std::function<std::optional<SessionFile>()> current,
           QObject* parent = nullptr);
  ~Autosave() override;

  /// $JITTERSCOPE_STATE or the user's folder for program data.
  static QString usual_folder();
  /// A session that a dead process left, the newest; empty when there is none. It now belongs to this window.
  QString take_left_over();
  /// Removes a left-over session that is no longer wanted.
  static void remove(const QString& path);

public slots:
  void changed();  ///< to be saved within two seconds; what nobody tells of, within six
  void save();     ///< at once, unless the file says the same
  void finished(); ///< the window closes in peace: nothing has to be kept

signals:
  void failed(const jitterscope::Error& error); ///< once, until it works again

private:
  QString folder_, path_;
  std::unique_ptr<QLockFile> lock_;
  std::function<std::optional<SessionFile>()> current_;
  QTimer timer_, look_;
  std::string saved_; ///< text of the file
  bool told_ = false;
};

} // namespace jitterscope::app
