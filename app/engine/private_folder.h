#pragma once

#include <QString>
#include <memory>

namespace jitterscope::app {

/// A folder readable only by this user, removed with the object. A lock on a file in it shows that its
/// process is alive. The system releases the lock however the process ends, so abandoned folders are found in
/// any process namespace, even if the process id was reused.
class PrivateFolder {
public:
  /// Creates the folder in `base`; null if that fails.
  static std::unique_ptr<PrivateFolder> make(const QString& base);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const QString& path() const { return path_; }
  QString file(const QString& name) const { return path_ + "/" + name; }

  /// Removes folders in `base` that ended processes of this user left behind. Safe to run concurrently.
  static void remove_abandoned(const QString& base);

private:
  PrivateFolder(QString path, int lock) : path_(std::move(path)), lock_(lock) {}
  QString path_;
  int lock_; ///< file descriptor of the lock
};

} // namespace jitterscope::app
