#include "views/metrics/metric_histogram.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QImage>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "views/base/colour_maps.h"
#include "views/base/flow_layout.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"

namespace jitterscope::views {
namespace metrics {
namespace {

struct Limits {
  double low = 0, high = 0;
};

/// Values of the ends of the colour scale: amounts begin at 0.
Limits coloursOf(const MetricHistogram& data) {
  Limits limits{data.amounts ? 0 : std::numeric_limits<double>::infinity(),
                data.amounts ? 0 : -std::numeric_limits<double>::infinity()};
  for (const double value : data.values) {
    if (std::isnan(value)) continue;
    limits.low = std::min(limits.low, value);
    limits.high = std::max(limits.high, value);
  }
  return limits.low <= limits.high ? limits : Limits{};
}

/// Ticks below bins with one whole number each: as many labels as there is room for.
std::vector<Tick> wholeTicks(const MetricHistogram& data, const QFontMetricsF& metrics, double width) {
  double widest = 0;
  for (int bin = 0; bin < data.bins; ++bin)
    widest = std::max(widest, metrics.horizontalAdvance(data.valuesOf(bin)) + 12);
  const double fewest = std::max(1.0, widest * data.bins / std::max(width, 1.0));
  int step = 1;
  for (const int next : {1, 2, 5, 10, 20, 50, 100})
    if (step < fewest) step = next;
  std::vector<Tick> ticks;
  for (int bin = 0; bin < data.bins; ++bin)
    if (std::fmod(data.edge(bin), step) == 0)
      ticks.push_back({data.edge(bin), (bin + 0.5) / data.bins, data.valuesOf(bin), true});
  return ticks;
}

/// "8 bins, 0 – 4".
QString binsText(const MetricHistogram& data) {
  if (data.edges.front() == data.edges.back())
    return Text::tr("all values are %1").arg(formatValue(data.edges.front(), data.unit));
  if (data.whole)
    return Text::tr("one bin per whole number, %1")
        .arg(formatRange(data.edges.front(), data.maximum(), data.unit));
  const auto count = formatCount(static_cast<std::uint64_t>(data.bins)),
             limits = formatRange(data.edges.front(), data.edges.back(), data.unit);
  return (data.logarithmic ? Text::tr("%1 logarithmic bins, %2") : Text::tr("%1 bins, %2"))
      .arg(count, limits);
}

/// "2 µs", not "2.000000 µs".
QString limitText(double limit, const QString& unit) {
  static const QRegularExpression kZeros(QStringLiteral("(\\.[0-9]*?)0+(?![0-9.])"));
  QString text = formatValue(limit, unit, 7);
  text.replace(kZeros, QStringLiteral("\\1"));
  return text.replace(QRegularExpression(QStringLiteral("\\.(?![0-9])")), QString());
}

/// Mean of a cell's statistic over the objects [first, last). Amounts count cells without time as 0. NaN
/// without any time.
double meanOf(const MetricHistogram& data, int first, int last, int bin) {
  double sum = 0;
  int counted = 0;
  for (int object = first; object < last; ++object) {
    if (data.at(object, bin) <= 0 || std::isnan(data.values[data.place(object, bin)])) continue;
    sum += data.values[data.place(object, bin)];
    ++counted;
  }
  if (counted == 0) return std::numeric_limits<double>::quiet_NaN();
  return sum / (data.amounts ? last - first : counted);
}

/// What is shown, and how: one line, or two where one has no room.
QStringList titleLines(const MetricHistogram& data, double width, const ViewStyle& style) {
  const auto [low, high] = coloursOf(data);
  const auto what = Text::tr("%1 · %2").arg(data.title, data.rangeText),
             how = Text::tr("%1 · colour: %2, %3")
                       .arg(binsText(data), data.shown, formatRange(low, high, data.shownUnit));
  const auto whole = Text::tr("%1 · %2").arg(what, how);
  if (metricsOf(style.font(FontRole::Emphasis)).horizontalAdvance(whole) <= width) return {whole};
  return {what, how};
}

double titleHeight(const ViewStyle& style) {
  return std::ceil(metricsOf(style.font(FontRole::Emphasis)).height()) + 2;
}

} // namespace

namespace {

constexpr double kColourBar = 10, kMinWidthOfColourBar = 320, kMinHeightOfAxisTitle = 150;

/// Ends of the colour scale as texts.
std::array<QString, 2> colourEnds(const MetricHistogram& data) {
  const auto [low, high] = coloursOf(data);
  return {formatValue(low, data.shownUnit, 3), formatValue(high, data.shownUnit, 3)};
}

/// Width right of the plot for the colour bar with its labels.
double colourBarWidth(const MetricHistogram& data, const ViewStyle& style) {
  const auto small = metricsOf(style.font(FontRole::Small));
  const auto [low, high] = colourEnds(data);
  return 10 + kColourBar + 4 + std::max(small.horizontalAdvance(low), small.horizontalAdvance(high)) + 8;
}

/// Colour of a share of the scale; of amounts its square root, so that rare values stay visible.
QColor cellColour(const MetricHistogram& data, double share, const ViewStyle& style) {
  return sequentialColour(0.12 + 0.88 * (data.amounts ? std::sqrt(share) : share), style.theme);
}

void paintColourBar(QPainter& painter, const QRectF& bar, const MetricHistogram& data,
                    const ViewStyle& style) {
  const auto rows = std::max(1, static_cast<int>(bar.height()));
  for (int row = 0; row < rows; ++row)
    painter.fillRect(QRectF(bar.left(), bar.bottom() - (row + 1) * bar.height() / rows, bar.width(),
                            bar.height() / rows + 0.5),
                     cellColour(data, (row + 0.5) / rows, style));
  const auto [low, high] = colourEnds(data);
  const QRectF labels(bar.right() + 4, bar.top() - 1, 1'000, bar.height() + 2);
  painter.setPen(style.mutedText);
  painter.drawText(labels, Qt::AlignLeft | Qt::AlignTop, high);
  painter.drawText(labels, Qt::AlignLeft | Qt::AlignBottom, low);
  painter.setPen(style.border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(bar);
}

} // namespace

std::vector<Tick> histogramTicks(const MetricHistogram& data, double width, const ViewStyle& style) {
  const auto metrics = metricsOf(style.font(FontRole::Small));
  const double low = data.edges.front(), high = data.edges.back();
  const int most = std::max(3, static_cast<int>(width / 70));
  if (!(high > low)) return {{low, 0.5, formatValue(low, data.unit), true}};
  if (data.whole) return wholeTicks(data, metrics, width);
  std::vector<Tick> ticks;
  double widest = 0;
  if (data.bins <= most * 2)
    for (int bin = 0; bin <= data.bins; ++bin) {
      const auto label = formatValue(data.edge(bin), data.unit, 3);
      ticks.push_back({data.edge(bin), static_cast<double>(bin) / data.bins, label, true});
      widest = std::max(widest, metrics.horizontalAdvance(label) + 12);
    }
  if (!ticks.empty() && widest * data.bins <= width) return ticks;
  return axisValueTicks(low, high, most, data.unit, data.logarithmic);
}

QRectF histogramPlot(const QRectF& rect, const MetricHistogram& data, const ViewStyle& style) {
  const auto small = metricsOf(style.font(FontRole::Small));
  double names = 60;
  for (int i = 0; i < std::min<int>(static_cast<int>(data.objects.size()), 200); ++i)
    names = std::max(names, small.horizontalAdvance(data.objects[i]) + 20);
  names = std::min(names, rect.width() * 0.35);
  const auto lines = static_cast<double>(titleLines(data, rect.width() - 20, style).size());
  const double right = rect.width() < kMinWidthOfColourBar ? 12 : colourBarWidth(data, style);
  const double below = std::ceil(small.height()) * (rect.height() < kMinHeightOfAxisTitle ? 1 : 2) + 10;
  return rect.adjusted(names, titleHeight(style) * lines + 8, -right, -below);
}

QRectF histogramColourBar(const QRectF& rect, const MetricHistogram& data, const ViewStyle& style) {
  if (rect.width() < kMinWidthOfColourBar) return {};
  const QRectF plot = histogramPlot(rect, data, style);
  return {plot.right() + 10, plot.top(), kColourBar, plot.height()};
}

void paintHistogram(QPainter& painter, const QRectF& rect, const MetricHistogram& data,
                    const ViewStyle& style) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  const QRectF plot = histogramPlot(rect, data, style);
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  const auto [low, high] = coloursOf(data);
  const int rows = static_cast<int>(data.objects.size()),
            lanes = std::max(1, std::min(rows, static_cast<int>(plot.height())));
  auto title = titleLines(data, rect.width() - 20, style);
  if (lanes < rows)
    title.back() =
        Text::tr("%1 · rows: mean of up to %2 objects").arg(title.back()).arg((rows + lanes - 1) / lanes);
  for (int line = 0; line < title.size(); ++line)
    drawElided(painter,
               QRectF(rect.left() + 10, rect.top() + 3 + line * titleHeight(style), rect.width() - 20,
                      titleHeight(style)),
               title[line]);
  QImage image(data.bins, lanes, QImage::Format_RGB32);
  for (int lane = 0; lane < lanes; ++lane)
    for (int bin = 0; bin < data.bins; ++bin) {
      const double value = meanOf(data, rows * lane / lanes, rows * (lane + 1) / lanes, bin);
      const double share = high > low ? (value - low) / (high - low) : 1;
      image.setPixelColor(bin, lane, std::isnan(value) ? style.lane : cellColour(data, share, style));
    }
  painter.drawImage(plot, image);
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  const double height = plot.height() / std::max(rows, 1), line = metricsOf(painter.font()).height();
  const int step = std::max(1, static_cast<int>(std::ceil(line / height)));
  for (int object = 0; object < rows; object += step)
    drawName(painter,
             QRectF(rect.left() + 10, plot.top() + object * height, plot.left() - rect.left() - 16,
                    std::max(height, line)),
             data.objects[object]);
  for (const auto& tick : histogramTicks(data, plot.width(), style)) {
    const double x = std::floor(plot.left() + tick.position * plot.width());
    drawHairline(painter, {x, plot.bottom()}, {x, plot.bottom() + 4}, style.mutedText);
    painter.setPen(style.mutedText);
    const double width = metricsOf(painter.font()).horizontalAdvance(tick.label) + 2;
    painter.drawText(
        QRectF(std::clamp(x - width / 2, rect.left(), std::max(rect.left(), rect.right() - width - 2)),
               plot.bottom() + 5, width, line + 2),
        Qt::AlignCenter, tick.label);
  }
  painter.setPen(style.mutedText);
  if (rect.height() >= kMinHeightOfAxisTitle)
    drawElided(painter, QRectF(plot.left(), plot.bottom() + line + 6, plot.width(), line), data.title,
               Qt::AlignHCenter | Qt::AlignVCenter);
  if (const QRectF bar = histogramColourBar(rect, data, style); !bar.isEmpty())
    paintColourBar(painter, bar, data, style);
  painter.setPen(style.border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(plot);
  painter.restore();
}

} // namespace metrics

QString MetricHistogram::valuesOf(int bin) const {
  return whole || edge(bin) == edge(bin + 1) ? formatValue(edge(bin), unit)
                                             : formatRange(edge(bin), edge(bin + 1), unit);
}

MetricHistogramWidget::MetricHistogramWidget(QWidget* parent) : RasterView(parent) {
  setAccessibleName(tr("Histogram of a metric"));
  setMessage(tr("Choose Histogram in the menu of a metric"));
}

void MetricHistogramWidget::setData(MetricHistogram data) {
  const auto cells = static_cast<std::size_t>(data.bins) * static_cast<std::size_t>(data.objects.size());
  if (data.time.size() != cells || data.values.size() != cells ||
      data.edges.size() != static_cast<std::size_t>(data.bins) + 1)
    data = {};
  data_ = std::move(data);
  current_.reset();
  chosen_ = false;
  update();
}

void MetricHistogramWidget::clearChosen() {
  if (!chosen_) return;
  chosen_ = false;
  current_.reset();
  update();
}

QRectF MetricHistogramWidget::plot() const {
  return metrics::histogramPlot(rect(), data_, viewStyle());
}

QPointF MetricHistogramWidget::pointOf(int object, int bin) const {
  const auto area = plot();
  return {area.left() + (bin + 0.5) * area.width() / data_.bins,
          area.top() + (object + 0.5) * area.height() / static_cast<double>(data_.objects.size())};
}

std::optional<MetricHistogramWidget::Cell> MetricHistogramWidget::cellAt(QPointF at) const {
  const auto area = plot();
  if (data_.empty() || !area.contains(at)) return {};
  const auto rows = static_cast<int>(data_.objects.size());
  return Cell{std::min(static_cast<int>((at.y() - area.top()) / area.height() * rows), rows - 1),
              std::min(static_cast<int>((at.x() - area.left()) / area.width() * data_.bins), data_.bins - 1)};
}

QString MetricHistogramWidget::textOf(const Cell& cell) const {
  const auto time = data_.at(cell.object, cell.bin);
  const auto object = static_cast<std::size_t>(cell.object);
  const double value = data_.values[data_.place(cell.object, cell.bin)];
  const auto share = [&](std::int64_t of) {
    return tr("%1, %2 of the range")
        .arg(formatDuration(Nanoseconds{of}),
             formatPercent(static_cast<double>(of) /
                           static_cast<double>(std::max<std::int64_t>(data_.range.length().count, 1))));
  };
  QString text = data_.objects[cell.object] + QLatin1Char('\n');
  if (object < data_.ranks.size() && data_.ranks[object] >= 0)
    text += tr("rank\t%1\n").arg(data_.ranks[object]);
  const auto from = formatValue(data_.edge(cell.bin), data_.unit),
             to = formatValue(data_.edge(cell.bin + 1), data_.unit);
  text += tr("value\t%1\ntime\t%2\n")
              .arg(data_.whole || from == to ? from : tr("%1 to %2").arg(from, to), share(time));
  if (!std::isnan(value) && !data_.showsTime())
    text += tr("%1\t%2\n").arg(data_.shown, formatValue(value, data_.shownUnit));
  text += totalsOf(cell.bin);
  if (object < data_.outside.size() && data_.outside[object] > 0)
    text += tr("outside all bins\t%1\n").arg(share(data_.outside[object]));
  return time > 0 ? text + tr("A click selects these moments.") : text.trimmed();
}

/// Paraver's totals of a column over the objects; average / maximum is the load balance.
QString MetricHistogramWidget::totalsOf(int bin) const {
  double sum = 0, maximum = -std::numeric_limits<double>::infinity();
  int counted = 0;
  for (int object = 0; object < static_cast<int>(data_.objects.size()); ++object) {
    double value = data_.values[data_.place(object, bin)];
    if (data_.amounts && std::isnan(value)) value = 0;
    if (std::isnan(value)) continue;
    sum += value;
    maximum = std::max(maximum, value);
    ++counted;
  }
  if (counted < 2) return {};
  const double average = sum / counted;
  QString text = tr("average of %1\t%2\nmaximum\t%3\n")
                     .arg(formatCount(static_cast<std::uint64_t>(counted)),
                          formatValue(average, data_.shownUnit), formatValue(maximum, data_.shownUnit));
  if (data_.amounts && maximum > 0)
    text += tr("average / maximum\t%1\n").arg(formatPercent(average / maximum));
  return text;
}

void MetricHistogramWidget::choose(const Cell& cell) {
  current_ = cell;
  chosen_ = data_.at(cell.object, cell.bin) > 0;
  update();
  if (chosen_) emit cellChosen(cell.object, cell.bin);
}

void MetricHistogramWidget::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), viewStyle().background);
  if (data_.empty()) return paintOverlays(painter, false);
  metrics::paintHistogram(painter, rect(), data_, viewStyle());
  if (current_) {
    const auto area = plot();
    const double wide = area.width() / data_.bins,
                 high = area.height() / static_cast<double>(data_.objects.size());
    painter.setPen(QPen(viewStyle().focus, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(
        QRectF(area.left() + current_->bin * wide, area.top() + current_->object * high, wide, high));
  }
  paintOverlays(painter, true);
}

void MetricHistogramWidget::mouseMoveEvent(QMouseEvent* event) {
  const auto at = event->position();
  const auto area = plot();
  if (const auto cell = cellAt(at))
    showHoverCard(at, textOf(*cell));
  else if (const auto named = cellAt({area.left(), at.y()}); named && at.x() < area.left())
    showHoverCard(at, data_.objects[named->object]); // the whole name of an elided one
  else if (!data_.empty() && at.y() < area.top())
    showHoverCard(at, metrics::titleLines(data_, 0, viewStyle())
                          .join(QStringLiteral("\n"))
                          .replace(QStringLiteral(" · "), QStringLiteral("\n")));
  else
    hideHoverCard();
}

void MetricHistogramWidget::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto cell = cellAt(event->position())) choose(*cell);
}

void MetricHistogramWidget::keyPressEvent(QKeyEvent* event) {
  if (data_.empty()) return RasterView::keyPressEvent(event);
  Cell cell = current_.value_or(Cell{});
  switch (event->key()) {
  case Qt::Key_Left:
    --cell.bin;
    break;
  case Qt::Key_Right:
    ++cell.bin;
    break;
  case Qt::Key_Up:
    --cell.object;
    break;
  case Qt::Key_Down:
    ++cell.object;
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    return choose(cell);
  default:
    return RasterView::keyPressEvent(event);
  }
  current_ = Cell{std::clamp(cell.object, 0, static_cast<int>(data_.objects.size()) - 1),
                  std::clamp(cell.bin, 0, data_.bins - 1)};
  showHoverCard(pointOf(current_->object, current_->bin), textOf(*current_));
  update();
}

MetricHistogramView::MetricHistogramView(QWidget* parent)
    : QWidget(parent), plot_(new MetricHistogramWidget(this)), statistic_(new QComboBox(this)),
      data_(new QComboBox(this)), count_(new QSpinBox(this)), low_(new QLineEdit(this)),
      high_(new QLineEdit(this)), logarithmic_(new QCheckBox(tr("log"), this)), problem_(new QLabel(this)) {
  statistic_->setToolTip(tr("What the colour of a cell shows"));
  statistic_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  data_->setToolTip(tr("Metric of which the colour shows the average, minimum or maximum"));
  data_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  data_->setMinimumContentsLength(12);
  count_->setRange(0, 1000);
  count_->setSpecialValueText(tr("automatic bins"));
  count_->setKeyboardTracking(false);
  count_->setSuffix(tr(" bins"));
  count_->setToolTip(tr("Number of bins between the lowest and the highest value. Automatic (0): one per "
                        "whole number if the values are few whole numbers, else 48"));
  count_->setAccessibleName(tr("Number of bins"));
  for (const auto& [field, name] :
       {std::pair{low_, tr("Lowest value of the bins")}, {high_, tr("Highest value of the bins")}}) {
    field->setToolTip(tr("%1; automatic if empty").arg(name));
    field->setAccessibleName(name);
    field->setClearButtonEnabled(true);
    field->setFixedWidth(QFontMetrics(font()).horizontalAdvance(QStringLiteral("100.0 GB/s")) + 28);
    connect(field, &QLineEdit::editingFinished, this, &MetricHistogramView::readFields);
    connect(field, &QLineEdit::textChanged, this, [this, edited = field](const QString& text) {
      if (text.isEmpty() && edited->isModified()) readFields(); // the clear button
    });
  }
  logarithmic_->setToolTip(
      tr("Bins of equal ratio instead of equal width; values of 0 and below are not shown"));
  logarithmic_->setAccessibleName(tr("Logarithmic bins"));
  logarithmic_->setMinimumHeight(statistic_->sizeHint().height());
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setContentsMargins(6, 0, 6, 4);
  problem_->hide();
  // A label wraps together with its field.
  const auto labelled = [this](const QString& text, QWidget* field) {
    auto* pair = new QWidget(this);
    auto* row = new QHBoxLayout(pair);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    auto* label = new QLabel(text, pair);
    label->setBuddy(field);
    row->addWidget(label);
    row->addWidget(field);
    return pair;
  };
  auto* bar = new FlowBar(6, this);
  auto* tools = bar->row();
  tools->setContentsMargins(6, 4, 6, 4);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{labelled(tr("Colour"), statistic_), labelled(tr("of"), data_), count_,
                                       labelled(tr("from"), low_), labelled(tr("to"), high_), logarithmic_})
    tools->addWidget(widget);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addWidget(bar);
  all->addWidget(problem_);
  all->addWidget(plot_, 1);
  connect(count_, &QSpinBox::valueChanged, this, &MetricHistogramView::readFields);
  connect(logarithmic_, &QCheckBox::toggled, this, &MetricHistogramView::readFields);
  fillFields();
}

void MetricHistogramView::setBins(const HistogramBins& bins) {
  bins_ = bins;
  fillFields();
}

void MetricHistogramView::setData(MetricHistogram shown) {
  if (!shown.empty()) unit_ = shown.unit;
  plot_->setData(std::move(shown));
  fillFields();
}

void MetricHistogramView::setViewStyle(const ViewStyle& style) {
  plot_->setViewStyle(style);
  problem_->setStyleSheet(QString("color: %1").arg(style.negative.name()));
}

QString MetricHistogramView::problem() const {
  return problem_->isHidden() ? QString() : problem_->text();
}

void MetricHistogramView::fillFields() {
  const QSignalBlocker quiet_count(count_), quiet_logarithmic(logarithmic_);
  count_->setValue(bins_.count);
  logarithmic_->setChecked(bins_.logarithmic);
  const auto& shown = plot_->data();
  const auto fill = [&](QLineEdit* field, const std::optional<double>& limit, double automatic) {
    field->setPlaceholderText(shown.empty() ? tr("automatic") : formatValue(automatic, shown.unit));
    // A field that is being edited keeps its text.
    if (!field->hasFocus() || !field->isModified())
      field->setText(!limit ? QString() : metrics::limitText(*limit, unit_));
  };
  fill(low_, bins_.low, shown.empty() ? 0 : shown.edges.front());
  fill(high_, bins_.high, shown.empty() ? 0 : shown.maximum());
}

void MetricHistogramView::readFields() {
  auto bins = bins_;
  bins.count = count_->value();
  bins.logarithmic = logarithmic_->isChecked();
  QString problem;
  const auto read = [&](QLineEdit* field, std::optional<double>& limit) {
    if (!field->isModified()) return;
    limit = readValue(field->text(), unit_);
    if (!limit && !field->text().trimmed().isEmpty())
      problem = tr("\"%1\" is not a value. Enter a number, for example %2.")
                    .arg(field->text().trimmed(), unit_ == QLatin1String("ns") ? tr("10us") : tr("2.5"));
  };
  read(low_, bins.low);
  read(high_, bins.high);
  if (problem.isEmpty() && bins.low && bins.high && *bins.low > *bins.high)
    problem = tr("The lowest value is above the highest.");
  if (problem.isEmpty() && bins.logarithmic &&
      ((bins.low && *bins.low <= 0) || (bins.high && *bins.high <= 0)))
    problem = tr("Logarithmic bins need limits above 0.");
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
  if (!problem.isEmpty()) return;
  for (auto* field : {low_, high_}) field->setModified(false);
  if (bins == bins_) return fillFields();
  bins_ = bins;
  fillFields();
  emit binsChosen();
}

} // namespace jitterscope::views
