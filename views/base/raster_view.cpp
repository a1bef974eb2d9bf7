#include "views/base/raster_view.h"

#include <QEvent>
#include <QFocusEvent>
#include <QPainter>

#include "views/base/hover_overlay.h"
#include "views/base/painting.h"

namespace jitterscope::views {

RasterView::RasterView(QWidget* parent) : QWidget(parent), style_(ViewStyle::light()) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

RasterView::~RasterView() {
  delete overlay_.data();
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
  if (!cardIsOutside()) {
    if (overlay_) overlay_->hide();
    return;
  }
  if (!overlay_ || overlay_->parentWidget() != window()) {
    delete overlay_.data();
    overlay_ = new HoverOverlay(window());
  }
  const QPointF origin = mapTo(window(), QPointF(0, 0));
  overlay_->showCard(text, QRectF(origin, QSizeF(size())), origin + anchor, style_);
}

bool RasterView::cardIsOutside() const {
  constexpr double kMaxCoveredShare = 0.3; // maximum share of the view that a card may cover
  if (hoverText_.isEmpty() || window() == this) return false;
  const QRectF card = hoverCardRect(rect(), hoverAnchor_, hoverText_, style_);
  return card.width() * card.height() > kMaxCoveredShare * width() * height();
}

// Repaints only the rectangle of the card.
void RasterView::updateCard() {
  if (!hoverText_.isEmpty() && !cardIsOutside())
    update(hoverCardRect(rect(), hoverAnchor_, hoverText_, style_).toAlignedRect());
}

void RasterView::hideHoverCard() {
  updateCard();
  hoverText_.clear();
  if (overlay_) overlay_->hide();
}

void RasterView::hideEvent(QHideEvent* event) {
  hideHoverCard();
  QWidget::hideEvent(event);
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
  if (!cardIsOutside()) drawHoverCard(painter, rect(), hoverAnchor_, hoverText_, style_);
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
