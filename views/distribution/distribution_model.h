#pragma once

#include <QRectF>
#include <vector>

#include "views/base/ticks.h"
#include "views/base/view_style.h"
#include "views/distribution/distribution_data.h"

namespace jitterscope::views {

/// A line of the list of statistics.
struct DistributionFact {
  QString name, value;
};

/// A statistic drawn as a vertical line.
struct DistributionLine {
  QString name; ///< "median"
  double value = 0;
  bool dashed = false;
};

/// Axis arithmetic of a histogram: `drawn` values are log10 of the value on a log scale.
struct DistributionModel {
  DistributionData data;
  QRectF plot; ///< logical pixels

  double drawn(double value) const;
  double drawnLow() const;
  double drawnHigh() const;
  /// Heights of the bars of all and of selected rows: row counts or ns.
  const std::vector<std::uint64_t>& heights() const { return data.time ? data.allTime : data.all; }
  const std::vector<std::uint64_t>& selectedHeights() const {
    return data.time ? data.selectedTime : data.selected;
  }
  std::uint64_t greatest() const; ///< maximum of heights()
  /// Maximum of the height axis: greatest(), or the maximum of the selected rows and groups if their bars
  /// would otherwise be too flat to see. The bars of all rows then have a scale of their own, up to
  /// greatest().
  std::uint64_t reached() const;
  bool twoScales() const { return reached() < greatest(); }
  /// Height on the drawn scale: the amount, or its logarithm shifted so that 1 is visible above the baseline.
  double drawnHeight(double amount) const;
  /// drawnHeight() for a bar of all rows, on their own scale.
  double drawnHeightOfAll(double amount) const;
  double drawnTop() const; ///< maximum of the axis, on the drawn scale
  double xAt(double value) const;
  double valueAt(double x) const;
  double yAt(double count) const;
  int binAt(double x) const; ///< index of the bin at an x position; −1: none
  std::vector<Tick> xTicks() const;
  std::vector<Tick> yTicks() const;
  std::vector<DistributionLine> lines() const;
  QString headline() const; ///< title and number of rows
  /// n, mean, σ, percentiles … of the selected rows.
  std::vector<DistributionFact> facts() const;
  /// "2 modes: 71 % around 12.3 µs, 29 % around 48.1 µs"; empty with fewer than two modes.
  QString modesText() const;
  QString binText(int bin) const;
};

} // namespace jitterscope::views
