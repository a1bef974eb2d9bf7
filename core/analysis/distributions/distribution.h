#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/statistics/modes.h"
#include "core/analysis/statistics/statistics.h"

namespace jitterscope::analysis {

struct DistributionOptions {
  std::string column = "duration"; ///< numeric column of launches
  int bins = 100;                  ///< number of bins, 1 … 10,000
  bool log = false;                ///< equal steps of the logarithm; values ≤ 0 are counted in `outside`
  std::string base = {};           ///< filter of both histograms ("kernel = 3"); empty: all launches
  bool time = false; ///< request all_ns and selected_ns: the total duration of the launches in each bin
  std::string group_by = {}; ///< column that divides the selected launches into groups; empty: none
};
inline constexpr double kPercentiles[] = {5, 25, 50, 75, 90, 95, 99, 99.9};
inline constexpr std::size_t kMaxGroups = 8;

/// The selected launches that have one value of the grouping column.
struct DistributionGroup {
  double code = 0;   ///< value of the grouping column; NaN: launches without a value
  bool rest = false; ///< the group of all launches that are in none of the other groups
  std::int64_t n = 0;
  std::vector<std::int64_t> counts; ///< number of launches per bin
  std::int64_t sum_ns = 0;          ///< sum of the values, each rounded; only for columns in ns
};

/// Histogram of a column over all launches (that pass `base`) and over the selected launches among them.
struct Distribution {
  std::string column, unit;
  bool log = false;
  std::vector<double> edges; ///< bins + 1 edges, ascending; the last bin includes its upper edge
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> selected;
  std::vector<std::int64_t> all_ns, selected_ns; ///< Σ duration of the launches in each bin, if requested
  std::vector<DistributionGroup>
      groups;            ///< the kMaxGroups largest groups, largest first, then the rest; if requested
  Statistics statistics; ///< exact statistics of the selected launches
  std::vector<double> percentiles; ///< kPercentiles of the selected launches, exact; empty if there are none
  std::vector<Mode> modes;         ///< modes of the selected launches on this scale
  std::int64_t rows = 0;           ///< launches with a value
  std::int64_t missing = 0;        ///< launches without a value
  std::int64_t outside = 0;        ///< launches with a value ≤ 0 on a log scale
};

/// Collective; complete on rank 0 (counts on every rank). Errors: BadUse.
Expected<Distribution> distribution(const Session& session, const LaunchColumns& columns,
                                    const Selection& selection, const DistributionOptions& options,
                                    Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
