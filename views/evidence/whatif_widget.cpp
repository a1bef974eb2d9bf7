#include "views/evidence/whatif_widget.h"

#include <QComboBox>
#include <QCompleter>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/ticks.h"

namespace jitterscope::views {

namespace {

constexpr int kSteps = 1000;
constexpr double kBeyond = 0.15; // of the observed range, on both sides

double lowEnd(const WhatIfFeature& f) {
  return f.event ? 0 : f.minimum - kBeyond * (f.maximum - f.minimum);
}
double highEnd(const WhatIfFeature& f) {
  return f.event ? 1 : f.maximum + kBeyond * (f.maximum - f.minimum);
}

/// "with it", "without it", "3.2 µs there".
QString valueThere(const WhatIfFeature& f, double value) {
  if (f.event) return value > 0.5 ? QStringLiteral("which has it") : QStringLiteral("which does not have it");
  return QStringLiteral("%1 %2 there").arg(f.label, formatValue(value, f.unit, 3));
}

QString entryHint(const WhatIfFeature& f) {
  if (f.event) return QStringLiteral("0 where it never happens, 1 where it always does");
  if (f.unit == QLatin1String("ns")) return QStringLiteral("a number of ns, or a time like 20us, 1.5 ms, 2 s");
  if (f.unit == QLatin1String("%")) return QStringLiteral("a number of percent");
  return f.unit.isEmpty() ? QStringLiteral("a number, 2.5k or 1M too") : QStringLiteral("a number of %1; with k, M or G before it too").arg(f.unit);
}

QString change(double before, double after) {
  if (before == 0) return {};
  const double percent = (after / before - 1) * 100;
  return QStringLiteral(" (%1%2 %)").arg(percent > 0 ? QStringLiteral("+") : QString(), formatFixed(percent, std::abs(percent) < 10 ? 1 : 0));
}

} // namespace

// "5000", "5000us", "5 ms", "1.5 kB", "2M", and what the field itself shows.
std::optional<double> WhatIfWidget::valueOf(const QString& text, const QString& unit) {
  static const QRegularExpression kForm(QStringLiteral("^\\s*([+\\-−]?[0-9][0-9,]*(?:\\.[0-9]*)?(?:[eE][+\\-]?[0-9]+)?|[+\\-−]?\\.[0-9]+)\\s*(\\S*)\\s*$"));
  const auto match = kForm.match(text);
  if (!match.hasMatch()) return std::nullopt;
  const double value = match.captured(1).remove(QLatin1Char(',')).replace(QChar(0x2212), QLatin1Char('-')).toDouble();
  const QString suffix = match.captured(2);
  if (suffix.isEmpty() || suffix == unit) return value;
  static const std::map<QString, double> kTimes = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"μs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
  static const std::map<QString, double> kPrefixes = {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"m", 1e-3}, {"µ", 1e-6}};
  if (unit == QLatin1String("ns")) {
    const auto found = kTimes.find(suffix);
    return found == kTimes.end() ? std::nullopt : std::optional(value * found->second);
  }
  const QString prefix = !unit.isEmpty() && suffix.endsWith(unit) ? suffix.chopped(unit.size()) : suffix;
  const auto found = kPrefixes.find(prefix);
  return found == kPrefixes.end() ? std::nullopt : std::optional(value * found->second);
}

WhatIfCanvas::WhatIfCanvas(QWidget* parent) : RasterView(parent) {
  setAccessibleName(tr("What if"));
  setFocusPolicy(Qt::NoFocus);
}

void WhatIfCanvas::show(const WhatIfData& content, int feature, double value, const std::optional<WhatIfAnswer>& answer,
                        const std::optional<WhatIfRow>& row) {
  data_ = content;
  feature_ = feature;
  value_ = value;
  answer_ = answer;
  row_ = row;
  setAccessibleDescription(words().join(QLatin1Char('\n')));
  update();
}

QStringList WhatIfCanvas::words() const {
  QStringList lines;
  if (feature_ < 0 || !answer_) return lines;
  const WhatIfFeature& f = data_.features[static_cast<std::size_t>(feature_)];
  const QString& unit = data_.unit;
  const WhatIfAnswer& a = *answer_;
  const QString condition = f.event && value_ == 0   ? tr("Without %1 in any row").arg(f.label)
                            : f.event && value_ == 1 ? tr("With %1 in every row").arg(f.label)
                                                     : tr("With %1 = %2 in every row").arg(f.label, formatValue(value_, f.unit, 3));
  lines << condition + tr(", the mean of %1 goes from %2 to %3%4, 95 %: %5 … %6.")
                           .arg(data_.target, formatValue(a.meanBefore, unit, 3), formatValue(a.meanAfter, unit, 3),
                                change(a.meanBefore, a.meanAfter), formatValue(a.low, unit, 3), formatValue(a.high, unit, 3));
  lines << tr("Its standard deviation goes from %1 to %2; variance%3.")
               .arg(formatValue(a.stdBefore, unit, 3), formatValue(a.stdAfter, unit, 3),
                    change(a.stdBefore * a.stdBefore, a.stdAfter * a.stdAfter));
  if (a.outside)
    lines << tr("Never observed: %1 was between %2 and %3. Nothing shows that the line goes on beyond.")
                 .arg(f.label, formatValue(f.minimum, f.unit, 3), formatValue(f.maximum, f.unit, 3));
  if (a.meanAfter < 0 && a.meanBefore > 0)
    lines << tr("Below 0: the straight line does not hold that far.");
  if (row_)
    lines << tr("%1 (%2): %3 %4 → %5, 95 %: %6 … %7%8")
                 .arg(row_->name, valueThere(f, row_->from), data_.target, formatValue(row_->before, unit, 3),
                      formatValue(row_->after, unit, 3), formatValue(row_->low, unit, 3), formatValue(row_->high, unit, 3),
                      row_->sentence.isEmpty() ? QStringLiteral(".") : QStringLiteral("; ") + row_->sentence);
  return lines;
}

// A scale with the value before as a ring, the one after as a dot with its interval.
double WhatIfCanvas::paintScale(QPainter& painter, double top, const QString& name, double before, double after, double low,
                                double high) const {
  const ViewStyle& style = viewStyle();
  const double left = 16, right = width() - 16.0;
  double from = std::min({0.0, before, after, low}), to = std::max({before, after, high, 1e-12});
  const double margin = (to - from) * 0.04;
  from -= margin, to += margin;
  const auto xAt = [&](double v) { return left + (v - from) / (to - from) * (right - left); };
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  drawElided(painter, QRectF(left, top, right - left, 16), name);
  const double y = top + 28;
  drawHairline(painter, {left, y}, {right, y}, style.border);
  const QFontMetricsF metrics = metricsOf(painter.font());
  double last = -1e9;
  for (const Tick& tick : niceTicks(from, to, std::max(2, width() / 110), data_.unit)) {
    const double x = std::round(left + tick.position * (right - left));
    drawHairline(painter, {x, y}, {x, y + 4}, style.mutedText);
    const double half = metrics.horizontalAdvance(tick.label) / 2 + 2;
    if (x - half < last || x - half < left - 14 || x + half > right + 14) continue;
    last = x + half;
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(x - half, y + 5, 2 * half, 15), Qt::AlignCenter, tick.label);
  }
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(style.quiet, 2));
  painter.drawLine(QPointF(xAt(before), y), QPointF(xAt(after), y));
  painter.setPen(QPen(style.accent, 3));
  painter.drawLine(QPointF(xAt(low), y), QPointF(xAt(high), y));
  painter.setPen(QPen(style.text, 1.5));
  painter.setBrush(style.background);
  painter.drawEllipse(QPointF(xAt(before), y), 5, 5);
  painter.setPen(QPen(style.background, 1));
  painter.setBrush(style.accent);
  painter.drawEllipse(QPointF(xAt(after), y), 5.5, 5.5);
  painter.setRenderHint(QPainter::Antialiasing, false);
  return top + 52;
}

void WhatIfCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), viewStyle().background);
  if (feature_ < 0 || !answer_) {
    paintOverlays(painter, false);
    return;
  }
  const ViewStyle& style = viewStyle();
  double y = 6;
  y = paintScale(painter, y, tr("mean of %1: before ○, after ● with its 95 % interval").arg(data_.target), answer_->meanBefore,
                 answer_->meanAfter, answer_->low, answer_->high);
  if (row_)
    y = paintScale(painter, y, tr("%1: as it was ○, as it would have been ●").arg(row_->name), row_->before, row_->after, row_->low,
                   row_->high);
  painter.setFont(style.font());
  const QStringList lines = words();
  for (int i = 0; i < lines.size(); ++i) {
    const bool warns = lines[i].startsWith(tr("Never observed")) || lines[i].startsWith(tr("Below 0"));
    painter.setPen(warns ? style.warning : style.text);
    QRectF used;
    painter.drawText(QRectF(16, y, width() - 32.0, 400), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, lines[i], &used);
    y += std::ceil(used.height()) + 5;
  }
  paintOverlays(painter, true);
}

WhatIfWidget::WhatIfWidget(QWidget* parent)
    : QWidget(parent), features_(new QComboBox(this)), slider_(new QSlider(Qt::Horizontal, this)), number_(new QLineEdit(this)),
      low_(new QLabel(this)), high_(new QLabel(this)), problem_(new QLabel(this)), canvas_(new WhatIfCanvas(this)) {
  problem_->setWordWrap(true);
  problem_->setContentsMargins(16, 2, 16, 2);
  problem_->hide();
  low_->setToolTip(tr("The slider's left end: a little below the smallest value that was observed"));
  high_->setToolTip(tr("The slider's right end: a little above the largest value that was observed"));
  features_->setEditable(true); // typing finds a name
  features_->setInsertPolicy(QComboBox::NoInsert);
  features_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  features_->completer()->setFilterMode(Qt::MatchContains);
  features_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  features_->setMinimumContentsLength(16);
  features_->setAccessibleName(tr("Feature to be set"));
  slider_->setRange(0, kSteps);
  slider_->setPageStep(kSteps / 20);
  slider_->setAccessibleName(tr("Value of the feature"));
  number_->setMaximumWidth(110);
  number_->setToolTip(tr("The value in the column's own unit; Enter sets it"));
  number_->setAccessibleName(tr("Value as a number"));
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 2);
  row->addWidget(features_, 2);
  row->addWidget(low_);
  row->addWidget(slider_, 3);
  row->addWidget(high_);
  row->addWidget(number_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(problem_);
  column->addWidget(canvas_, 1);
  connect(features_, &QComboBox::activated, this, &WhatIfWidget::chosen);
  connect(slider_, &QSlider::valueChanged, this, [this](int position) { setValue(valueAt(position)); });
  connect(number_, &QLineEdit::returnPressed, this, [this] {
    if (features_->currentIndex() < 0) return;
    const WhatIfFeature& f = data_.features[static_cast<std::size_t>(features_->currentIndex())];
    if (const auto wanted = valueOf(number_->text(), f.unit)) return setValue(*wanted);
    problem_->setText(tr("“%1” is no value of %2: %3").arg(number_->text().trimmed(), f.label, entryHint(f)));
    problem_->show();
    number_->selectAll();
  });
  setData({});
}

void WhatIfWidget::setViewStyle(const ViewStyle& style) {
  canvas_->setViewStyle(style);
}

void WhatIfWidget::setMessage(const QString& message) {
  canvas_->setMessage(message);
}

QString WhatIfWidget::problem() const {
  return problem_->isHidden() ? QString() : problem_->text();
}

QStringList WhatIfWidget::ends() const {
  return {low_->text(), high_->text()};
}

QString WhatIfWidget::feature() const {
  const int at = features_->currentIndex();
  return at >= 0 && at < static_cast<int>(data_.features.size()) ? data_.features[static_cast<std::size_t>(at)].key : QString();
}

void WhatIfWidget::setData(WhatIfData content) {
  const QString before = feature();
  const double kept = value_;
  data_ = std::move(content);
  const QSignalBlocker quiet(features_);
  features_->clear();
  for (const WhatIfFeature& f : data_.features) features_->addItem(f.label, f.key);
  const int at = features_->findData(before);
  features_->setCurrentIndex(data_.empty() ? -1 : std::max(at, 0));
  for (QWidget* each : {static_cast<QWidget*>(features_), static_cast<QWidget*>(slider_), static_cast<QWidget*>(number_)})
    each->setEnabled(!data_.empty());
  if (data_.empty()) return setAnswer(std::nullopt, std::nullopt);
  if (at >= 0)
    setValue(kept);
  else
    chosen();
}

void WhatIfWidget::setFeature(const QString& key) {
  const int at = features_->findData(key);
  if (at < 0 || at == features_->currentIndex()) return;
  features_->setCurrentIndex(at);
  chosen();
}

// An event starts at "it never happens", an amount at its mean.
void WhatIfWidget::chosen() {
  const int at = features_->currentIndex();
  if (at < 0) return;
  const WhatIfFeature& f = data_.features[static_cast<std::size_t>(at)];
  setValue(f.event ? 0 : f.minimum == 0 && f.mean < 0.2 * f.maximum ? 0 : f.mean);
}

double WhatIfWidget::valueAt(int position) const {
  const int at = features_->currentIndex();
  if (at < 0) return 0;
  const WhatIfFeature& f = data_.features[static_cast<std::size_t>(at)];
  return lowEnd(f) + (highEnd(f) - lowEnd(f)) * position / kSteps;
}

int WhatIfWidget::positionOf(double value) const {
  const WhatIfFeature& f = data_.features[static_cast<std::size_t>(features_->currentIndex())];
  const double length = highEnd(f) - lowEnd(f);
  return length > 0 ? static_cast<int>(std::lround(std::clamp((value - lowEnd(f)) / length, 0.0, 1.0) * kSteps)) : 0;
}

void WhatIfWidget::setValue(double value) {
  if (features_->currentIndex() < 0) return;
  features_->lineEdit()->setCursorPosition(0); // a long name shows its beginning
  value_ = value;
  {
    const QSignalBlocker quiet(slider_);
    slider_->setValue(positionOf(value));
  }
  const WhatIfFeature& f = data_.features[static_cast<std::size_t>(features_->currentIndex())];
  number_->setText(f.event || f.unit.isEmpty() ? QString::number(value, 'g', 6) : formatValue(value, f.unit, 6));
  number_->setToolTip(entryHint(f));
  low_->setText(f.event ? tr("no") : formatValue(lowEnd(f), f.unit, 3));
  high_->setText(f.event ? tr("yes") : formatValue(highEnd(f), f.unit, 3));
  problem_->hide();
  emit asked(feature(), value);
}

void WhatIfWidget::setAnswer(const std::optional<WhatIfAnswer>& answer, const std::optional<WhatIfRow>& row) {
  answer_ = answer;
  row_ = row;
  showAll();
}

void WhatIfWidget::showAll() {
  canvas_->show(data_, features_->currentIndex(), value_, answer_, row_);
}

} // namespace jitterscope::views
