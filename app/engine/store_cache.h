#pragma once

#include <QString>
#include <QStringList>

#include "core/base/error.h"

namespace jitterscope::app {

/// What is to be opened: ready stores, and what has to be imported first.
struct OpenPlan {
  QStringList stores;    ///< in the order given
  QStringList to_import; ///< files that go into one new store; empty when nothing has to be imported
  QString import_target; ///< where that store will be (already listed in `stores`)
};

/// Sorts files and folders into stores and profiler files. Profiler files become one store in the user's
/// cache folder, named by their paths, sizes and times, so that opening them again is quick. Errors: BadInput
/// for missing files. A folder is known by the files in it. `mapping`: of the columns of plain tables, as
/// import::parse_mapping reads it; where it chooses other rows of analysis, a store is imported too.
Expected<OpenPlan> plan_open(const QStringList& files, const QStringList& mapping = {});

QStringList mapping_list(const std::vector<std::string>& entries);
std::vector<std::string> mapping_entries(const QStringList& mapping);

/// True when the file starts as an HDF5 file does.
bool looks_like_store(const QString& file);

/// Folder of imported stores: $JITTERSCOPE_CACHE or the user's cache folder; made when needed.
QString store_cache_folder();

} // namespace jitterscope::app
