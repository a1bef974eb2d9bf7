#include "app/window/spec/view_spec.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QStatusBar>
#include <cmath>

#include "views/base/text.h"

namespace jitterscope::app {

QString title_of(const ViewSpec& spec) {
  return views::Text::tr(spec.title);
}

QString advice_on_height(double height, const PaperSize& size) {
  const double needed = std::ceil(height / kPixelsOfMillimetre);
  return needed <= size.height_mm
             ? QString()
             : views::Text::tr("A height of %1 mm shows all of it.").arg(needed, 0, 'g', 4);
}

void reveal(QDockWidget& dock) {
  dock.toggleViewAction()->setVisible(true);
  dock.show();
  dock.raise();
}

void ViewContext::change(const std::function<void(SelectionState&)>& edit, const QString& merge) {
  SelectionState state = hub.state();
  edit(state);
  hub.apply(state, merge);
}

void ViewContext::show_status(const QString& text) {
  constexpr int kShown = 8000; // ms for which the status bar shows a text
  window.statusBar()->showMessage(text, kShown);
}

} // namespace jitterscope::app
