#pragma once

#include <string>
#include <vector>

#include "core/import/records/draft.h"

namespace jitterscope::import {

/// The rows added by one call of a reader.
struct RunPart {
  std::string path;                                  ///< path of its first file or archive member
  DraftSizes from, to;                               ///< sizes of the draft before and after the call
  std::size_t first_resource = 0, last_resource = 0; ///< rows of Draft::resources made by the call
};

/// A short name for each of several files, all different: the file's name without folder and extensions,
/// preceded by its folder where names are the same.
std::vector<std::string> names_of_runs(const std::vector<std::string>& paths);

/// Where several files hold launches, adds the text column "run" to the launches: files that are
/// imported together are distinguished like stores that are opened together. Processes of several files on
/// one host get the run's name appended. Nothing is added where all launches come from one file, or where a
/// file already has a column of that name.
void distinguish_runs(Draft& draft, const std::vector<RunPart>& parts);

} // namespace jitterscope::import
