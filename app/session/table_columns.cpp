#include "app/session/table_columns.h"

#include <QCryptographicHash>
#include <QFile>

#include "app/engine/settings.h"
#include "app/engine/store_cache.h"
#include "core/import/preview_file.h"

namespace jitterscope::app {
namespace {

using import::table::Preview;

const QString kGroup = "tables";

QString key_of(const std::vector<std::string>& titles) {
  QCryptographicHash hash(QCryptographicHash::Sha256);
  for (const auto& title : titles) hash.addData(QByteArray::fromStdString(title).append('\0'));
  return kGroup + "/" + QString::fromLatin1(hash.result().toHex().left(16));
}

std::optional<Preview> preview_of(const QString& file, const import::TableMapping& mapping) {
  import::ImportOptions options;
  options.mapping = mapping;
  auto preview = import::preview_file(QFile::encodeName(file).toStdString(), options);
  return preview ? std::move(*preview) : std::nullopt;
}

// Preview of the file with a mapping. Updates `found`, so that mapping_between() `found` and the preview is
// this mapping.
std::optional<Preview> chosen_in(const QString& file, const QStringList& entries, Preview& found) {
  const auto mapping = import::parse_mapping(mapping_entries(entries));
  if (entries.isEmpty() || !mapping) return {};
  auto chosen = preview_of(file, *mapping);
  auto additions = *mapping; // without the roles that are removed
  for (auto& column : additions.columns)
    if (column && column->empty()) column.reset();
  const auto all = chosen ? preview_of(file, additions) : std::nullopt;
  if (!all) return chosen;
  copy_recognised_roles(*all, additions, found);
  copy_recognised_roles(*chosen, *mapping, found);
  return chosen;
}

bool any_remembered() {
  auto kept = settings();
  kept.beginGroup(kGroup);
  return !kept.childKeys().isEmpty();
}

} // namespace

std::optional<TableFile> first_table(const QStringList& files, const QStringList& mapping) {
  for (const auto& file : files) {
    auto found = preview_of(file, {});
    if (!found || (files.size() > 1 && import::is_log_next_to_a_trace(QFile::encodeName(file).toStdString())))
      continue;
    const auto kept = settings();
    const auto key = key_of(found->titles);
    const auto given = mapping.isEmpty() ? kept.value(key).toStringList() : mapping;
    auto chosen = chosen_in(file, given, *found);
    TableFile table{file, *found, chosen ? std::move(*chosen) : *found, kept.contains(key)};
    return table;
  }
  return {};
}

void remember_mapping(const std::vector<std::string>& titles, const QStringList& mapping) {
  settings().setValue(key_of(titles), mapping);
}

QStringList remembered_mapping(const QStringList& files) {
  if (!any_remembered()) return {};
  for (const auto& file : files)
    if (const auto found = preview_of(file, {}))
      return settings().value(key_of(found->titles)).toStringList();
  return {};
}

} // namespace jitterscope::app
