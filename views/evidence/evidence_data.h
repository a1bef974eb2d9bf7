#pragma once

#include <QCoreApplication>
#include <QRectF>
#include <QString>
#include <cstdint>
#include <vector>

namespace jitterscope::views {

/// An axis with equal steps of v, or of asinh(v / knee) where extreme values would compress the others too
/// much.
struct EvidenceAxis {
  QString label;
  QString unit;
  double minimum = 0;
  double maximum = 1;
  double knee = 0; ///< scale parameter of asinh(v / knee); 0: linear
  double scaled(double value) const;
  double valueAt(double scaledValue) const;
};

/// Rows counted in cells of equal size on the axes' scales, and as single points when they are few.
struct EvidenceScatter {
  EvidenceAxis x, y;
  int columns = 0;
  int rows = 0;
  std::vector<std::uint32_t> counts; ///< index column · rows + row; columns and rows from the smallest values
  std::vector<double> pointX;
  std::vector<double> pointY;
  std::vector<std::int64_t> pointRow; ///< row handle of the application
};

/// The rows behind an edge of the causal graph.
struct EvidenceData {
  QString cause;  ///< "unified-memory migration during the launch"
  QString effect; ///< "kernel variability"
  QString rowsName = QCoreApplication::translate("Evidence", "launches");
  QString compared; ///< "launches compared within their configuration"; empty: with each other
  QString held;     ///< the causes that are held constant, in words; empty: none
  EvidenceScatter measured, partial;
  double slope = 0;                   ///< slope of `partial`, in units of the effect per unit of the cause
  double slopeLow = 0, slopeHigh = 0; ///< 95 % interval of `slope`
  std::vector<double> lineX, lineY, lineLow, lineHigh;
  bool event = false; ///< true if the cause is an event, which happens or does not
  double threshold = 0;
  EvidenceAxis histogramAxis; ///< values of the effect
  std::vector<double> edges;
  std::vector<std::uint64_t> with, without;
  std::uint64_t n = 0, nWith = 0;
  double meanWith = 0, meanWithout = 0, medianWith = 0, medianWithout = 0;
  std::vector<double> curveX, curveY; ///< expected effect by value of the cause (boosted trees); may be empty
  bool canSelect = true;              ///< true if the rows with the cause can be selected in all views

  bool empty() const { return n == 0; }
};

} // namespace jitterscope::views
