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
#include <QMimeData>
#include <QRegularExpression>
#include <QScreen>
#include <QStatusBar>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/controllers/activity_view.h"
#include "app/controllers/details_text.h"
#include "app/controllers/stretch_guide.h"
#include "app/engine/row_texts.h"
#include "app/engine/settings.h"
#include "app/session/autosave.h"
#include "app/session/cursor_time.h"
#include "app/session/recent_files.h"
#include "app/session/session_file.h"
#include "app/widgets/command_palette.h"
#include "app/widgets/message_bar.h"
#include "app/widgets/request_bar.h"
#include "app/widgets/stretch_bar.h"
#include "app/window/screen_sizes.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/views/view_list.h"
#include "core/analysis/columns/info.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/ranks/placement.h"
#include "core/store/trace/manifest.h"
#include "views/parallel/parallel_widget.h"
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
  connect_views();
  connect_session();
  connect_engine();
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
  cursor_ = new CursorTime(this);
  pinned_ = new PinnedViews(*this, session_, this);
  context_.reset(new ViewContext{*this, hub_, session_, *cursor_, *messages_, *pinned_, parts_});
  for (const auto& spec : view_specs()) {
    views_.push_back(spec.make(*context_));
    views_.back().spec = &spec;
  }
  column->addWidget(messages_);
  column->addWidget(parts_.stretch_bar);
  column->addWidget(parts_.timeline, 1);
  setCentralWidget(middle);
  stretches_ = new StretchGuide(hub_, session_, *parts_.timeline, *parts_.stretch_bar, this);
  connect(stretches_, &StretchGuide::reported, this,
          [this](const QString& text) { context_->show_status(text); });
  connect(stretches_, &StretchGuide::bins_chosen, this, &MainWindow::fill_choices);
  palette_ = new CommandPalette(this);
}

const View* MainWindow::view(const QString& id) const {
  const auto found =
      std::ranges::find_if(views_, [&](const View& each) { return QLatin1String(each.spec->id) == id; });
  return found == views_.end() ? nullptr : &*found;
}

void MainWindow::make_status() {
  selection_label_ = new views::ElidedLabel(this);
  engine_label_ = new QLabel(tr("engine: not started"), this);
  requests_ = new RequestBar(this);
  statusBar()->addWidget(selection_label_, 1);
  statusBar()->addPermanentWidget(requests_);
  statusBar()->addPermanentWidget(engine_label_);
  connect(requests_, &RequestBar::cancelled, &session_, &SessionController::cancel_running);
  make_report_writer();
}

void MainWindow::set_theme(views::Theme theme) {
  style_ = apply_theme(theme);
  for (const auto& each : views_)
    if (each.set_style) each.set_style(style_);
  pinned_->set_style(style_);
}

void MainWindow::set_messages(const QString& text) {
  for (const auto& each : views_)
    if (each.set_message) each.set_message(text);
}

void MainWindow::fill_choices() {
  for (const auto& each : views_)
    if (each.fill_choices) each.fill_choices();
}

namespace {

/// The files without those named before under the same or another path.
QStringList named_once(const QStringList& files) {
  QStringList once, paths;
  for (const auto& file : files) {
    const QString path = QFileInfo(file).canonicalFilePath(); // empty if the file does not exist
    if (!path.isEmpty() && paths.contains(path)) continue;
    once << file;
    paths << path;
  }
  return once;
}

} // namespace

void MainWindow::open(const QStringList& named, const QStringList& mapping) {
  const QStringList files = named_once(named);
  named_twice_ = files.size() < named.size();
  if (files.size() == 1 && looks_like_session(files.front())) return open_session_file(files.front());
  constexpr int kPixelsPerAxis = 96; // with fewer, most names of axes are rotated
  session_.set_max_axes(std::clamp(parts_.parallel->width() / kPixelsPerAxis, 5, 12));
  restoring_.reset();
  session_.open(files, mapping);
}

void MainWindow::change(const std::function<void(SelectionState&)>& edit, const QString& merge) {
  context_->change(edit, merge);
}

void MainWindow::connect_views() {
  for (const auto& each : views_)
    if (each.connect) each.connect();
  connect(filter_, &QLineEdit::returnPressed, this, &MainWindow::filter_entered);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    if (text.isEmpty()) filter_entered(); // clear button, too: an empty box must not hide an active filter
  });
  connect(&session_, &SessionController::filter_accepted, this, [this](const QString& text) {
    messages_->forget_error(operation_text<engine::CheckFilterOptions>());
    change([&](SelectionState& s) { s.where = text; });
    show_filter();
  });
}

void MainWindow::connect_session() {
  connect(&session_, &SessionController::opening, this, [this](const QStringList& files) {
    messages_->hide();
    if (!session_.shows_session()) set_messages(tr("Opening %1 …").arg(QFileInfo(files.value(0)).fileName()));
  });
  connect(&session_, &SessionController::opened, this, &MainWindow::session_opened);
  connect(&session_, &SessionController::reopened, this, [this] {
    messages_->hide();
    set_messages({});
  });
  connect(&session_, &SessionController::columns_changed, this, &MainWindow::fill_choices);
  connect(&session_, &SessionController::cancelled, this, &MainWindow::report_cancelled);
  connect(&session_, &SessionController::details, this, &MainWindow::show_details);
  connect(&session_, &SessionController::failed, this, &MainWindow::show_error);
  connect(&session_, &SessionController::answered, messages_, &MessageBar::forget_error);
}

void MainWindow::connect_engine() {
  connect(&session_, &SessionController::engine_ready, this, [this](int ranks, const QString& remark) {
    engine_label_->setText(ranks == 1 ? tr("engine: 1 process") : tr("engine: %1 processes").arg(ranks));
    const auto placement = QString::fromStdString(engine::place(ranks, engine::this_machine()).description);
    engine_label_->setToolTip(remark.isEmpty() ? placement : placement + "\n" + remark);
    if (!remark.isEmpty()) messages_->show_message(remark + ".");
  });
  connect(&session_, &SessionController::engine_lost, this, [this](const QString& message) {
    engine_label_->setText(tr("engine: stopped"));
    requests_->end();
    parts_.activity->log(message);
    messages_->show_message(
        tr("%1 The views keep what they show. New requests need the engine.").arg(message),
        tr("Restart Engine"), [this] { session_.restart_engine(); });
  });
  connect(&session_, &SessionController::working, this,
          [this](const QString& what, qint64 done, qint64 total) {
            if (!requests_->running()) requests_->begin(what);
            requests_->progress(what, done, total);
          });
  connect(&session_, &SessionController::idle, this, [this] { requests_->end(); });
}

void MainWindow::report_cancelled(const QStringList& doing) {
  parts_.activity->log(tr("Cancelled: %1").arg(doing.join(", ")));
  messages_->show_message(tr("Cancelled: %1. The views keep what they show.").arg(doing.join(", ")),
                          tr("Retry"), [this] { session_.ask_again(); });
}

void MainWindow::session_opened(const TrackList& tracks) {
  update_row_texts(*this);
  set_messages({});
  messages_->hide();
  span_ = tracks.span;
  QString title = QFileInfo(session_.files().value(0)).fileName();
  if (session_.files().size() > 1) title += QString(" + %1").arg(session_.files().size() - 1);
  setWindowTitle(tr("%1 – Jitterscope").arg(title));
  withdraw_docks();
  for (const auto& each : views_)
    if (each.session_opened) each.session_opened(tracks);
  fill_choices();
  pinned_->clear();
  RecentFiles::add(session_.files());
  parts_.activity->log(tr("Opened %1").arg(session_.files().join(", ")));
  columns_->setEnabled(true);
  // Captures often start long before the first launch: initially shows the range of the launches.
  const Interval work = tracks.launch_span.empty() ? tracks.span : tracks.launch_span;
  const std::int64_t minimum = tracks.axis == views::AxisUnit::Time ? 100 : 0;
  const Nanoseconds margin{std::max(work.length().count / 50, minimum)};
  show_filter();
  hub_.start_at({std::max(work.begin - margin, span_.begin), std::min(work.end + margin, span_.end)});
  session_path_ = restoring_ && restoring_->files == session_.files() ? restoring_path_ : QString();
  restore_session();
  if (std::exchange(named_twice_, false))
    messages_->note(tr("A file was named more than once. It is opened once."));
  warn_of_import();
  offer_left_over();
}

// What the views do not contain, although the files do, and what they contain twice.
void MainWindow::warn_of_import() {
  std::vector<QString> texts;
  for (const auto& entry : session_.info().value("report", nlohmann::json::array()))
    if (entry.value("severity", std::string()) == store::to_string(store::Severity::Drop) ||
        entry.value("code", std::string()) == analysis::kSameSource)
      texts.push_back(QString::fromStdString(entry.value("text", std::string())));
  if (texts.empty()) return;
  messages_->show_message(texts.size() > 1
                              ? tr("Import: %1, and %2 more.").arg(texts.front()).arg(texts.size() - 1)
                              : tr("Import: %1.").arg(texts.front()),
                          tr("Import Report"), [this] { show_import_report(); });
}

// Shows the hub's state in every view; the setters of views emit no signal.
void MainWindow::show_state(const SelectionState& now, const SelectionState& before) {
  for (const auto& each : views_)
    if (each.show_state) each.show_state(now, before);
  if (now.where != before.where) show_filter(); // else the user may be typing
  const QString text = selection_words(now, session_.selection_names());
  selection_label_->setText(text.isEmpty() ? QString() : tr("selected: %1").arg(text));
  selection_label_->setToolTip(text);
}

void MainWindow::show_details(const engine::answers::LaunchAnswer& launch, bool for_hover) {
  if (for_hover) return;
  if (std::exchange(described_launch_, std::nullopt) == static_cast<std::uint64_t>(launch.row))
    return; // a longer text is already shown
  statusBar()->showMessage(launch_summary(launch), 15000);
}

void MainWindow::show_error(const Error& error, const QString& doing, const QString& operation) {
  parts_.activity->log(
      doing + ": " +
      (error.kind == ErrorKind::Cancelled ? tr("cancelled") : QString::fromStdString(describe(error))));
  if (error.kind == ErrorKind::Cancelled) {
    statusBar()->showMessage(tr("%1 cancelled").arg(doing), 5000);
    if (!session_.shows_session())
      set_messages(
          tr("To begin, open a trace with File ▸ Open, drop files here, or name them on the command line."));
    return;
  }
  messages_->error(doing, QString::fromStdString(describe(error)), operation);
  if (!session_.shows_session())
    set_messages(
        tr("To begin, open a trace with File ▸ Open, drop files here, or name them on the command line."));
}

// A single word or /expression/ is a condition on kernel names; the box then shows the full condition.
static QString as_condition(const QString& text) {
  static const QRegularExpression kWord("^[A-Za-z0-9_:]+$"), kExpression("^/.+/$");
  if (kExpression.match(text).hasMatch()) return "name ~ " + text;
  return kWord.match(text).hasMatch() ? "name ~ /" + text + "/" : text;
}

void MainWindow::show_filter() {
  if (filter_->text() != hub_.state().where) filter_->setText(hub_.state().where);
}

void MainWindow::filter_entered() {
  const QString text = as_condition(filter_->text().trimmed());
  if (!text.isEmpty()) return session_.check_filter(text);
  session_.drop_filter();
  messages_->forget_error(operation_text<engine::CheckFilterOptions>());
  change([](SelectionState& s) { s.where.clear(); });
}

// Escape in the filter box returns focus to the view; a second Escape clears the selection. While the box
// shows the active filter, undo and redo are those of the window: the text box's own undo would clear the
// filter as a new step.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched != filter_ || (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress))
    return QMainWindow::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Escape) {
    if (event->type() == QEvent::KeyPress) parts_.timeline->setFocus();
    event->accept(); // prevents the shortcut
    return true;
  }
  const bool steps = key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
  if (!steps || filter_->text() != hub_.state().where) return QMainWindow::eventFilter(watched, event);
  event->ignore(); // leaves it to the shortcut
  return true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  auto kept = settings();
  kept.setValue("window/geometry", saveGeometry());
  kept.setValue("window/layout", saveState());
  remember_screen(*screen());
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
