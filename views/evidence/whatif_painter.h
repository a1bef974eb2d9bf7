#pragma once

#include <QRectF>
#include <QStringList>

#include "views/base/view_style.h"
#include "views/evidence/whatif_data.h"

class QPainter;

namespace jitterscope::views::what_if {

/// All that is said, line by line; nothing without an answer.
QStringList words(const WhatIfShown& shown);

/// The expected change as a scale with marks, and in words; with `hint` also how to ask about a single row.
void paint(QPainter& painter, const QRectF& rect, const WhatIfShown& shown, const ViewStyle& style,
           bool hint = false);

} // namespace jitterscope::views::what_if
