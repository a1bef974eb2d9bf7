#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/time.h"
#include "views/base/format.h"

namespace jitterscope::views {

/// Reason why the launches of a bin took longer than launches of the same configuration elsewhere.
struct BinReason {
  QString cause; ///< "GPC clock", the same for all bins with this reason; "differs only here: load"; empty:
                 ///< not explained by anything recorded
  QString text;  ///< "GPC clock 0.71 GHz, elsewhere 1.41 GHz", or why there is no cause
  double percent = 0; ///< share of the excess due to the cause; NaN where undefined
  bool less = false;  ///< the launches of the bin took less time than the same launches elsewhere
};

/// One bin of the run.
struct BinRow {
  std::uint32_t index = 0; ///< bin number b: it covers [origin + b·width, origin + (b+1)·width)
  Nanoseconds start;
  std::uint64_t n = 0; ///< launches that start in the bin
  double value = 0;    ///< value of the ranked statistic, in BinsData::unit
  double share = 0;    ///< value / sum over all bins, 0..1; < 0 where a share is undefined
  bool kept = false;   ///< true for bins that the ranking keeps
  QString why; ///< top kernel with its share, and maximum: "largest part: reset_d_changed 83 % · max 570 µs"
  Nanoseconds lastEnd = {}; ///< of kept bins: end of the last launch that starts in it; else of the bin
  std::shared_ptr<const BinReason> reason = {}; ///< null until known
};

/// Result of a ranking. `bins` are in rank order, the highest first.
struct BinsData {
  AxisUnit axis = AxisUnit::Time; ///< unit of origin, width and starts
  Nanoseconds origin;
  Nanoseconds width;
  Interval span;
  QString metric;    ///< "kernel variability"
  QString statistic; ///< "sum"
  QString unit;      ///< "ns" is shown as a duration
  QString top;       ///< "top 1 %"
  std::vector<BinRow> bins;
  std::uint64_t launches = 0;
  std::uint64_t missing = 0; ///< launches without a value of the metric, which causal answers omit
};

} // namespace jitterscope::views
