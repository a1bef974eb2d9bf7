#pragma once

#include <QString>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/efficiency/metrics/cfg/cfg_metrics.h"

namespace jitterscope::app {

/// A metric's text under a name: shipped with the program (resources/metrics) or from a *.metric file.
struct NamedMetric {
  QString name;  ///< "gpu-busy": the file name without extension
  QString title; ///< "GPU busy"
  QString help;
  std::string text;
  bool of_gpu = false; ///< needs records of a GPU: launches, memory operations or device counters
};

/// The shipped metrics in the order of the help page.
const std::vector<NamedMetric>& shipped_metrics();
/// Finds a shipped metric; BadUse lists the existing names.
Expected<NamedMetric> shipped_metric(const QString& name);
/// Text with which a new metric begins: of devices, else of host threads.
std::string new_metric(bool of_devices);
/// Metrics that are shown first: of devices, else of host threads.
std::vector<NamedMetric> default_metrics(bool of_devices);
/// Reads a definition from a file. Errors name the file and the position in it.
Expected<NamedMetric> metric_from_file(const QString& path);
/// The windows of a Paraver configuration (*.cfg). Errors name the file and the line.
Expected<efficiency::metrics::CfgMetrics> metrics_from_cfg(const QString& path);
/// Writes a definition.
Expected<void> save_metric(const QString& path, const std::string& text);

} // namespace jitterscope::app
