#include "app/window/spec/pinned_views.h"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <algorithm>

namespace jitterscope::app {

PinnedViews::PinnedViews(QMainWindow& window, SessionController& session, QObject* parent)
    : QObject(parent), window_(window), session_(session) {
  connect(&session_, &SessionController::repeated, this, [this] {
    for (const auto& view : pinned_)
      if (view.dock && view.duplicate.ask) view.duplicate.ask();
  });
}

// Places the dock next to the others while there is room, for comparison; else as a tab of the widest one,
// because further docks would make the window wider than the screen.
void PinnedViews::place(QDockWidget* dock) {
  constexpr int kBetween = 16; // splitter and frames between docks
  const auto minimum = [](const QDockWidget* of) { return of->minimumSizeHint().width(); };
  dock->ensurePolished();
  QDockWidget* widest = nullptr;
  for (auto* other : window_.findChildren<QDockWidget*>())
    if (other != dock && other->isVisible() && !other->isFloating() &&
        window_.dockWidgetArea(other) == Qt::BottomDockWidgetArea &&
        (!widest || minimum(other) > minimum(widest)))
      widest = other;
  if (widest && window_.layout()->minimumSize().width() + minimum(dock) + kBetween > window_.width())
    window_.tabifyDockWidget(widest, dock);
  else
    window_.addDockWidget(Qt::BottomDockWidgetArea, dock);
  dock->show();
  dock->raise();
}

QDockWidget* PinnedViews::add(const QString& title, Duplicate duplicate) {
  auto* dock = new QDockWidget(title, &window_);
  dock->setObjectName(QString("dock.pinned.%1").arg(next_++));
  dock->setAttribute(Qt::WA_DeleteOnClose);
  dock->setWidget(duplicate.widget);
  if (duplicate.set_style) duplicate.set_style(style_);
  const auto ask = duplicate.ask;
  pinned_.push_back({dock, std::move(duplicate), session_.selection_options()});
  place(dock);
  if (ask) ask();
  return dock;
}

QDockWidget* PinnedViews::show(Duplicate duplicate) {
  const QString range = session_.selection_range(), name = title_of(duplicate.spec);
  auto* dock = add(tr("%1 · pinned: %2").arg(name, range), std::move(duplicate));
  dock->setToolTip(tr("This view is pinned to the selection: %1").arg(range));
  return dock;
}

QDockWidget* PinnedViews::show_twin(Duplicate duplicate) {
  const QString name = title_of(duplicate.spec);
  return add(tr("%1 · duplicate").arg(name), std::move(duplicate));
}

QString PinnedViews::waiting() {
  return tr("Waiting for the engine …");
}

void PinnedViews::set_style(const views::ViewStyle& style) {
  style_ = style;
  for (const auto& view : pinned_)
    if (view.duplicate.set_style) view.duplicate.set_style(style);
}

QList<QDockWidget*> PinnedViews::docks() const {
  QList<QDockWidget*> open;
  for (const auto& view : pinned_)
    if (view.dock) open << view.dock.data();
  return open;
}

QDockWidget* PinnedViews::dock_of(const QString& title) const {
  for (auto* dock : docks())
    if (dock->windowTitle() == title) return dock;
  return nullptr;
}

const PinnedViews::Pinned* PinnedViews::find(const QDockWidget* dock) const {
  const auto found = std::find_if(pinned_.begin(), pinned_.end(),
                                  [&](const Pinned& view) { return dock && view.dock == dock; });
  return found == pinned_.end() ? nullptr : &*found;
}

const ViewSpec* PinnedViews::spec_of(const QDockWidget* dock) const {
  const auto* found = find(dock);
  return found ? &found->duplicate.spec : nullptr;
}

std::vector<std::pair<QString, ViewExports>> PinnedViews::exports() const {
  std::vector<std::pair<QString, ViewExports>> open;
  for (const auto& view : pinned_)
    if (view.dock) open.emplace_back(view.dock->windowTitle(), view.duplicate.exports);
  return open;
}

engine::SelectionOptions PinnedViews::selection_of(const QDockWidget* dock) const {
  const auto* found = find(dock);
  return found ? found->selection : session_.selection_options();
}

void PinnedViews::clear() {
  for (const auto& view : pinned_) delete view.dock.data();
  pinned_.clear();
}

} // namespace jitterscope::app
