#pragma once

#include <QRectF>
#include <QStringList>

#include "views/base/view_style.h"
#include "views/evidence/whatif_data.h"

class QPainter;

namespace jitterscope::views::what_if {

/// All that is said, line by line; nothing without an answer.
QStringList words(const WhatIfShown& shown);

/// The expected change as a scale with marks, and in words.
void paint(QPainter& painter, const QRectF& rect, const WhatIfShown& shown, const ViewStyle& style);

} // namespace jitterscope::views::what_if
