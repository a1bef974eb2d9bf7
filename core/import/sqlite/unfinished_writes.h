#pragma once

#include <string>

#include "core/import/input/input.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import::sqlite {

/// The database at `path` as SQLite sees it: the file itself if no program left a write-ahead log
/// (`path`-wal) or a journal of an unfinished change (`path`-journal) next to it. Otherwise a copy in the
/// folder for temporary files, in which SQLite has applied the log or rolled back the change. Nothing is
/// written next to the file.
///
/// Issues added to `report`:
///   wal-read, journal-undone  the log or journal next to the file was applied
///   wal-ignored               it could not be applied: it is damaged, or there is no space for the copy
///   still-written             the file or its log changed during the copy
/// Errors: BadInput, Cancelled.
Expected<LocalFile> with_unfinished_writes(const std::string& path, store::ImportReport& report,
                                           const Job& job);

} // namespace jitterscope::import::sqlite
