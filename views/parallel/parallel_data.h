#pragma once

#include <QCoreApplication>
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

/// Quantile: each quarter of the rows has a quarter of the length. Rank: equal length for equal numbers
/// of rows. SymmetricLog: logarithmic on both sides of 0, linear near it.
enum class AxisScale { Linear, Log, Quantile, Rank, SymmetricLog };

/// One axis. Histograms divide [minimum, maximum] into bins of equal length along the axis; categories
/// are bins of their own (bin b is category b, bins = number of categories). With missing values there is one
/// more bin, the last, which holds them: it is drawn separately below the axis.
struct ParallelAxis {
  QString key; ///< column name; identifies the axis in all signals
  QString title;
  QString unit;
  double minimum = 0;
  double maximum = 1;
  AxisScale scale = AxisScale::Linear;
  QStringList categories;         ///< names of the categories; empty for numeric columns
  double missingShare = 0;        ///< share of the rows without a value, 0..1
  std::vector<std::uint64_t> all; ///< histogram of all rows, by bin
  std::vector<std::uint64_t> selected;
  bool hasMissing = false;        ///< true: the last bin has the missing values
  QString details = {};           ///< description and computation, for the hover card
  std::vector<double> edges = {}; ///< edges of the bins, ascending; for Quantile, Rank and SymmetricLog
  double straightBelow = 0;       ///< SymmetricLog: magnitudes below it are on a linear scale
  bool time = false;              ///< values are timestamps on the session's axis

  /// Number of bins of values or categories.
  int bins() const { return static_cast<int>(all.size()) - (hasMissing ? 1 : 0); }
};

/// 2-D histogram of two adjacent axes: counts[leftBin·rightBins + rightBin].
struct PairHistogram {
  QString left; ///< key of the left axis
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
  std::int64_t row = -1; ///< session row; −1: unknown
  bool faint = false;    ///< one of many lines, drawn faintly
  bool nearby = false;   ///< one of a few lines near the pointer, but not the nearest
  QString place = {};    ///< position in the run, as "name\tvalue" lines
  std::optional<Nanoseconds> start = {};
};

/// Rows with a value (of a category: its index) in [low, high].
struct ValueRange {
  double low = 0;
  double high = 0;
  bool operator==(const ValueRange&) const = default;
  /// Range that selects rows without a value.
  static ValueRange missing() {
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool isMissing() const { return std::isinf(low) && low > 0; }
};
/// Axis key to the union of its ranges; rows must pass every axis listed.
using AxisBrushes = std::map<QString, std::vector<ValueRange>>;

/// Combination of the axes' brushes: rows must pass all of them, or any of them; optionally inverted.
struct BrushLogic {
  bool any = false;
  bool inverted = false;
  bool operator==(const BrushLogic&) const = default;
};

/// Rows of one class, such as a category or a run, drawn in a colour of their own.
struct ParallelClass {
  QString label;
  std::uint64_t rows = 0;
  std::vector<std::vector<std::uint32_t>> pairs; ///< counts of the class for each of ParallelData::pairs
  int colour =
      0; ///< colour number (parallel::classColour): a class keeps it while other classes appear and disappear
  bool rest = false; ///< true: the selected rows that are in no other class
};

struct ParallelData {
  std::vector<ParallelAxis> axes; ///< all known axes; the view keeps its own order of the visible ones
  std::vector<PairHistogram> pairs;
  std::uint64_t rows = 0;
  std::uint64_t selectedRows = 0;
  QString rowsName = QCoreApplication::translate("ParallelCoordinates", "launches");
  std::uint64_t allRows = 0;          ///< rows of the session; 0: `rows`
  std::uint64_t examined = 0;         ///< rows examined, a subset for a first picture; 0: `rows`
  std::vector<ParallelClass> classes; ///< meaning of the colours; empty: density only
  QString colouredBy;                 ///< name of the colouring column or rule

  bool sampled() const { return allRows > std::max(examined, rows); }
  /// True if a filter removed rows: `rows` are those that remain.
  bool keepsSome() const { return examined > rows; }
};

} // namespace jitterscope::views
