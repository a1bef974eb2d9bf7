#include "app/reduce/reduce_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/reduce/reduce_options.h"
#include "app/reduce/trace_export.h"
#include "core/base/time.h"
#include "core/efficiency/cut/reduction_options.h"

namespace jitterscope::app {
namespace {

constexpr const char* kKindTitles[efficiency::kRowKinds] = {
    QT_TRANSLATE_NOOP("jitterscope::app::ReduceDialog", "Kernels"),
    QT_TRANSLATE_NOOP("jitterscope::app::ReduceDialog", "Collectives"),
    QT_TRANSLATE_NOOP("jitterscope::app::ReduceDialog", "Transfers"),
    QT_TRANSLATE_NOOP("jitterscope::app::ReduceDialog", "Calls"),
    QT_TRANSLATE_NOOP("jitterscope::app::ReduceDialog", "MPI"),
    QT_TRANSLATE_NOOP("jitterscope::app::ReduceDialog", "Ranges"),
    QT_TRANSLATE_NOOP("jitterscope::app::ReduceDialog", "States"),
    QT_TRANSLATE_NOOP("jitterscope::app::ReduceDialog", "Bursts"),
    QT_TRANSLATE_NOOP("jitterscope::app::ReduceDialog", "Samples")};

QLineEdit* line(const QString& placeholder, const QString& tip) {
  auto* edit = new QLineEdit;
  edit->setPlaceholderText(placeholder);
  edit->setToolTip(tip);
  return edit;
}

/// Default output path of the reduced trace: next to the open file.
QString free_output(const QString& opened, const QString& suffix) {
  const QFileInfo info(opened);
  const QString stem = info.dir().filePath(info.completeBaseName() + "-" + suffix);
  QString path = stem + ".jts";
  for (int n = 2; QFileInfo::exists(path); ++n) path = QString("%1-%2.jts").arg(stem).arg(n);
  return path;
}

} // namespace

ReduceDialog::ReduceDialog(Kind kind, SelectionHub& hub, SessionController& session, QWidget* parent)
    : QDialog(parent), kind_(kind), session_(session),
      output_(line(
          {},
          tr("File to write: a store (.jts), a trace for Paraver (.prv) or Perfetto (.json), or a table of "
             "launches (.csv)"))),
      range_(line(tr("all time, e.g. 1.2s:1.3s"), tr("Rows that overlap the range are kept"))),
      ranks_(line(tr("all, e.g. 0-3,7"), tr("Only rows of these ranks are kept"))),
      devices_(line(tr("all, e.g. 0,1"), tr("Only rows of the devices with these numbers are kept"))),
      tracks_(
          line(tr("all, e.g. stream [67]$"),
               tr("Only streams and threads whose name in the timeline matches this regular expression"))),
      kernels_above_(line(tr("e.g. 1ms"), tr("Shorter kernels are dropped"))),
      bursts_above_(line(tr("e.g. 5ms"), tr("Shorter bursts of computation are dropped"))),
      where_(line(tr("e.g. name ~ /gemm/"), tr("Only launches that meet this condition"))),
      clip_(new QCheckBox(tr("Clip rows at the borders of the range"))),
      from_zero_(new QCheckBox(tr("Move the start of the range to time 0"))),
      counters_(
          new QCheckBox(tr("Replace dropped events by counters that have samples at the borders of bursts"))),
      problem_(new QLabel), summary_(new QPlainTextEdit), write_(nullptr), open_(nullptr) {
  setWindowTitle(kind == Kind::Cut ? tr("Cut to Range") : tr("Filter"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* form = new QFormLayout;
  auto* file = new QHBoxLayout;
  auto* browse = new QPushButton(tr("Browse…"));
  output_->setMinimumWidth(output_->fontMetrics().averageCharWidth() * 60); // wide enough for most paths
  file->addWidget(output_, 1);
  file->addWidget(browse);
  form->addRow(tr("Write to"), file);
  add_cut_fields(form);
  if (kind == Kind::Filter) add_filter_fields(form);
  if (kind == Kind::Cut)
    for (QWidget* unused :
         std::initializer_list<QWidget*>{kernels_above_, bursts_above_, where_, counters_}) {
      unused->setParent(this);
      unused->hide();
    }
  problem_->setWordWrap(true);
  problem_->setVisible(false);
  output_->setAccessibleName(tr("File to write"));
  summary_->setAccessibleName(tr("Result"));
  summary_->setReadOnly(true);
  summary_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  summary_->setLineWrapMode(QPlainTextEdit::NoWrap);
  summary_->setMinimumSize(560, 200);
  summary_->setVisible(false);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  write_ = buttons->addButton(tr("&Write"), QDialogButtonBox::AcceptRole);
  open_ = buttons->addButton(tr("&Open Result"), QDialogButtonBox::ActionRole);
  open_->setEnabled(false);
  auto* column = new QVBoxLayout(this);
  column->addLayout(form);
  column->addWidget(problem_);
  column->addWidget(summary_, 1);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &ReduceDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(open_, &QPushButton::clicked, this, [this] {
    emit open_requested({asked_output_});
    close();
  });
  connect(browse, &QPushButton::clicked, this, [this] {
    const auto path = QFileDialog::getSaveFileName(
        this, windowTitle(), output_->text(),
        tr("Jitterscope stores (*.jts);;Paraver traces (*.prv);;Chrome traces for Perfetto "
           "(*.json);;Tables of launches (*.csv);;All of these (*.jts *.prv *.json *.csv)"),
        nullptr, QFileDialog::DontUseNativeDialog);
    if (path.isEmpty()) return;
    output_->setText(path);
    // The file dialog has already asked whether to replace the file, but not the .pcf and .row next to it.
    const auto existing = existing_outputs(path);
    replaced_ = existing.isEmpty() || existing == QStringList{QFileInfo(path).fileName()} ? path : QString();
  });
  connect(&session_, &SessionController::opened, this, &QDialog::close); // the fields are about another trace
  fill(hub);
}

void ReduceDialog::add_cut_fields(QFormLayout* form) {
  form->addRow(tr("Range"), range_);
  form->addRow(tr("Ranks"), ranks_);
  form->addRow(tr("Devices"), devices_);
  form->addRow(tr("Tracks"), tracks_);
  form->addRow({}, clip_);
  form->addRow({}, from_zero_);
}

void ReduceDialog::add_filter_fields(QFormLayout* form) {
  auto* grid = new QGridLayout;
  for (int kind = 0; kind < efficiency::kRowKinds; ++kind) {
    kinds_.push_back(new QCheckBox(tr(kKindTitles[kind])));
    kinds_.back()->setChecked(true);
    grid->addWidget(kinds_.back(), kind / 5, kind % 5);
  }
  form->addRow(tr("Keep"), grid);
  form->addRow(tr("Minimum kernel duration"), kernels_above_);
  form->addRow(tr("Minimum burst duration"), bursts_above_);
  form->addRow(tr("Launches where"), where_);
  form->addRow({}, counters_);
}

// Prefills the brush, else the selected bin, else the visible range. The visible range with which a session
// begins is not a choice: it may leave out activity of the host.
void ReduceDialog::fill(const SelectionHub& hub) {
  const auto& state = hub.state();
  const auto range = state.brush    ? state.brush
                     : state.bin    ? std::optional(state.bin->interval)
                     : hub.zoomed() ? state.window
                                    : std::nullopt;
  const auto& span = session_.tracks().span;
  const bool all = range && range->begin <= span.begin && span.end <= range->end;
  if (range && !range->empty() && !all)
    range_->setText(
        QString::fromStdString(exact_time(range->begin.count) + ":" + exact_time(range->end.count)));
  if (kind_ == Kind::Filter) where_->setText(state.where);
  output_->setText(free_output(session_.files().value(0), kind_ == Kind::Cut ? "cut" : "filtered"));
}

QString ReduceDialog::problem() const {
  return problem_->isHidden() ? QString() : problem_->text();
}

void ReduceDialog::accept() {
  ReduceTexts texts;
  texts.output = output_->text().toStdString();
  texts.range = range_->text().trimmed().toStdString();
  texts.ranks = ranks_->text().trimmed().toStdString();
  texts.devices = devices_->text().trimmed().toStdString();
  texts.tracks = tracks_->text().trimmed().toStdString();
  texts.kernels_above = kernels_above_->text().trimmed().toStdString();
  texts.bursts_above = bursts_above_->text().trimmed().toStdString();
  texts.where = where_->text().toStdString();
  texts.clip = clip_->isChecked();
  texts.from_zero = from_zero_->isChecked();
  texts.software_counters = counters_->isChecked();
  texts.overwrite = replaced_ == output_->text();
  QStringList kinds;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    if (kinds_[kind]->isChecked())
      kinds << QString::fromStdString(to_string(static_cast<efficiency::RowKind>(kind)));
  if (kinds.size() < static_cast<int>(kinds_.size())) texts.keep = kinds.join(',').toStdString();
  if (!kinds_.empty() && kinds.empty())
    return written(failure(ErrorKind::BadUse, "no kind of rows is chosen", {}, {},
                           "Choose at least one kind under Keep."));
  if (const auto existing = existing_outputs(output_->text()); !texts.overwrite && !existing.isEmpty()) {
    replaced_ = output_->text();
    const bool one = existing.size() == 1;
    return written(failure(
        ErrorKind::BadUse, existing.join(", ").toStdString() + (one ? " already exists" : " already exist"),
        texts.output, {}, one ? "Press Write again to replace it." : "Press Write again to replace them."));
  }
  auto options = reduce_options(texts);
  if (!options) return written(forward(options.error()));
  if (!leaves_out(*options))
    return written(failure(ErrorKind::BadUse, "the result would be a copy of the whole trace", {}, {},
                           kind_ == Kind::Cut
                               ? "Give a range, ranks, devices or tracks."
                               : "Give a range, ranks, devices, tracks, a threshold or a condition, or "
                                 "clear kinds of rows under Keep."));
  write_->setEnabled(false);
  asked_output_ = output_->text();
  session_.request(*options, windowTitle(), [self = QPointer(this)](Expected<engine::Answer> answer) {
    if (!self) return;
    if (answer)
      self->written(std::move(answer->document));
    else
      self->written(forward(answer.error()));
  });
}

void ReduceDialog::written(const Expected<nlohmann::json>& document) {
  write_->setEnabled(true);
  problem_->setVisible(!document);
  summary_->setVisible(document.has_value());
  open_->setEnabled(document.has_value());
  if (document)
    summary_->setPlainText(reduce_summary(*document).join('\n'));
  else
    problem_->setText(QString::fromStdString(describe(document.error())));
}

ReduceDialog* show_reduce_dialog(ReduceDialog::Kind kind, SelectionHub& hub, SessionController& session,
                                 QWidget* parent) {
  auto* dialog = new ReduceDialog(kind, hub, session, parent);
  QObject::connect(dialog, &ReduceDialog::open_requested, &session,
                   [&session](const QStringList& files) { session.open(files); });
  dialog->show();
  return dialog;
}

} // namespace jitterscope::app
