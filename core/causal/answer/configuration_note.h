#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/causal/base/result.h"
#include "core/causal/statistics/configuration_moments.h"

namespace jitterscope::causal {

/// With fewer configurations of a kernel than this, no column that is constant within configurations is
/// called a cause: any column can follow their order by chance.
inline constexpr std::int64_t kMinConfigurations = 10;

inline bool few_configurations(const ConfigurationCount& count) {
  return count.effective() < static_cast<double>(kMinConfigurations);
}

/// Note "few-configurations" for the columns with these labels; empty if there are enough configurations.
std::optional<Warning> note_on_configurations(const ConfigurationCount& count,
                                              const std::vector<std::string>& labels);

} // namespace jitterscope::causal
