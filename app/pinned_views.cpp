#include "app/pinned_views.h"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <algorithm>
#include <memory>
#include <optional>

#include "app/cursor_time.h"
#include "app/decode.h"
#include "app/decode_launches.h"
#include "app/questions.h"
#include "views/bins/bins_strip.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/evidence/evidence_widget.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_widget.h"
#include "views/timeline/area_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

using nlohmann::json;

PinnedViews::PinnedViews(QMainWindow& window, SessionController& session, CursorTime& cursor, QObject* parent)
    : QObject(parent), window_(window), session_(session), cursor_(cursor) {
  connect(&session_, &SessionController::reopened, this, [this] {
    for (const auto& view : views_)
      if (view.dock) view.ask();
  });
}

QString PinnedViews::title(PinnedKind kind) {
  switch (kind) {
  case PinnedKind::Timeline:
    return "Timeline";
  case PinnedKind::Distribution:
    return "Distribution";
  case PinnedKind::HeatMap:
    return "Heat map";
  case PinnedKind::Kernels:
    return "Kernels";
  case PinnedKind::Launches:
    return "Launches";
  case PinnedKind::Bins:
    return "Ranked bins";
  case PinnedKind::Causal:
    return "Causal graph";
  case PinnedKind::Parallel:
    return "Parallel coordinates";
  }
  return {};
}

// Beside the others while they have room, so that they can be compared; else as a tab of the one that takes most room: docks
// that have none would make the window wider than the screen.
void PinnedViews::place(QDockWidget* dock) {
  constexpr int kBetween = 16; // docks and their frames
  const auto least = [](const QDockWidget* of) { return of->minimumSizeHint().width(); };
  dock->ensurePolished();
  QDockWidget* widest = nullptr;
  for (auto* other : window_.findChildren<QDockWidget*>())
    if (other != dock && other->isVisible() && !other->isFloating() && window_.dockWidgetArea(other) == Qt::BottomDockWidgetArea &&
        (!widest || least(other) > least(widest)))
      widest = other;
  if (widest && window_.layout()->minimumSize().width() + least(dock) + kBetween > window_.width())
    window_.tabifyDockWidget(widest, dock);
  else
    window_.addDockWidget(Qt::BottomDockWidgetArea, dock);
  dock->show();
  dock->raise();
}

template <class Widget>
QDockWidget* PinnedViews::show(const QString& name, Widget* widget, std::function<void()> ask) {
  const QString range = session_.selection_range();
  auto* dock = new QDockWidget(name + " · pinned: " + range, &window_);
  dock->setObjectName(QString("dock.pinned.%1").arg(next_++));
  dock->setToolTip("Stays with: " + range);
  dock->setAttribute(Qt::WA_DeleteOnClose);
  dock->setWidget(widget);
  widget->setViewStyle(style_);
  views_.push_back({dock,
                    [widget = QPointer(widget)](const views::ViewStyle& style) {
                      if (widget) widget->setViewStyle(style);
                    },
                    std::move(ask)});
  place(dock);
  views_.back().ask();
  return dock;
}

template <class Widget, class Take>
QDockWidget* PinnedViews::show_answer(PinnedKind kind, Widget* widget, const std::string& operation, json options, Take take) {
  widget->setMessage("Asking the engine …");
  const QString doing = title(kind);
  return show(title(kind), widget, [this, widget = QPointer(widget), operation, options = std::move(options), doing, take] {
    session_.ask(
        operation, options, doing,
        [widget, take](const engine::Answer& answer) {
          if (!widget) return;
          widget->setMessage({});
          take(widget.data(), answer);
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
    return show_answer(kind, new views::KernelsWidget, "kernels", selection(),
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
    return show_answer(kind, new views::ParallelWidget, "parallel", selection(),
                       [](views::ParallelWidget* widget, const engine::Answer& answer) {
                         if (auto data = decode_parallel(answer)) widget->setData(std::move(*data));
                       });
  }
  return nullptr;
}

// Its tracks and its window are its own: what is pinned is the filter, and where it begins.
QDockWidget* PinnedViews::pin_timeline() {
  auto* widget = new views::TimelineWidget;
  const auto& tracks = session_.tracks();
  const auto& state = session_.selection();
  widget->setNames([names = tracks.names](std::uint32_t id) { return names.value(static_cast<int>(id)); });
  widget->setViewStyle(style_);
  // Kept, because an engine that was started again is asked for the same once more.
  const auto last = std::make_shared<std::optional<views::TimelineQuery>>();
  const auto ask = [this, last, widget = QPointer(widget), selected = selection()] {
    if (!*last) return;
    json options = selected;
    options.update(timeline_question(**last));
    session_.ask("timeline", std::move(options), title(PinnedKind::Timeline), [widget](const engine::Answer& answer) {
      auto data = decode_timeline(answer);
      if (widget && data) widget->setData(std::move(*data));
    });
  };
  connect(widget, &views::TimelineWidget::contentWanted, this, [last, ask](const views::TimelineQuery& query) {
    *last = query;
    ask();
  });
  cursor_.join(widget);
  widget->setTracks(tracks.tracks, tracks.span, tracks.axis);
  widget->setBrush(state.brush);
  const auto ranges = state.intervals();
  widget->setWindow(!ranges.empty() ? ranges.front() : state.window.value_or(tracks.launch_span));
  return show(title(PinnedKind::Timeline), widget, ask);
}

QDockWidget* PinnedViews::pin_distribution() {
  json options = selection();
  const auto& asked = session_.distribution_choices();
  options["column"] = asked.column;
  options["log"] = asked.log;
  options["time"] = asked.time;
  options["group_by"] = asked.group_by;
  const QString name = title_of_column(asked.column) + " · " + session_.selection_range();
  return show_answer(PinnedKind::Distribution, new views::DistributionWidget, "distribution", std::move(options),
                     [name, asked](views::DistributionWidget* widget, const engine::Answer& answer) {
                       auto data = decode_distribution(answer, name);
                       if (!data) return;
                       data->logHeights = asked.log_heights;
                       data->groupedBy = words(asked.group_by);
                       widget->setData(std::move(*data));
                     });
}

QDockWidget* PinnedViews::pin_heat_map() {
  json options = selection();
  options["column"] = session_.distribution_choices().column;
  options["columns"] = 240;
  options["rows"] = 60;
  const QString name = title_of_column(session_.distribution_choices().column) + " · " + session_.selection_range();
  auto* widget = new views::HeatMapWidget;
  cursor_.join(widget);
  return show_answer(PinnedKind::HeatMap, widget, "heat_map", std::move(options),
                     [name, axis = session_.axis()](views::HeatMapWidget* map, const engine::Answer& answer) {
                       if (auto data = decode_heat_map(answer, name, axis)) map->setData(std::move(*data));
                     });
}

QDockWidget* PinnedViews::pin_launches() {
  auto* widget = new views::LaunchesWidget;
  cursor_.join(widget);
  connect(widget, &views::LaunchesWidget::rowsWanted, this,
          [this, widget = QPointer(widget), selected = selection()](qint64 first, qint64 count, const views::LaunchesOrder& order,
                                                                   const QStringList& columns, quint64 round) {
            if (!session_.has_session()) return;
            json options = selected;
            options.update(launches_question(first, count, order, columns));
            session_.ask("launches", std::move(options), title(PinnedKind::Launches), [widget, round](const engine::Answer& answer) {
              auto page = decode_launches(answer);
              if (widget && page) widget->addPage(std::move(*page), round);
            });
          });
  auto columns = launches_columns(session_);
  widget->setAvailable(std::move(columns.all), columns.shown);
  return show(title(PinnedKind::Launches), widget, [widget = QPointer(widget), range = session_.selection_range()] {
    if (widget) widget->selectionChanged(range);
  });
}

QDockWidget* PinnedViews::pin_bins() {
  json options = selection();
  const auto& bins = session_.bin_choices();
  options["metric"] = bins.metric;
  options["rank_by"] = bins.rank_by;
  options["width_ns"] = bins.width_ns;
  options["top_count"] = bins.top_count;
  options["top_share"] = bins.top_share;
  options["all"] = true;
  auto* widget = new views::BinsWidget;
  cursor_.join(widget->strip());
  return show_answer(PinnedKind::Bins, widget, "bins", std::move(options),
                     [span = session_.tracks().launch_span](views::BinsWidget* view, const engine::Answer& answer) {
                       if (auto data = decode_bins(answer, span)) view->setBins(std::move(*data));
                     });
}

// The question that the graph on the screen answers, not the selection: few launches are widened to more there.
QDockWidget* PinnedViews::pin_causal() {
  json options = session_.causal_question();
  options["channel"] = "pinned " + std::to_string(next_);
  return show_answer(PinnedKind::Causal, new views::CausalWidget, "causal", std::move(options),
                     [](views::CausalWidget* widget, const engine::Answer& answer) {
                       if (auto result = decode_causal(answer)) widget->setGraph(graph_of(*result));
                     });
}

QDockWidget* PinnedViews::pin_evidence(views::EvidenceData data) {
  data.canSelect = false; // the selection it speaks of may be gone
  auto* widget = new views::EvidenceWidget;
  auto* dock = show("Evidence", widget, [] {});
  widget->setData(std::move(data));
  return dock;
}

QDockWidget* PinnedViews::pin_area(const views::AreaData& data) {
  auto* widget = new views::AreaWidget;
  auto* dock = show("Area", widget, [] {});
  widget->setArea(data);
  return dock;
}

void PinnedViews::set_style(const views::ViewStyle& style) {
  style_ = style;
  for (const auto& view : views_) view.style(style);
}

int PinnedViews::count() const {
  return static_cast<int>(std::count_if(views_.begin(), views_.end(), [](const View& view) { return !view.dock.isNull(); }));
}

void PinnedViews::clear() {
  for (const auto& view : views_) delete view.dock.data();
  views_.clear();
}

} // namespace jitterscope::app
