#pragma once

#include <QRectF>
#include <vector>

#include "views/base/ticks.h"
#include "views/base/view_style.h"
#include "views/distribution/distribution_data.h"

namespace jitterscope::views {

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
  std::uint64_t greatest() const;
  double xAt(double value) const;
  double valueAt(double x) const;
  double yAt(double count) const;
  int binAt(double x) const; ///< −1 outside
  std::vector<Tick> xTicks() const;
  std::vector<Tick> yTicks() const;
  std::vector<DistributionLine> lines() const;
  QString headline() const; ///< title and n
  QString binText(int bin) const;
};

} // namespace jitterscope::views
