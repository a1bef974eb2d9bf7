#pragma once

#include <QStringList>
#include <optional>

#include "core/import/formats/table/preview.h"

namespace jitterscope::app {

/// A plain table among files that are to be opened.
struct TableFile {
  QString path;
  import::table::Preview found;  ///< what its columns are by their names and cells
  import::table::Preview chosen; ///< the same with what the user said, as far as that holds for this table
  bool remembered = false;       ///< the user has confirmed a table with this header before
};

/// The first plain table, with `mapping` (as import::parse_mapping reads it) or what is remembered of its
/// header. Reads files: not for the window's thread.
std::optional<TableFile> first_table(const QStringList& files, const QStringList& mapping = {});

/// Keeps what the user said about tables with this header in the settings.
void remember_mapping(const std::vector<std::string>& titles, const QStringList& mapping);

/// What is remembered for the first plain table of these files; empty for nothing. Reads files where anything
/// is remembered at all.
QStringList remembered_mapping(const QStringList& files);

} // namespace jitterscope::app
