#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/tau/function_name.h"
#include "core/import/formats/tau/profile_file.h"

namespace jitterscope::import::tau {

/// Values of a function by metric, NaN where a metric does not list the function.
struct Sums {
  double calls = 0, subroutines = 0;
  std::vector<double> exclusive, inclusive;
};

struct ProfileRow {
  FunctionName name;
  std::string group;
  Sums sums;
};

/// All metrics of one thread.
struct ThreadProfile {
  std::vector<std::string> metrics;
  std::optional<std::size_t> time; ///< index of the metric that is the duration of rows; none: counters only
  std::vector<ProfileRow> functions;
  std::vector<Event> events;
  ProfileFile description; ///< of the first metric, for its properties

  bool on_gpu() const; ///< the thread represents a stream of a GPU
};

/// True for a metric in µs.
bool is_time(std::string_view metric);

/// Joins the metrics of one thread by the names of functions; `files` has at least one entry. The time is
/// wall-clock time if recorded, else another time.
ThreadProfile joined(std::vector<ProfileFile> files);

/// Rows whose exclusive times add up to the time of the thread. A function with variants by parameter or,
/// without them, by call path is replaced by these; what they do not cover remains as a row of the function.
/// Variants that exceed their function (recursion, several parameters) are left out and counted.
std::vector<ProfileRow> disjoint_rows(ThreadProfile& profile, RowIssues& issues);

} // namespace jitterscope::import::tau
