#include "app/session/recent_files.h"

#include <QFileInfo>
#include <algorithm>

#include "app/engine/settings.h"

namespace jitterscope::app {
namespace {

constexpr const char* kKey = "recent";

void store(const std::vector<QStringList>& sessions) {
  QVariantList list;
  for (const auto& files : sessions) list << QVariant(files);
  settings().setValue(kKey, list);
}

} // namespace

std::vector<QStringList> RecentFiles::list() {
  std::vector<QStringList> sessions;
  for (const auto& entry : settings().value(kKey).toList())
    if (const auto files = entry.toStringList(); !files.isEmpty()) sessions.push_back(files);
  return sessions;
}

void RecentFiles::add(const QStringList& files) {
  QStringList absolute;
  for (const auto& file : files) absolute << QFileInfo(file).absoluteFilePath();
  auto sessions = list();
  std::erase(sessions, absolute);
  sessions.insert(sessions.begin(), absolute);
  if (sessions.size() > kMaxFiles) sessions.resize(kMaxFiles);
  store(sessions);
}

void RecentFiles::forget(const QStringList& files) {
  auto sessions = list();
  std::erase(sessions, files);
  store(sessions);
}

void RecentFiles::clear() {
  store({});
}

QString RecentFiles::label(const QStringList& files) {
  const QFileInfo first(files.value(0));
  QString text = first.fileName();
  if (files.size() > 1) text += QString(" + %1").arg(files.size() - 1);
  return text + " · " + first.absolutePath();
}

} // namespace jitterscope::app
