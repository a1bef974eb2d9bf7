#include "app/session/autosave.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QStandardPaths>
#include <QUuid>

namespace jitterscope::app {
namespace {

constexpr const char* kLeft = ".left"; ///< ending of sessions taken over from another window

} // namespace

Autosave::Autosave(const QString& folder, std::function<std::optional<SessionFile>()> current,
                   QObject* parent)
    : QObject(parent), folder_(folder), current_(std::move(current)) {
  timer_.setSingleShot(true);
  timer_.setInterval(1'500);
  connect(&timer_, &QTimer::timeout, this, &Autosave::save);
  constexpr int kCheckMilliseconds =
      5'000; // for docks, axes and marks, because not all parts of a session signal their changes
  check_timer_.setInterval(kCheckMilliseconds);
  connect(&check_timer_, &QTimer::timeout, this, &Autosave::save);
  check_timer_.start();
  QDir().mkpath(folder_);
  path_ = QDir(folder_).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces) + "." + kSessionSuffix);
  lock_ = std::make_unique<QLockFile>(path_ + ".lock");
  lock_->setStaleLockTime(0); // stale if its process is gone, regardless of age
  lock_->tryLock(0);
}

Autosave::~Autosave() = default;

QString Autosave::default_folder() {
  const QString own = qEnvironmentVariable("JITTERSCOPE_STATE");
  return QDir(own.isEmpty()
                  ? QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/jitterscope"
                  : own)
      .filePath("autosave");
}

QString Autosave::claim_leftover() {
  const auto files = QDir(folder_).entryInfoList(
      {QString("*.%1").arg(kSessionSuffix), QString("*.%1%2").arg(kSessionSuffix, kLeft)}, QDir::Files,
      QDir::Time);
  for (const auto& file : files) {
    if (file.absoluteFilePath() == QFileInfo(path_).absoluteFilePath()) continue;
    auto owner = file.absoluteFilePath();
    if (owner.endsWith(kLeft)) owner.chop(static_cast<int>(qstrlen(kLeft)));
    QLockFile other(owner + ".lock");
    other.setStaleLockTime(0);
    if (!other.tryLock(0)) continue; // the window that holds this lock is still open
    const QString mine = path_ + kLeft;
    QFile::remove(mine);
    if (QFile::rename(file.absoluteFilePath(), mine)) return mine;
  }
  return {};
}

void Autosave::remove(const QString& path) {
  QFile::remove(path);
}

void Autosave::changed() {
  if (!timer_.isActive()) timer_.start();
}

void Autosave::save() {
  timer_.stop();
  const auto session = current_();
  if (!session) return;
  const auto text = session_text(*session, path_);
  if (text == saved_ && QFile::exists(path_)) return;
  const auto written = write_session(*session, path_);
  saved_ = written ? text : std::string();
  if (!written && !reported_) emit failed(written.error());
  reported_ = !written;
}

void Autosave::finished() {
  timer_.stop();
  check_timer_.stop();
  QFile::remove(path_);
  if (settled_)
    QFile::remove(path_ + kLeft);
  else
    QFile::rename(path_ + kLeft, path_); // for the next window
  lock_->unlock();
}

} // namespace jitterscope::app
