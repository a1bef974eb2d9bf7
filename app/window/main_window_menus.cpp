#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QGuiApplication>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QShortcut>
#include <QStatusBar>
#include <QTextBrowser>
#include <QThreadPool>
#include <QToolBar>
#include <QVBoxLayout>
#include <memory>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/controllers/launch_views.h"
#include "app/controllers/parallel/parallel_controller.h"
#include "app/controllers/stretch_guide.h"
#include "app/help/help_window.h"
#include "app/reduce/reduce_dialog.h"
#include "app/session/session_file.h"
#include "app/widgets/message_bar.h"
#include "app/window/column_dialog.h"
#include "app/window/main_window.h"
#include "core/base/text_pattern.h"
#include "views/base/format.h"
#include "views/base/text.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

using views::Text;

void MainWindow::make_menus() {
  make_file_menu();
  auto* undo = new QAction(tr("&Undo"), this);
  auto* redo = new QAction(tr("&Redo"), this);
  make_edit_menu(undo, redo);
  make_view_menu();
  auto* engine = menuBar()->addMenu(tr("E&ngine"));
  engine->addAction(tr("Re&start Engine"), &session_, &SessionController::restart_engine);
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

/// Opens the files again with this choice in the mapping, instead of the one that begins with `key`.
void open_again(SessionController& session, const QString& key, const std::optional<QString>& value) {
  QStringList mapping = session.mapping();
  mapping.removeIf([&](const QString& entry) { return entry.startsWith(key); });
  if (value) mapping << key + *value;
  session.open(session.files(), mapping);
}

/// Menu for the analysis rows: selecting an entry opens the files again with these rows.
void make_rows_menu(QMenu& file, SessionController& session, QObject* owner) {
  auto* menu = file.addMenu(Text::tr("A&nalysis Rows"));
  auto* choices = new QActionGroup(owner);
  for (const auto& [rows, title] :
       {std::pair{"launches", QStringLiteral("&Launches")}, // without tr(), which would replace the noun
        {"bursts", Text::tr("&Bursts")},
        {"ranges", Text::tr("&Ranges")},
        {"calls", Text::tr("&Calls")}}) {
    auto* action = menu->addAction(title, owner, [&session, requested = QString(rows)] {
      if (!session.has_session()) return;
      open_again(session, "rows=", requested == "launches" ? std::nullopt : std::optional(requested));
    });
    action->setCheckable(true);
    action->setData(QString(rows));
    choices->addAction(action);
  }
  QObject::connect(menu, &QMenu::aboutToShow, owner, [choices, &session] {
    const auto now = QString::fromStdString(session.info().value("rows", std::string("launches")));
    const auto choice = now == "rows" ? QString("launches") : now; // of a table, whose rows are not chosen
    for (auto* action : choices->actions()) action->setChecked(action->data() == choice);
  });
}

/// Asks for the names of further kernels that communicate, and opens the files again.
void choose_collective_kernels(QWidget* window, SessionController& session) {
  QString pattern;
  for (const auto& trace : session.info().value("alignment", nlohmann::json::array()))
    if (pattern.isEmpty()) pattern = QString::fromStdString(trace.value("collective_kernels", std::string()));
  for (QString problem;;) {
    bool accepted = false;
    pattern = QInputDialog::getText(window, Text::tr("Kernels that Communicate"),
                                    Text::tr("Kernels of NCCL, RCCL and NVSHMEM count as communication.\n"
                                             "Regular expression for the names of others:") +
                                        (problem.isEmpty() ? QString() : "\n\n" + problem),
                                    QLineEdit::Normal, pattern, &accepted);
    if (!accepted) return;
    const auto valid = TextPattern::of(pattern.toStdString());
    if (valid) return open_again(session, "collective_kernels=", pattern);
    problem = QString::fromStdString(valid.error().message) + ".";
    problem[0] = problem[0].toUpper();
  }
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
  file->addAction(tr("Save &Report…"), this, &MainWindow::save_report_as);
  file->addAction(tr("Export T&race…"), this, &MainWindow::export_trace_as);
  file->addSeparator();
  const auto smaller = [this](ReduceDialog::Kind kind) {
    if (session_.has_session()) show_reduce_dialog(kind, hub_, session_, this);
  };
  file->addAction(tr("C&ut to Range…"), this, [smaller] { smaller(ReduceDialog::Kind::Cut); });
  file->addAction(tr("&Filter…"), this, [smaller] { smaller(ReduceDialog::Kind::Filter); });
  make_rows_menu(*file, session_, this);
  file->addAction(tr("&Kernels that Communicate…"), this, [this] {
    if (session_.has_session()) choose_collective_kernels(this, session_);
  });
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
  for (auto* each : findChildren<QDockWidget*>()) {
    view->addAction(each->toggleViewAction());
    // A view behind another tab is raised, not hidden. The queued connection keeps what was visible before.
    const auto in_front = std::make_shared<bool>(false);
    connect(
        each, &QDockWidget::visibilityChanged, each, [in_front](bool visible) { *in_front = visible; },
        Qt::QueuedConnection);
    connect(each->toggleViewAction(), &QAction::triggered, each, [each, in_front](bool shown) {
      if (!shown && *in_front) return;
      each->show();
      each->raise();
      each->setFocus();
    });
  }
  view->addSeparator();
  view->addAction(tr("&Next Stretch of Launches"), QKeySequence("E"), stretches_, &StretchGuide::next);
  view->addAction(tr("&Previous Stretch of Launches"), QKeySequence("Shift+E"), stretches_,
                  &StretchGuide::previous);
  view->addAction(tr("&Last Device to Arrive at Collectives"), QKeySequence("Shift+O"), parts_.launch_views,
                  &LaunchViews::go_to_last);
  auto* names = view->addAction(tr("&Short Kernel Names"));
  names->setCheckable(true);
  names->setToolTip(
      tr("Kernels with the same name without template arguments and parameters are one kernel"));
  connect(names, &QAction::triggered, this, [this](bool on) {
    session_.set_short_names(on);
    if (session_.shows_session()) session_.open(session_.files(), session_.mapping());
  });
  connect(view, &QMenu::aboutToShow, names, [this, names] { names->setChecked(session_.short_names()); });
  auto* figures = view->addMenu(tr("Published &Figures in Parallel Coordinates"));
  for (const auto& figure : parallel_figures())
    figures->addAction(figure.title, this,
                       [this, &figure] { parts_.parallel_controller->show_figure(figure); });
  make_pin_menu(view->addMenu(tr("&Duplicate View, Pinned to Selection")));
  make_layout_menu(view->addMenu(tr("&Layout")));
  view->addSeparator();
  auto* themes = new QActionGroup(view);
  for (const auto& [text, theme] :
       {std::pair{tr("&Light"), views::Theme::Light}, {tr("&Dark"), views::Theme::Dark}}) {
    auto* action = view->addAction(text, this, [this, requested = theme] {
      save_theme(requested);
      set_theme(requested);
    });
    action->setCheckable(true);
    action->setChecked(theme == saved_theme());
    themes->addAction(action);
  }
}

void MainWindow::make_help_menu() {
  // For links in views, which have no pointer to the window.
  QDesktopServices::setUrlHandler("help", this, "open_help_link");
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
  connect(new QShortcut(QKeySequence("F"), this), &QShortcut::activated, parts_.timeline,
          &views::TimelineWidget::focusSelection);
  // Tables keep focus after a click, but these keys apply to the timeline.
  for (const int key : views::TimelineWidget::travelKeys())
    connect(new QShortcut(QKeySequence(key), this), &QShortcut::activated, parts_.timeline, [this, key] {
      if (key == Qt::Key_R) parts_.timeline->setFocus(); // receives the next keys
      QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier);
      QCoreApplication::sendEvent(parts_.timeline, &press);
    });
  connect(new QShortcut(QKeySequence("Home"), this), &QShortcut::activated, this,
          [this] { change([this](SelectionState& s) { s.window = span_; }); });
  connect(new QShortcut(QKeySequence("O"), this), &QShortcut::activated, parts_.launch_views,
          &LaunchViews::go_to_partner);
  connect(parts_.launch_views, &LaunchViews::explained, this, [this](const QString& text) {
    messages_->show_message(text, tr("Copy"), [text] { QGuiApplication::clipboard()->setText(text); });
  });
  connect(parts_.launch_views, &LaunchViews::chosen, this,
          [this](const LaunchChoice& launch) { parts_.timeline->reveal(launch.track, launch.interval); });
  connect(parts_.launch_views, &LaunchViews::reported, this, [this](const QString& text) {
    if (const auto& launch = hub_.state().launch) described_launch_ = launch->row;
    statusBar()->showMessage(text, 15000);
  });
  connect(new QShortcut(QKeySequence("Shift+P"), this), &QShortcut::activated, this,
          &MainWindow::pin_focused);
  for (int digit = 1; digit <= 9; ++digit)
    connect(new QShortcut(QKeySequence(QString::number(digit)), this), &QShortcut::activated, parts_.timeline,
            [this, digit] { parts_.timeline->goToMark(digit); });
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
    // Files that are open may have been recorded again.
    if (ask == AskColumns::WhenDoubtful || files != session_.files()) open(files);
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

// Help page of the focused dock or of the filter, else of the timeline.
QString MainWindow::topic_in_use() const {
  if (filter_->hasFocus()) return "filter";
  const auto* spec = spec_of(focused_dock());
  return spec ? spec->help : view("timeline")->spec->help;
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
    html += tr("<p>No data were repaired, dropped or flagged as doubtful.</p>");
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
