#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/causal/base/result.h"
#include "core/causal/statistics/configuration_moments.h"

namespace jitterscope::causal {

/// With fewer configurations than this (counted for one kernel) nothing that is constant within them is
/// called a cause: any column can follow their order by chance.
inline constexpr std::int64_t kMinConfigurations = 10;

inline bool few_configurations(const ConfigurationCount& count) {
  return count.effective() < static_cast<double>(kMinConfigurations);
}

/// Note "few-configurations" with their number, for these columns (labels); empty if there are enough.
std::optional<Warning> note_on_configurations(const ConfigurationCount& count,
                                              const std::vector<std::string>& labels);

} // namespace jitterscope::causal
