#pragma once

#include <QCoreApplication>
#include <QMouseEvent>
#include <QTest>
#include <QWidget>

/// Mouse moves as events sent directly to a widget, without a cursor or window system.
namespace jitterscope::views::mouse {

inline void move(QWidget* widget, QPointF position, Qt::MouseButtons buttons = Qt::NoButton,
                 Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QMouseEvent event(QEvent::MouseMove, position, widget->mapToGlobal(position), Qt::NoButton, buttons,
                    modifiers);
  QCoreApplication::sendEvent(widget, &event);
}

inline void drag(QWidget& widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QTest::mousePress(&widget, Qt::LeftButton, modifiers, from);
  for (int i = 1; i <= 4; ++i) move(&widget, from + (to - from) * i / 4, Qt::LeftButton, modifiers);
  QTest::mouseRelease(&widget, Qt::LeftButton, modifiers, to);
}

} // namespace jitterscope::views::mouse
