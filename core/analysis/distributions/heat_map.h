#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

/// Change of a launch column over the run: counts of the selected launches in cells of time × value.
struct HeatMapOptions {
  std::string column = "duration";
  int columns = 200;    ///< number of equal intervals of time, 1 … 4,000
  int rows = 60;        ///< number of equal steps of the value or its logarithm, 1 … 1,000
  bool log = true;      ///< equal steps of the logarithm; values ≤ 0 are counted in `outside`
  Interval window = {}; ///< only launches that start in the window count; empty: all launches of the session
};

struct HeatMap {
  std::string column, unit;
  bool log = false;
  Interval window;
  int columns = 0;
  std::vector<double> edges;        ///< rows + 1 values, ascending; empty if there are no launches
  std::vector<std::int64_t> counts; ///< rows × columns, starting with the row of the smallest values
  std::int64_t n = 0;               ///< number of launches in the cells
  std::int64_t outside = 0;         ///< number of launches with a value ≤ 0 on a log scale
};

/// Collective; complete on rank 0. Errors: BadUse, Cancelled.
Expected<HeatMap> heat_map(const Session& session, const LaunchColumns& columns, const Selection& selection,
                           const HeatMapOptions& options, Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
