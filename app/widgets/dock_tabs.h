#pragma once

#include <QObject>

class QMainWindow;

namespace jitterscope::app {

/// Keeps the titles of docks that share a place readable: whole, with buttons to scroll where they do not
/// fit, and the card of a tab says its title once more. Qt makes these bars as docks meet.
class DockTabs : public QObject {
  Q_OBJECT

public:
  explicit DockTabs(QMainWindow& window);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace jitterscope::app
