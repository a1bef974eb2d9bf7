#pragma once

#include <QStringList>
#include <optional>

#include "core/import/formats/table/preview.h"

namespace jitterscope::app {

/// A plain table among the files to open.
struct TableFile {
  QString path;
  import::table::Preview found;  ///< column roles detected from names, cells and roles that the user chose
  import::table::Preview chosen; ///< column roles with the user's mapping, where it is valid for this table
  bool remembered = false;       ///< true if the user has confirmed a table with this header before
};

/// The first plain table, with `mapping` (as parsed by import::parse_mapping) or the mapping remembered for
/// its header. Reads files: do not call in the GUI thread.
std::optional<TableFile> first_table(const QStringList& files, const QStringList& mapping = {});

/// Stores the user's mapping for tables with this header in the settings.
void remember_mapping(const std::vector<std::string>& titles, const QStringList& mapping);

/// Remembered mapping for the first plain table of these files; empty if none. Reads files only if any
/// mapping is remembered.
QStringList remembered_mapping(const QStringList& files);

} // namespace jitterscope::app
