#include <QDockWidget>
#include <QMainWindow>
#include <QPainter>
#include <cmath>
#include <memory>

#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/parallel/parallel_controller.h"
#include "app/engine/decode.h"
#include "app/engine/parallel_colours.h"
#include "app/session/cursor_time.h"
#include "app/session/questions.h"
#include "app/widgets/message_bar.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "views/base/text.h"
#include "views/parallel/parallel_frame.h"
#include "views/parallel/parallel_painter.h"
#include "views/parallel/parallel_widget.h"

namespace jitterscope::app {
namespace {

using views::ParallelWidget;
using views::Text;

ViewExports exports_of(ViewContext& context, ParallelWidget* parallel) {
  ViewExports exports;
  exports.pictures = [parallel](Pictures& pictures, const QString& title) {
    pictures[title] = [parallel](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::parallel::paint(p, r, parallel->model(), s, parallel->lines());
    };
  };
  exports.launches = [&parts = context.parts] { return parts.launches; };
  exports.launch_columns = [parallel] { return parallel->model().order(); };
  return exports;
}

QStringList advice_on_names(const views::ParallelModel& model, const views::ViewStyle& style) {
  QStringList advice;
  for (int i = 0; i < model.order().size(); ++i) {
    if (model.axis(i).categories.isEmpty()) continue;
    const auto names = views::parallel::categoryNames(model, i, style);
    if (names.count == static_cast<int>(names.named.size())) continue;
    advice +=
        Text::tr("%1: %2 of %3 names are shown, those with the most rows; a height of %4 mm shows all.")
            .arg(model.axis(i).title)
            .arg(names.count)
            .arg(names.named.size())
            .arg(std::ceil(views::parallel::minHeight(model, i, style) / kPixelsOfMillimetre), 0, 'g', 4);
  }
  return advice;
}

QString advice_of(const ParallelWidget& parallel, const PaperSize& size) {
  if (parallel.model().empty()) return {};
  const auto style = with_font(views::ViewStyle::paper(), size.font_pt);
  auto model = parallel.model();
  model.setSize(QSizeF(size.width_mm, size.height_mm) * kPixelsOfMillimetre);
  QStringList advice;
  if (const double requested = views::parallel::minWidth(model, style),
      minimum = std::ceil(requested / kPixelsOfMillimetre);
      requested > model.size().width())
    advice += Text::tr("The titles of %1 axes do not fit in a width of %2 mm. Use fewer axes, or a width of "
                       "at least %3 mm.")
                  .arg(model.order().size())
                  .arg(size.width_mm, 0, 'g', 4)
                  .arg(minimum, 0, 'g', 4);
  model.setFrame(views::parallel::frameOf(model, style));
  return (advice + advice_on_names(model, style)).join(' ');
}

// The rows are bins; all counts are computed in the window.
QDockWidget* pin_bin_coordinates(ViewContext& context, const ViewSpec& spec) {
  const auto& shown = context.parts.parallel->model();
  if (shown.empty()) return nullptr;
  auto* widget = new ParallelWidget;
  widget->setData(shown.data());
  widget->setOrder(shown.order());
  widget->setPinned(shown.pinned());
  for (const auto& key : shown.order()) widget->setInverted(key, shown.inverted(key));
  widget->setLogic(shown.logic());
  widget->setBrushes(shown.brushes());
  auto exports = exports_of(context, widget);
  exports.launches = {};
  exports.csv = [text = context.parts.parallel_controller->csv_of_bins()](const QString&) { return text; };
  return context.pinned.show({spec, widget, style_of(widget), exports});
}

/// Shows answers with the colours and texts of the original, and at first with its brushes.
EngineQuestions::Use receiver(ParallelWidget* receiving, const views::ParallelModel& shown) {
  return [widget = QPointer(receiving), brushes = shown.brushes(), logic = shown.logic(),
          classes = shown.data().classes, coloured_by = shown.data().colouredBy,
          rows = shown.data().rowsName](const engine::Answer& answer) {
    auto data = decode_parallel(answer);
    if (!widget || !data) return;
    for (std::size_t c = 0; c < data->classes.size() && c < classes.size(); ++c)
      data->classes[c].label = classes[c].label;
    choose_colours(data->classes, classes);
    data->colouredBy = coloured_by;
    data->rowsName = rows;
    const bool first = widget->model().empty();
    widget->setMessage({});
    widget->setData(std::move(*data));
    if (!first) return;
    widget->setLogic(logic);
    widget->setBrushes(brushes);
  };
}

/// Requests the counts of moved axes; returns the request.
std::function<void()> connect_axes(ViewContext& context, const ViewSpec& spec, ParallelWidget* widget,
                                   engine::ParallelOptions options, const EngineQuestions::Use& receive) {
  const auto asked = std::make_shared<engine::ParallelOptions>(std::move(options));
  const auto ask = [&session = context.session, asked, channel = context.pinned.channel(), receive,
                    doing = title_of(spec), receiving = QPointer(widget)] {
    session.ask({*asked, channel}, doing, receive, [receiving](const Error& error) {
      if (receiving) receiving->setMessage(QString::fromStdString(error.message));
    });
  };
  const auto ordered = [asked, ask](const QStringList& axes) {
    asked->axes = texts_of(axes);
    ask();
  };
  QObject::connect(widget, &ParallelWidget::axesReordered, &context.pinned, ordered);
  QObject::connect(
      widget, &ParallelWidget::needHistogramsFor, &context.pinned,
      [ordered, moved = QPointer(widget)] {
        if (moved) ordered(moved->model().order());
      },
      Qt::QueuedConnection);
  return ask;
}

// The duplicate has the same axes, scales and order. Its axes can be moved, which requests the missing
// counts.
QDockWidget* pin_parallel(ViewContext& context, const ViewSpec& spec) {
  if (context.parts.parallel_controller->shows_bins()) return pin_bin_coordinates(context, spec);
  const auto& shown = context.parts.parallel->model();
  auto* widget = new ParallelWidget;
  for (const auto& key : shown.order()) widget->setInverted(key, shown.inverted(key));
  const auto ask = connect_axes(context, spec, widget, context.session.parallel_question(shown.order()),
                                receiver(widget, shown));
  context.cursor.join(widget);
  widget->setMessage(PinnedViews::waiting());
  return context.pinned.show({spec, widget, style_of(widget), exports_of(context, widget), ask});
}

void connect_parallel(ViewContext& context, ParallelWidget* parallel) {
  QObject::connect(context.parts.parallel_controller, &ParallelController::problem, &context.window,
                   [&context](const QString& text) { context.messages.note(text); });
  QObject::connect(&context.session, &SessionController::cancelled, parallel, [parallel] {
    if (parallel->model().empty()) parallel->setMessage(Text::tr("Cancelled"));
  });
  QObject::connect(
      &context.session, &SessionController::parallel, parallel, [parallel](const views::ParallelData& rows) {
        parallel->setMessage(rows.axes.empty()
                                 ? Text::tr("No column varies in this trace: there are no axes to show")
                                 : QString());
      });
}

View make_parallel(ViewContext& context) {
  auto* parallel = context.parts.parallel = new ParallelWidget(&context.window);
  auto* controller = context.parts.parallel_controller = new ParallelController(
      context.hub, context.session, parallel,
      [&parts = context.parts] { return parts.causal_controller->found_columns(); }, &context.window);
  context.cursor.join(parallel);
  View view = view_of(parallel);
  view.panel = [controller](View&) { return controller->panel(); };
  view.docked = [controller](QDockWidget& dock) {
    QObject::connect(controller, &ParallelController::shown, &dock, [&dock] { reveal(dock); });
  };
  view.connect = [&context, parallel] { connect_parallel(context, parallel); };
  view.session_opened = [parallel](const TrackList&) { parallel->setMessage(PinnedViews::waiting()); };
  view.show_state = [parallel](const SelectionState& now, const SelectionState& before) {
    if (now.brushes != before.brushes) parallel->setBrushes(now.brushes);
  };
  view.save = [&context, controller](nlohmann::json& views) {
    views["parallel"] = controller->state();
    if (auto brushed = categories_of_brushes(context.hub.state(), context.session.codes()); !brushed.empty())
      views["categories"] = std::move(brushed);
  };
  view.restore = [&context, controller](const nlohmann::json& views, const SelectionState&) {
    if (const auto state = views.find("parallel"); state != views.end()) controller->restore(*state);
    context.session.set_categories(views.value("categories", nlohmann::json::array()));
  };
  view.pin = [&context](const ViewSpec& spec) { return pin_parallel(context, spec); };
  view.exports = exports_of(context, parallel);
  view.exports.launches = [&parts = context.parts, controller] {
    return controller->shows_bins() ? nullptr : parts.launches;
  };
  view.exports.csv = [controller](const QString&) { return controller->csv_of_bins(); };
  view.advice = [parallel](const PaperSize& size) { return advice_of(*parallel, size); };
  return view;
}

} // namespace

ViewSpec parallel_view() {
  return {"parallel", QT_TRANSLATE_NOOP("Jitterscope", "Parallel coordinates"), "parallel",
          DockPlace{.beside = "bins", .in_front = true}, make_parallel};
}

} // namespace jitterscope::app
