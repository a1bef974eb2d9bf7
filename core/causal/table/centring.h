#pragma once

#include "core/causal/base/value_names.h"
#include "core/causal/statistics/configuration_moments.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// The mean that is subtracted from a column before rows are compared.
enum class Centring {
  none,
  group,      ///< minus the mean of the configuration
  kernel,     ///< minus the mean of the kernel
  group_mean, ///< replaced by the mean of the configuration
};
inline constexpr ValueName<Centring> kCentringNames[] = {{Centring::none, "pooled"},
                                                         {Centring::group, "within"},
                                                         {Centring::kernel, "within kernel"},
                                                         {Centring::group_mean, "between"}};

} // namespace jitterscope::causal
