#pragma once

#include <QObject>

class QMainWindow;

namespace jitterscope::app {

/// Keeps the titles of tabbed docks readable: in full, with scroll buttons where they do not
/// fit, and the full title as tooltip. A click on a tab focuses its dock. Qt creates these tab bars when
/// docks are tabbed.
class DockTabs : public QObject {
  Q_OBJECT

public:
  explicit DockTabs(QMainWindow& window);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void focus_dock(int tab);

  QMainWindow& window_;
};

} // namespace jitterscope::app
