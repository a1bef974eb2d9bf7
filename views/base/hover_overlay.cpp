#include "views/base/hover_overlay.h"

#include <QCoreApplication>
#include <QEvent>
#include <QPainter>
#include <algorithm>

#include "views/base/painting.h"

namespace jitterscope::views {

QRectF placeNextTo(const QSizeF& card, const QRectF& view, const QRectF& window, QPointF anchor) {
  constexpr double kGap = 4;
  const auto along = [](double preferred, double length, double from, double to) {
    return std::clamp(preferred, from, std::max(from, to - length));
  };
  const double x = along(anchor.x() - card.width() / 2, card.width(), window.left(), window.right());
  const double y = along(anchor.y() - card.height() / 2, card.height(), window.top(), window.bottom());
  if (view.bottom() + kGap + card.height() <= window.bottom()) return {{x, view.bottom() + kGap}, card};
  if (view.top() - kGap - card.height() >= window.top())
    return {{x, view.top() - kGap - card.height()}, card};
  if (view.left() - kGap - card.width() >= window.left())
    return {{view.left() - kGap - card.width(), y}, card};
  if (view.right() + kGap + card.width() <= window.right()) return {{view.right() + kGap, y}, card};
  const bool left = anchor.x() > window.center().x();
  return {{left ? window.left() : std::max(window.left(), window.right() - card.width()), y}, card};
}

HoverOverlay::HoverOverlay(QWidget* window) : QWidget(window), style_(ViewStyle::light()) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
  setFocusPolicy(Qt::NoFocus);
  hide();
}

void HoverOverlay::showCard(const QString& text, const QRectF& view, QPointF anchor, const ViewStyle& style) {
  const QRectF window = QRectF(parentWidget()->rect()).adjusted(2, 2, -2, -2);
  const QSizeF size = hoverCardRect(window, {0, 0}, text, style).size() + QSizeF(8, 8);
  text_ = text;
  style_ = style;
  setGeometry(placeNextTo(size, view, window, anchor).toAlignedRect());
  raise();
  show();
  update();
}

bool HoverOverlay::eventFilter(QObject* watched, QEvent* event) {
  // Only after the event: a dock comes to the front of its tabs only if it is its window's last child.
  if (event->type() == QEvent::ZOrderChange && watched != this && watched->parent() == parent())
    QMetaObject::invokeMethod(this, &QWidget::raise, Qt::QueuedConnection);
  return QWidget::eventFilter(watched, event);
}

void HoverOverlay::showEvent(QShowEvent* event) {
  QCoreApplication::instance()->installEventFilter(this);
  QWidget::showEvent(event);
}

void HoverOverlay::hideEvent(QHideEvent* event) {
  QCoreApplication::instance()->removeEventFilter(this);
  QWidget::hideEvent(event);
}

void HoverOverlay::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  drawHoverCard(painter, rect(), {-10, -12}, text_, style_);
}

} // namespace jitterscope::views
