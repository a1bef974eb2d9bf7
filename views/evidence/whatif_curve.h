#pragma once

#include <QRectF>
#include <optional>

#include "views/base/view_style.h"
#include "views/evidence/whatif_data.h"

class QPainter;

namespace jitterscope::views::what_if {

/// Least height in which the curve can be read.
inline constexpr double kLeastCurve = 130;

/// Values of the target that the curve's plot shows, in its unit: the means and the answer with its interval
/// whole, of the other intervals as much as leaves the curve readable. What lies beyond is told with how far
/// it goes.
struct CurveRange {
  double low = 0, high = 1;
  std::optional<double> beyondLow, beyondHigh;
};
/// What the answer speaks of: "kernel variability around the median".
QString targetName(const WhatIfShown& shown);
/// Of what has an answer.
CurveRange curveRange(const WhatIfShown& shown);

/// The target's expected mean over all values of the feature with its 95 % interval, the chosen value on it;
/// of an event, both sides. What was never observed has a grey ground.
void paintCurve(QPainter& painter, const QRectF& rect, const WhatIfShown& shown, const ViewStyle& style);

} // namespace jitterscope::views::what_if
