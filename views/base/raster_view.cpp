#include "views/base/raster_view.h"

#include <QEvent>
#include <QFocusEvent>
#include <QPainter>

#include "views/base/painting.h"

namespace jitterscope::views {

RasterView::RasterView(QWidget* parent) : QWidget(parent), style_(ViewStyle::light()) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void RasterView::setViewStyle(const ViewStyle& style) {
  style_ = style;
  styleChanged();
  update();
}

void RasterView::setMessage(const QString& message) {
  if (message == message_) return;
  message_ = message;
  setAccessibleDescription(message);
  update();
}

void RasterView::showHoverCard(QPointF anchor, const QString& text) {
  if (text == hoverText_ && anchor == hoverAnchor_) return;
  updateCard();
  hoverText_ = text;
  hoverAnchor_ = anchor;
  updateCard();
}

// Nothing else changes with the card.
void RasterView::updateCard() {
  if (!hoverText_.isEmpty()) update(hoverCardRect(rect(), hoverAnchor_, hoverText_, style_).toAlignedRect());
}

void RasterView::hideHoverCard() {
  updateCard();
  hoverText_.clear();
}

void RasterView::paintOverlays(QPainter& painter, bool hasContent) {
  if (hasContent) {
    drawNote(painter, rect(), message_, style_);
  } else {
    drawMessage(painter, rect(), message_, style_);
  }
  if (showsFocus()) {
    painter.setPen(QPen(style_.focus, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
  }
  drawHoverCard(painter, rect(), hoverAnchor_, hoverText_, style_);
}

void RasterView::focusInEvent(QFocusEvent* event) {
  focusByKeyboard_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                     event->reason() == Qt::ShortcutFocusReason;
  QWidget::focusInEvent(event);
  update();
}

void RasterView::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void RasterView::leaveEvent(QEvent* event) {
  hideHoverCard();
  QWidget::leaveEvent(event);
}

} // namespace jitterscope::views
