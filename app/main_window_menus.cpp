#include <QAbstractItemView>
#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPainter>
#include <QShortcut>
#include <QStackedWidget>
#include <QTableWidget>
#include <QTextBrowser>
#include <QToolBar>
#include <QVBoxLayout>
#include <algorithm>
#include <tuple>
#include <utility>

#include "app/causal_desk.h"
#include "app/command.h"
#include "app/help_pages.h"
#include "app/knowledge_panel.h"
#include "app/main_window.h"
#include "app/message_bar.h"
#include "app/parallel_desk.h"
#include "app/timeline_docks.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

QDockWidget* dock(QMainWindow* window, const QString& title, const char* name, QWidget* content,
                  Qt::DockWidgetArea area) {
  auto* made = new QDockWidget(title, window);
  made->setObjectName(name);
  made->setWidget(content);
  window->addDockWidget(area, made);
  return made;
}

QComboBox* choices(QWidget* parent, const QString& tip,
                   std::initializer_list<std::pair<const char*, const char*>> items) {
  auto* box = new QComboBox(parent);
  box->setToolTip(tip);
  for (const auto& [text, value] : items) box->addItem(text, value);
  return box;
}

} // namespace

void MainWindow::fill_column_choices() {
  static constexpr std::pair<const char*, const char*> kUsual[] = {
      {"kernel_variability", "kernel variability"},
      {"relative_variability", "relative variability"},
      {"memory_stall", "memory stall"},
      {"duration", "duration"}};
  constexpr int kMostOffered = 2'000; // a list that can still be scrolled; typing finds a name in it
  const auto fill = [&](QComboBox* box, const QString& prefix, const std::string& current) {
    const QSignalBlocker quiet(box);
    box->clear();
    for (const auto& [name, label] : kUsual)
      if (session_.has_column(name)) box->addItem(prefix + label, name);
    for (const auto& column : session_.recorded_columns()) {
      if (box->count() >= kMostOffered) break;
      box->addItem(prefix + words(column), QString::fromStdString(column));
    }
    box->setCurrentIndex(box->findData(QString::fromStdString(current)));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(18);
    box->view()->setMinimumWidth(box->view()->sizeHintForColumn(0) + 24);
  };
  fill(metric_, {}, session_.bin_choices().metric);
  fill(target_, "why: ", session_.causal_choices().target);
  bin_width_->setPlaceholderText(session_.launch_order() ? "width: by itself" : "width: 2,000 bins");
  bin_width_->setToolTip(session_.launch_order()
                             ? "Launches in a bin, e.g. 20; empty: about a hundred bins"
                             : "Length of a bin, e.g. 10ms; empty: the width that gives 2,000 bins");
}

QWidget* MainWindow::bins_panel() {
  auto* panel = new QWidget(this);
  auto* metric = metric_ = choices(panel, "What is summed up per bin", {});
  auto* by = choices(panel, "What bins are ranked by",
                     {{"sum", "sum"},
                      {"variance", "variance"},
                      {"CV", "cv"},
                      {"IQR", "iqr"},
                      {"max", "max"},
                      {"mean", "mean"}});
  auto* width = bin_width_ = new QLineEdit(panel);
  width->setPlaceholderText("width: 2,000 bins");
  width->setToolTip("Length of a bin, e.g. 10ms; empty: the width that gives 2,000 bins");
  width->setMaximumWidth(140);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(6, 4, 6, 2);
  row->addWidget(metric);
  row->addWidget(by);
  row->addWidget(width);
  row->addStretch(1);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(bins_, 1);
  const auto chosen = [this, metric, by, width] {
    BinChoices wanted{metric->currentData().toString().toStdString(),
                      by->currentData().toString().toStdString(), 0};
    if (!width->text().trimmed().isEmpty()) {
      const auto time = parse_time(width->text().trimmed().toStdString(), "width");
      if (!time || *time <= 0) {
        messages_->say(session_.launch_order()
                           ? "'" + width->text() + "' is not a number of launches. Example: 20."
                           : "'" + width->text() + "' is not a length of time. Examples: 10ms, 250us.");
        return;
      }
      wanted.width_ns = *time;
    }
    session_.set_bin_choices(wanted);
  };
  connect(metric, &QComboBox::activated, this, chosen);
  connect(by, &QComboBox::activated, this, chosen);
  connect(width, &QLineEdit::returnPressed, this, chosen);
  return panel;
}

QWidget* MainWindow::causal_panel() {
  auto* panel = new QWidget(this);
  auto* target = target_ = choices(panel, "What is to be explained", {});
  auto* rows = choices(panel, "Which launches are the rows",
                       {{"rows: selection", "0"}, {"rows: kept bins", "1"}, {"rows: all launches", "2"}});
  auto* row = new QHBoxLayout;
  row->setContentsMargins(6, 4, 6, 2);
  row->addWidget(target);
  row->addWidget(rows);
  row->addWidget(desk_->group_choice());
  row->addStretch(1);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(desk_->stack(), 1);
  const auto chosen = [this, target, rows] {
    session_.set_causal_choices(
        {static_cast<CausalRows>(rows->currentIndex()), target->currentData().toString().toStdString()});
  };
  connect(target, &QComboBox::activated, this, chosen);
  connect(rows, &QComboBox::activated, this, chosen);
  return panel;
}

// The answer in words and as a graph stands at the right over the full height; what it speaks of, below the
// timeline.
void MainWindow::make_docks() {
  setDockNestingEnabled(true);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  auto* bins = dock(this, "Ranked bins", "dock.bins", bins_panel(), Qt::BottomDockWidgetArea);
  auto* parallel = dock(this, "Parallel coordinates", "dock.parallel", parallel_desk_->panel(), Qt::BottomDockWidgetArea);
  auto* kernels = dock(this, "Kernels", "dock.kernels", kernels_, Qt::BottomDockWidgetArea);
  auto* distribution =
      dock(this, "Distribution", "dock.distribution", distribution_, Qt::BottomDockWidgetArea);
  auto* causal = dock(this, "Causal graph", "dock.causal", causal_panel(), Qt::RightDockWidgetArea);
  splitDockWidget(bins, parallel, Qt::Horizontal);
  tabifyDockWidget(bins, kernels);
  tabifyDockWidget(parallel, distribution);
  for (const auto& [title, name, content] :
       {std::tuple{"Evidence", "dock.evidence", static_cast<QWidget*>(desk_->evidence())},
        {"What if", "dock.what_if", static_cast<QWidget*>(desk_->what_if())},
        {"Knowledge", "dock.knowledge", static_cast<QWidget*>(desk_->knowledge_panel())}}) {
    auto* made = dock(this, title, name, content, Qt::BottomDockWidgetArea);
    tabifyDockWidget(distribution, made);
    connect(desk_, &CausalDesk::wanted, made, [made](QWidget* wanted) {
      if (made->widget() != wanted) return;
      made->show();
      made->raise();
    });
  }
  timeline_docks_ = new TimelineDocks(*this, *timeline_, kernels);
  bins->raise();
  parallel->raise();
  default_docks_ = {bins, parallel, causal};
}

// Sizes of docks hold only once the window has its own.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (default_docks_.isEmpty()) return;
  const auto docks = std::exchange(default_docks_, {});
  const int right = std::clamp(width() * 31 / 100, 380, 640), below = height() * 45 / 100;
  resizeDocks({docks[2]}, {right}, Qt::Horizontal);
  resizeDocks({docks[0], docks[1]}, {(width() - right) * 40 / 100, (width() - right) * 60 / 100},
              Qt::Horizontal);
  resizeDocks({docks[0], docks[1]}, {below, below}, Qt::Vertical);
}

void MainWindow::make_menus() {
  auto* file = menuBar()->addMenu("&File");
  file->addAction("&Open…", QKeySequence::Open, this, &MainWindow::choose_files);
  file->addAction("Open &folder…", QKeySequence("Ctrl+Shift+O"), this, &MainWindow::choose_folder);
  kernel_names_ = file->addAction("&Kernel names from column…", this, &MainWindow::choose_kernel_column);
  kernel_names_->setEnabled(false);
  file->addAction("&Export picture…", QKeySequence("Ctrl+E"), this, &MainWindow::export_picture);
  file->addSeparator();
  file->addAction("&Quit", QKeySequence::Quit, this, &QWidget::close);
  auto* edit = menuBar()->addMenu("&Edit");
  auto* undo = edit->addAction("&Undo", &hub_, &SelectionHub::undo);
  undo->setShortcuts({QKeySequence("Ctrl+Z"), QKeySequence("Z")});
  auto* redo = edit->addAction("&Redo", &hub_, &SelectionHub::redo);
  redo->setShortcut(QKeySequence("Ctrl+Shift+Z"));
  edit->addAction("&Clear selection", QKeySequence("Escape"), this, [this] {
    change([](SelectionState& s) {
      SelectionState cleared;
      cleared.window = s.window;
      s = cleared;
    });
  });
  undo->setEnabled(false);
  redo->setEnabled(false);
  connect(&hub_, &SelectionHub::historyChanged, this, [this, undo, redo] {
    undo->setEnabled(hub_.canUndo());
    redo->setEnabled(hub_.canRedo());
  });
  auto* view = menuBar()->addMenu("&View");
  for (auto* each : findChildren<QDockWidget*>()) view->addAction(each->toggleViewAction());
  view->addSeparator();
  for (const auto& [text, theme] : {std::pair{"&Light", views::Theme::Light}, {"&Dark", views::Theme::Dark}})
    view->addAction(text, this, [this, wanted = theme] {
      save_theme(wanted);
      set_theme(wanted);
    });
  auto* engine = menuBar()->addMenu("E&ngine");
  engine->addAction("&Start again", &session_, &SessionController::restart_engine);
  engine->addAction("&Cancel", &session_, &SessionController::cancel_running);
  auto* help = menuBar()->addMenu("&Help");
  help->addAction("&Keys", this, [this] { show_page("Keys", keys_page()); })->setShortcut(QKeySequence("?"));
  help->addAction("&Filters", this, [this] { show_page("Filters", filter_page()); });
  help->addAction("&Causal answers", this, [this] { show_page("Causal answers", causal_page()); });
  help->addAction("What can be &opened", this, [this] { show_page("What can be opened", formats_page()); });
  help->addAction("&Import report", this, &MainWindow::show_import_report);
  auto* bar = addToolBar("Filter");
  bar->setObjectName("toolbar.filter");
  bar->setMovable(false);
  bar->addAction(undo);
  bar->addAction(redo);
  filter_ = new QLineEdit(this);
  filter_->setObjectName("filter");
  filter_->setPlaceholderText(
      "Filter launches, e.g.  duration > 20us and name ~ /gemm/ and stream in (7, 13)");
  filter_->setClearButtonEnabled(true);
  bar->addWidget(filter_);
}

void MainWindow::make_keys() {
  connect(new QShortcut(QKeySequence("/"), this), &QShortcut::activated, this, [this] {
    filter_->setFocus();
    filter_->selectAll();
  });
  connect(new QShortcut(QKeySequence("F"), this), &QShortcut::activated, timeline_,
          &views::TimelineWidget::focusSelection);
  connect(new QShortcut(QKeySequence("Home"), this), &QShortcut::activated, this,
          [this] { change([this](SelectionState& s) { s.window = span_; }); });
}

void MainWindow::choose_files() {
  QFileDialog dialog(this, "Open traces");
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setFileMode(QFileDialog::ExistingFiles);
  if (dialog.exec() == QDialog::Accepted) open(dialog.selectedFiles());
}

void MainWindow::choose_folder() {
  QFileDialog dialog(this, "Open all traces of a folder as one session");
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setFileMode(QFileDialog::Directory);
  if (dialog.exec() == QDialog::Accepted) open(dialog.selectedFiles());
}

// A plain table does not say what its kernels are: the user may.
void MainWindow::choose_kernel_column() {
  const QStringList titles = session_.text_columns();
  if (titles.isEmpty()) return messages_->say("This table has no column of texts that could name kernels.");
  bool chosen = false;
  const QString title = QInputDialog::getItem(
      this, "Kernel names", "Column that names the kernel of each row:", titles, 0, false, &chosen);
  if (chosen) session_.open(session_.files(), title);
}

void MainWindow::export_picture() {
  QFileDialog dialog(this, "Export the window as a picture");
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix("png");
  if (dialog.exec() != QDialog::Accepted) return;
  const QString path = dialog.selectedFiles().value(0);
  if (!grab().save(path))
    messages_->say("The picture cannot be written: " + path);
  else
    messages_->say("Saved " + path +
                   ". Single views at any size, also as SVG and PDF: jitterscope render --help.");
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
  if (!session_.has_session()) html = "<p>Nothing is open.</p>";
  for (const auto& input : session_.info().value("inputs", nlohmann::json::array()))
    html += QString("<p><b>%1</b><br>%2 %3, schema %4<br>%5</p>")
                .arg(QString::fromStdString(input.value("path", std::string())).toHtmlEscaped(),
                     QString::fromStdString(input.value("format", std::string())).toHtmlEscaped(),
                     QString::fromStdString(input.value("tool", std::string())).toHtmlEscaped(),
                     QString::fromStdString(input.value("schema", std::string())).toHtmlEscaped(),
                     QString::fromStdString(input.value("alignment", std::string())).toHtmlEscaped());
  html += "<table cellpadding=4>";
  for (const auto& entry : session_.info().value("report", nlohmann::json::array()))
    html += QString("<tr><td>%1</td><td align=right>%2 ×</td><td>%3</td></tr>")
                .arg(QString::fromStdString(entry.value("severity", std::string())))
                .arg(entry.value("count", std::int64_t{0}))
                .arg(QString::fromStdString(entry.value("text", std::string())).toHtmlEscaped());
  show_page("Import report", html + "</table>");
}

} // namespace jitterscope::app
