#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/analysis/events/event_details.h"

namespace jitterscope::analysis {

/// One launch with the values of all columns except those of the model of durations. Times are on the
/// session's axis.
struct LaunchDetails {
  struct Call {
    std::string name;
    std::uint32_t thread = 0; ///< resource
    std::int64_t start_ns = 0, duration_ns = 0;
  };
  std::size_t trace = 0;
  std::uint32_t kernel = 0; ///< of the session
  std::uint32_t stream = 0; ///< resource
  std::int64_t start_ns = 0;
  std::optional<std::int64_t> duration_ns;
  std::int64_t configuration_launches = 0;
  double configuration_mean_ns = 0;
  std::string variant; ///< of the configuration
  std::optional<Call> call;
  std::vector<EventField> fields; ///< of texts both the code and the text
};

/// Errors: BadUse when there is no such session row.
Expected<LaunchDetails> launch_details(const Session& session, const LaunchColumns& columns,
                                       std::int64_t row);

} // namespace jitterscope::analysis
