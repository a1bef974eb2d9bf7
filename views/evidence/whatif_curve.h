#pragma once

#include <QRectF>
#include <optional>

#include "views/base/view_style.h"
#include "views/evidence/whatif_data.h"

class QPainter;

namespace jitterscope::views::what_if {

/// Minimum height at which the curve is readable.
inline constexpr double kMinCurveHeight = 130;

/// Range of the target that the curve's plot shows, in its unit: it contains the means and the answer with
/// its interval, and as much of the other intervals as keeps the curve readable. `beyondLow` and `beyondHigh`
/// state how far values extend beyond the range.
struct CurveRange {
  double low = 0, high = 1;
  std::optional<double> beyondLow, beyondHigh;
};
/// Name of the target of the answer: "kernel variability around the median".
QString targetName(const WhatIfShown& shown);
/// Range of the plot; requires an answer.
CurveRange curveRange(const WhatIfShown& shown);

/// Paints the target's expected mean over all values of the feature with its 95 % interval, and the selected
/// value; for an event, both sides. Ranges that were never observed have a grey background.
void paintCurve(QPainter& painter, const QRectF& rect, const WhatIfShown& shown, const ViewStyle& style);

} // namespace jitterscope::views::what_if
