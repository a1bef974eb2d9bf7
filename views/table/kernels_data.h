#pragma once

#include <QString>
#include <cstdint>
#include <vector>

namespace jitterscope::views {

/// Statistics of one kernel over the range and filter in use; times in ns.
struct KernelRow {
  std::uint32_t id = 0;
  QString name;
  std::uint64_t count = 0;
  double total = 0;
  double mean = 0;
  double cv = 0; ///< standard deviation / mean; NaN for one launch
  double p50 = 0;
  double p75 = 0;
  double p90 = 0;
  double p99 = 0;
  double p999 = 0;
  double maximum = 0;
  double variability = 0; ///< Σ|d − mean of its configuration|
  double share = 0;       ///< variability / Σ variability of all kernels, 0..1
  QString shortName = {}; ///< short form shown if the name does not fit; empty: the name
};

struct KernelsData {
  std::vector<KernelRow> rows;
  QString range; ///< "whole run", "155.360 s – 155.370 s"
};

} // namespace jitterscope::views
