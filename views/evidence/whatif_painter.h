#pragma once

#include <QRectF>
#include <QStringList>

#include "views/base/view_style.h"
#include "views/evidence/whatif_data.h"

class QPainter;

namespace jitterscope::views::what_if {

/// Text of the answer, line by line; empty without an answer.
QStringList words(const WhatIfShown& shown);

/// Paints the expected change as a scale with marks and as text; `hint` adds how to ask about a single row.
void paint(QPainter& painter, const QRectF& rect, const WhatIfShown& shown, const ViewStyle& style,
           bool hint = false);

} // namespace jitterscope::views::what_if
