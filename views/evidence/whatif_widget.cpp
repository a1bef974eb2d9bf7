#include "views/evidence/whatif_widget.h"

#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/base/format.h"
#include "views/base/text.h"
#include "views/evidence/whatif_painter.h"

namespace jitterscope::views {

namespace {

constexpr int kSteps = 1000;
constexpr double kBeyond = 0.15; // extension of the slider on both sides, as a fraction of the observed range

// Features that were never negative (lengths, counts) cannot be set below 0.
double lowEnd(const WhatIfFeature& f) {
  if (!f.values.few.empty()) return f.values.few.front();
  if (f.event) return 0;
  double low = f.minimum - kBeyond * (f.maximum - f.minimum);
  if (f.values.whole) low = std::floor(low);
  return f.minimum >= 0 ? std::max(low, 0.0) : low;
}
double highEnd(const WhatIfFeature& f) {
  if (!f.values.few.empty()) return f.values.few.back();
  const double high = f.maximum + kBeyond * (f.maximum - f.minimum);
  return f.event ? 1 : f.values.whole ? std::ceil(high) : high;
}

// The value that can be offered: whole numbers are not divided.
double offered(const WhatIfFeature& f, double value) {
  return f.values.whole ? std::round(value) : value;
}

std::size_t nearest(const std::vector<double>& values, double value) {
  const auto best = std::min_element(values.begin(), values.end(), [&](double a, double b) {
    return std::abs(a - value) < std::abs(b - value);
  });
  return static_cast<std::size_t>(best - values.begin());
}

QString entryHint(const WhatIfFeature& f) {
  if (f.event) return Text::tr("Enter a number from 0 (the event never happens) to 1 (it always happens)");
  if (f.unit == QLatin1String("ns"))
    return Text::tr("Enter a time such as 20us, 1.5 ms or 2 s; a number alone is in ns");
  if (f.unit == QLatin1String("%")) return Text::tr("Enter a number in %");
  return f.unit.isEmpty()
             ? Text::tr("Enter a number, such as 5000, 2.5k or 1M")
             : Text::tr("Enter a number in %1; the prefixes k, M and G are accepted").arg(f.unit);
}

} // namespace

// Accepts "5000", "5000us", "5 ms", "1.5 kB", "2M", and the text that the field itself displays.
WhatIfCanvas::WhatIfCanvas(QWidget* parent) : RasterView(parent) {
  setAccessibleName(tr("What if"));
  setFocusPolicy(Qt::NoFocus);
}

void WhatIfCanvas::show(WhatIfShown shown) {
  shown_ = std::move(shown);
  setAccessibleDescription(words().join(QLatin1Char('\n')));
  update();
}

QStringList WhatIfCanvas::words() const {
  return what_if::words(shown_);
}

void WhatIfCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), viewStyle().background);
  const bool some = shown_.feature >= 0 && shown_.answer;
  if (some) what_if::paint(painter, rect(), shown_, viewStyle(), true);
  paintOverlays(painter, some);
}

WhatIfWidget::WhatIfWidget(QWidget* parent)
    : QWidget(parent), features_(new QComboBox(this)), slider_(new QSlider(Qt::Horizontal, this)),
      number_(new QLineEdit(this)), low_(new QLabel(this)), high_(new QLabel(this)),
      problem_(new QLabel(this)), canvas_(new WhatIfCanvas(this)) {
  problem_->setWordWrap(true);
  problem_->setContentsMargins(16, 2, 16, 2);
  problem_->hide();
  features_->setEditable(true); // typing finds a name
  features_->setInsertPolicy(QComboBox::NoInsert);
  features_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  features_->completer()->setFilterMode(Qt::MatchContains);
  features_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  features_->setMinimumContentsLength(16);
  features_->setAccessibleName(tr("Factor to set"));
  slider_->setRange(0, kSteps);
  slider_->setPageStep(kSteps / 20);
  slider_->setAccessibleName(tr("Value of the factor"));
  number_->setMaximumWidth(110);
  number_->setToolTip(tr("The value in the column's own unit; Enter sets it"));
  number_->setAccessibleName(tr("Value as a number"));
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 2);
  row->addWidget(features_, 1);
  row->addWidget(number_);
  auto* range = new QHBoxLayout;
  range->setContentsMargins(10, 0, 10, 2);
  range->setSpacing(8);
  range->addWidget(low_);
  range->addWidget(slider_, 1);
  range->addWidget(high_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addLayout(range);
  column->addWidget(problem_);
  column->addWidget(canvas_, 1);
  connect(features_, &QComboBox::activated, this, &WhatIfWidget::chosen);
  connect(slider_, &QSlider::valueChanged, this, [this](int position) { setValue(valueAt(position)); });
  connect(number_, &QLineEdit::returnPressed, this, [this] {
    if (features_->currentIndex() < 0) return;
    const WhatIfFeature& f = data_.features[static_cast<std::size_t>(features_->currentIndex())];
    if (const auto requested = readValue(number_->text(), f.unit)) return setValue(*requested);
    problem_->setText(
        tr("\"%1\" is not a value of %2. %3.").arg(number_->text().trimmed(), f.label, entryHint(f)));
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
  return at >= 0 && at < static_cast<int>(data_.features.size())
             ? data_.features[static_cast<std::size_t>(at)].key
             : QString();
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
  for (QWidget* each :
       {static_cast<QWidget*>(features_), static_cast<QWidget*>(slider_), static_cast<QWidget*>(number_)})
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

// Initial value: an event starts as not happening, a numeric feature at its mean, or at 0 if that is the
// minimum and the mean is below a fifth of the maximum.
void WhatIfWidget::chosen() {
  const int at = features_->currentIndex();
  if (at < 0) return;
  const WhatIfFeature& f = data_.features[static_cast<std::size_t>(at)];
  setValue(f.event ? 0 : f.minimum == 0 && f.mean < 0.2 * f.maximum ? 0 : offered(f, f.mean));
}

void WhatIfWidget::setValues(const QString& key, WhatIfValues values) {
  for (WhatIfFeature& f : data_.features) {
    if (f.key != key || f.values == values) continue;
    f.values = std::move(values);
    const auto& few = f.values.few;
    if (key == feature()) setValue(few.empty() ? offered(f, value_) : few[nearest(few, value_)]);
    return;
  }
}

const WhatIfFeature& WhatIfWidget::now() const {
  return data_.features[static_cast<std::size_t>(features_->currentIndex())];
}

std::vector<double> WhatIfWidget::values() const {
  return features_->currentIndex() < 0 ? std::vector<double>() : now().values.few;
}

double WhatIfWidget::valueAt(int position) const {
  const int at = features_->currentIndex();
  if (at < 0) return 0;
  const WhatIfFeature& f = data_.features[static_cast<std::size_t>(at)];
  if (const auto& few = f.values.few; !few.empty())
    return few[std::min(static_cast<std::size_t>(position), few.size() - 1)];
  return offered(f, lowEnd(f) + (highEnd(f) - lowEnd(f)) * position / slider_->maximum());
}

int WhatIfWidget::positionOf(double value) const {
  const WhatIfFeature& f = now();
  if (!f.values.few.empty()) return static_cast<int>(nearest(f.values.few, value));
  const double length = highEnd(f) - lowEnd(f);
  return length > 0 ? static_cast<int>(std::lround(std::clamp((value - lowEnd(f)) / length, 0.0, 1.0) *
                                                   slider_->maximum()))
                    : 0;
}

void WhatIfWidget::setValue(double value) {
  if (features_->currentIndex() < 0) return;
  features_->lineEdit()->setCursorPosition(0); // a long name shows its beginning
  value_ = value;
  const WhatIfFeature& f = now();
  {
    const QSignalBlocker quiet(slider_);
    const double length = highEnd(f) - lowEnd(f);
    const int last = !f.values.few.empty()               ? static_cast<int>(f.values.few.size()) - 1
                     : f.values.whole && length < kSteps ? std::max(1, static_cast<int>(length))
                                                         : kSteps;
    slider_->setRange(0, last);
    slider_->setPageStep(std::max(1, last / 20));
    slider_->setTickInterval(1);
    slider_->setTickPosition(f.values.few.empty() ? QSlider::NoTicks : QSlider::TicksBelow);
    slider_->setValue(positionOf(value));
  }
  const bool plain = f.event || (f.unit.isEmpty() && std::abs(value) < 1e6);
  number_->setText(plain ? QString::number(value, 'g', 6) : formatValue(value, f.unit, 6));
  number_->setToolTip(entryHint(f));
  low_->setText(f.event ? tr("no") : formatValue(lowEnd(f), f.unit, 3));
  high_->setText(f.event ? tr("yes") : formatValue(highEnd(f), f.unit, 3));
  low_->setToolTip(f.values.few.empty()
                       ? tr("Left end of the slider: slightly below the smallest observed value")
                       : tr("The smallest observed value"));
  high_->setToolTip(f.values.few.empty()
                        ? tr("Right end of the slider: slightly above the largest observed value")
                        : tr("The largest observed value"));
  problem_->hide();
  emit asked(feature(), value);
}

void WhatIfWidget::setAnswer(const std::optional<WhatIfAnswer>& answer, const std::optional<WhatIfRow>& row) {
  answer_ = answer;
  row_ = row;
  showAll();
}

void WhatIfWidget::setCurve(std::vector<WhatIfPoint> curve) {
  curve_ = std::move(curve);
}

std::pair<double, double> WhatIfWidget::reach() const {
  const int at = features_->currentIndex();
  if (at < 0) return {0, 0};
  const WhatIfFeature& f = data_.features[static_cast<std::size_t>(at)];
  return {lowEnd(f), highEnd(f)};
}

void WhatIfWidget::showAll() {
  canvas_->show({data_, features_->currentIndex(), value_, answer_, row_, curve_});
}

} // namespace jitterscope::views
