#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

/// How a column of launches changes over the run: time × value, the selected launches counted in cells.
struct HeatMapOptions {
  std::string column = "duration";
  int columns = 200;    ///< of equal length in time, 1 … 4,000
  int rows = 60;        ///< of equal steps in the value or its logarithm, 1 … 1,000
  bool log = true;      ///< values ≤ 0 are counted in `outside`
  Interval window = {}; ///< launches that start in it; empty: all the session's launches
};

struct HeatMap {
  std::string column, unit;
  bool log = false;
  Interval window;
  int columns = 0;
  std::vector<double> edges;        ///< rows + 1 values, ascending; empty without any launch
  std::vector<std::int64_t> counts; ///< rows × columns, the row of the smallest values first
  std::int64_t n = 0;               ///< launches counted
  std::int64_t outside = 0;         ///< ≤ 0 on a log scale
};

/// Collective; complete on rank 0. Errors: BadUse, Cancelled.
Expected<HeatMap> heat_map(const Session& session, const LaunchColumns& columns, const Selection& selection,
                           const HeatMapOptions& options, Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
