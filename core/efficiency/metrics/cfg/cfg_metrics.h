#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/efficiency/metrics/cfg/cfg_file.h"

namespace jitterscope::efficiency::metrics {

/// A window of a .cfg as a metric, or why it is none.
struct CfgMetric {
  std::string name;
  bool open = true;        ///< shown when Paraver loads the file; others are parts of composed windows
  std::string text;        ///< the definition; empty where the language does not cover the window
  std::string not_covered; ///< which function, in words; empty where it does
  std::string note;        ///< what differs from Paraver; empty without
};

struct CfgMetrics {
  std::vector<CfgMetric> windows;
  int histograms = 0; ///< left out: the histogram of a metric is part of the view
};

/// The windows of a .cfg in the order of the file. Threads of Paraver's GPU traces that stand for a stream
/// are streams here. Errors: BadInput with the line.
Expected<CfgMetrics> metrics_of_cfg(std::string_view text);

} // namespace jitterscope::efficiency::metrics
