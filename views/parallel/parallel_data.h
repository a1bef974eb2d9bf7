#pragma once

#include <QString>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::views {

/// Quantile: a quarter of the length for each quarter of the rows. Rank: the same length for the same number
/// of rows. SymmetricLog: logarithmic to both sides of 0, straight near it.
enum class AxisScale { Linear, Log, Quantile, Rank, SymmetricLog };

/// One axis. Histograms divide [minimum, maximum] into bins of equal length along the axis; categories
/// are bins of their own (bin b is category b, bins = number of categories). With missing values one bin
/// more, the last, holds them: it stands apart below the axis.
struct ParallelAxis {
  QString key; ///< column name; identifies the axis in all signals
  QString title;
  QString unit;
  double minimum = 0;
  double maximum = 1;
  AxisScale scale = AxisScale::Linear;
  QStringList categories;         ///< empty for numbers
  double missingShare = 0;        ///< rows without a value, 0..1
  std::vector<std::uint64_t> all; ///< 1-D histogram
  std::vector<std::uint64_t> selected;
  bool hasMissing = false;        ///< the last bin is that of missing values
  QString details = {};           ///< what it is and how it was computed, for the hover card
  std::vector<double> edges = {}; ///< of the bins, ascending; needed for Quantile, Rank and SymmetricLog
  double straightBelow = 0;       ///< of SymmetricLog: magnitudes below it are on a straight scale
  bool time = false;              ///< its values are moments of the session's axis

  /// Bins of values or categories.
  int bins() const { return static_cast<int>(all.size()) - (hasMissing ? 1 : 0); }
};

/// 2-D histogram of two adjacent axes: counts[leftBin·rightBins + rightBin].
struct PairHistogram {
  QString left; ///< axis keys
  QString right;
  int leftBins = 0;
  int rightBins = 0;
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> selected;
};

/// A row drawn as a line: values by axis key, missing keys break the line.
struct ParallelLine {
  std::map<QString, double> values;
  QString label;
  std::int64_t row = -1; ///< of the session; −1: unknown
  bool faint = false;    ///< one of many
  bool beside = false;   ///< one of a few at the pointer, not the nearest
  QString place = {};    ///< where in the run it is, as "name\tvalue" lines
  std::optional<Nanoseconds> start = {};
};

/// Rows with a value (of a category: its index) in [low, high].
struct ValueRange {
  double low = 0;
  double high = 0;
  bool operator==(const ValueRange&) const = default;
  /// Rows without a value.
  static ValueRange missing() {
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool isMissing() const { return std::isinf(low) && low > 0; }
};
/// Axis key to the union of its ranges; rows must pass every axis listed.
using AxisBrushes = std::map<QString, std::vector<ValueRange>>;

/// How the axes' brushes are joined: rows must pass all of them, or any; or the opposite of that.
struct BrushLogic {
  bool any = false;
  bool inverted = false;
  bool operator==(const BrushLogic&) const = default;
};

/// Selected rows of one kind, drawn in a colour of their own.
struct ParallelClass {
  QString label;
  std::uint64_t rows = 0;
  std::vector<std::vector<std::uint32_t>> pairs; ///< counts, by pair of ParallelData::pairs
  int colour =
      0; ///< number of its colour (parallel::classColour): the same kind keeps it while others come and go
  bool rest = false; ///< the selected rows of no other class
};

struct ParallelData {
  std::vector<ParallelAxis> axes; ///< all that are known; the view keeps its own order of those it shows
  std::vector<PairHistogram> pairs;
  std::uint64_t rows = 0;
  std::uint64_t selectedRows = 0;
  QString rowsName = "launches";
  std::uint64_t allRows = 0;          ///< of the session; 0: `rows`
  std::uint64_t lookedAt = 0;         ///< of those, for a first picture fewer than all; 0: `rows`
  std::vector<ParallelClass> classes; ///< what colours mean; empty: density alone
  QString colouredBy;                 ///< in words

  bool sampled() const { return allRows > std::max(lookedAt, rows); }
  /// A filter took rows away: `rows` are those it kept.
  bool keepsSome() const { return lookedAt > rows; }
};

} // namespace jitterscope::views
