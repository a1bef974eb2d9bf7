#include "app/export/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/engine/settings.h"

namespace jitterscope::app {
namespace {

constexpr double kDotsPerInch = 96, kMillimetresPerInch = 25.4, kPointsPerInch = 72;

int pixels(double mm) {
  return static_cast<int>(std::lround(mm / kMillimetresPerInch * kDotsPerInch));
}

QDoubleSpinBox* number(double value, double low, double high, const QString& unit) {
  auto* box = new QDoubleSpinBox;
  box->setRange(low, high);
  box->setDecimals(1);
  box->setSuffix(" " + unit);
  box->setValue(value);
  return box;
}

} // namespace

views::ViewStyle with_font(views::ViewStyle style, double font_pt) {
  const double factor = font_pt / kPointsPerInch * kDotsPerInch / style.normalPixels;
  for (int* size : {&style.smallPixels, &style.normalPixels, &style.titlePixels})
    *size = std::max(4, static_cast<int>(std::lround(*size * factor)));
  return style;
}

Expected<void> export_view(const QString& path, const QString& title, const ViewPainter& paint,
                           const PaperSize& size, const views::ViewStyle& style) {
  const auto fonts = with_font(style, size.font_pt);
  return views::exportPicture(path, {pixels(size.width_mm), pixels(size.height_mm)}, size.dpi / kDotsPerInch,
                              "Jitterscope " + title,
                              [&](QPainter& painter, const QRectF& rect) { paint(painter, rect, fonts); });
}

namespace {

// The last settings, as defaults for the next figure on the same paper.
PaperSize remembered() {
  const auto kept = settings();
  const PaperSize defaults;
  return {kept.value("export/width_mm", defaults.width_mm).toDouble(),
          kept.value("export/height_mm", defaults.height_mm).toDouble(),
          kept.value("export/font_pt", defaults.font_pt).toDouble(),
          kept.value("export/dpi", defaults.dpi).toInt()};
}

void remember(const PaperSize& size, const QString& path) {
  auto kept = settings();
  kept.setValue("export/width_mm", size.width_mm);
  kept.setValue("export/height_mm", size.height_mm);
  kept.setValue("export/font_pt", size.font_pt);
  kept.setValue("export/dpi", size.dpi);
  kept.setValue("export/folder", QFileInfo(path).absolutePath());
}

} // namespace

ExportDialog::ExportDialog(std::map<QString, ViewPainter> views, const QString& chosen, views::Theme screen,
                           QWidget* parent)
    : QDialog(parent), views_(std::move(views)), screen_(screen), view_(new QComboBox), style_(new QComboBox),
      width_(number(remembered().width_mm, 20, 2'000, "mm")),
      height_(number(remembered().height_mm, 20, 2'000, "mm")),
      font_(number(remembered().font_pt, 4, 40, "pt")), dpi_(new QSpinBox), path_(new QLineEdit),
      problem_(new QLabel), advice_text_(new QLabel) {
  setWindowTitle(tr("Export a view"));
  for (const auto& [name, paint] : views_) view_->addItem(name);
  // "Area" has two pictures: selects the first.
  view_->setCurrentIndex(view_->findText(chosen) >= 0
                             ? view_->findText(chosen)
                             : std::max(view_->findText(chosen, Qt::MatchStartsWith), 0));
  style_->addItem(tr("paper: white background"), static_cast<int>(views::Theme::Paper));
  style_->addItem(tr("as on the screen"), static_cast<int>(screen_));
  dpi_->setRange(50, 1'200);
  dpi_->setValue(remembered().dpi);
  dpi_->setSuffix(tr(" dpi (PNG)"));
  path_->setAccessibleName(tr("File to write"));
  path_->setPlaceholderText(tr("picture.pdf, .svg or .png; numbers.csv"));
  problem_->setWordWrap(true);
  auto* choose = new QPushButton("…");
  choose->setToolTip(tr("Choose the file"));
  choose->setAccessibleName(choose->toolTip());
  connect(choose, &QPushButton::clicked, this, &ExportDialog::browse);
  auto* file = new QHBoxLayout;
  file->addWidget(path_, 1);
  file->addWidget(choose);
  auto* form = new QFormLayout(this);
  form->addRow(tr("View"), view_);
  form->addRow(tr("Style"), style_);
  form->addRow(tr("Width"), width_);
  form->addRow(tr("Height"), height_);
  form->addRow(tr("Font"), font_);
  form->addRow(tr("Resolution"), dpi_);
  form->addRow(tr("File"), file);
  advice_text_->setWordWrap(true);
  advice_text_->hide();
  form->addRow(advice_text_);
  form->addRow(problem_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
  connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  form->addRow(buttons);
  setMinimumWidth(420);
}

void ExportDialog::set_tables(std::function<void(const QString&, const QString&)> save) {
  save_table_ = std::move(save);
}

void ExportDialog::set_advice(std::function<QString(const QString&, const PaperSize&)> advice) {
  advice_ = std::move(advice);
  connect(view_, &QComboBox::currentIndexChanged, this, &ExportDialog::advise);
  for (auto* box : {width_, height_, font_})
    connect(box, &QDoubleSpinBox::valueChanged, this, &ExportDialog::advise);
  advise();
}

void ExportDialog::set_needed_height(std::function<double(const QString&, const PaperSize&)> needed) {
  needed_height_ = std::move(needed);
  connect(view_, &QComboBox::currentIndexChanged, this, [this] {
    own_height_ = false;
    fit_height();
  });
  for (auto* box : {width_, font_})
    connect(box, &QDoubleSpinBox::valueChanged, this, &ExportDialog::fit_height);
  connect(height_, &QDoubleSpinBox::valueChanged, this, [this] { own_height_ = true; });
  fit_height();
}

void ExportDialog::fit_height() {
  if (own_height_) return;
  const double needed = needed_height_(view_->currentText(), size());
  const QSignalBlocker quiet(height_); // not a choice of the user
  height_->setValue(needed > 0 ? needed : remembered().height_mm);
  if (advice_) advise();
}

void ExportDialog::set_holding(std::function<bool(const QString&, const PaperSize&)> holds) {
  holds_ = std::move(holds);
  constexpr int kRetryMilliseconds = 50;
  retry_.setSingleShot(true);
  retry_.setInterval(kRetryMilliseconds);
  connect(&retry_, &QTimer::timeout, this, &ExportDialog::accept);
  connect(view_, &QComboBox::currentIndexChanged, this, [this] { holds_(view_->currentText(), size()); });
  holds_(view_->currentText(), size());
}

// Data that do not arrive in time are omitted, as on the screen.
bool ExportDialog::still_waiting() {
  constexpr int kMaxRetries = 200;
  if (!holds_ || holds_(view_->currentText(), size()) || ++retries_ > kMaxRetries) {
    retries_ = 0;
    return false;
  }
  problem_->setText(tr("Reading the data for this size …"));
  retry_.start();
  return true;
}

void ExportDialog::advise() {
  const QString text = advice_(view_->currentText(), size());
  advice_text_->setText(text);
  advice_text_->setVisible(!text.isEmpty());
  // A layout does not enlarge a window for text that takes more lines.
  if (const int needed = layout()->totalHeightForWidth(width()); needed > height()) resize(width(), needed);
}

QString ExportDialog::advice() const {
  return advice_text_->text();
}

PaperSize ExportDialog::size() const {
  return {width_->value(), height_->value(), font_->value(), dpi_->value()};
}

void ExportDialog::browse() {
  QFileDialog dialog(this, tr("Export a view"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setNameFilters(
      {tr("PDF (*.pdf)"), tr("SVG (*.svg)"), tr("PNG (*.png)"), tr("CSV, the numbers of the view (*.csv)")});
  dialog.setDefaultSuffix("pdf");
  if (const auto folder = settings().value("export/folder").toString(); !folder.isEmpty())
    dialog.setDirectory(folder);
  connect(&dialog, &QFileDialog::filterSelected, &dialog,
          [&dialog](const QString& filter) { dialog.setDefaultSuffix(filter.section("*.", 1).chopped(1)); });
  if (dialog.exec() != QDialog::Accepted) return;
  path_->setText(dialog.selectedFiles().value(0));
  replaced_ = path_->text(); // confirmed in the file dialog
}

void ExportDialog::accept() {
  const auto found = views_.find(view_->currentText());
  if (found == views_.end()) return;
  if (path_->text().trimmed().isEmpty())
    return problem_->setText(tr("Name a file, for example picture.pdf."));
  const QString path = QFileInfo(path_->text().trimmed()).absoluteFilePath();
  if (QFileInfo::exists(path) && std::exchange(replaced_, path) != path)
    return problem_->setText(tr("%1 exists. Save again to replace it.").arg(path));
  if (save_table_ && path.endsWith(".csv", Qt::CaseInsensitive)) {
    save_table_(found->first, path);
    return QDialog::accept();
  }
  if (still_waiting()) return;
  const auto theme = static_cast<views::Theme>(style_->currentData().toInt());
  const auto written = export_view(path, found->first, found->second, size(), views::ViewStyle::of(theme));
  if (!written) return problem_->setText(QString::fromStdString(describe(written.error())));
  saved_ = path;
  auto kept = size();
  const bool fitted = needed_height_ && needed_height_(view_->currentText(), kept) > 0;
  if (fitted) kept.height_mm = remembered().height_mm; // that of one view, not of the paper
  remember(kept, path);
  QDialog::accept();
}

} // namespace jitterscope::app
