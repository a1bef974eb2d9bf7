#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "views/base/format.h"

namespace jitterscope::views {

/// One bin of the run.
struct BinRow {
  std::uint32_t index = 0; ///< bin number b: it covers [origin + b·width, origin + (b+1)·width)
  Nanoseconds start;
  std::uint64_t n = 0;      ///< launches that start in it
  double value = 0;         ///< the ranked statistic, in BinsData::unit
  double share = 0;         ///< value / sum over all bins, 0..1; < 0 where shares mean nothing
  bool kept = false;        ///< among the top share
  QString why;              ///< "reset_d_changed 83 %, max 570 µs"
  Nanoseconds lastEnd = {}; ///< when the last launch that starts in it ends
};

/// The answer of a ranking. `bins` stand in rank order, the highest first.
struct BinsData {
  AxisUnit axis = AxisUnit::Time; ///< what origin, width and starts count
  Nanoseconds origin;
  Nanoseconds width;
  Interval span;
  QString metric;    ///< "kernel variability"
  QString statistic; ///< "sum"
  QString unit;      ///< "ns" is shown as a duration
  QString top;       ///< "top 1 %"
  std::vector<BinRow> bins;
  std::uint64_t launches = 0;
};

} // namespace jitterscope::views
