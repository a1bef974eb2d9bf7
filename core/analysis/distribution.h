#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/selection.h"
#include "core/analysis/statistics.h"

namespace jitterscope::analysis {

struct DistributionOptions {
  std::string column = "duration"; ///< numeric column of launches
  int bins = 100;                  ///< 1 … 10,000
  bool log = false;                ///< equal steps of the logarithm; values ≤ 0 are counted in `outside`
  std::string base = {};           ///< filter that both histograms obey ("kernel = 3"); empty: all launches
};

/// Histogram of a column over all launches (that obey `base`) and over the selected ones of them.
struct Distribution {
  std::string column, unit;
  bool log = false;
  std::vector<double> edges; ///< bins + 1, ascending; the last bin includes its upper edge
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> selected;
  Statistics statistics;    ///< exact, of the selected launches
  std::int64_t rows = 0;    ///< launches with a value
  std::int64_t missing = 0; ///< launches without one
  std::int64_t outside = 0; ///< ≤ 0 on a log scale
};

/// Collective; complete on rank 0 (counts on every rank). Errors: BadUse.
Expected<Distribution> distribution(const Session& session, const LaunchColumns& columns,
                                    const Selection& selection, const DistributionOptions& options,
                                    Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
