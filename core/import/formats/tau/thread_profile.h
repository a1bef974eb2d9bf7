#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/import/formats/tau/profile_file.h"

namespace jitterscope::import::tau {

/// Values of a function by metric, NaN where a metric does not list the function.
struct Sums {
  double calls = 0, subroutines = 0;
  std::vector<double> exclusive, inclusive;
};

struct ProfileRow {
  std::string name; ///< with callers and parameters (function_name.h)
  std::string group;
  Sums sums;
};

/// True for a metric in µs.
bool is_time(std::string_view metric);

/// All metrics of one thread, joined by the names of functions.
class ThreadProfile {
public:
  void add(ProfileFile file);

  const std::vector<std::string>& metrics() const { return metrics_; }
  /// Index of the metric that is the duration of rows: wall-clock time if recorded, else another time; none
  /// if there are only counters.
  std::optional<std::size_t> time() const { return time_; }
  const std::deque<ProfileRow>& functions() const { return functions_; }
  const std::vector<Event>& events() const { return events_; }
  /// Null if the first file does not state it.
  const std::string* property(std::string_view name) const { return description_.property(name); }
  bool on_gpu() const; ///< the thread represents a stream of a GPU

  /// Rows of functions() whose exclusive times add up to the time of the thread. A function with variants by
  /// parameter or, without them, by call path is replaced by these; what they do not cover is added to
  /// functions(). Variants that exceed their function (recursion, several parameters) are left out and
  /// counted.
  std::vector<std::size_t> disjoint_rows(RowIssues& issues);

private:
  std::vector<std::string> metrics_;
  std::optional<std::size_t> time_;
  std::deque<ProfileRow> functions_;                          // addresses of names stay valid
  std::unordered_map<std::string_view, std::size_t> by_name_; ///< name → index in functions_
  std::vector<Event> events_;
  ProfileFile description_;
};

} // namespace jitterscope::import::tau
