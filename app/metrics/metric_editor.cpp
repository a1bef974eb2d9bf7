#include "app/metrics/metric_editor.h"

#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "app/engine/typed_answers.h"
#include "app/metrics/metric_answer.h"
#include "app/metrics/metric_library.h"
#include "app/metrics/metric_text_edit.h"
#include "core/efficiency/metrics/syntax.h"
#include "core/engine/messages/metric_answers.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/selection.h"
#include "views/metrics/metrics_canvas.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr int kPause = 200; // ms after the last key press

Interval visible_range(const SelectionState& state, const TrackList& tracks) {
  return state.window ? *state.window : tracks.span;
}

} // namespace

MetricEditor::MetricEditor(SessionController& session, SelectionHub& hub, const views::ViewStyle& style,
                           QWidget* parent)
    : QDialog(parent), session_(session), hub_(hub), style_(style), text_(new MetricTextEdit(this)),
      problem_(new QLabel(this)), use_button_(new QPushButton(this)),
      preview_(new views::MetricsCanvas(this)) {
  setWindowTitle(tr("Metric"));
  setObjectName("metric.editor");
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  set_style(style);
  preview_->setMessage(tr("The preview updates as you type."));
  auto* upper = new QWidget(this);
  auto* column = new QVBoxLayout(upper);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(text_, 1);
  column->addWidget(problem_);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(upper);
  split->addWidget(preview_);
  split->setSizes({300, 200});
  split->setChildrenCollapsible(false);
  auto* buttons = new QHBoxLayout;
  auto* open = new QPushButton(tr("&Open…"), this);
  auto* save = new QPushButton(tr("&Save as…"), this);
  auto* help = new QLabel("<a href=\"help:metrics\">" + tr("Help: how to write metrics") + "</a>", this);
  auto* close = new QPushButton(tr("&Close"), this);
  for (auto* button : {open, save, close, use_button_}) button->setAutoDefault(false);
  buttons->addWidget(open);
  buttons->addWidget(save);
  buttons->addWidget(help);
  buttons->addStretch(1);
  buttons->addWidget(close);
  buttons->addWidget(use_button_);
  auto* all = new QVBoxLayout(this);
  all->addWidget(split, 1);
  all->addLayout(buttons);
  resize(780, 620);
  help->setOpenExternalLinks(true);
  timer_.setSingleShot(true);
  timer_.setInterval(kPause);
  connect(&timer_, &QTimer::timeout, this, &MetricEditor::ask);
  connect(text_, &QPlainTextEdit::textChanged, this, &MetricEditor::changed);
  connect(&session_, &SessionController::opened, this, [this] {
    preview_->setPanels({}); // of the previous trace
    preview_->setStale(false);
    if (!isVisible()) return;
    ask_names();
    changed();
  });
  connect(open, &QPushButton::clicked, this, &MetricEditor::open_file);
  connect(save, &QPushButton::clicked, this, &MetricEditor::save_file);
  connect(close, &QPushButton::clicked, this, &MetricEditor::reject);
  connect(use_button_, &QPushButton::clicked, this, [this] {
    if (use_) use_(text());
    accept();
  });
}

const views::MetricPanel& MetricEditor::preview() const {
  static const views::MetricPanel kNone;
  return preview_->model().panels.empty() ? kNone : preview_->model().panels.front();
}

std::string MetricEditor::text() const {
  return text_->toPlainText().toStdString();
}

void MetricEditor::edit(const std::string& text, const QString& action,
                        std::function<void(const std::string&)> use) {
  if (!isVisible()) return begin(text, action, std::move(use));
  leave([this, text, action, use = std::move(use)] { begin(text, action, use); });
}

void MetricEditor::reject() {
  leave([this] { QDialog::reject(); });
}

void MetricEditor::leave(std::function<void()> go_on) {
  if (text() == kept_) return go_on();
  auto* question = new QMessageBox(QMessageBox::Question, windowTitle(),
                                   tr("The text of the metric was changed. Discard the changes?"),
                                   QMessageBox::Discard | QMessageBox::Cancel, this);
  question->setAttribute(Qt::WA_DeleteOnClose);
  question->setDefaultButton(QMessageBox::Cancel);
  question->button(QMessageBox::Cancel)->setText(tr("&Keep Editing"));
  connect(question, &QMessageBox::finished, this, [go_on = std::move(go_on)](int answer) {
    if (answer == QMessageBox::Discard) go_on();
  });
  question->open();
}

void MetricEditor::begin(const std::string& text, const QString& action,
                         std::function<void(const std::string&)> use) {
  use_ = std::move(use);
  use_button_->setText(action);
  preview_->setPanels({});
  preview_->setStale(false);
  text_->setPlainText(QString::fromStdString(text));
  kept_ = this->text();
  changed(); // the text may be that of before
  ask_names();
  show();
  raise();
  activateWindow();
  text_->setFocus();
}

// Shows syntax errors immediately; names that the session does not have are reported by the engine's answer.
void MetricEditor::changed() {
  ++round_;
  const auto parsed = efficiency::metrics::parse(text());
  use_button_->setEnabled(parsed.has_value());
  if (!parsed) {
    timer_.stop();
    return refuse(parsed.error());
  }
  preview_->setStale(!preview_->model().panels.empty());
  preview_->setMessage(preview_->isStale() ? tr("Updating …") : tr("The preview updates as you type."));
  text_->mark(std::nullopt, {});
  problem_->setText(tr("per %1").arg(QString::fromStdString(std::string(to_string(parsed->metric.level)))));
  problem_->setStyleSheet({});
  timer_.start();
}

void MetricEditor::refuse(const Error& error) {
  use_button_->setEnabled(false);
  preview_->setStale(!preview_->model().panels.empty());
  preview_->setMessage(preview_->isStale() ? tr("Preview of the last valid definition")
                                           : tr("The definition has an error."));
  show_problem(error);
}

void MetricEditor::set_style(const views::ViewStyle& style) {
  style_ = style;
  preview_->setViewStyle(style);
  problem_->setStyleSheet(QString("color: %1").arg(style.negative.name()));
}

void MetricEditor::show_problem(const Error& error) {
  const auto place = place_of(error.place);
  text_->mark(place, style_.negative);
  QString words = QString::fromStdString(error.message);
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  if (!error.place.empty())
    words = QString::fromStdString(error.place) + ": " + QString::fromStdString(error.message);
  if (!error.hint.empty()) words += ". " + QString::fromStdString(error.hint);
  problem_->setText(words);
}

void MetricEditor::ask() {
  if (!session_.has_session() || session_.launch_order()) return;
  const auto range = visible_range(hub_.state(), session_.tracks());
  if (range.empty()) return;
  const auto columns = std::min<std::int64_t>(preview_->pixelColumns(), range.length().count);
  engine::MetricOptions options{.text = text(), .columns = columns, .fit = true};
  set_range(options, range);
  session_.request(
      {options, "metric preview"}, tr("Preview"),
      [this, alive = QPointer(this), round = round_, asked = text()](Expected<engine::Answer> answer) {
        if (!alive || round != round_) return;
        views::MetricPanel panel;
        panel.text = asked;
        if (!answer) {
          if (answer.error().kind != ErrorKind::Cancelled) return refuse(answer.error());
          return preview_->setMessage(tr("The preview is cancelled."));
        }
        if (auto read = read_metric(*answer, panel); !read) return refuse(read.error());
        preview_->setMessage({});
        preview_->setStale(false);
        preview_->setSpan(panel.values.range);
        preview_->setPanels({panel});
        problem_->setText(
            tr("per %1").arg(panel.level)); // the level of the trace, such as process for thread
      });
}

void MetricEditor::ask_names() {
  if (!session_.has_session()) return;
  session_.request(engine::MetricNamesOptions(), tr("Names"),
                   [this, alive = QPointer(this)](const Expected<engine::Answer>& received) {
                     const auto answer =
                         received.and_then(engine::table_of<engine::answers::MetricNamesAnswer>);
                     if (!alive || !answer) return;
                     auto names = list_of_texts(answer->attributes);
                     for (const auto& counter : answer->counters)
                       names << '"' + QString::fromStdString(counter) + '"';
                     text_->set_names(names);
                   });
}

void MetricEditor::open_file() {
  QFileDialog dialog(this, tr("Open a metric"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setNameFilters({tr("Metrics (*.metric)"), tr("All files (*)")});
  if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return;
  QFile file(dialog.selectedFiles().front());
  if (!file.open(QIODevice::ReadOnly))
    return show_problem({ErrorKind::BadInput,
                         "the file cannot be read",
                         file.fileName().toStdString(),
                         {},
                         file.errorString().toStdString()});
  const auto opened = QString::fromUtf8(file.read(static_cast<qint64>(efficiency::metrics::kMaxText)));
  leave([this, opened] {
    text_->setPlainText(opened);
    kept_ = text();
  });
}

void MetricEditor::save_file() {
  QFileDialog dialog(this, tr("Save the metric"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix("metric");
  if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return;
  if (auto saved = save_metric(dialog.selectedFiles().front(), text()); !saved)
    show_problem(saved.error());
  else
    kept_ = text();
}

} // namespace jitterscope::app
