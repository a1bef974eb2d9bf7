#pragma once

#include <string>
#include <vector>

namespace jitterscope::analysis {

/// Candidates for the name of a trace: the first file it was imported from and its store, as paths.
struct TraceOrigin {
  std::string source;
  std::string store;
};

/// A short unique name for each trace of a session: the file's name without folder and last extension. If
/// several files have the same name, the names of the stores are used; if these are not unique either, equal
/// file names are followed by " #2", " #3" …
std::vector<std::string> names_of_traces(const std::vector<TraceOrigin>& origins);

} // namespace jitterscope::analysis
