#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QScreen>
#include <QTabBar>
#include <algorithm>
#include <utility>

#include "app/engine/settings.h"
#include "app/widgets/dock_tabs.h"
#include "app/window/main_window.h"
#include "app/window/screen_sizes.h"
#include "app/window/spec/pinned_views.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

std::vector<View*> MainWindow::views_by(int ViewSpec::*order) {
  std::vector<View*> found;
  for (auto& each : views_)
    if (each.spec->*order > 0) found.push_back(&each);
  std::ranges::stable_sort(found, {}, [order](const View* each) { return each->spec->*order; });
  return found;
}

// The causal answer as text and graph is at the right over the full height; the views that it refers to are
// below the timeline.
void MainWindow::make_docks() {
  setDockNestingEnabled(true);
  new DockTabs(*this);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  const auto docked = views_by(&ViewSpec::dock_order);
  // Docks behind a tab are added once all tabs exist, which keeps the sizes of the others.
  const auto behind_tab = [this](const View* each) {
    const auto& place = *each->spec->dock;
    return place.tabbed_on && view(place.tabbed_on)->spec->dock->tabbed_on;
  };
  for (auto* each : docked)
    if (!behind_tab(each)) make_dock(*each);
  for (const auto* each : docked)
    if (!behind_tab(each) && !each->spec->dock->last_tab) place_dock(*each);
  for (auto* each : docked)
    if (behind_tab(each)) make_dock(*each), place_dock(*each);
  for (const auto* each : docked)
    if (each->spec->dock->last_tab) place_dock(*each);
  for (const auto* each : docked)
    if (each->spec->dock->in_front) each->dock->raise();
}

void MainWindow::make_dock(View& made) {
  made.dock = new QDockWidget(title_of(*made.spec), this);
  made.dock->setObjectName(QStringLiteral("dock.") + made.spec->id);
  made.dock->setFocusPolicy(Qt::ClickFocus); // clicks on any part choose the dock for F1 and Shift+P
  made.dock->setWidget(made.panel ? made.panel(made) : made.widget);
  addDockWidget(made.spec->dock->area, made.dock);
  if (made.docked) made.docked(*made.dock);
}

void MainWindow::place_dock(const View& made) {
  const auto& place = *made.spec->dock;
  if (place.beside) splitDockWidget(view(place.beside)->dock, made.dock, Qt::Horizontal);
  if (place.tabbed_on) tabifyDockWidget(view(place.tabbed_on)->dock, made.dock);
  if (place.shown != DockPlace::Shown::Always) made.dock->hide();
  if (place.shown == DockPlace::Shown::WhenRequested) made.dock->toggleViewAction()->setVisible(false);
}

// Dock sizes can be set only once the window has its own size.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (std::exchange(sized_, true)) return;
  size_docks();
  default_layout_ = saveState();
  const auto layout = settings().value("window/layout").toByteArray();
  if (layout.isEmpty()) return;
  restore_layout(layout);
  if (!sizes_are_of(*screen())) size_docks();
}

void MainWindow::size_docks() {
  const int right = std::clamp(width() * 31 / 100, 380, 640), below = height() * 45 / 100;
  auto *bins = view("bins")->dock, *parallel = view("parallel")->dock;
  resizeDocks({view("causal")->dock}, {right}, Qt::Horizontal);
  resizeDocks({bins, parallel}, {(width() - right) * 42 / 100, (width() - right) * 58 / 100}, Qt::Horizontal);
  resizeDocks({bins, parallel}, {below, below}, Qt::Vertical);
}

namespace {

bool shown_when_requested(const View& view) {
  return view.dock && view.spec->dock && view.spec->dock->shown == DockPlace::Shown::WhenRequested;
}

} // namespace

void MainWindow::restore_layout(const QByteArray& layout) {
  restoreState(layout);
  for (const auto& each : views_)
    if (shown_when_requested(each) && !each.dock->toggleViewAction()->isVisible()) hide_dock(each);
}

void MainWindow::withdraw_docks() {
  for (const auto& each : views_) {
    if (!shown_when_requested(each)) continue;
    each.dock->toggleViewAction()->setVisible(false);
    hide_dock(each);
  }
}

void MainWindow::hide_dock(const View& view) {
  if (view.dock->isHidden()) return;
  const auto beside = tabifiedDockWidgets(view.dock);
  const auto bars = findChildren<QTabBar*>(Qt::FindDirectChildrenOnly);
  const bool in_front = std::ranges::any_of(bars, [&](const QTabBar* bar) {
    return bar->tabText(bar->currentIndex()) == view.dock->windowTitle();
  });
  view.dock->hide();
  if (!in_front) return;
  for (const auto& other : views_)
    if (other.dock && other.spec->dock && other.spec->dock->in_front && beside.contains(other.dock))
      other.dock->raise();
}

// The dock that has focus or contains the focused widget; null for the timeline.
QDockWidget* MainWindow::focused_dock() const {
  for (auto* widget = QApplication::focusWidget(); widget && widget != parts_.timeline;
       widget = widget->parentWidget())
    if (auto* dock = qobject_cast<QDockWidget*>(widget)) return dock;
  return nullptr;
}

const ViewSpec* MainWindow::spec_of(const QDockWidget* dock) const {
  if (!dock) return view("timeline")->spec;
  for (const auto& each : views_)
    if (each.dock == dock) return each.spec;
  return pinned_->spec_of(dock);
}

QString MainWindow::focused_view() const {
  const auto* dock = focused_dock();
  return dock ? dock->windowTitle() : title_of(*spec_of(nullptr));
}

} // namespace jitterscope::app
