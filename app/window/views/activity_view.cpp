#include <QListWidget>
#include <QMainWindow>
#include <QStandardItemModel>
#include <memory>

#include "app/controllers/activity_view.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/table_pictures.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "views/base/text.h"
#include "views/table_parts/tsv.h"

namespace jitterscope::app {
namespace {

using views::Text;

// Running requests, then the log.
std::shared_ptr<QStandardItemModel> activity_table(ActivityView& view) {
  auto model = std::make_shared<QStandardItemModel>();
  model->setHorizontalHeaderLabels({Text::tr("Time"), Text::tr("What")});
  const auto add = [&](const QString& time, const QString& what) {
    model->appendRow({new QStandardItem(time), new QStandardItem(what)});
  };
  for (int i = 0; i < view.requests()->count(); ++i)
    add(Text::tr("running"), view.requests()->item(i)->text());
  for (const auto& line : view.text().split('\n', Qt::SkipEmptyParts))
    add(line.section("  ", 0, 0), line.section("  ", 1));
  return model;
}

ViewExports exports_of(ActivityView* activity) {
  ViewExports exports;
  exports.pictures = [activity](Pictures& pictures, const QString& title) {
    pictures[title] = painter_of(activity_table(*activity), Text::tr("Activity"));
  };
  exports.csv = [activity](const QString&) { return views::toCsv(*activity_table(*activity)); };
  return exports;
}

void connect_activity(SessionController& session, ActivityView* activity) {
  QObject::connect(&session, &SessionController::request_started, activity, &ActivityView::started);
  QObject::connect(&session, &SessionController::request_finished, activity, &ActivityView::finished);
  QObject::connect(activity, &ActivityView::cancelRequested, &session, &SessionController::cancel_request);
}

View make_activity(ViewContext& context) {
  auto* activity = context.parts.activity = new ActivityView(&context.window);
  View view;
  view.widget = activity;
  view.connect = [&context, activity] { connect_activity(context.session, activity); };
  view.pin = [&context, activity](const ViewSpec& spec) {
    auto* twin = activity->twin();
    return context.pinned.show_twin({spec, twin, {}, exports_of(twin)});
  };
  view.exports = exports_of(activity);
  return view;
}

} // namespace

ViewSpec activity_view() {
  return {"activity", QT_TRANSLATE_NOOP("Jitterscope", "Activity"), "remote",
          DockPlace{.tabbed_on = "parallel", .last_tab = true, .shown = DockPlace::Shown::Hidden},
          make_activity};
}

} // namespace jitterscope::app
