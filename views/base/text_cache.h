#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <Qt>

class QPainter;

namespace jitterscope::views {

/// Lines of text that are painted with every frame are laid out once: finding glyphs and their places costs
/// ten times what painting them does. Kept for each thread, bounded.

/// Whether the painter makes pixels, not a file of shapes and texts.
bool paintsPixels(const QPainter& painter);
/// QFontMetricsF::horizontalAdvance().
double textWidth(const QFont& font, const QString& text);
/// QFontMetricsF::elidedText(), in logical pixels.
QString elidedText(const QFont& font, const QString& text, Qt::TextElideMode mode, double width);
/// One line, as painter.drawText(rect, alignment | Qt::TextSingleLine, text) paints it; on what is no raster
/// it is that.
void drawLine(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text);

} // namespace jitterscope::views
