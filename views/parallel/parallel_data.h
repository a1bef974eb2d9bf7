#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>
#include <vector>

namespace jitterscope::views {

enum class AxisScale { Linear, Log };

/// One axis. Histograms divide [minimum, maximum] into bins of equal length in the axis' scale; categories
/// are bins of their own (bin b is category b, bins = number of categories).
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
};

/// Rows with a value (of a category: its index) in [low, high].
struct ValueRange {
  double low = 0;
  double high = 0;
  bool operator==(const ValueRange&) const = default;
};
/// Axis key to the union of its ranges; rows must pass every axis listed.
using AxisBrushes = std::map<QString, std::vector<ValueRange>>;

struct ParallelData {
  std::vector<ParallelAxis> axes; ///< all that are known; the view keeps its own order of those it shows
  std::vector<PairHistogram> pairs;
  std::uint64_t rows = 0;
  std::uint64_t selectedRows = 0;
  QString rowsName = "launches";
};

} // namespace jitterscope::views
