#include <QCoreApplication>
#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QStatusBar>
#include <QUrl>
#include <algorithm>

#include "app/controllers/activity_view.h"
#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/efficiency_controller.h"
#include "app/export/report_writer.h"
#include "app/metrics/histogram_controller.h"
#include "app/metrics/metric_tracks.h"
#include "app/metrics/metrics_controller.h"
#include "app/session/autosave.h"
#include "app/session/recent_files.h"
#include "app/session/session_file.h"
#include "app/widgets/message_bar.h"
#include "app/widgets/request_bar.h"
#include "app/window/main_window.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

/// Proposes the name of `path` with another ending, in the same folder if it is writable.
void propose_name(QFileDialog& dialog, const QString& path, const char* suffix) {
  const QFileInfo file(path);
  if (QFileInfo(file.absolutePath()).isWritable()) dialog.setDirectory(file.absolutePath());
  dialog.selectFile(QString("%1.%2").arg(file.completeBaseName(), suffix));
}

} // namespace

void MainWindow::make_autosave() {
  autosave_ = new Autosave(
      Autosave::default_folder(), [this] { return current_session(); }, this);
  connect(&hub_, &SelectionHub::changed, autosave_, &Autosave::changed);
  connect(&session_, &SessionController::opened, autosave_, &Autosave::changed);
  connect(&parts_.causal_controller->knowledge(), &CausalKnowledge::changed, autosave_, &Autosave::changed);
  connect(parts_.timeline, &views::TimelineWidget::marksChanged, autosave_, &Autosave::changed);
  connect(parts_.timeline, &views::TimelineWidget::arrangementChanged, autosave_, &Autosave::changed);
  connect(parts_.efficiency_controller, &EfficiencyController::changed, autosave_, &Autosave::changed);
  connect(parts_.metrics_controller, &MetricsController::changed, autosave_, &Autosave::changed);
  connect(parts_.histogram_controller, &HistogramController::changed, autosave_, &Autosave::changed);
  connect(parts_.metric_tracks, &MetricTracks::changed, autosave_, &Autosave::changed);
  connect(&session_, &SessionController::columns_changed, autosave_, &Autosave::changed);
  connect(autosave_, &Autosave::failed, this,
          [this](const Error& error) { show_error(error, tr("Autosave")); });
  find_left_over();
}

void MainWindow::find_left_over() {
  const QString path = autosave_->claim_leftover();
  if (path.isEmpty()) return;
  const auto session = read_session(path);
  if (!session || session->files.isEmpty()) return Autosave::remove(path);
  left_over_ = path;
  left_over_label_ = RecentFiles::label(session->files);
  offer_left_over();
}

// Also after a trace that was named on the command line is open.
void MainWindow::offer_left_over() {
  if (left_over_.isEmpty()) return;
  const auto settle = [this] {
    left_over_.clear();
    autosave_->settle_leftover();
  };
  messages_->show_message(
      tr("Jitterscope closed unexpectedly with %1 open.").arg(left_over_label_), tr("Restore"),
      [this, settle, path = left_over_] {
        settle();
        open_session_file(path);
      },
      settle);
}

std::optional<SessionFile> MainWindow::current_session() const {
  if (!session_.shows_session()) return std::nullopt;
  SessionFile session;
  session.files = session_.files();
  session.mapping = session_.mapping();
  session.selection = hub_.state();
  session.filter = hub_.state().filter(session_.codes());
  session.intervals = hub_.state().intervals();
  session.bins = session_.bin_choices();
  session.causal = session_.causal_choices();
  session.distribution = session_.distribution_choices();
  for (const auto& view : views_)
    if (view.save) view.save(session.views);
  if (session_.short_names()) session.views["short_names"] = true;
  if (!session_.chosen_columns().empty()) session.views["columns"] = session_.chosen_columns();
  session.layout = saveState();
  return session;
}

Expected<void> MainWindow::save_session(const QString& path) {
  const auto session = current_session();
  if (!session) return failure(ErrorKind::BadUse, "nothing to save: no trace is open");
  if (auto written = write_session(*session, path); !written) return written;
  session_path_ = path;
  RecentFiles::add({path});
  parts_.activity->log(tr("Saved the session to %1").arg(path));
  return {};
}

void MainWindow::save_session_as() {
  if (!session_.shows_session()) return messages_->show_message(tr("Nothing to save: no trace is open."));
  QFileDialog dialog(this, tr("Save session"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setNameFilter(tr("Jitterscope sessions (*.%1)").arg(kSessionSuffix));
  dialog.setDefaultSuffix(kSessionSuffix);
  propose_name(dialog, session_path_.isEmpty() ? session_.files().value(0) : session_path_, kSessionSuffix);
  if (dialog.exec() != QDialog::Accepted) return;
  if (const auto saved = save_session(dialog.selectedFiles().value(0)); !saved)
    show_error(saved.error(), tr("Save session"));
}

void MainWindow::make_report_writer() {
  report_writer_ = new ReportWriter(QCoreApplication::applicationDirPath() + "/jitterscope", this);
  auto* bar = new RequestBar(this);
  statusBar()->addPermanentWidget(bar);
  connect(bar, &RequestBar::cancelled, this, [this, bar] {
    report_writer_->cancel();
    bar->end();
  });
  connect(report_writer_, &ReportWriter::started, bar, [bar] { bar->begin(tr("Report")); });
  connect(report_writer_, &ReportWriter::written, this, [this, bar](const QString& output) {
    bar->end();
    parts_.activity->log(tr("Wrote the report to %1").arg(output));
    messages_->show_message(tr("Wrote the report to %1.").arg(output), tr("Open"),
                            [output] { QDesktopServices::openUrl(QUrl::fromLocalFile(output)); });
  });
  connect(report_writer_, &ReportWriter::failed, this, [this, bar](const QString& message) {
    bar->end();
    parts_.activity->log(tr("Report: %1").arg(message));
    messages_->error(tr("Report"), message);
  });
}

void MainWindow::save_report(const QString& path, ReportWriter::Page page) {
  const auto session = current_session();
  if (!session) return messages_->show_message(tr("Nothing to report: no trace is open."));
  if (const auto started = report_writer_->write(*session, path, page); !started)
    show_error(started.error(), tr("Report"));
}

void MainWindow::save_report_as() {
  QFileDialog dialog(this, tr("Save report"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  const QString assessment = tr("Performance assessment (*.html)");
  dialog.setNameFilters({tr("Report of the selection (*.html)"), assessment});
  dialog.setDefaultSuffix("html");
  propose_name(dialog, session_.files().value(0), "html");
  if (dialog.exec() != QDialog::Accepted) return;
  const auto page =
      dialog.selectedNameFilter() == assessment ? ReportWriter::Page::Assessment : ReportWriter::Page::Report;
  save_report(dialog.selectedFiles().value(0), page);
}

// Opens the files; the stored state is applied once they are open.
void MainWindow::open_session_file(const QString& path) {
  auto session = read_session(path);
  if (!session) return show_error(session.error(), tr("Open session"));
  restoring_ = std::make_unique<SessionFile>(std::move(*session));
  restoring_path_ = path.endsWith(".left") ? QString() : path;
  const auto files = restoring_->files;
  const auto short_names = restoring_->views.find("short_names");
  session_.set_short_names(short_names != restoring_->views.end() && *short_names == true);
  session_.open(files, restoring_->mapping);
}

void MainWindow::restore_session() {
  const auto saved = std::move(restoring_);
  if (!saved || saved->files != session_.files()) return;
  const bool columns = saved->views.contains("columns");
  if (columns) session_.set_columns(saved->views.at("columns"));
  session_.set_choices(saved->bins, saved->causal, saved->distribution, columns);
  fill_choices();
  if (!saved->layout.isEmpty()) restore_layout(saved->layout);
  // The trace may have changed since the session was saved: parts that no longer fit are ignored.
  auto selection = saved->selection;
  const auto kernels = session_.tracks().names.size();
  std::erase_if(selection.kernels,
                [&](std::uint32_t kernel) { return static_cast<qsizetype>(kernel) >= kernels; });
  const auto launches =
      session_.info().value("launches", nlohmann::json::object()).value("count", std::uint64_t{0});
  if (selection.launch && selection.launch->row >= launches) selection.launch.reset();
  for (const auto& view : views_) {
    if (!view.restore) continue;
    try {
      view.restore(saved->views, selection);
    } catch (const nlohmann::json::exception& problem) { // the file was edited or damaged
      show_error(
          {ErrorKind::BadInput, std::string("a view cannot be restored: ") + problem.what(), {}, {}, {}},
          tr("Open session"));
    }
  }
  hub_.apply(selection);
}

void MainWindow::fill_recent_menu() {
  recent_menu_->clear();
  for (const auto& files : RecentFiles::list()) {
    const bool there =
        std::all_of(files.begin(), files.end(), [](const QString& file) { return QFileInfo::exists(file); });
    auto* action = recent_menu_->addAction(RecentFiles::label(files), this, [this, files] { open(files); });
    action->setEnabled(there);
    action->setToolTip(files.join("\n"));
  }
  recent_menu_->setToolTipsVisible(true);
  if (recent_menu_->isEmpty()) {
    recent_menu_->addAction(tr("No Recent Files"))->setEnabled(false);
    return;
  }
  recent_menu_->addSeparator();
  recent_menu_->addAction(tr("Clear List"), this, [] { RecentFiles::clear(); });
}

} // namespace jitterscope::app
