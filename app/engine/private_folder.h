#pragma once

#include <QString>
#include <memory>

namespace jitterscope::app {

/// A folder that only this user can read, removed with the object. A lock on a file in it shows that its
/// process lives: the system releases it however the process ends, so that what was left can be recognised in
/// any process namespace and whatever process has its id by then.
class PrivateFolder {
public:
  /// In `base`; null when none can be made there.
  static std::unique_ptr<PrivateFolder> make(const QString& base);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const QString& path() const { return path_; }
  QString file(const QString& name) const { return path_ + "/" + name; }

  /// Removes folders in `base` that ended processes of this user left. Several processes may do so at a time.
  static void remove_abandoned(const QString& base);

private:
  PrivateFolder(QString path, int lock) : path_(std::move(path)), lock_(lock) {}
  QString path_;
  int lock_; ///< descriptor
};

} // namespace jitterscope::app
