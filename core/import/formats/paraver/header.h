#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace jitterscope::import::paraver {

struct Task {
  std::int64_t application = 0, number = 0; ///< numbers in the trace, from 1
  std::int64_t threads = 0;
  std::int64_t node = 0;         ///< number of the node, from 1; 0 if unknown
  std::int64_t first_thread = 0; ///< number of threads of all preceding tasks
};

/// The first line of a .prv: duration, unit and objects.
struct Header {
  std::int64_t duration = 0; ///< in the unit of the trace; the header may state a wrong value
  std::int64_t tick_ns = 1000;
  std::int64_t nodes = 0, applications = 0;
  std::vector<Task> tasks;
};

/// The first line of a .prv; some tools write its first word in capitals.
bool is_header(std::string_view line);

/// Nothing when the line is not a header; objects that cannot be parsed are left out.
std::optional<Header> parse_header(std::string_view line);

} // namespace jitterscope::import::paraver
