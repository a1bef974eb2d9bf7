#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <vector>

#include "app/session_controller.h"
#include "views/base/view_style.h"

class QDockWidget;
class QMainWindow;

namespace jitterscope::app {

enum class PinnedKind { Distribution, Kernels, Bins, Parallel, HeatMap };

/// Views opened once more, that stay with the selection they were opened with, to compare it with what is selected
/// later.
class PinnedViews : public QObject {
  Q_OBJECT

public:
  PinnedViews(QMainWindow& window, SessionController& session, QObject* parent = nullptr);

  /// A new dock with what is selected now. Closing it removes it.
  QDockWidget* pin(PinnedKind kind);
  void set_style(const views::ViewStyle& style);
  int count() const;
  /// Another session is open: pinned selections mean nothing there.
  void clear();
  static QString title(PinnedKind kind);

private:
  struct View {
    QPointer<QDockWidget> dock;
    std::function<void(const views::ViewStyle&)> style;
    std::function<void()> ask;
  };
  template <class Widget>
  View make(PinnedKind kind, Widget* widget, std::function<void()> ask);

  QMainWindow& window_;
  SessionController& session_;
  views::ViewStyle style_;
  std::vector<View> views_;
  int next_ = 1;
};

} // namespace jitterscope::app
