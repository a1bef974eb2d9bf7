#include "app/widgets/dock_tabs.h"

#include <QChildEvent>
#include <QHelpEvent>
#include <QMainWindow>
#include <QTabBar>
#include <QToolTip>

namespace jitterscope::app {

DockTabs::DockTabs(QMainWindow& window) : QObject(&window) {
  window.installEventFilter(this);
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
