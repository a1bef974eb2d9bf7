#include "app/widgets/dock_tabs.h"

#include <QApplication>
#include <QChildEvent>
#include <QDockWidget>
#include <QHelpEvent>
#include <QMainWindow>
#include <QTabBar>
#include <QToolTip>

namespace jitterscope::app {

DockTabs::DockTabs(QMainWindow& window) : QObject(&window), window_(window) {
  window.installEventFilter(this);
}

// Queued, because the dock is hidden until the click has ended.
void DockTabs::focus_dock(int tab) {
  const auto* bar = qobject_cast<QTabBar*>(sender());
  for (auto* dock : window_.findChildren<QDockWidget*>())
    if (bar && dock->windowTitle() == bar->tabText(tab) && !dock->isAncestorOf(QApplication::focusWidget()))
      QMetaObject::invokeMethod(
          dock, [dock] { dock->setFocus(Qt::MouseFocusReason); }, Qt::QueuedConnection);
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ChildPolished) {
    if (auto* bar = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child())) {
      bar->setElideMode(Qt::ElideNone);
      if (QFont font = bar->font(); font.pointSizeF() > 0) {
        font.setPointSizeF(font.pointSizeF() *
                           0.9); // so that the tabs of a dock fit next to each other in a small window
        bar->setFont(font);
      }
      bar->setUsesScrollButtons(true);
      bar->installEventFilter(this);
      connect(bar, &QTabBar::tabBarClicked, this, &DockTabs::focus_dock, Qt::UniqueConnection);
    }
  } else if (auto* bar = qobject_cast<QTabBar*>(watched); bar && event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int tab = bar->tabAt(help->pos());
    QToolTip::showText(help->globalPos(), tab < 0 ? QString() : bar->tabText(tab), bar);
    return true;
  }
  return QObject::eventFilter(watched, event);
}

} // namespace jitterscope::app
