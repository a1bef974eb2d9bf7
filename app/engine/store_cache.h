#pragma once

#include <QString>
#include <QStringList>

#include <nlohmann/json_fwd.hpp>

#include "core/base/error.h"
#include "core/base/output_file.h"

namespace jitterscope::app {

/// Files to open: existing stores, and files to import first.
struct OpenPlan {
  QStringList stores;    ///< paths of the stores, in the order of the files given
  QStringList to_import; ///< files imported into one new store; empty if no import is needed
  QString import_target; ///< path of that store (already listed in `stores`)
};

/// Classifies files and folders as stores or profiler files. Profiler files become one store in the user's
/// cache folder, named by their paths, sizes and times, so that opening them again is fast. Errors: BadInput
/// for missing files, Io if the cache folder cannot be written, BadUse for a bad limit or a store named
/// twice. A folder is identified by its files. Before an import, the stores used longest ago are removed
/// until the others fit into $JITTERSCOPE_CACHE_LIMIT gigabytes; programs that have them open keep their
/// content. `mapping`: columns of plain tables, as parsed by import::parse_mapping; if it selects other
/// analysis rows, a store is imported as well.
Expected<OpenPlan> plan_open(const QStringList& files, const QStringList& mapping = {});

QStringList mapping_list(const std::vector<std::string>& entries);
std::vector<std::string> mapping_entries(const QStringList& mapping);

/// Stores of an opened session and the files that they were imported from; `info`: its info document.
InputFiles inputs_of_session(const nlohmann::json& info);

/// True when the file starts as an HDF5 file does.
bool looks_like_store(const QString& file);

/// Folder of imported stores: $JITTERSCOPE_CACHE or the user's cache folder; created when needed.
QString store_cache_folder();

} // namespace jitterscope::app
