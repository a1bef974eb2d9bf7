#include "app/engine/store_cache.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/import/import.h"
#include "core/import/readers_version.h"
#include "core/store/format/store.h"

namespace jitterscope::app {

InputFiles inputs_of_session(const nlohmann::json& info) {
  std::vector<std::string> paths;
  for (const auto& input : info.at("inputs"))
    for (const char* key : {"path", "store"}) paths.push_back(input.at(key).get<std::string>());
  return InputFiles(paths);
}

bool looks_like_store(const QString& file) {
  if (!QFileInfo(file).isFile()) return false; // opening a pipe would block
  QFile opened(file);
  return opened.open(QIODevice::ReadOnly) && opened.read(8) == QByteArray("\x89HDF\r\n\x1a\n", 8);
}

QString store_cache_folder() {
  QString folder = qEnvironmentVariable("JITTERSCOPE_CACHE");
  if (folder.isEmpty())
    folder = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + "/jitterscope";
  QDir().mkpath(folder);
  return folder;
}

namespace {

void add_to_key(QCryptographicHash& key, const QFileInfo& info) {
  key.addData(QString("%1|%2|%3\n")
                  .arg(info.canonicalFilePath())
                  .arg(info.size())
                  .arg(info.lastModified().toMSecsSinceEpoch())
                  .toUtf8());
}

// Adds a file to the key, with the files that a writing program left next to a database (-wal, -journal) and
// the companion files that are read with it.
void add_file_to_key(QCryptographicHash& key, const QString& file) {
  add_to_key(key, QFileInfo(file));
  for (const auto& path : import::companions_of(file.toStdString()))
    add_to_key(key, QFileInfo(QString::fromStdString(path)));
  for (const auto* suffix : {"-wal", "-journal"})
    if (const QFileInfo index_file(file + suffix); index_file.exists()) add_to_key(key, index_file);
}

// Adds all files of a folder, sorted by name: an added or removed file changes the key.
void add_folder_to_key(QCryptographicHash& key, const QString& folder) {
  QStringList files;
  QDirIterator entries(folder, QDir::Files, QDirIterator::Subdirectories);
  while (entries.hasNext()) files << entries.next();
  files.sort();
  for (const auto& file : files) add_to_key(key, QFileInfo(file));
}

constexpr double kBytesOfGigabyte = 1e9, kUsualLimit = 20; // [GB]

// Limit of the stores kept in the cache folder [B].
Expected<double> cache_limit() {
  const auto text = qEnvironmentVariable("JITTERSCOPE_CACHE_LIMIT");
  if (text.isEmpty()) return kUsualLimit * kBytesOfGigabyte;
  bool number = false;
  const double gigabytes = text.toDouble(&number);
  if (!number || !(gigabytes >= 0))
    return failure(ErrorKind::BadUse, "\"" + text.toStdString() + "\" is not a number of gigabytes", {},
                   "JITTERSCOPE_CACHE_LIMIT", "Set it to a number of at least 0, e.g. 50.");
  return gigabytes * kBytesOfGigabyte;
}

// The time of the last use of a store is its time of access: its time of modification identifies its content.
void mark_used(const QString& store) {
  QFile file(store);
  if (file.open(QIODevice::ReadOnly))
    file.setFileTime(QDateTime::currentDateTimeUtc(), QFileDevice::FileAccessTime);
}

// Removes the stores used longest ago until the others, except for `kept`, have at most `limit` bytes. Files
// whose names were not made by plan_open() are the user's own.
void limit_stores(const QString& folder, double limit, const QStringList& kept) {
  static const QRegularExpression kMade("-[0-9a-f]{16}\\.jts$");
  auto stores = QDir(folder).entryInfoList({"*.jts"}, QDir::Files | QDir::NoSymLinks);
  stores.removeIf([](const QFileInfo& store) { return !kMade.match(store.fileName()).hasMatch(); });
  std::sort(stores.begin(), stores.end(), [](const QFileInfo& a, const QFileInfo& b) {
    return a.fileTime(QFileDevice::FileAccessTime) > b.fileTime(QFileDevice::FileAccessTime);
  });
  double bytes = 0;
  for (const auto& store : stores) {
    if (kept.contains(store.filePath())) continue;
    bytes += static_cast<double>(store.size());
    if (bytes > limit) QFile::remove(store.filePath());
  }
}

} // namespace

QStringList mapping_list(const std::vector<std::string>& entries) {
  QStringList list;
  for (const auto& entry : entries) list << QString::fromStdString(entry);
  return list;
}

std::vector<std::string> mapping_entries(const QStringList& mapping) {
  std::vector<std::string> entries;
  for (const auto& entry : mapping) entries.push_back(entry.toStdString());
  return entries;
}

Expected<OpenPlan> plan_open(const QStringList& files, const QStringList& mapping) {
  OpenPlan plan;
  QCryptographicHash key(QCryptographicHash::Sha256);
  key.addData(QByteArray::number(static_cast<qlonglong>(store::kFormatVersion)));
  const auto readers = import::readers_version();
  key.addData(QByteArray(readers.data(), static_cast<int>(readers.size())));
  key.addData(mapping.join(QChar(0)).toUtf8());
  key.addData(qgetenv("TZ")); // time zone of logs with local times
  // Then stores are imported as well, because each contains one kind of rows and of collective kernels.
  const bool changed = std::any_of(mapping.begin(), mapping.end(), [](const QString& entry) {
    return (entry.startsWith("rows=") && entry != "rows=launches") || entry.startsWith("collective_kernels=");
  });
  for (const auto& file : files) {
    const QFileInfo info(file);
    if (!info.exists()) return failure(ErrorKind::BadInput, "the file does not exist", file.toStdString());
    if (!changed && !info.isDir() && looks_like_store(file)) {
      const auto same = [&](const QString& other) {
        return QFileInfo(other).canonicalFilePath() == info.canonicalFilePath();
      };
      if (std::any_of(plan.stores.begin(), plan.stores.end(), same))
        return failure(ErrorKind::BadUse, "the same store was named twice", file.toStdString(), {},
                       "Name every store once.");
      plan.stores << file;
      continue;
    }
    plan.to_import << file;
    if (info.isDir())
      add_folder_to_key(key, file);
    else
      add_file_to_key(key, file);
  }
  if (plan.to_import.isEmpty()) return plan;
  const QString name = QFileInfo(plan.to_import.first()).completeBaseName().left(40) + "-" +
                       QString::fromLatin1(key.result().toHex().left(16)) + ".jts";
  const auto folder = store_cache_folder();
  if (!QFileInfo(folder).isWritable())
    return failure(ErrorKind::Io, "the folder for imported traces cannot be written", folder.toStdString(),
                   {}, "Set JITTERSCOPE_CACHE to a writable folder.");
  plan.import_target = QDir(folder).filePath(name);
  plan.stores << plan.import_target;
  const auto limit = cache_limit();
  if (!limit) return forward(limit.error());
  if (QFileInfo::exists(plan.import_target) && store::Store::open(plan.import_target.toStdString())) {
    mark_used(plan.import_target);
    plan.to_import.clear();
  } else
    limit_stores(folder, *limit, plan.stores);
  return plan;
}

} // namespace jitterscope::app
