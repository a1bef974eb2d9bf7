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
  int bins = 100;                  ///< 1 … 10,000
  bool log = false;                ///< equal steps of the logarithm; values ≤ 0 are counted in `outside`
  std::string base = {};           ///< filter that both histograms obey ("kernel = 3"); empty: all launches
  bool time = false;               ///< also how long the launches of each bin took
  std::string group_by = {};       ///< column that divides the selected launches; empty: not
};
inline constexpr double kPercentiles[] = {5, 25, 50, 75, 90, 95, 99, 99.9};
inline constexpr std::size_t kMostGroups = 8;

/// The selected launches with one value of the column that divides them.
struct DistributionGroup {
  double code = 0;   ///< value of the column; NaN for those without one
  bool rest = false; ///< all that have no group of their own
  std::int64_t n = 0;
  std::vector<std::int64_t> counts; ///< per bin
  std::int64_t sum_ns = 0;          ///< of the values, each rounded; of columns in ns
};

/// Histogram of a column over all launches (that obey `base`) and over the selected ones of them.
struct Distribution {
  std::string column, unit;
  bool log = false;
  std::vector<double> edges; ///< bins + 1, ascending; the last bin includes its upper edge
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> selected;
  std::vector<std::int64_t> all_ns, selected_ns; ///< Σ duration of the launches of each bin, where asked for
  std::vector<DistributionGroup>
      groups;                      ///< the kMostGroups largest, largest first, then the rest; where asked for
  Statistics statistics;           ///< exact, of the selected launches
  std::vector<double> percentiles; ///< kPercentiles of the selected launches, exact; empty without any
  std::vector<Mode> modes;         ///< of the selected launches on this scale
  std::int64_t rows = 0;           ///< launches with a value
  std::int64_t missing = 0;        ///< launches without one
  std::int64_t outside = 0;        ///< ≤ 0 on a log scale
};

/// Collective; complete on rank 0 (counts on every rank). Errors: BadUse.
Expected<Distribution> distribution(const Session& session, const LaunchColumns& columns,
                                    const Selection& selection, const DistributionOptions& options,
                                    Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
