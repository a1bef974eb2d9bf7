#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// Device and stream of each resource as texts that identify them: their numbers if these differ within a
/// rank, else texts that end in the number, such as "program process 12 stream 7".
class PlaceLabels {
public:
  explicit PlaceLabels(const Session& session);

  /// Empty for a resource that is not part of a device.
  const std::string& device(std::size_t trace, std::uint32_t resource) const {
    return devices_[trace][resource];
  }
  const std::string& stream(std::size_t trace, std::uint32_t resource) const {
    return streams_[trace][resource];
  }

private:
  std::vector<std::vector<std::string>> devices_, streams_; ///< by trace and resource
};

} // namespace jitterscope::analysis
