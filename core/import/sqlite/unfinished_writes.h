#pragma once

#include <string>

#include "core/import/input/input.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import::sqlite {

/// The database that `path` means to SQLite. Where a program left a write-ahead log (`path`-wal) or a journal
/// of a change it did not finish (`path`-journal) beside the file, this is a copy in the folder for temporary
/// files in which SQLite has taken the log in or the change back; otherwise the file itself. Nothing is
/// written beside the file.
///
/// Issues added to `report`:
///   wal-read, journal-undone  what stood beside the file was taken account of
///   wal-ignored               it could not be: it is damaged, or there is no room for the copy
///   still-written             the file or its log changed while they were copied
/// Errors: BadInput, Cancelled.
Expected<LocalFile> with_unfinished_writes(const std::string& path, store::ImportReport& report,
                                           const Job& job);

} // namespace jitterscope::import::sqlite
