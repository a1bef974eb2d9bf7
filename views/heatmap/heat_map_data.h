#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "views/base/format.h"

namespace jitterscope::views {

/// Time × value: number of rows in each cell. Columns are equal parts of `window`; cell rows are bounded by
/// neighbouring `edges`, which are equally spaced on the scale given by `logScale`.
struct HeatMapData {
  QString title; ///< "Duration over time · whole run"
  QString unit;
  AxisUnit axis = AxisUnit::Time;
  bool logScale = true;
  Interval window;
  int columns = 0;
  std::vector<double> edges;
  std::vector<std::uint64_t> counts; ///< rows × columns, the row of the smallest values first
  std::uint64_t n = 0;
  std::uint64_t outside = 0; ///< rows that a log scale cannot show

  int rows() const { return edges.empty() ? 0 : static_cast<int>(edges.size()) - 1; }
  bool empty() const { return n == 0 || columns < 1 || edges.size() < 2; }
};

} // namespace jitterscope::views
