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
  /// What bars show, all and selected: rows or ns.
  const std::vector<std::uint64_t>& heights() const { return data.time ? data.allTime : data.all; }
  const std::vector<std::uint64_t>& selectedHeights() const {
    return data.time ? data.selectedTime : data.selected;
  }
  std::uint64_t greatest() const; ///< of heights()
  /// What the axis of heights reaches up to: greatest(), or what the selected rows and the groups reach where
  /// that is so much less that they would lie flat on the ground; bars of all rows have a scale of their own
  /// then, up to greatest().
  std::uint64_t reached() const;
  bool twoScales() const { return reached() < greatest(); }
  /// Height on the drawn scale: the amount itself, or its logarithm so that 1 stands above the ground.
  double drawnHeight(double amount) const;
  /// The same of a bar of all rows, on the scale that these have.
  double drawnHeightOfAll(double amount) const;
  double drawnTop() const; ///< upper end of the axis, drawn
  double xAt(double value) const;
  double valueAt(double x) const;
  double yAt(double count) const;
  int binAt(double x) const; ///< −1 outside
  std::vector<Tick> xTicks() const;
  std::vector<Tick> yTicks() const;
  std::vector<DistributionLine> lines() const;
  QString headline() const; ///< title and n
  /// n, mean, σ, percentiles … of the selected rows.
  std::vector<DistributionFact> facts() const;
  /// "2 humps: 71 % around 12.3 µs, 29 % around 48.1 µs"; empty where there is one or none.
  QString modesText() const;
  QString binText(int bin) const;
};

} // namespace jitterscope::views
