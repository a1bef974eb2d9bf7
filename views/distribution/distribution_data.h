#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

namespace jitterscope::views {

/// One value of the column that groups the selected rows, with its own histogram.
struct DistributionGroup {
  QString label;
  std::uint64_t n = 0;
  bool rest = false; ///< true for the group of all rows that have no group of their own
  std::vector<std::uint64_t> counts;
  QString filter;             ///< filter that selects the group; empty: none
  std::optional<double> mean; ///< in the data's unit, where known
  bool dimmed = false;        ///< another group is selected
};

/// A mode of the histogram of the selected rows: bins [first, last], highest at `bin`.
struct DistributionMode {
  int bin = 0, first = 0, last = 0;
  std::uint64_t n = 0;
};

struct DistributionPercentile {
  double percent = 50;
  double value = 0;
};

/// Histogram of one quantity. `edges` has one more entry than the counts and is equally spaced on the scale
/// given by `logScale` (edges > 0 then).
struct DistributionData {
  QString title; ///< "Duration of reset_d_changed"
  QString unit;  ///< "ns" is shown as durations
  bool logScale = false;
  bool logHeights = false; ///< bar heights on a log scale
  bool time = false;       ///< bars show the total time of the rows instead of their number
  std::uint64_t n = 0;
  std::uint64_t selectedN = 0;
  std::uint64_t missing = 0; ///< rows without a value
  std::uint64_t outside = 0; ///< rows that a log scale cannot show
  std::vector<double> edges;
  std::vector<std::uint64_t> all;
  std::vector<std::uint64_t> selected;              ///< selected rows by bin; empty: no selection
  std::vector<std::uint64_t> allTime, selectedTime; ///< total times by bin [ns], if `time`
  QString groupedBy;                                ///< grouping column: "stream"; empty: not grouped
  std::vector<DistributionGroup> groups;
  // Statistics of the selected rows.
  std::optional<double> mean, median, q1, q3, std, cv, minimum, maximum;
  std::vector<DistributionPercentile> percentiles;
  std::vector<DistributionMode> modes;

  bool empty() const { return all.empty() || edges.size() != all.size() + 1; }
};

} // namespace jitterscope::views
