#include "app/window/pinned_views.h"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <algorithm>
#include <memory>
#include <optional>

#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/launch_views.h"
#include "app/controllers/parallel/parallel_controller.h"
#include "app/engine/decode.h"
#include "app/engine/decode_launches.h"
#include "app/engine/parallel_colours.h"
#include "app/session/cursor_time.h"
#include "app/session/launches_columns.h"
#include "app/session/questions.h"
#include "app/window/window_views.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_strip.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

using nlohmann::json;

PinnedViews::PinnedViews(QMainWindow& window, WindowViews& shown, SessionController& session,
                         CursorTime& cursor, QObject* parent)
    : QObject(parent), window_(window), shown_(shown), session_(session), cursor_(cursor) {
  connect(&session_, &SessionController::reopened, this, [this] {
    for (const auto& view : views_)
      if (view.dock) view.ask();
  });
}

const char* PinnedViews::english_title(PinnedKind kind) {
  switch (kind) {
  case PinnedKind::Timeline:
    return QT_TR_NOOP("Timeline");
  case PinnedKind::Distribution:
    return QT_TR_NOOP("Distribution");
  case PinnedKind::HeatMap:
    return QT_TR_NOOP("Heat map");
  case PinnedKind::Kernels:
    return QT_TR_NOOP("Kernels");
  case PinnedKind::Launches:
    return QT_TR_NOOP("Launches");
  case PinnedKind::Bins:
    return QT_TR_NOOP("Ranked bins");
  case PinnedKind::Causal:
    return QT_TR_NOOP("Causal graph");
  case PinnedKind::Parallel:
    return QT_TR_NOOP("Parallel coordinates");
  case PinnedKind::Evidence:
    return QT_TR_NOOP("Evidence");
  case PinnedKind::WhatIf:
    return QT_TR_NOOP("What if");
  case PinnedKind::Area:
    return QT_TR_NOOP("Area");
  case PinnedKind::Knowledge:
    return QT_TR_NOOP("Knowledge");
  case PinnedKind::Marks:
    return QT_TR_NOOP("Marks");
  case PinnedKind::Activity:
    return QT_TR_NOOP("Activity");
  case PinnedKind::Details:
    return QT_TR_NOOP("Details");
  case PinnedKind::Efficiency:
    return QT_TR_NOOP("Efficiencies");
  case PinnedKind::Model:
    return QT_TR_NOOP("Performance model");
  case PinnedKind::Metrics:
    return QT_TR_NOOP("Metrics");
  case PinnedKind::MetricHistogram:
    return QT_TR_NOOP("Metric histogram");
  }
  return "";
}

QString PinnedViews::title(PinnedKind kind) {
  return tr(english_title(kind));
}

// Next to the others while there is room, for comparison; else as a tab of the widest one,
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

QDockWidget* PinnedViews::show(const QString& name, QWidget* widget,
                               std::function<void(const views::ViewStyle&)> style,
                               std::function<void()> ask) {
  auto* dock = new QDockWidget(name, &window_);
  dock->setObjectName(QString("dock.pinned.%1").arg(next_++));
  dock->setAttribute(Qt::WA_DeleteOnClose);
  dock->setWidget(widget);
  style(style_);
  views_.push_back({dock, std::move(style), std::move(ask), session_.selection_options()});
  place(dock);
  views_.back().ask();
  return dock;
}

QDockWidget* PinnedViews::show_pinned(const QString& name, QWidget* widget,
                                      std::function<void(const views::ViewStyle&)> style,
                                      std::function<void()> ask) {
  const QString range = session_.selection_range();
  auto* dock = show(tr("%1 · pinned: %2").arg(name, range), widget, std::move(style), std::move(ask));
  dock->setToolTip(tr("This view keeps the selection: %1").arg(range));
  return dock;
}

template <class Widget, class Receive>
QDockWidget* PinnedViews::show_answer(PinnedKind kind, Widget* widget, const std::string& operation,
                                      std::shared_ptr<json> options, Receive receive) {
  widget->setMessage(PinnedViews::tr("Waiting for the engine …"));
  const QString doing = title(kind);
  return show(title(kind), widget,
              [this, widget = QPointer(widget), operation, options = std::move(options), doing, receive] {
                session_.ask(
                    operation, *options, doing,
                    [widget, receive](const engine::Answer& answer) {
                      if (!widget) return;
                      widget->setMessage({});
                      receive(widget.data(), answer);
                    },
                    [widget](const Error& error) {
                      if (widget) widget->setMessage(QString::fromStdString(error.message));
                    });
              });
}

json PinnedViews::selection() {
  json options = session_.selection_options();
  options["channel"] = "pinned " + std::to_string(next_);
  return options;
}

QDockWidget* PinnedViews::pin(PinnedKind kind) {
  switch (kind) {
  case PinnedKind::Timeline:
    return pin_timeline();
  case PinnedKind::Distribution:
    return pin_distribution();
  case PinnedKind::HeatMap:
    return pin_heat_map();
  case PinnedKind::Kernels:
    return show_answer(
        kind, new views::KernelsWidget, "kernels", std::make_shared<json>(selection()),
        [range = session_.selection_range()](views::KernelsWidget* widget, const engine::Answer& answer) {
          if (auto data = decode_kernels(answer, range)) widget->setKernels(std::move(*data));
        });
  case PinnedKind::Launches:
    return pin_launches();
  case PinnedKind::Bins:
    return pin_bins();
  case PinnedKind::Causal:
    return pin_causal();
  case PinnedKind::Parallel:
    return pin_parallel();
  case PinnedKind::Evidence:
    return pin_evidence();
  case PinnedKind::WhatIf:
    return pin_what_if();
  case PinnedKind::Area:
    return pin_area();
  case PinnedKind::Knowledge:
    return pin_knowledge();
  case PinnedKind::Marks:
    return pin_marks();
  case PinnedKind::Activity:
    return pin_activity();
  case PinnedKind::Details:
    return pin_details();
  case PinnedKind::Efficiency:
    return pin_efficiency();
  case PinnedKind::Model:
    return pin_model();
  case PinnedKind::Metrics:
    return pin_metrics();
  case PinnedKind::MetricHistogram:
    return pin_metric_histogram();
  }
  return nullptr;
}

// Only the filter is pinned; the window and the arrangement and colours of the tracks start as in the
// original and are independent afterwards.
QDockWidget* PinnedViews::pin_timeline() {
  auto* widget = new views::TimelineWidget;
  const auto& tracks = session_.tracks();
  const auto& state = session_.selection();
  widget->setNames([names = tracks.names](std::uint32_t id) { return names.value(static_cast<int>(id)); });
  widget->setViewStyle(style_);
  // Stored to repeat the request after a restart of the engine.
  const auto last = std::make_shared<std::optional<views::TimelineQuery>>();
  const auto ask = [this, last, widget = QPointer(widget), selected = selection()] {
    if (!*last) return;
    json options = selected;
    options.update(timeline_question(**last));
    session_.ask("timeline", std::move(options), title(PinnedKind::Timeline),
                 [widget](const engine::Answer& answer) {
                   auto data = decode_timeline(answer);
                   if (widget && data) widget->setData(std::move(*data));
                 });
  };
  connect(widget, &views::TimelineWidget::contentRequested, this,
          [last, ask](const views::TimelineQuery& query) {
            *last = query;
            ask();
          });
  cursor_.join(widget);
  widget->setTracks(tracks.tracks, tracks.span, tracks.axis);
  widget->setState(shown_.timeline()->state());
  widget->setBrush(state.brush);
  const auto ranges = state.intervals();
  widget->setWindow(!ranges.empty() ? ranges.front() : state.window.value_or(tracks.launch_span));
  return show(title(PinnedKind::Timeline), widget, ask);
}

QDockWidget* PinnedViews::pin_distribution() {
  const auto options = std::make_shared<json>(selection());
  const auto asked = std::make_shared<DistributionChoices>(session_.distribution_choices());
  (*options)["column"] = asked->column;
  (*options)["log"] = asked->log;
  (*options)["time"] = asked->time;
  (*options)["group_by"] = asked->group_by;
  const QString name = title_of_column(asked->column) + " · " + session_.selection_range();
  auto* widget = new views::DistributionWidget;
  auto* dock = show_answer(PinnedKind::Distribution, widget, "distribution", options,
                           [name, asked](views::DistributionWidget* view, const engine::Answer& answer) {
                             auto data = decode_distribution(answer, name);
                             if (!data) return;
                             data->logHeights = asked->log_heights;
                             data->groupedBy = words(asked->group_by);
                             view->setData(std::move(*data));
                           });
  connect(widget, &views::DistributionWidget::logScaleRequested, this,
          [options, ask = views_.back().ask](bool on) {
            (*options)["log"] = on;
            ask();
          });
  connect(widget, &views::DistributionWidget::logHeightsRequested, this,
          [asked, ask = views_.back().ask](bool on) {
            asked->log_heights = on;
            ask();
          });
  return dock;
}

QDockWidget* PinnedViews::pin_heat_map() {
  const auto options = std::make_shared<json>(selection());
  const QSize cells = shown_.heat_map()->cells();
  (*options)["column"] = session_.distribution_choices().column;
  (*options)["log"] = shown_.launch_views()->logarithmic_map();
  (*options)["columns"] = cells.width();
  (*options)["rows"] = cells.height();
  const QString name =
      title_of_column(session_.distribution_choices().column) + " · " + session_.selection_range();
  auto* widget = new views::HeatMapWidget;
  cursor_.join(widget);
  auto* dock =
      show_answer(PinnedKind::HeatMap, widget, "heat_map", options,
                  [name, axis = session_.axis()](views::HeatMapWidget* map, const engine::Answer& answer) {
                    if (auto data = decode_heat_map(answer, name, axis)) map->setData(std::move(*data));
                  });
  connect(widget, &views::HeatMapWidget::logScaleRequested, this,
          [options, ask = views_.back().ask](bool on) {
            (*options)["log"] = on;
            ask();
          });
  return dock;
}

// Uses columns and order of the original table.
QDockWidget* PinnedViews::pin_launches() {
  auto* widget = new views::LaunchesWidget;
  cursor_.join(widget);
  connect(widget, &views::LaunchesWidget::rowsRequested, this,
          [this, widget = QPointer(widget),
           selected = selection()](qint64 first, qint64 count, const views::LaunchesOrder& order,
                                   const QStringList& columns, quint64 round) {
            if (!session_.has_session()) return;
            json options = selected;
            options.update(launches_question(first, count, order, columns));
            session_.ask("launches", std::move(options), title(PinnedKind::Launches),
                         [widget, round](const engine::Answer& answer) {
                           auto page = decode_launches(answer);
                           if (widget && page) widget->addPage(std::move(*page), round);
                         });
          });
  QStringList shown;
  for (const auto& column : shown_.launches()->model().columns()) shown << column.name;
  widget->setAvailable(launches_columns(session_).all, shown);
  widget->setOrder(shown_.launches()->order());
  return show(title(PinnedKind::Launches), widget,
              [widget = QPointer(widget), range = session_.selection_range()] {
                if (widget) widget->selectionChanged(range);
              });
}

QDockWidget* PinnedViews::pin_bins() {
  const auto options = std::make_shared<json>(session_.bins_question());
  (*options)["channel"] = "pinned " + std::to_string(next_);
  (*options)["partial"] = false;
  auto* widget = new views::BinsWidget;
  cursor_.join(widget->strip());
  return show_answer(PinnedKind::Bins, widget, "bins", options,
                     [span = session_.tracks().launch_span, reasons = shown_.bins()->model().reasons()](
                         views::BinsWidget* view, const engine::Answer& answer) {
                       if (auto data = decode_bins(answer, span)) view->setBins(std::move(*data));
                       view->setReasons(reasons); // the same selection has the same reasons
                     });
}

// Uses the question that the visible graph answers instead of the selection, because questions about few
// launches are extended to more launches.
QDockWidget* PinnedViews::pin_causal() {
  if (shown_.causal_controller()->side_by_side()) return pin_causal_groups();
  const auto options = std::make_shared<json>(session_.causal_question());
  (*options)["channel"] = "pinned " + std::to_string(next_);
  return show_answer(PinnedKind::Causal, new views::CausalWidget, "causal", options,
                     [](views::CausalWidget* widget, const engine::Answer& answer) {
                       if (auto result = decode_causal(answer)) widget->setGraph(graph_of(*result));
                     });
}

// The duplicate has the same axes, scales and order. Its axes can be moved, which requests the missing
// counts.
QDockWidget* PinnedViews::pin_parallel() {
  if (shown_.parallel_controller()->shows_bins()) return pin_bin_coordinates();
  const auto& shown = shown_.parallel()->model();
  auto* widget = new views::ParallelWidget;
  for (const auto& key : shown.order()) widget->setInverted(key, shown.inverted(key));
  json options = session_.parallel_question(shown.order());
  options["channel"] = "pinned " + std::to_string(next_);
  const auto asked = std::make_shared<json>(std::move(options));
  const auto receive = [widget = QPointer(widget), brushes = shown.brushes(), logic = shown.logic(),
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
  const auto ask = [this, asked, receive, widget = QPointer(widget)] {
    session_.ask("parallel", *asked, title(PinnedKind::Parallel), receive, [widget](const Error& error) {
      if (widget) widget->setMessage(QString::fromStdString(error.message));
    });
  };
  const auto ordered = [asked, ask](const QStringList& axes) {
    (*asked)["axes"] = json::array();
    for (const auto& axis : axes) (*asked)["axes"].push_back(axis.toStdString());
    ask();
  };
  connect(widget, &views::ParallelWidget::axesReordered, this, ordered);
  connect(
      widget, &views::ParallelWidget::needHistogramsFor, this,
      [ordered, widget = QPointer(widget)] {
        if (widget) ordered(widget->model().order());
      },
      Qt::QueuedConnection);
  cursor_.join(widget);
  widget->setMessage(tr("Waiting for the engine …"));
  return show(title(PinnedKind::Parallel), widget, ask);
}

void PinnedViews::set_style(const views::ViewStyle& style) {
  style_ = style;
  for (const auto& view : views_) view.style(style);
}

int PinnedViews::count() const {
  return static_cast<int>(
      std::count_if(views_.begin(), views_.end(), [](const View& view) { return !view.dock.isNull(); }));
}

QList<QDockWidget*> PinnedViews::docks() const {
  QList<QDockWidget*> open;
  for (const auto& view : views_)
    if (view.dock) open << view.dock.data();
  return open;
}

QDockWidget* PinnedViews::dock_of(const QString& title) const {
  for (auto* dock : docks())
    if (dock->windowTitle() == title) return dock;
  return nullptr;
}

json PinnedViews::selection_of(const QDockWidget* dock) const {
  const auto found =
      std::find_if(views_.begin(), views_.end(), [&](const View& view) { return dock && view.dock == dock; });
  return found == views_.end() ? session_.selection_options() : found->selection;
}

void PinnedViews::clear() {
  for (const auto& view : views_) delete view.dock.data();
  views_.clear();
}

} // namespace jitterscope::app
