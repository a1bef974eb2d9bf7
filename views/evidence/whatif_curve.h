#pragma once

#include <QRectF>

#include "views/base/view_style.h"
#include "views/evidence/whatif_data.h"

class QPainter;

namespace jitterscope::views::what_if {

/// Least height in which the curve can be read.
inline constexpr double kLeastCurve = 130;

/// The target's expected mean over all values of the feature with its 95 % interval, the chosen value on it; of an event,
/// both sides. What was never observed has a grey ground.
void paintCurve(QPainter& painter, const QRectF& rect, const WhatIfShown& shown, const ViewStyle& style);

} // namespace jitterscope::views::what_if
