// The metrics and the histogram of one of them.

#include <QComboBox>
#include <QDockWidget>
#include <QMainWindow>
#include <QPainter>
#include <QToolButton>

#include "app/export/view_csv.h"
#include "app/metrics/histogram_controller.h"
#include "app/metrics/metric_tracks.h"
#include "app/metrics/metrics_controller.h"
#include "app/session/cursor_time.h"
#include "app/widgets/message_bar.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "views/base/text.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_canvas.h"
#include "views/metrics/metrics_painter.h"
#include "views/metrics/metrics_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

using views::MetricHistogramWidget;
using views::MetricsWidget;

ViewExports exports_of(MetricsWidget* metrics) {
  ViewExports exports;
  exports.pictures = [metrics](Pictures& pictures, const QString& title) {
    if (metrics->panels().empty()) return;
    pictures[title] = [metrics](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      auto model = metrics->canvas()->model();
      model.cursor.reset();
      model.scroll = 0;
      model.layout(r, s);
      views::metrics::paint(p, r, model, s);
    };
  };
  exports.csv = [metrics](const QString&) { return csv_of(metrics->panels()); };
  return exports;
}

ViewExports exports_of(MetricHistogramWidget* histogram) {
  ViewExports exports;
  exports.pictures = [histogram](Pictures& pictures, const QString& title) {
    if (histogram->data().empty()) return;
    pictures[title] = [histogram](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::metrics::paintHistogram(p, r, histogram->data(), s);
    };
  };
  exports.csv = [histogram](const QString&) { return csv_of(histogram->data()); };
  return exports;
}

QDockWidget* pin_metrics(ViewContext& context, const ViewSpec& spec, MetricsWidget* shown) {
  if (shown->panels().empty()) return nullptr;
  const auto& session = context.session;
  auto* widget = new MetricsWidget;
  auto* dock = context.pinned.show({spec, widget, style_of(widget), exports_of(widget)});
  widget->addButton()->hide(); // the metrics shown are fixed
  widget->levelBox()->hide();
  widget->canvas()->setSpan(session.tracks().span);
  widget->canvas()->setWindow(session.selection().window.value_or(session.tracks().launch_span));
  widget->setPanels(shown->panels());
  return dock;
}

QDockWidget* pin_histogram(ViewContext& context, const ViewSpec& spec, MetricHistogramWidget* shown) {
  if (shown->data().empty()) return nullptr;
  auto* widget = new MetricHistogramWidget;
  auto* dock = context.pinned.show({spec, widget, style_of(widget), exports_of(widget)});
  widget->setData(shown->data());
  return dock;
}

void connect_metrics(ViewContext& context) {
  auto* controller = context.parts.metrics_controller;
  QObject::connect(controller, &MetricsController::track_requested, context.parts.timeline,
                   &views::TimelineWidget::showTrack);
  QObject::connect(controller, &MetricsController::problem, &context.window,
                   [&context](const QString& text) { context.messages.note(text); });
  QObject::connect(
      controller, &MetricsController::removed, &context.window, [&context, controller](const QString& title) {
        context.messages.show_message(views::Text::tr("%1 was removed.").arg(title), views::Text::tr("Undo"),
                                      [controller] { controller->undo_remove(); });
      });
  QObject::connect(controller, &MetricsController::track_added, context.parts.metric_tracks,
                   &MetricTracks::add);
  QObject::connect(controller, &MetricsController::column_requested, &context.session,
                   &SessionController::add_metric_column);
}

View make_metrics(ViewContext& context) {
  auto* metrics = new MetricsWidget(&context.window);
  auto* controller = context.parts.metrics_controller =
      new MetricsController(context.hub, context.session, metrics, &context.window);
  context.cursor.join(metrics->canvas());
  View view = view_of(metrics);
  view.connect = [&context] { connect_metrics(context); };
  view.set_style = [controller](const views::ViewStyle& style) { controller->set_style(style); };
  view.save = [controller](nlohmann::json& views) { views["metrics"] = controller->state(); };
  view.restore = [controller](const nlohmann::json& views, const SelectionState&) {
    if (const auto state = views.find("metrics"); state != views.end()) controller->restore(*state);
  };
  view.pin = [&context, metrics](const ViewSpec& spec) { return pin_metrics(context, spec, metrics); };
  view.exports = exports_of(metrics);
  view.needed_height = [metrics](const PaperSize& size) {
    auto model = metrics->canvas()->model();
    if (model.panels.empty()) return 0.0;
    model.layout({{}, QSizeF(size.width_mm, size.height_mm) * kPixelsOfMillimetre},
                 with_font(views::ViewStyle::paper(), size.font_pt));
    return model.height + model.axis;
  };
  return view;
}

void connect_histogram(ViewContext& context) {
  auto* controller = context.parts.histogram_controller;
  auto* metrics = context.parts.metrics_controller;
  QObject::connect(metrics, &MetricsController::histogram_requested, controller, &HistogramController::show);
  QObject::connect(metrics, &MetricsController::values_changed, controller,
                   &HistogramController::values_changed);
  QObject::connect(controller, &HistogramController::values_needed, metrics,
                   &MetricsController::ask_if_stale);
  QObject::connect(controller, &HistogramController::problem, &context.window,
                   [&context](const QString& text) { context.messages.note(text); });
}

View make_histogram(ViewContext& context) {
  auto* shown = new views::MetricHistogramView(&context.window);
  auto* histogram = context.parts.metric_histogram = shown->plot();
  auto* controller = context.parts.histogram_controller = new HistogramController(
      context.hub, context.session, context.parts.metrics_controller->view(), shown, &context.window);
  View view;
  view.widget = shown;
  view.set_style = style_of(shown);
  view.connect = [&context] { connect_histogram(context); };
  view.docked = [controller](QDockWidget& dock) {
    QObject::connect(controller, &HistogramController::requested, &dock, [&dock] { reveal(dock); });
  };
  view.save = [controller](nlohmann::json& views) { views["metric_histogram"] = controller->state(); };
  view.restore = [controller](const nlohmann::json& views, const SelectionState&) {
    if (const auto state = views.find("metric_histogram"); state != views.end()) controller->restore(*state);
  };
  view.pin = [&context, histogram](const ViewSpec& spec) { return pin_histogram(context, spec, histogram); };
  view.exports = exports_of(histogram);
  return view;
}

} // namespace

// Metrics and histogram are hidden until requested: small windows have room for six tabs.
ViewSpec metrics_view() {
  return {"metrics", QT_TRANSLATE_NOOP("Jitterscope", "Metrics"), "metrics",
          DockPlace{.tabbed_on = "parallel", .shown = DockPlace::Shown::Hidden}, make_metrics};
}

ViewSpec metric_histogram_view() {
  return {"metric_histogram", QT_TRANSLATE_NOOP("Jitterscope", "Metric histogram"), "metrics",
          DockPlace{.tabbed_on = "bins", .shown = DockPlace::Shown::Hidden}, make_histogram};
}

} // namespace jitterscope::app
