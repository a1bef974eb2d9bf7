#pragma once

#include <QFont>
#include <QRectF>
#include <QString>
#include <Qt>

class QPainter;

namespace jitterscope::views {

/// Cache of laid-out text lines that are painted in every frame: shaping and positioning glyphs costs about
/// ten times as much as painting them. One bounded cache per thread.

/// True if the painter draws to a raster, false for vector output such as SVG or PDF.
bool paintsPixels(const QPainter& painter);
/// QFontMetricsF::horizontalAdvance().
double textWidth(const QFont& font, const QString& text);
/// QFontMetricsF::elidedText(), in logical pixels.
QString elidedText(const QFont& font, const QString& text, Qt::TextElideMode mode, double width);
/// Draws one line as painter.drawText(rect, alignment | Qt::TextSingleLine, text) does; falls back to
/// drawText itself on devices that are not rasters.
void drawLine(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text);

} // namespace jitterscope::views
