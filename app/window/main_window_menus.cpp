#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QShortcut>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTableWidget>
#include <QTextBrowser>
#include <QThreadPool>
#include <QToolBar>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "app/controllers/activity_view.h"
#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/causal/knowledge_panel.h"
#include "app/controllers/details_panel.h"
#include "app/controllers/distribution_panel.h"
#include "app/controllers/launch_views.h"
#include "app/controllers/parallel/parallel_controller.h"
#include "app/controllers/stretch_guide.h"
#include "app/controllers/timeline_docks.h"
#include "app/engine/settings.h"
#include "app/engine/time_text.h"
#include "app/help/help_topics.h"
#include "app/help/help_window.h"
#include "app/metrics/metrics_controller.h"
#include "app/reduce/reduce_dialog.h"
#include "app/session/column_choices.h"
#include "app/session/session_file.h"
#include "app/widgets/choice_box.h"
#include "app/widgets/dock_tabs.h"
#include "app/widgets/message_bar.h"
#include "app/window/column_dialog.h"
#include "app/window/main_window.h"
#include "app/window/pinned_views.h"
#include "views/base/flow_layout.h"
#include "views/base/format.h"
#include "views/base/text.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_widget.h"
#include "views/devices/device_map_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/efficiency/efficiency_widget.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_widget.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_widget.h"
#include "views/model/model_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

using views::Text;

QDockWidget* dock(QMainWindow* window, const QString& title, const char* name, QWidget* content,
                  Qt::DockWidgetArea area) {
  auto* made = new QDockWidget(title, window);
  made->setObjectName(name);
  made->setWidget(content);
  window->addDockWidget(area, made);
  return made;
}

// Largest unit that needs no fraction, so that typing the text gives the same width.
QString width_text(std::int64_t width, bool launches) {
  if (launches) return QString::number(width);
  const char* unit = "ns";
  for (const char* larger : {"us", "ms", "s"})
    if (width % 1'000 == 0)
      width /= 1'000, unit = larger;
    else
      break;
  return QString::number(width) + unit;
}

QComboBox* choices(QWidget* parent, const QString& tip,
                   std::initializer_list<std::pair<QString, const char*>> items) {
  auto* box = new ChoiceBox(parent);
  box->setToolTip(tip);
  for (const auto& [text, value] : items) box->addItem(text, value);
  return box;
}

} // namespace

void MainWindow::fill_column_choices() {
  const auto metrics = metric_choices(session_);
  fill_box(metric_, metrics, QString::fromStdString(session_.bin_choices().metric));
  const auto& bins = session_.bin_choices();
  rank_by_->setCurrentIndex(std::max(rank_by_->findData(QString::fromStdString(bins.rank_by)), 0));
  bin_width_->setText(bins.width_ns > 0 ? width_text(bins.width_ns, session_.launch_order()) : QString());
  bin_top_->setText(bins.top_count > 0 ? QString::number(bins.top_count) : QString());
  fill_box(target_, metrics, QString::fromStdString(session_.causal_choices().target), tr("why: "));
  bin_width_->setPlaceholderText(session_.launch_order() ? tr("automatic") : tr("2,000 bins"));
  bin_width_->setToolTip(session_.launch_order()
                             ? tr("Launches in a bin, e.g. 20; empty: about a hundred bins")
                             : tr("Length of a bin, e.g. 10ms; empty: the width that gives 2,000 bins"));
}

QWidget* MainWindow::bins_panel() {
  auto* panel = new QWidget(this);
  metric_ = choices(panel, tr("Metric that is summarised per bin"), {});
  rank_by_ = choices(panel, tr("Statistic that ranks the bins"),
                     {{tr("sum"), "sum"},
                      {tr("variance"), "variance"},
                      {tr("CV"), "cv"},
                      {tr("IQR"), "iqr"},
                      {tr("max"), "max"},
                      {tr("mean"), "mean"}});
  bin_width_ = new QLineEdit(panel);
  bin_width_->setPlaceholderText(tr("2,000 bins"));
  bin_width_->setToolTip(tr("Length of a bin, e.g. 10ms; empty: the width that gives 2,000 bins"));
  bin_top_ = new QLineEdit(panel);
  bin_top_->setPlaceholderText(tr("top 1 %"));
  bin_top_->setToolTip(
      tr("Bins to keep: a share like 5% or a number like 30; empty: 1 %, at least 20. The dashed line "
         "over the strip can be dragged too."));
  bin_width_->setFixedWidth(bin_width_->fontMetrics().horizontalAdvance(tr("2,000 bins")) + 16);
  bin_top_->setFixedWidth(bin_top_->fontMetrics().horizontalAdvance(tr("top 10 %")) + 16);
  auto* row = new views::FlowLayout(6);
  row->setContentsMargins(6, 4, 6, 2);
  for (QWidget* each : {static_cast<QWidget*>(metric_), static_cast<QWidget*>(rank_by_),
                        static_cast<QWidget*>(bin_width_), static_cast<QWidget*>(bin_top_)})
    row->addWidget(each);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(bins_, 1);
  for (auto* box : {metric_, rank_by_}) connect(box, &QComboBox::activated, this, &MainWindow::choose_bins);
  for (auto* edit : {bin_width_, bin_top_})
    connect(edit, &QLineEdit::returnPressed, this, &MainWindow::choose_bins);
  connect(bins_, &views::BinsWidget::keptCountChosen, this, [this](std::uint32_t count) {
    bin_top_->setText(QString::number(count));
    choose_bins();
  });
  return panel;
}

void MainWindow::choose_bins() {
  BinChoices requested;
  requested.metric = metric_->currentData().toString().toStdString();
  requested.rank_by = rank_by_->currentData().toString().toStdString();
  if (const QString width = bin_width_->text().trimmed(); !width.isEmpty()) {
    const auto time = parse_time(width.toStdString(), "width");
    if (!time || *time <= 0)
      return messages_->show_message(
          session_.launch_order() ? tr("\"%1\" is not a number of launches. Example: 20.").arg(width)
                                  : tr("\"%1\" is not a length of time. Examples: 10ms, 250us.").arg(width));
    requested.width_ns = *time;
  }
  if (QString top = bin_top_->text().trimmed(); !top.isEmpty()) {
    const bool share = top.endsWith('%');
    if (share) top.chop(1);
    bool number = false;
    const double value = top.trimmed().toDouble(&number);
    if (!number || value <= 0 || (share && value > 100) || (!share && value != std::floor(value)))
      return messages_->show_message(
          tr("\"%1\" is neither a share nor a number of bins. Examples: 5%, 30.").arg(bin_top_->text()));
    if (share)
      requested.top_share = value / 100;
    else
      requested.top_count = static_cast<std::int64_t>(value);
  }
  session_.set_bin_choices(requested);
}

QWidget* MainWindow::causal_panel() {
  auto* panel = new QWidget(this);
  auto* target = target_ = choices(panel, tr("Target: what the answer explains"), {});
  auto* rows =
      choices(panel, tr("Launches that are analysed"),
              {{tr("rows: selection"), "0"}, {tr("rows: kept bins"), "1"}, {tr("rows: all launches"), "2"}});
  auto* reading = choices(
      panel,
      tr("Differences that are compared: within configurations, between them, or over all rows (pooled)"),
      {{tr("reading: automatic"), "automatic"},
       {tr("reading: within"), "within"},
       {tr("reading: between"), "between"},
       {tr("reading: pooled"), "pooled"}});
  reading->setObjectName("reading");
  auto* row = new views::FlowLayout(6);
  row->setContentsMargins(6, 4, 6, 2);
  for (QWidget* each : {target, rows, reading, causal_controller_->group_choice()}) row->addWidget(each);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(causal_controller_->stack(), 1);
  const auto chosen = [this, target, rows, reading] {
    session_.set_causal_choices({static_cast<CausalRows>(rows->currentIndex()),
                                 target->currentData().toString().toStdString(),
                                 reading->currentData().toString().toStdString()});
  };
  connect(reading, &QComboBox::activated, this, chosen);
  // Answers always refer to the current question: an opened session has its own settings.
  connect(&session_, &SessionController::causal_waiting, reading, [this, rows, reading] {
    rows->setCurrentIndex(static_cast<int>(session_.causal_choices().rows));
    reading->setCurrentIndex(
        std::max(0, reading->findData(QString::fromStdString(session_.causal_choices().reading))));
  });
  connect(target, &QComboBox::activated, this, chosen);
  connect(rows, &QComboBox::activated, this, chosen);
  return panel;
}

// The causal answer as text and graph is at the right over the full height; the views that it refers to are
// below the timeline.
void MainWindow::make_docks() {
  setDockNestingEnabled(true);
  new DockTabs(*this);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  auto* bins =
      dock(this, PinnedViews::title(PinnedKind::Bins), "dock.bins", bins_panel(), Qt::BottomDockWidgetArea);
  auto* parallel = dock(this, PinnedViews::title(PinnedKind::Parallel), "dock.parallel",
                        parallel_controller_->panel(), Qt::BottomDockWidgetArea);
  auto* kernels =
      dock(this, PinnedViews::title(PinnedKind::Kernels), "dock.kernels", kernels_, Qt::BottomDockWidgetArea);
  auto* launches = dock(this, PinnedViews::title(PinnedKind::Launches), "dock.launches", launches_,
                        Qt::BottomDockWidgetArea);
  auto* details =
      dock(this, PinnedViews::title(PinnedKind::Details), "dock.details", details_, Qt::BottomDockWidgetArea);
  auto* distribution = dock(this, PinnedViews::title(PinnedKind::Distribution), "dock.distribution",
                            distribution_panel_, Qt::BottomDockWidgetArea);
  auto* map = dock(this, PinnedViews::title(PinnedKind::HeatMap), "dock.heat_map", heat_map_,
                   Qt::BottomDockWidgetArea);
  auto* metrics =
      dock(this, PinnedViews::title(PinnedKind::Metrics), "dock.metrics", metrics_, Qt::BottomDockWidgetArea);
  auto* values = dock(this, PinnedViews::title(PinnedKind::MetricHistogram), "dock.metric_histogram",
                      metric_histogram_, Qt::BottomDockWidgetArea);
  auto* activity = dock(this, PinnedViews::title(PinnedKind::Activity), "dock.activity", activity_,
                        Qt::BottomDockWidgetArea);
  auto* causal = dock(this, PinnedViews::title(PinnedKind::Causal), "dock.causal", causal_panel(),
                      Qt::RightDockWidgetArea);
  auto* efficiency = dock(this, PinnedViews::title(PinnedKind::Efficiency), "dock.efficiency", efficiency_,
                          Qt::RightDockWidgetArea);
  auto* model =
      dock(this, PinnedViews::title(PinnedKind::Model), "dock.model", model_, Qt::RightDockWidgetArea);
  splitDockWidget(bins, parallel, Qt::Horizontal);
  tabifyDockWidget(bins, kernels);
  tabifyDockWidget(bins, launches);
  tabifyDockWidget(bins, details);
  tabifyDockWidget(parallel, distribution);
  tabifyDockWidget(parallel, map);
  tabifyDockWidget(parallel, metrics);
  tabifyDockWidget(bins, values);
  metrics->hide(); // hidden until requested: small windows have room for six tabs
  values->hide();
  connect(metrics_controller_, &MetricsController::histogram_requested, values, [values] {
    values->show();
    values->raise();
  });
  tabifyDockWidget(causal, efficiency);
  tabifyDockWidget(causal, model);
  for (const auto& [title, name, content] :
       {std::tuple{PinnedViews::title(PinnedKind::Evidence), "dock.evidence",
                   static_cast<QWidget*>(causal_controller_->evidence())},
        {PinnedViews::title(PinnedKind::WhatIf), "dock.what_if",
         static_cast<QWidget*>(causal_controller_->what_if())},
        {PinnedViews::title(PinnedKind::Knowledge), "dock.knowledge",
         static_cast<QWidget*>(causal_controller_->knowledge_panel())},
        {tr("Devices"), "dock.devices", static_cast<QWidget*>(causal_controller_->devices())}}) {
    auto* made = dock(this, title, name, content, Qt::BottomDockWidgetArea);
    tabifyDockWidget(distribution, made);
    if (content == causal_controller_->devices())
      made->hide(), made->toggleViewAction()->setVisible(false); // hidden until the session has several
                                                                 // devices
    connect(causal_controller_, &CausalController::requested, made, [made](QWidget* requested) {
      if (made->widget() != requested) return;
      made->toggleViewAction()->setVisible(true);
      made->show();
      made->raise();
    });
  }
  connect(parallel_controller_, &ParallelController::shown, parallel, [parallel] {
    parallel->show();
    parallel->raise();
  });
  timeline_docks_ = new TimelineDocks(*this, *timeline_, kernels);
  tabifyDockWidget(parallel, activity);
  activity->hide();
  bins->raise();
  parallel->raise();
  causal->raise();
  default_docks_ = {bins, parallel, causal};
}

// Dock sizes can be set only once the window has its own size.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (default_docks_.isEmpty()) return;
  const auto docks = std::exchange(default_docks_, {});
  const int right = std::clamp(width() * 31 / 100, 380, 640), below = height() * 45 / 100;
  resizeDocks({docks[2]}, {right}, Qt::Horizontal);
  resizeDocks({docks[0], docks[1]}, {(width() - right) * 42 / 100, (width() - right) * 58 / 100},
              Qt::Horizontal);
  resizeDocks({docks[0], docks[1]}, {below, below}, Qt::Vertical);
  default_layout_ = saveState();
  if (const auto layout = settings().value("window/layout").toByteArray(); !layout.isEmpty())
    restoreState(layout);
}

void MainWindow::make_menus() {
  make_file_menu();
  auto* undo = new QAction(tr("&Undo"), this);
  auto* redo = new QAction(tr("&Redo"), this);
  make_edit_menu(undo, redo);
  make_view_menu();
  auto* engine = menuBar()->addMenu(tr("E&ngine"));
  engine->addAction(tr("&Start Again"), &session_, &SessionController::restart_engine);
  engine->addAction(tr("&Cancel"), &session_, &SessionController::cancel_running);
  engine->addAction(tr("&Retry"), &session_, &SessionController::ask_again);
  make_help_menu();
  auto* bar = addToolBar(tr("Filter"));
  bar->setObjectName("toolbar.filter");
  bar->setMovable(false);
  bar->addAction(undo);
  bar->addAction(redo);
  filter_ = new QLineEdit(this);
  filter_->setObjectName("filter");
  filter_->setPlaceholderText(tr("Filter launches, e.g.  duration > 20us and name ~ /gemm|MPI_Recv/"));
  filter_->setClearButtonEnabled(true);
  filter_->installEventFilter(this);
  bar->addWidget(filter_);
}

namespace {

/// Menu for the rows of analysis: selecting an entry opens the files again with these rows.
void make_rows_menu(QMenu& file, SessionController& session, QObject* owner) {
  auto* menu = file.addMenu(Text::tr("Rows of A&nalysis"));
  auto* choices = new QActionGroup(owner);
  for (const auto& [rows, title] :
       {std::pair{"launches", QStringLiteral("&Launches")}, // without tr(), which would replace the noun
        {"bursts", Text::tr("&Bursts")},
        {"ranges", Text::tr("&Ranges")},
        {"calls", Text::tr("&Calls")}}) {
    auto* action = menu->addAction(title, owner, [&session, requested = QString(rows)] {
      if (!session.has_session()) return;
      QStringList mapping = session.mapping();
      mapping.removeIf([](const QString& entry) { return entry.startsWith("rows="); });
      if (requested != "launches") mapping << "rows=" + requested;
      session.open(session.files(), mapping);
    });
    action->setCheckable(true);
    action->setData(QString(rows));
    choices->addAction(action);
  }
  QObject::connect(menu, &QMenu::aboutToShow, owner, [choices, &session] {
    const auto now = QString::fromStdString(session.info().value("rows", std::string("launches")));
    for (auto* action : choices->actions()) action->setChecked(action->data() == now);
  });
}

} // namespace

void MainWindow::make_file_menu() {
  auto* file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&Open…"), QKeySequence::Open, this, [this] { choose_files(AskColumns::WhenDoubtful); });
  file->addAction(tr("Open &Folder…"), QKeySequence("Ctrl+Shift+O"), this, &MainWindow::choose_folder);
  file->addAction(tr("Open Table with &Columns…"), this, [this] { choose_files(AskColumns::Always); });
  recent_menu_ = file->addMenu(tr("Open &Recent"));
  connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fill_recent_menu);
  columns_ = file->addAction(tr("&Table Columns…"), this,
                             [this] { open_with_columns(session_.files(), AskColumns::Always); });
  columns_->setEnabled(false);
  file->addSeparator();
  file->addAction(tr("&Save Session"), QKeySequence::Save, this, [this] {
    if (session_path_.isEmpty()) return save_session_as();
    if (const auto saved = save_session(session_path_); !saved) show_error(saved.error(), tr("Save session"));
  });
  file->addAction(tr("Save Session &As…"), QKeySequence("Ctrl+Shift+S"), this, &MainWindow::save_session_as);
  file->addSeparator();
  file->addAction(tr("&Export View…"), QKeySequence("Ctrl+E"), this, &MainWindow::export_view);
  file->addAction(tr("&Copy View as Picture"), QKeySequence("Ctrl+Shift+C"), this, &MainWindow::copy_picture);
  file->addAction(tr("Save &Table as CSV…"), QKeySequence("Ctrl+Shift+E"), this, &MainWindow::save_table);
  file->addSeparator();
  const auto smaller = [this](ReduceDialog::Kind kind) {
    if (session_.has_session()) show_reduce_dialog(kind, hub_, session_, this);
  };
  file->addAction(tr("C&ut to Range…"), this, [smaller] { smaller(ReduceDialog::Kind::Cut); });
  file->addAction(tr("&Filter…"), this, [smaller] { smaller(ReduceDialog::Kind::Filter); });
  make_rows_menu(*file, session_, this);
  file->addSeparator();
  file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::make_edit_menu(QAction* undo, QAction* redo) {
  auto* edit = menuBar()->addMenu(tr("&Edit"));
  edit->addActions({undo, redo});
  connect(undo, &QAction::triggered, &hub_, &SelectionHub::undo);
  connect(redo, &QAction::triggered, &hub_, &SelectionHub::redo);
  undo->setShortcuts({QKeySequence("Ctrl+Z"), QKeySequence("Z")});
  redo->setShortcut(QKeySequence("Ctrl+Shift+Z"));
  edit->addAction(tr("&Clear Selection"), QKeySequence("Escape"), this, [this] {
    change([](SelectionState& s) {
      SelectionState cleared;
      cleared.window = s.window;
      s = cleared;
    });
  });
  edit->addSeparator();
  edit->addAction(tr("Command &Palette…"), QKeySequence("Ctrl+Shift+P"), this, &MainWindow::show_palette);
  undo->setEnabled(false);
  redo->setEnabled(false);
  connect(&hub_, &SelectionHub::historyChanged, this, [this, undo, redo] {
    undo->setEnabled(hub_.canUndo());
    redo->setEnabled(hub_.canRedo());
  });
}

void MainWindow::make_view_menu() {
  auto* view = menuBar()->addMenu(tr("&View"));
  for (auto* each : findChildren<QDockWidget*>()) view->addAction(each->toggleViewAction());
  view->addSeparator();
  view->addAction(tr("&Next Stretch of Launches"), QKeySequence("E"), stretches_, &StretchGuide::next);
  view->addAction(tr("&Previous Stretch of Launches"), QKeySequence("Shift+E"), stretches_,
                  &StretchGuide::previous);
  view->addAction(tr("&Last Device of Collectives"), QKeySequence("Shift+O"), launch_views_,
                  &LaunchViews::go_to_last);
  auto* figures = view->addMenu(tr("&Figures of Parallel Coordinates"));
  for (const auto& figure : parallel_figures())
    figures->addAction(figure.title, this, [this, &figure] { parallel_controller_->show_figure(figure); });
  make_pin_menu(view->addMenu(tr("&Duplicate View, Pinned to Selection")));
  make_layout_menu(view->addMenu(tr("&Layout")));
  view->addSeparator();
  for (const auto& [text, theme] :
       {std::pair{tr("&Light"), views::Theme::Light}, {tr("&Dark"), views::Theme::Dark}})
    view->addAction(text, this, [this, requested = theme] {
      save_theme(requested);
      set_theme(requested);
    });
}

void MainWindow::make_help_menu() {
  QDesktopServices::setUrlHandler("help", this,
                                  "open_help_link"); // links in views, which do not know the window
  auto* help = menuBar()->addMenu(tr("&Help"));
  help->addAction(tr("&Help on This View"), QKeySequence::HelpContents, this,
                  [this] { show_help(topic_in_use()); });
  help->addAction(tr("&First Steps"), this, [this] { show_help("start"); });
  help->addAction(tr("&Keys and Mouse"), QKeySequence("?"), this, [this] { show_help("keys"); });
  help->addAction(tr("Fi&lter Language"), this, [this] { show_help("filter"); });
  help->addAction(tr("&Causal Answers"), this, [this] { show_help("causal"); });
  help->addAction(tr("&Statistics"), this, [this] { show_help("statistics"); });
  help->addAction(tr("Supp&orted Formats"), this, [this] { show_help("opening"); });
  help->addAction(tr("&Glossary"), this, [this] { show_help("glossary"); });
  help->addSeparator();
  help->addAction(tr("&Import Report"), this, &MainWindow::show_import_report);
}

void MainWindow::make_keys() {
  connect(new QShortcut(QKeySequence("/"), this), &QShortcut::activated, this, [this] {
    filter_->setFocus();
    filter_->selectAll();
  });
  connect(new QShortcut(QKeySequence("F"), this), &QShortcut::activated, timeline_,
          &views::TimelineWidget::focusSelection);
  // Tables keep focus after a click, but these keys apply to the timeline.
  for (const int key : views::TimelineWidget::travelKeys())
    connect(new QShortcut(QKeySequence(key), this), &QShortcut::activated, timeline_, [this, key] {
      if (key == Qt::Key_R) timeline_->setFocus(); // receives the next keys
      QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier);
      QCoreApplication::sendEvent(timeline_, &press);
    });
  connect(new QShortcut(QKeySequence("Home"), this), &QShortcut::activated, this,
          [this] { change([this](SelectionState& s) { s.window = span_; }); });
  connect(new QShortcut(QKeySequence("O"), this), &QShortcut::activated, launch_views_,
          &LaunchViews::go_to_partner);
  connect(launch_views_, &LaunchViews::explained, this, [this](const QString& text) {
    messages_->show_message(text, tr("Copy"), [text] { QGuiApplication::clipboard()->setText(text); });
  });
  connect(launch_views_, &LaunchViews::chosen, this,
          [this](const LaunchChoice& launch) { timeline_->reveal(launch.track, launch.interval); });
  connect(launch_views_, &LaunchViews::reported, this, [this](const QString& text) {
    if (const auto& launch = hub_.state().launch) described_launch_ = launch->row;
    statusBar()->showMessage(text, 15000);
  });
  connect(new QShortcut(QKeySequence("Shift+P"), this), &QShortcut::activated, this,
          &MainWindow::pin_focused);
  for (int digit = 1; digit <= 9; ++digit)
    connect(new QShortcut(QKeySequence(QString::number(digit)), this), &QShortcut::activated, timeline_,
            [this, digit] { timeline_->goToMark(digit); });
}

void MainWindow::choose_files(AskColumns ask) {
  QFileDialog dialog(this, tr("Open traces"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setFileMode(QFileDialog::ExistingFiles);
  if (dialog.exec() == QDialog::Accepted) open_with_columns(dialog.selectedFiles(), ask);
}

void MainWindow::choose_folder() {
  QFileDialog dialog(this, tr("Open all traces of a folder as one session"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setFileMode(QFileDialog::Directory);
  if (dialog.exec() == QDialog::Accepted) open(dialog.selectedFiles());
}

// Examines the table in a background thread, because its disk may be slow.
void MainWindow::open_with_columns(const QStringList& files, AskColumns ask) {
  const auto mapping = files == session_.files() ? session_.mapping() : QStringList();
  QThreadPool::globalInstance()->start([guard = QPointer(this), files, ask, mapping] {
    QMetaObject::invokeMethod(qApp, [guard, files, ask, table = first_table(files, mapping)] {
      if (guard) guard->ask_for_columns(files, ask, table);
    });
  });
}

void MainWindow::ask_for_columns(const QStringList& files, AskColumns ask,
                                 const std::optional<TableFile>& table) {
  if (!table && ask == AskColumns::Always)
    messages_->note(tr("None of these files is a plain table: the meaning of their columns is fixed."));
  const bool asks = table && (ask == AskColumns::Always || (table->found.doubtful() && !table->remembered));
  if (!asks) {
    if (files != session_.files()) open(files);
    return;
  }
  auto* dialog = new ColumnDialog(*table, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, files, dialog] { open(files, dialog->mapping()); });
  dialog->open();
}

void MainWindow::show_help(const QString& page) {
  if (!help_) help_ = new HelpWindow(this);
  help_->show_page(page);
}

void MainWindow::open_help_link(const QUrl& link) {
  show_help(link.hasFragment() ? link.path() + "#" + link.fragment() : link.path());
}

// Help page of the focused dock, else of the timeline.
QString MainWindow::topic_in_use() const {
  for (const auto* widget = QApplication::focusWidget(); widget; widget = widget->parentWidget())
    if (const auto* dock = qobject_cast<const QDockWidget*>(widget)) {
      const QString title = dock->windowTitle().section(" · ", 0, 0);
      for (const auto kind : kPinnedKinds)
        if (title == PinnedViews::title(kind)) return topic_of_view(PinnedViews::english_title(kind)).id;
      return topic_of_view(title == tr("Devices") ? QString("Devices") : title).id;
    }
  return topic_of_view("Timeline").id;
}

void MainWindow::show_page(const QString& title, const QString& html) {
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  auto* text = new QTextBrowser(dialog);
  text->setHtml(html);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(text);
  column->addWidget(buttons);
  dialog->resize(620, 520);
  dialog->show();
}

void MainWindow::show_import_report() {
  QString html;
  if (!session_.has_session()) html = tr("<p>Nothing is open.</p>");
  const auto report = session_.info().value("report", nlohmann::json::array());
  if (session_.has_session() && report.empty())
    html += tr("<p>No data were repaired, dropped or doubtful.</p>");
  html += "<table cellpadding=4>";
  for (const auto& entry : report)
    html += QString("<tr><td>%1</td><td align=right>%2 ×</td><td>%3</td></tr>")
                .arg(QString::fromStdString(entry.value("severity", std::string())))
                .arg(views::formatCount(entry.value("count", std::uint64_t{0})))
                .arg(QString::fromStdString(entry.value("text", std::string())).toHtmlEscaped());
  html += "</table>";
  for (const auto& input : session_.info().value("inputs", nlohmann::json::array())) {
    const auto schema = QString::fromStdString(input.value("schema", std::string()));
    html += tr("<p><b>%1</b><br>%2 %3, schema %4<br>%5</p>")
                .arg(QString::fromStdString(input.value("path", std::string())).toHtmlEscaped(),
                     QString::fromStdString(input.value("format", std::string())).toHtmlEscaped(),
                     QString::fromStdString(input.value("tool", std::string())).toHtmlEscaped(),
                     schema.isEmpty() ? tr("not stated") : schema.toHtmlEscaped(),
                     QString::fromStdString(input.value("alignment", std::string())).toHtmlEscaped());
  }
  show_page(tr("Import report"), html);
}

} // namespace jitterscope::app
