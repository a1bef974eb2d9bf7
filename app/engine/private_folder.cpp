#include "app/engine/private_folder.h"

#include <QDir>
#include <QFile>

#include <cerrno>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace jitterscope::app {
namespace {

constexpr const char* kPrefix = "jitterscope-engine-";
constexpr const char* kLock = "/lock";

// The file may have been removed with its folder between opening and locking: the lock is valid only if the
// file still exists.
bool lock_and_check(int file) {
  struct stat status {};
  return ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

bool is_own_folder(const QByteArray& path, struct stat& status) {
  return ::lstat(path.constData(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

// A folder is locked immediately: if it has no lock after a minute, its process ended in between.
bool is_old(const struct stat& status) {
  constexpr time_t kSeconds = 60;
  return ::time(nullptr) - status.st_mtime > kSeconds;
}

} // namespace

std::unique_ptr<PrivateFolder> PrivateFolder::make(const QString& base) {
  constexpr int kTries = 10; // another process may consider a folder without a lock abandoned
  for (int i = 0; i < kTries; ++i) {
    QByteArray path = QFile::encodeName(base) + "/" + kPrefix + "XXXXXX";
    if (!::mkdtemp(path.data())) return nullptr; // mode 0700
    const int file = ::open((path + kLock).constData(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0 && lock_and_check(file))
      return std::unique_ptr<PrivateFolder>(new PrivateFolder(QFile::decodeName(path), file));
    if (file >= 0) ::close(file);
    QDir(QFile::decodeName(path)).removeRecursively();
  }
  return nullptr;
}

PrivateFolder::~PrivateFolder() {
  QDir(path_).removeRecursively();
  ::close(lock_);
}

void PrivateFolder::remove_abandoned(const QString& base) {
  const auto names =
      QDir(base).entryList({QString(kPrefix) + "*"}, QDir::Dirs | QDir::NoSymLinks | QDir::NoDotAndDotDot);
  for (const auto& name : names) {
    const auto path = QFile::encodeName(QDir(base).filePath(name));
    struct stat status {};
    if (!is_own_folder(path, status)) continue;
    const int file = ::open((path + kLock).constData(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) {
      if (errno == ENOENT && is_old(status)) ::rmdir(path.constData()); // removes only empty folders
      continue;                                                         // the folder is being made or removed
    }
    if (lock_and_check(file)) QDir(QFile::decodeName(path)).removeRecursively();
    ::close(file);
  }
}

} // namespace jitterscope::app
