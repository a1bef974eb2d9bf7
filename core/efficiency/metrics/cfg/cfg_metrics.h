#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/efficiency/metrics/cfg/cfg_file.h"

namespace jitterscope::efficiency::metrics {

/// A window of a .cfg as a metric, or the reason why it is not one.
struct CfgMetric {
  std::string name;
  bool open = true;        ///< shown when Paraver loads the file; others are parts of derived windows
  std::string text;        ///< the definition; empty if the language does not support the window
  std::string unsupported; ///< the unsupported function, in words; empty if supported
  std::string note;        ///< difference from Paraver; empty if there is none
};

struct CfgMetrics {
  std::vector<CfgMetric> windows;
  int histograms = 0; ///< skipped: the histogram of a metric is part of the view
};

/// The windows of a .cfg in the order of the file. Threads of Paraver's GPU traces that represent a stream
/// are streams here. Errors: BadInput with the line.
Expected<CfgMetrics> metrics_of_cfg(std::string_view text);

} // namespace jitterscope::efficiency::metrics
