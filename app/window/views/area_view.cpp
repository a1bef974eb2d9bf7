// Views of the timeline's content: statistics of the selected area, and the marks.

#include <QDockWidget>
#include <QMainWindow>
#include <QTableView>
#include <QTableWidget>
#include <memory>

#include "app/controllers/timeline_docks.h"
#include "app/export/view_csv.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/table_pictures.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "views/area/area_widget.h"
#include "views/base/text.h"
#include "views/table_parts/table_style.h"
#include "views/table_parts/tsv.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

using views::AreaWidget;
using views::Text;

/// Names of the two pictures of an area.
struct PictureNames {
  QString kernels, tracks;
};

// The table of the named picture, else the visible one.
QString csv_of_area(AreaWidget& area, const QString& picture, const PictureNames& names) {
  const bool tracks = picture == names.tracks || (picture != names.kernels && area.table() == area.tracks());
  return tracks ? views::toCsv(*area.tracks()->model()) : csv_of(area.area());
}

ViewExports exports_of(AreaWidget* area) {
  ViewExports exports;
  const auto names = std::make_shared<PictureNames>();
  exports.pictures = [area, names](Pictures& pictures, const QString& title) {
    if (area->area().range.empty()) return;
    *names = {Text::tr("%1: kernels").arg(title), Text::tr("%1: tracks").arg(title)};
    pictures[names->kernels] =
        painter_of(area->kernels(), Text::tr("Kernels of the area · %1").arg(area->text()));
    pictures[names->tracks] =
        painter_of(area->tracks(), Text::tr("Tracks of the area · %1").arg(area->text()));
  };
  exports.csv = [area, names](const QString& picture) { return csv_of_area(*area, picture, *names); };
  return exports;
}

QDockWidget* pin_area(ViewContext& context, const ViewSpec& spec) {
  const auto& shown = context.parts.timeline_docks->area()->area();
  if (shown.rows.empty()) return nullptr;
  auto* widget = new AreaWidget;
  auto* dock = context.pinned.show({spec, widget, style_of(widget), exports_of(widget)});
  widget->setArea(shown);
  return dock;
}

View make_area(ViewContext& context) {
  auto* timeline = context.parts.timeline;
  context.parts.timeline_docks = new TimelineDocks(*timeline, &context.window);
  auto* area = context.parts.timeline_docks->area();
  View view;
  view.widget = area;
  view.docked = [timeline](QDockWidget& dock) {
    QObject::connect(timeline, &views::TimelineWidget::areaChosen, &dock, [&dock] {
      if (!dock.isHidden()) dock.raise(); // a dock that the user has closed stays closed
    });
  };
  view.connect = [&context, area] {
    QObject::connect(area, &AreaWidget::kernelActivated, &context.window, [&context](quint32 id) {
      context.change([&](SelectionState& s) { s.kernels = {id}; });
    });
  };
  view.set_style = style_of(area);
  view.pin = [&context](const ViewSpec& spec) { return pin_area(context, spec); };
  view.exports = exports_of(area);
  return view;
}

ViewExports exports_of(ViewContext& context, QTableWidget* marks) {
  ViewExports exports;
  exports.pictures = [marks](Pictures& pictures, const QString& title) {
    if (marks->rowCount() > 0) pictures[title] = painter_of(marks, Text::tr("Marks"));
  };
  exports.csv = [&context](const QString&) {
    const auto& shown = context.parts.timeline->model();
    return csv_of(shown.flags, shown.ranges, context.session.axis());
  };
  return exports;
}

std::function<void(const views::ViewStyle&)> style_of_table(QTableWidget* table) {
  return [styled = QPointer(table)](const views::ViewStyle& style) {
    if (styled) views::styleTable(*styled, style);
  };
}

QDockWidget* pin_marks(ViewContext& context, const ViewSpec& spec) {
  auto* marks = new MarksPanel(*context.parts.timeline, nullptr);
  auto* table = marks->table();
  marks->setParent(table); // deleted with its table
  marks->refresh();
  return context.pinned.show_twin({spec, table, style_of_table(table), exports_of(context, table)});
}

View make_marks(ViewContext& context) {
  auto* table = context.parts.timeline_docks->marks()->table();
  View view;
  view.widget = table;
  view.set_style = style_of_table(table);
  view.pin = [&context](const ViewSpec& spec) { return pin_marks(context, spec); };
  view.exports = exports_of(context, table);
  return view;
}

} // namespace

ViewSpec area_view() {
  return {"area", QT_TRANSLATE_NOOP("Jitterscope", "Area"), "timeline", DockPlace{.tabbed_on = "kernels"},
          make_area};
}

ViewSpec marks_view() {
  return {"marks", QT_TRANSLATE_NOOP("Jitterscope", "Marks"), "timeline",
          DockPlace{.tabbed_on = "kernels", .shown = DockPlace::Shown::Hidden}, make_marks};
}

} // namespace jitterscope::app
