#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/job.h"
#include "core/causal/base/result.h"
#include "core/causal/base/row_source.h"
#include "core/causal/discovery/discovery.h"

namespace jitterscope::causal {

/// Which edge of an answer to show.
struct EvidenceQuestion {
  std::string from;               ///< column of the graph: "migration_ns > 0", "stream 13", "gap_ns"
  std::string to;                 ///< column of the graph, or the target
  std::vector<std::string> given; ///< the other parents of `to`: held at their means in the partial plot
  std::string reading;            ///< reading of `from`: "pooled", "within", "within kernel" or "between"
};

/// Scale of a plot axis: equal steps of t(v) = v, or of asinh(v / knee) where one extreme value would
/// compress all others into a line.
struct EvidenceAxis {
  std::string name, label, unit;
  double minimum = 0, maximum = 0; ///< range of the values shown
  double knee = 0;                 ///< knee of asinh(v / knee); 0: the axis is linear
  double scaled(double value) const { return knee > 0 ? std::asinh(value / knee) : value; }
};

/// A scatter plot: cells of equal size in the axes' scales and, if they are few, the rows themselves.
struct EvidenceScatter {
  EvidenceAxis x, y;
  int columns = 0, rows = 0;
  std::vector<std::uint32_t> counts; ///< column · rows + row, from the smallest values up
  std::vector<double> point_x, point_y;
  std::vector<std::int64_t> point_row; ///< row number in the source of the table (RowSource::origin_of)
};

/// The data of the rows that support an edge.
///
/// partial: an added-variable plot (Cook and Weisberg 1982, section 2.3). Shows both variables minus their
/// least-squares prediction from the other parents, plus their means, so that the axes keep their units.
/// Values are centred as in the search for the edge: for the readings "within" and "within kernel" minus the
/// mean of the configuration or kernel, plus the mean over all. The line is the least-squares line; its slope
/// is the coefficient of `from` in the regression of `to` on all parents (Frisch and Waugh 1933). The axes
/// are linear.
///
/// measured: the axes have a knee where they need one.
///
/// with, without: the rows in which the cause happened and those in which it did not; for a numeric factor of
/// which at most half of the values are 0, those above and not above its median. If most rows have one value
/// and few are above it, those with this value or more, and those below.
struct Evidence {
  EvidenceScatter measured; ///< the recorded values
  EvidenceScatter partial;
  double slope = 0; ///< units of `to` per unit of `from`
  Range slope_ci;   ///< 95 % interval of `slope`, block bootstrap
  std::vector<double> line_x, line_y, line_low,
      line_high;             ///< line of the partial plot, with a pointwise 95 % band
  bool event = false;        ///< `from` is 0 or 1, or more than half of its values are 0
  double threshold = 0;      ///< rows with from > threshold have the cause
  std::vector<double> edges; ///< edges of the histograms of `to`, cells + 1, in its unit
  std::vector<std::int64_t> with, without;
  std::int64_t n = 0, n_with = 0;
  double mean_with = 0, mean_without = 0;
  double median_with = 0, median_without = 0;
  EvidenceAxis histogram_axis;
  std::string reading;
};

/// Reads the rows several times; the size of the result depends on the requested cells, never on the rows.
/// Collective; the same for any number of ranks. BadUse: a column that is not in the table; BadInput: too few
/// rows.
Expected<Evidence> evidence(const RowSource& source, const Options& options, const EvidenceQuestion& question,
                            Communicator& communicator, const Job& job = {});

} // namespace jitterscope::causal
