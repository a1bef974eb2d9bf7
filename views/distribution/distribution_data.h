#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

namespace jitterscope::views {

/// Histogram of one quantity. `edges` has one more entry than the counts and is equally spaced in the scale
/// that `logScale` says (edges > 0 then).
struct DistributionData {
  QString title; ///< "Duration of kernel reset_d_changed"
  QString unit;  ///< "ns" is shown as durations
  bool logScale = false;
  std::uint64_t n = 0;
  std::uint64_t selectedN = 0;
  std::vector<double> edges;
  std::vector<std::uint64_t> all;
  std::vector<std::uint64_t> selected; ///< empty: no selection
  std::optional<double> mean;
  std::optional<double> median;
  std::optional<double> q1;
  std::optional<double> q3;

  bool empty() const { return all.empty() || edges.size() != all.size() + 1; }
};

} // namespace jitterscope::views
