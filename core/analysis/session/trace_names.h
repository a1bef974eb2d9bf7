#pragma once

#include <string>
#include <vector>

namespace jitterscope::analysis {

/// What a trace may be called after: the first file it was made of and the store that holds it, as paths.
struct TraceOrigin {
  std::string source;
  std::string store;
};

/// A short name for each trace of a session, each different from the others: the file's name without folder
/// and last ending; where several files are called the same, the store's; where these are too, followed by "
/// #2", " #3" …
std::vector<std::string> names_of_traces(const std::vector<TraceOrigin>& origins);

} // namespace jitterscope::analysis
