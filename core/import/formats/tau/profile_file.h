#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/records/reader.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::tau {

/// Maximum number of functions and events of a thread, and maximum size of their names [B].
inline constexpr std::size_t kMaxRows = 400'000, kMaxNames = std::size_t{64} << 20;

/// A function, a call path or a parameter variant of a function, with sums over its calls. Times are in µs,
/// counters in counts.
struct Function {
  std::string name, group;
  /// Number of calls of the function, and of calls from it to other functions
  double calls = 0, subroutines = 0;
  double exclusive = 0, inclusive = 0;
};

/// A user event: a quantity that the program or TAU reported several times.
struct Event {
  std::string name;
  double count = 0, maximum = 0, minimum = 0, mean = 0;
  double squares = 0; ///< sum of the squared values
};

/// One metric of one thread: the content of a file profile.NODE.CONTEXT.THREAD.
struct ProfileFile {
  std::string metric; ///< "TIME", "PAPI_TOT_INS"
  std::vector<Function> functions;
  std::vector<Event> events;
  std::map<std::string, std::string, std::less<>> metadata; ///< "Hostname", "TAU Version", "CUDA Device"

  /// Null if the file does not state it.
  const std::string* property(std::string_view name) const;
};

/// True for a text that begins with "23 templated_functions_MULTI_TIME".
bool is_profile(std::string_view head);

/// Errors: BadInput if the first line is not that of a profile or there are too many lines; Cancelled.
/// Lines that cannot be read are counted in `issues`.
Expected<ProfileFile> read_profile(const Input& input, RowIssues& issues, const Progress& progress);

} // namespace jitterscope::import::tau
