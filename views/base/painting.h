#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <Qt>

#include "views/base/view_style.h"

class QFontMetricsF;
class QPainter;

namespace jitterscope::views {

/// Text in one line inside `rect`, elided at the end (or `mode`) when too long. True when it was elided, so
/// that the caller can offer a tooltip.
bool drawElided(QPainter& painter, const QRectF& rect, const QString& text,
                Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter,
                Qt::TextElideMode mode = Qt::ElideRight);

/// The same text as it is set in lines: numbers stay with their units, names longer than a line may break
/// behind their parts, `name` in the quotes of print, |x| is not broken behind its bars.
QString forLines(const QString& text);

/// A sentence in the middle of an otherwise empty view, wrapped.
void drawMessage(QPainter& painter, const QRectF& rect, const QString& message, const ViewStyle& style);

/// A small note in the upper right corner of a view whose content is older than the request.
void drawNote(QPainter& painter, const QRectF& rect, const QString& message, const ViewStyle& style);

/// Card with shadowless border near `anchor`, kept inside `bounds`; see RasterView::showHoverCard.
/// Where it goes, with its shadow; empty for no text.
QRectF hoverCardRect(const QRectF& bounds, QPointF anchor, const QString& text, const ViewStyle& style);
void drawHoverCard(QPainter& painter, const QRectF& bounds, QPointF anchor, const QString& text,
                   const ViewStyle& style);

/// Horizontal or vertical line, one logical pixel wide, on the pixel grid.
void drawHairline(QPainter& painter, QPointF from, QPointF to, const QColor& colour);

/// Metrics in logical pixels.
QFontMetricsF metricsOf(const QFont& font);

} // namespace jitterscope::views
