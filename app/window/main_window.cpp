#include "app/window/main_window.h"

#include <QCloseEvent>
#include <QDesktopServices>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QRegularExpression>
#include <QStatusBar>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/controllers/activity_view.h"
#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/details_panel.h"
#include "app/controllers/details_text.h"
#include "app/controllers/distribution_panel.h"
#include "app/controllers/efficiency_controller.h"
#include "app/controllers/launch_views.h"
#include "app/controllers/model_controller.h"
#include "app/controllers/parallel/parallel_controller.h"
#include "app/controllers/stretch_guide.h"
#include "app/controllers/timeline_docks.h"
#include "app/controllers/timeline_link.h"
#include "app/engine/row_texts.h"
#include "app/engine/settings.h"
#include "app/metrics/metric_tracks.h"
#include "app/metrics/metrics_controller.h"
#include "app/session/autosave.h"
#include "app/session/chosen_group.h"
#include "app/session/cursor_time.h"
#include "app/session/recent_files.h"
#include "app/session/session_file.h"
#include "app/widgets/command_palette.h"
#include "app/widgets/message_bar.h"
#include "app/widgets/request_bar.h"
#include "app/widgets/stretch_bar.h"
#include "app/window/pinned_views.h"
#include "core/engine/ranks/placement.h"
#include "views/area/area_widget.h"
#include "views/base/format.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_strip.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/efficiency/efficiency_widget.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_widget.h"
#include "views/table_parts/elided_label.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

MainWindow::MainWindow(int ranks, QWidget* parent) : QMainWindow(parent), session_(hub_) {
  install_row_texts(); // before the first text is made
  session_.set_ranks(ranks);
  setWindowTitle(tr("Jitterscope"));
  setAcceptDrops(true);
  make_views();
  make_docks();
  make_menus();
  make_keys();
  make_status();
  connect_timeline();
  connect_other_views();
  connect_session();
  connect(&hub_, &SelectionHub::changed, this, &MainWindow::show_state);
  make_autosave();
  set_theme(saved_theme());
  layout()->activate(); // minimum sizes with the theme's fonts, before any size is requested
  set_messages(
      tr("To begin, open a trace with File ▸ Open, drop files here, or name them on the command line."));
}

MainWindow::~MainWindow() {
  QDesktopServices::unsetUrlHandler("help");
  session_.shut_down();
}

void MainWindow::make_views() {
  auto* middle = new QWidget(this);
  auto* column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  messages_ = new MessageBar(middle);
  timeline_ = new views::TimelineWidget(middle);
  timeline_->setObjectName("timeline");
  stretch_bar_ = new StretchBar(middle);
  column->addWidget(messages_);
  column->addWidget(stretch_bar_);
  column->addWidget(timeline_, 1);
  setCentralWidget(middle);
  bins_ = new views::BinsWidget(this);
  causal_ = new views::CausalWidget(this);
  causal_controller_ = new CausalController(hub_, session_, causal_, this);
  parallel_ = new views::ParallelWidget(this);
  parallel_controller_ = new ParallelController(
      hub_, session_, parallel_, [this] { return causal_controller_->found_columns(); }, this);
  distribution_ = new views::DistributionWidget(this);
  kernels_ = new views::KernelsWidget(this);
  launches_ = new views::LaunchesWidget(this);
  heat_map_ = new views::HeatMapWidget(this);
  efficiency_ = new views::EfficiencyWidget(this);
  efficiency_controller_ = new EfficiencyController(hub_, session_, efficiency_, this);
  model_ = new views::ModelWidget(this);
  model_controller_ = new ModelController(hub_, session_, model_, this);
  metrics_ = new views::MetricsWidget(this);
  metric_histogram_ = new views::MetricHistogramWidget(this);
  metrics_controller_ = new MetricsController(hub_, session_, metrics_, metric_histogram_, this);
  distribution_panel_ = new DistributionPanel(session_, distribution_, this);
  details_ = new DetailsPanel(hub_, session_, *timeline_, this);
  launch_views_ = new LaunchViews(hub_, session_, launches_, heat_map_, this);
  cursor_ = new CursorTime(this);
  cursor_->join(timeline_);
  cursor_->join(bins_->strip());
  cursor_->join(heat_map_);
  cursor_->join(launches_);
  cursor_->join(parallel_);
  cursor_->join(metrics_->canvas());
  stretches_ = new StretchGuide(hub_, session_, *timeline_, *stretch_bar_, this);
  connect(stretches_, &StretchGuide::reported, this,
          [this](const QString& text) { statusBar()->showMessage(text, 8000); });
  connect(stretches_, &StretchGuide::bins_chosen, this, &MainWindow::fill_column_choices);
  pinned_ = new PinnedViews(*this, *this, session_, *cursor_, this);
  palette_ = new CommandPalette(this);
  activity_ = new ActivityView(this);
}

void MainWindow::make_status() {
  selection_label_ = new views::ElidedLabel(this);
  engine_label_ = new QLabel(tr("engine: not started"), this);
  requests_ = new RequestBar(this);
  statusBar()->addWidget(selection_label_, 1);
  statusBar()->addPermanentWidget(requests_);
  statusBar()->addPermanentWidget(engine_label_);
  connect(requests_, &RequestBar::cancelled, &session_, &SessionController::cancel_running);
}

void MainWindow::set_theme(views::Theme theme) {
  style_ = apply_theme(theme);
  timeline_->setViewStyle(style_);
  bins_->setViewStyle(style_);
  causal_->setViewStyle(style_);
  causal_controller_->set_style(style_);
  parallel_->setViewStyle(style_);
  distribution_->setViewStyle(style_);
  kernels_->setViewStyle(style_);
  timeline_docks_->set_style(style_);
  launches_->setViewStyle(style_);
  heat_map_->setViewStyle(style_);
  efficiency_->setViewStyle(style_);
  model_->setViewStyle(style_);
  metrics_controller_->set_style(style_);
  pinned_->set_style(style_);
  details_->set_style(style_);
}

void MainWindow::set_messages(const QString& text) {
  timeline_->setMessage(text);
  bins_->setMessage(text);
  causal_->setMessage(text);
  causal_controller_->set_message(text);
  parallel_->setMessage(text);
  distribution_->setMessage(text);
  kernels_->setMessage(text);
  launches_->setMessage(text);
  heat_map_->setMessage(text);
  efficiency_->setMessage(text);
  model_->setMessage(text);
  metrics_->setMessage(text);
}

void MainWindow::open(const QStringList& files, const QStringList& mapping) {
  if (files.size() == 1 && looks_like_session(files.front())) return open_session_file(files.front());
  session_.set_max_axes(std::clamp(parallel_->width() / 82, 5, 12));
  session_.open(files, mapping);
}

void MainWindow::change(const std::function<void(SelectionState&)>& edit, const QString& merge) {
  SelectionState state = hub_.state();
  edit(state);
  hub_.apply(state, merge);
}

void MainWindow::connect_timeline() {
  using views::TimelineWidget;
  // A state without a window shows the whole axis. Showing it again is not a history step, because undoing it
  // would change nothing.
  connect(timeline_, &TimelineWidget::windowSettled, this, [this](Interval window) {
    if (hub_.state().window || window != span_) change([&](SelectionState& s) { s.window = window; });
  });
  connect(timeline_, &TimelineWidget::brushed, this,
          [this](Interval range) { change([&](SelectionState& s) { s.brush = range; }); });
  connect(timeline_, &TimelineWidget::brushCleared, this,
          [this] { change([](SelectionState& s) { s.brush.reset(); }); });
  connect(timeline_, &TimelineWidget::launchClicked, this,
          [this](std::uint32_t track, std::uint64_t row, Interval interval) {
            const int index = timeline_->model().trackIndex(track);
            if (index < 0 ||
                !views::showsLaunches(timeline_->model().tracks()[static_cast<std::size_t>(index)].kind))
              return details_->show_event(track, row,
                                          interval); // a copy, a call, a range: outlined, but not a launch
            change([&](SelectionState& s) { s.launch = LaunchChoice{track, row, interval}; });
          });
  connect(timeline_, &TimelineWidget::sampleClicked, details_, &DetailsPanel::show_sample);
  connect(timeline_, &TimelineWidget::foldClicked, this, [this](std::uint32_t, Interval part) {
    change([&](SelectionState& s) { // zooms into a folded column until its launches are distinguishable
      const auto margin = Nanoseconds{part.length().count * 20};
      s.window = Interval{part.begin - margin, part.end + margin};
    });
  });
  connect(timeline_, &TimelineWidget::eventMenuRequested, this,
          [this](std::uint32_t track, std::uint64_t row, Interval interval, QPoint place) {
            timeline_->setSelection(track, row, interval);
            emit timeline_->launchClicked(track, row, interval);
            auto* menu = details_->make_menu(this);
            menu->setAttribute(Qt::WA_DeleteOnClose);
            menu->addSeparator();
            auto* of_track = timeline_->makeMenu(timeline_->model().trackIndex(track));
            of_track->setTitle(tr("Track"));
            connect(menu, &QObject::destroyed, of_track, &QObject::deleteLater);
            menu->addMenu(of_track);
            menu->popup(place);
          });
  connect(details_, &DetailsPanel::reveal_requested, timeline_, &TimelineWidget::reveal);
  connect(details_, &DetailsPanel::partner_requested, this, [this] { launch_views_->go_to_partner(); });
  connect(details_, &DetailsPanel::reported, this,
          [this](const QString& text) { statusBar()->showMessage(text, 8000); });
  details_->set_bin_text([this](std::uint32_t bin) {
    const auto row = bins_->model().rowOf(bin);
    return row ? bins_->model().index(*row, 0).data(Qt::ToolTipRole).toString() : QString();
  });
  connect(timeline_, &TimelineWidget::causeClicked, this, [this](const QString& column, double minimum) {
    change([&](SelectionState& s) {
      s.where = with_condition(s.where, column, QString("%1 > %2").arg(column, views::exactNumber(minimum)));
    });
  });
  connect(timeline_, &TimelineWidget::backgroundClicked, this,
          [this] { change([](SelectionState& s) { s.launch.reset(); }); });
  connect(timeline_, &TimelineWidget::hoverDetailsRequested, this,
          [this](std::uint32_t track, Nanoseconds, std::uint64_t row) {
            hover_track_ = track;
            const auto& tracks = timeline_->model().tracks();
            const int index = timeline_->model().trackIndex(track);
            if (index < 0 || row == views::kNoRow) return;
            if (views::showsLaunches(tracks[static_cast<std::size_t>(index)].kind))
              session_.request_details(row, true);
            else
              timeline_->setHoverDetails(track, row, event_text(timeline_->model(), track, row));
          });
  timeline_link_ = new TimelineLink(*timeline_, session_, hub_, this);
  timeline_docks_->listen(*timeline_link_);
  connect(timeline_link_, &TimelineLink::remark, this,
          [this](const QString& text) { statusBar()->showMessage(text, 8000); });
  connect(timeline_docks_->area(), &views::AreaWidget::kernelActivated, this,
          [this](quint32 id) { change([&](SelectionState& s) { s.kernels = {id}; }); });
}

void MainWindow::connect_other_views() {
  const auto go_to_bin = [this](std::uint32_t index, Interval interval) {
    change([&](SelectionState& s) {
      s.bin = BinChoice{index, interval};
      s.reason.reset();
      // Shows the bin's launches completely, including those that end after the bin.
      Interval whole = interval;
      if (const auto row = bins_->model().rowOf(index))
        whole.end = std::max(whole.end, bins_->model().binAt(*row).lastEnd);
      const Nanoseconds margin{whole.length().count / 10};
      s.window = Interval{whole.begin - margin, whole.end + margin};
    });
  };
  connect(bins_, &views::BinsWidget::binSelected, this, go_to_bin);
  connect(bins_, &views::BinsWidget::binActivated, this, go_to_bin);
  connect(bins_, &views::BinsWidget::causeChosen, this,
          [this](const QString& cause, std::vector<Interval> bins) {
            std::sort(bins.begin(), bins.end(),
                      [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
            change([&](SelectionState& s) {
              s.bin.reset();
              s.reason = ReasonChoice{cause, std::move(bins)};
            });
          });
  connect(kernels_, &views::KernelsWidget::kernelSelected, this, [this](const QList<quint32>& ids) {
    change([&](SelectionState& s) {
      s.kernels.assign(ids.begin(), ids.end());
      std::sort(s.kernels.begin(), s.kernels.end());
    });
  });
  connect(distribution_, &views::DistributionWidget::rangeBrushed, this, [this](double low, double high) {
    change(
        [&](SelectionState& s) {
          s.brushes[session_.distribution_column()] = {{low, high}};
        },
        "distribution");
  });
  connect(distribution_, &views::DistributionWidget::groupChosen, this, [this](const QString& filter) {
    const auto column = QString::fromStdString(session_.distribution_choices().group_by);
    change([&](SelectionState& s) { toggle_group(s, column, filter, session_.tracks().names); });
  });
  connect(distribution_, &views::DistributionWidget::brushCleared, this,
          [this] { change([&](SelectionState& s) { s.brushes.erase(session_.distribution_column()); }); });
  connect(efficiency_controller_, &EfficiencyController::track_requested, timeline_,
          &views::TimelineWidget::showTrack);
  connect(metrics_controller_, &MetricsController::track_requested, timeline_,
          &views::TimelineWidget::showTrack);
  connect(metrics_controller_, &MetricsController::problem, this,
          [this](const QString& text) { messages_->note(text); });
  connect(parallel_controller_, &ParallelController::problem, this,
          [this](const QString& text) { messages_->note(text); });
  connect(causal_controller_, &CausalController::problem, this,
          [this](const QString& text) { messages_->note(text); });
  connect(filter_, &QLineEdit::returnPressed, this, &MainWindow::filter_entered);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    if (text.isEmpty()) filter_entered(); // clear button, too: an empty box must not hide an active filter
  });
  connect(&session_, &SessionController::filter_accepted, this, [this](const QString& text) {
    messages_->forget_error(SessionController::tr(SessionController::kFilter));
    change([&](SelectionState& s) { s.where = text; });
  });
}

void MainWindow::connect_session() {
  connect(&session_, &SessionController::opening, this, [this](const QStringList& files) {
    messages_->hide();
    if (!session_.has_session()) set_messages(tr("Opening %1 …").arg(QFileInfo(files.value(0)).fileName()));
  });
  connect(&session_, &SessionController::opened, this, &MainWindow::session_opened);
  connect(&session_, &SessionController::request_started, activity_, &ActivityView::started);
  connect(&session_, &SessionController::request_finished, activity_, &ActivityView::finished);
  connect(activity_, &ActivityView::cancelRequested, &session_, &SessionController::cancel_request);
  connect(&session_, &SessionController::reopened, this, [this] {
    messages_->hide();
    set_messages({});
  });
  connect(&session_, &SessionController::timeline, timeline_, &views::TimelineWidget::setData);
  metric_tracks_ = new MetricTracks(*timeline_, session_, this); // merges metrics into the timeline's data
  connect(metrics_controller_, &MetricsController::track_added, metric_tracks_, &MetricTracks::add);
  connect(metrics_controller_, &MetricsController::column_requested, &session_,
          &SessionController::add_metric_column);
  connect(&session_, &SessionController::columns_changed, this, [this] {
    fill_column_choices();
    distribution_panel_->fill();
  });
  connect(metric_tracks_, &MetricTracks::problem, this,
          [this](const QString& text) { messages_->note(text); });
  connect(&session_, &SessionController::overview, timeline_, &views::TimelineWidget::setOverview);
  connect(&session_, &SessionController::bins, bins_, &views::BinsWidget::setBins);
  connect(&session_, &SessionController::bin_reasons, bins_, &views::BinsWidget::setReasons);
  connect(&session_, &SessionController::kernels, kernels_, &views::KernelsWidget::setKernels);
  connect(&session_, &SessionController::distribution, distribution_, &views::DistributionWidget::setData);
  connect(&session_, &SessionController::causal_waiting, this,
          [this] { causal_->setMessage(tr("Analysing …")); });
  connect(&session_, &SessionController::causal_impossible, this, [this](const QString& why) {
    causal_->setGraph({});
    const bool none = session_.info().value("launches", nlohmann::json::object()).value("count", 0) == 0;
    causal_->setMessage(none ? tr("No kernel was launched in this trace: there is nothing to explain.")
                             : tr("These launches do not show why they vary: %1").arg(why) +
                                   tr("\nSelect more launches, or choose \"rows: all launches\"."));
  });
  connect(&session_, &SessionController::causal_cancelled, this, [this] {
    causal_->setGraph({});
    causal_->setMessage(tr("Cancelled. Engine ▸ Retry runs it again."));
  });
  connect(&session_, &SessionController::cancelled, this, [this](const QStringList& doing) {
    activity_->log(tr("Cancelled: %1").arg(doing.join(", ")));
    if (parallel_->model().empty()) parallel_->setMessage(tr("Cancelled"));
    if (distribution_->model().data.empty()) distribution_->setMessage(tr("Cancelled"));
    messages_->show_message(tr("Cancelled: %1. The views keep what they show.").arg(doing.join(", ")),
                            tr("Retry"), [this] { session_.ask_again(); });
  });
  connect(&session_, &SessionController::parallel, this, [this](const views::ParallelData& rows) {
    parallel_->setMessage(rows.axes.empty() ? tr("No launches in this range: there is nothing to show")
                                            : QString());
  });
  connect(&session_, &SessionController::distribution, this, [this] { distribution_->setMessage({}); });
  connect(&session_, &SessionController::details, this, &MainWindow::show_details);
  connect(&session_, &SessionController::failed, this, &MainWindow::show_error);
  connect(&session_, &SessionController::answered, messages_, &MessageBar::forget_error);
  connect(&session_, &SessionController::engine_ready, this, [this](int ranks, const QString& remark) {
    engine_label_->setText(ranks == 1 ? tr("engine: 1 rank") : tr("engine: %1 ranks").arg(ranks));
    const auto placement = QString::fromStdString(engine::place(ranks, engine::this_machine()).description);
    engine_label_->setToolTip(remark.isEmpty() ? placement : placement + "\n" + remark);
    if (!remark.isEmpty()) messages_->show_message(remark + ".");
  });
  connect(&session_, &SessionController::engine_lost, this, [this](const QString& message) {
    engine_label_->setText(tr("engine: stopped"));
    requests_->end();
    timeline_->setMessage(tr("The engine stopped"));
    activity_->log(message);
    messages_->show_message(
        tr("%1 The views keep what they show. New requests need the engine.").arg(message),
        tr("Start it again"), [this] { session_.restart_engine(); });
  });
  connect(&session_, &SessionController::working, this,
          [this](const QString& what, qint64 done, qint64 total) {
            if (!requests_->running()) requests_->begin(what);
            requests_->progress(what, done, total);
          });
  connect(&session_, &SessionController::idle, this, [this] { requests_->end(); });
}

void MainWindow::session_opened(const TrackList& tracks) {
  update_row_texts(*this);
  set_messages({});
  parallel_->setMessage(tr("Waiting for the engine …"));
  distribution_->setMessage(tr("Waiting for the engine …"));
  messages_->hide();
  span_ = tracks.span;
  QString title = QFileInfo(session_.files().value(0)).fileName();
  if (session_.files().size() > 1) title += QString(" + %1").arg(session_.files().size() - 1);
  setWindowTitle(tr("%1 – Jitterscope").arg(title));
  timeline_->setNames([names = tracks.names](std::uint32_t id) { return names.value(static_cast<int>(id)); });
  metric_tracks_->remove_all();
  timeline_->setTracks(tracks.tracks, tracks.span, tracks.axis);
  fill_column_choices();
  distribution_panel_->fill();
  pinned_->clear();
  RecentFiles::add(session_.files());
  activity_->log(tr("Opened %1").arg(session_.files().join(", ")));
  columns_->setEnabled(true);
  // Captures often start long before the first launch: initially shows the range of the launches.
  const Interval work = tracks.launch_span.empty() ? tracks.span : tracks.launch_span;
  const std::int64_t minimum = tracks.axis == views::AxisUnit::Time ? 100 : 0;
  const Nanoseconds margin{std::max(work.length().count / 50, minimum)};
  timeline_->setWindow({std::max(work.begin - margin, span_.begin), std::min(work.end + margin, span_.end)});
  restore_session();
}

// Shows the hub's state in every view; the setters of views emit no signal.
void MainWindow::show_state(const SelectionState& now, const SelectionState& before) {
  if (now.window != before.window) {
    if (now.window)
      timeline_->setWindow(*now.window);
    else
      timeline_->showAll();
  }
  timeline_->setBrush(now.brush);
  timeline_->setSelectedBin(now.bin ? std::optional<Interval>(now.bin->interval) : std::nullopt);
  bins_->setSelected(now.bin ? std::optional<std::uint32_t>(now.bin->index) : std::nullopt);
  kernels_->setSelected(QList<quint32>(now.kernels.begin(), now.kernels.end()));
  if (now.brushes != before.brushes) parallel_->setBrushes(now.brushes);
  const auto brushed = now.brushes.find(session_.distribution_column());
  const bool one = brushed != now.brushes.end() && brushed->second.size() == 1;
  distribution_->setBrush(one ? std::optional<views::DistributionBrush>(
                                    {brushed->second.front().low, brushed->second.front().high})
                              : std::nullopt);
  if (filter_->text() != now.where) filter_->setText(now.where);
  if (now.launch != before.launch) {
    timeline_->setArrows({});
    if (now.launch) {
      // A launch clicked in the timeline is already outlined, and must not move under the pointer.
      const bool outlined = timeline_->model().selectedRow == now.launch->row &&
                            timeline_->model().selectedTrack == now.launch->track;
      timeline_->setSelection(now.launch->track, now.launch->row, now.launch->interval);
      if (!outlined) timeline_->showTrack(now.launch->track);
      session_.request_details(now.launch->row, false);
    } else {
      timeline_->clearSelection();
    }
  }
  const QString text = selection_words(now, session_.selection_names());
  selection_label_->setText(text.isEmpty() ? QString() : tr("selected: %1").arg(text));
  selection_label_->setToolTip(text);
}

void MainWindow::show_details(const nlohmann::json& launch, bool for_hover) {
  if (for_hover) {
    timeline_->setHoverDetails(hover_track_, launch.value("row", std::uint64_t{0}), launch_card(launch));
    return;
  }
  if (std::exchange(described_launch_, std::nullopt) == launch.value("row", std::uint64_t{0}))
    return; // a longer text is already shown
  statusBar()->showMessage(launch_summary(launch), 15000);
}

void MainWindow::show_error(const Error& error, const QString& doing) {
  activity_->log(
      doing + ": " +
      (error.kind == ErrorKind::Cancelled ? tr("cancelled") : QString::fromStdString(describe(error))));
  if (error.kind == ErrorKind::Cancelled) {
    statusBar()->showMessage(tr("%1 cancelled").arg(doing), 5000);
    if (!session_.has_session())
      set_messages(
          tr("To begin, open a trace with File ▸ Open, drop files here, or name them on the command line."));
    return;
  }
  messages_->error(doing, QString::fromStdString(describe(error)));
  if (!session_.has_session())
    set_messages(
        tr("To begin, open a trace with File ▸ Open, drop files here, or name them on the command line."));
}

// A single word or /expression/ is a condition on kernel names; the box then shows the full condition.
static QString as_condition(const QString& text) {
  static const QRegularExpression kWord("^[A-Za-z0-9_:]+$"), kExpression("^/.+/$");
  if (kExpression.match(text).hasMatch()) return "name ~ " + text;
  return kWord.match(text).hasMatch() ? "name ~ /" + text + "/" : text;
}

void MainWindow::filter_entered() {
  const QString text = as_condition(filter_->text().trimmed());
  if (!text.isEmpty()) return session_.check_filter(text);
  messages_->forget_error(SessionController::tr(SessionController::kFilter));
  change([](SelectionState& s) { s.where.clear(); });
}

// Escape in the filter box returns focus to the view; a second Escape clears the selection.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  const bool key = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
  if (watched != filter_ || !key || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
    return QMainWindow::eventFilter(watched, event);
  if (event->type() == QEvent::KeyPress) timeline_->setFocus();
  event->accept(); // prevents the shortcut
  return true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  auto kept = settings();
  kept.setValue("window/geometry", saveGeometry());
  kept.setValue("window/layout", saveState());
  autosave_->finished();
  session_.shut_down();
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList files;
  for (const auto& url : event->mimeData()->urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  if (!files.isEmpty()) open(files);
}

} // namespace jitterscope::app
