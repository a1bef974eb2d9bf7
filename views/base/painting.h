#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <Qt>

#include "views/base/view_style.h"

class QFontMetricsF;
class QPainter;

namespace jitterscope::views {

/// Draws one line of text inside `rect`, elided at the end (or by `mode`) when too long. True if elided, so
/// that the caller can offer a tooltip.
bool drawElided(QPainter& painter, const QRectF& rect, const QString& text,
                Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter,
                Qt::TextElideMode mode = Qt::ElideRight);

/// The name of an object below others, such as "process 112 · GPU 1", in at most `width`: words are elided at
/// their end, the longest first, and numbers at the end of a part stay whole: "pro…112 · GPU 1". Other
/// texts, and names that are still too long, are elided by `mode`.
QString elidedName(const QFont& font, const QString& name, double width,
                   Qt::TextElideMode mode = Qt::ElideMiddle);
/// Draws a name as elidedName() shortens it. True if elided.
bool drawName(QPainter& painter, const QRectF& rect, const QString& name,
              Qt::TextElideMode mode = Qt::ElideMiddle);

/// Names in backticks, as the engine writes them, in quotation marks.
QString namesInQuotes(QString text);
/// Prepares a text for line breaking: numbers stay with their units, names longer than a line may break
/// after their parts, `name` gets typographic quotes, |x| is not broken after its bars.
QString forLines(const QString& text);

/// Draws a sentence in the middle of an otherwise empty view, wrapped.
void drawMessage(QPainter& painter, const QRectF& rect, const QString& message, const ViewStyle& style);

/// Draws a small note in the upper right corner of a view whose content is older than the request.
void drawNote(QPainter& painter, const QRectF& rect, const QString& message, const ViewStyle& style);

/// Hover card with a border, near `anchor` and inside `bounds`; see RasterView::showHoverCard.
/// hoverCardRect() is its rectangle including the shadow; empty without text.
QRectF hoverCardRect(const QRectF& bounds, QPointF anchor, const QString& text, const ViewStyle& style);
void drawHoverCard(QPainter& painter, const QRectF& bounds, QPointF anchor, const QString& text,
                   const ViewStyle& style);

/// Draws a horizontal or vertical line, one logical pixel wide, on the pixel grid.
void drawHairline(QPainter& painter, QPointF from, QPointF to, const QColor& colour);

/// Metrics in logical pixels.
QFontMetricsF metricsOf(const QFont& font);

} // namespace jitterscope::views
