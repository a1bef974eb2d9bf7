#pragma once

#include <QPointer>
#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "app/export/export_dialog.h"
#include "app/window/spec/view_context.h"
#include "views/base/view_style.h"

class QDockWidget;
class QWidget;

namespace jitterscope::views {
class LaunchesWidget;
}

namespace jitterscope::app {

using Pictures = std::map<QString, ViewPainter>; ///< painters by the names that the user sees

/// How the content of a widget is exported; valid while the widget exists. A function that is not set: the
/// widget has nothing of that kind.
struct ViewExports {
  /// Adds the pictures, if there is content: one with this title, or several whose names begin with it.
  std::function<void(Pictures& pictures, const QString& title)> pictures = {};
  /// The numbers as CSV; null if there are none. `picture` is the name of the picture, for widgets with
  /// several tables.
  std::function<QString(const QString& picture)> csv = {};
  /// Set if the numbers are launches in the engine: returns the table with their order and columns.
  std::function<views::LaunchesWidget*()> launches = {};
  /// Columns of these launches; not set: those of the table.
  std::function<QStringList()> launch_columns = {};
  /// True if all data for paper of this size are present; otherwise requests them.
  std::function<bool(const PaperSize&)> holds_paper = {};
};

/// Place of a view's dock in the default layout.
struct DockPlace {
  enum class Shown { Always, Hidden, WhenRequested }; ///< WhenRequested: until then, not in the menu either
  Qt::DockWidgetArea area = Qt::BottomDockWidgetArea;
  const char* beside = nullptr;    ///< id of the view to its left
  const char* tabbed_on = nullptr; ///< id of the view behind which it is a tab
  bool last_tab = false;           ///< behind the tabs of all other views
  bool in_front = false;           ///< true: its tab is selected
  Shown shown = Shown::Always;
};

inline constexpr double kPixelsOfMillimetre = 96 / 25.4; ///< logical pixels per mm in pictures on paper

/// "A height of 120 mm shows all of it.", if content of this height [logical pixels] exceeds the paper; else
/// empty.
QString advice_on_height(double height, const PaperSize& size);

struct ViewSpec;

/// A view of one window. Functions may be unset if there is nothing to do.
struct View {
  QWidget* widget = nullptr; ///< content of the dock
  /// Returns the content of the dock, if that is more than the widget. Called once, when all views are made;
  /// sets functions of the view that need this content.
  std::function<QWidget*(View& view)> panel = {};
  std::function<void(QDockWidget& dock)> docked = {}; ///< connects the dock
  std::function<void()> connect = {};                 ///< connects signals, when all docks are made
  std::function<void(const views::ViewStyle&)> set_style = {};
  std::function<void(const QString&)> set_message = {}; ///< replaces the content by a text; empty: none
  std::function<void(const TrackList&)> session_opened = {};
  std::function<void()> fill_choices = {}; ///< fills lists of columns, which depend on the session
  std::function<void(const SelectionState& now, const SelectionState& before)> show_state = {};
  /// Adds the state of the view to that of all views in a session file, under names of its own.
  std::function<void(nlohmann::json& views)> save = {};
  /// Shows a saved state, before the selection is applied. `views` may be of an older version, without these
  /// names; `selection` is that of the session file, without parts that the trace does not have.
  std::function<void(const nlohmann::json& views, const SelectionState& selection)> restore = {};
  /// Opens a duplicate; null if there is no content to keep.
  std::function<QDockWidget*(const ViewSpec& spec)> pin = {};
  ViewExports exports = {};
  /// Suggested changes before an export at this size; empty: none.
  std::function<QString(const PaperSize&)> advice = {};
  /// Height of a picture of this width and font that shows all content [logical pixels]; 0: none. Not set: a
  /// picture of any height shows all of it.
  std::function<double(const PaperSize&)> needed_height = {};
  const ViewSpec* spec = nullptr; ///< set by the window
  QDockWidget* dock = nullptr;    ///< set by the window; null without a DockPlace
};

/// Properties of a view that the window needs before the view exists.
struct ViewSpec {
  const char* id;                ///< "bins"; saved layouts refer to "dock.bins"
  const char* title;             ///< English title, marked by QT_TRANSLATE_NOOP("Jitterscope", …)
  const char* help;              ///< id of its help page
  std::optional<DockPlace> dock; ///< nullopt: part of the window or of another view's dock
  std::function<View(ViewContext& context)> make; ///< `context` outlives the view
  int dock_order = 0, menu_order = 0;             ///< as in view_list.h; set by view_specs()
};

QString title_of(const ViewSpec& spec); ///< in the language of the window

/// Applies a style to a widget while it exists.
template <class Widget>
std::function<void(const views::ViewStyle&)> style_of(Widget* widget) {
  return [styled = QPointer(widget)](const views::ViewStyle& style) {
    if (styled) styled->setViewStyle(style);
  };
}

/// View of a widget with setViewStyle() and setMessage().
template <class Widget>
View view_of(Widget* widget) {
  View view;
  view.widget = widget;
  view.set_style = style_of(widget);
  view.set_message = [widget](const QString& text) { widget->setMessage(text); };
  return view;
}

/// Shows a dock and selects its tab.
void reveal(QDockWidget& dock);

} // namespace jitterscope::app
