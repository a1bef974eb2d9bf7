#pragma once

#include <string>
#include <vector>

#include "core/import/records/draft.h"

namespace jitterscope::import {

/// What one call of a reader brought.
struct RunPart {
  std::string path;                                  ///< of its first file, or of the member of an archive
  DraftSizes from, to;                               ///< its rows
  std::size_t first_resource = 0, last_resource = 0; ///< that it was the first to name
};

/// A short name for each of several files, each different from the others: the file's name without folder and
/// endings, with the folder before it where names are the same.
std::vector<std::string> names_of_runs(const std::vector<std::string>& paths);

/// Where several files brought launches, the text column "run" of launches says which one: files that are
/// imported together are told apart like stores that are opened together. Processes of several files on one
/// host get the run's name behind theirs. Nothing is added where the launches come from one file, or where a
/// file has an own column of that name.
void tell_runs_apart(Draft& draft, const std::vector<RunPart>& parts);

} // namespace jitterscope::import
