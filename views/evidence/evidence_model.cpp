#include "views/evidence/evidence_model.h"

#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/rates.h"
#include "views/base/text.h"

namespace jitterscope::views {

namespace {

constexpr double kHeader = 9, kHeaderLine = 19; // margin above the text lines, and height of each
constexpr double kLeft = 72;                    // width for name and labels of the vertical axis
constexpr double kBottom = 40;                  // height for labels and name of the horizontal axis
constexpr double kLegend = 20;                  // height of a row above the histogram, which has two
constexpr double kBetween = 62;
constexpr double kRight = 22;

double fractionOf(const EvidenceAxis& axis, double value) {
  const double low = axis.scaled(axis.minimum), high = axis.scaled(axis.maximum);
  return high > low ? (axis.scaled(value) - low) / (high - low) : 0.5;
}

double valueOf(const EvidenceAxis& axis, double fraction) {
  const double low = axis.scaled(axis.minimum), high = axis.scaled(axis.maximum);
  return axis.valueAt(low + fraction * (high - low));
}

/// Adds a margin on both sides, in the axis' scale.
void widen(EvidenceAxis& axis) {
  constexpr double kShare = 0.04;
  const bool event = axis.minimum == -0.5 && axis.maximum == 1.5; // already has a margin
  if (event || !(axis.minimum < axis.maximum)) return;
  const double low = axis.scaled(axis.minimum), high = axis.scaled(axis.maximum);
  axis.minimum = axis.valueAt(low - kShare * (high - low));
  axis.maximum = axis.valueAt(high + kShare * (high - low));
}

QString per(const QString& effect, const QString& cause, double value) {
  const QString amount = formatValue(value, effect, 3);
  return cause.isEmpty() ? Text::tr("%1 per unit").arg(amount) : Text::tr("%1 per %2").arg(amount, cause);
}

} // namespace

double EvidenceAxis::scaled(double value) const {
  return knee > 0 ? std::asinh(value / knee) : value;
}

double EvidenceAxis::valueAt(double scaledValue) const {
  return knee > 0 ? knee * std::sinh(scaledValue) : scaledValue;
}

void EvidenceModel::setData(EvidenceData data) {
  data_ = std::move(data);
  for (EvidenceScatter* own : {&data_.measured, &data_.partial})
    if (own->counts.empty()) // otherwise points at the edges would be half outside
      for (EvidenceAxis* axis : {&own->x, &own->y}) widen(*axis);
  setRect(rect_);
}

// Places the two plots next to each other if there is room, else one above the other.
void EvidenceModel::setRect(const QRectF& rect) {
  rect_ = rect;
  const QRectF area = rect.adjusted(0, kHeader + kHeaderLine * headerLines_, 0, 0);
  if (rect.width() >= 520 || rect.height() < 380) {
    const double scatter = std::floor((area.width() - kLeft - kBetween - kRight) * 0.58);
    scatterRect_ = QRectF(area.left() + kLeft, area.top() + 8, std::max(40.0, scatter),
                          std::max(30.0, area.height() - kBottom - 8));
    const double left = scatterRect_.right() + kBetween;
    histogramRect_ = QRectF(left, area.top() + 2 * kLegend, std::max(40.0, area.right() - kRight - left),
                            std::max(30.0, area.height() - kBottom - 2 * kLegend));
    return;
  }
  const double width = std::max(40.0, area.width() - kLeft - kRight);
  const double half = area.height() / 2;
  scatterRect_ = QRectF(area.left() + kLeft, area.top() + 8, width, std::max(30.0, half - kBottom - 8));
  histogramRect_ = QRectF(area.left() + kLeft, area.top() + half + 2 * kLegend, width,
                          std::max(30.0, half - kBottom - 2 * kLegend));
}

QPointF EvidenceModel::place(double x, double y) const {
  const EvidenceScatter& s = scatter();
  return {scatterRect_.left() + fractionOf(s.x, x) * scatterRect_.width(),
          scatterRect_.bottom() - fractionOf(s.y, y) * scatterRect_.height()};
}

QPointF EvidenceModel::valueAt(QPointF place) const {
  const EvidenceScatter& s = scatter();
  return {valueOf(s.x, (place.x() - scatterRect_.left()) / scatterRect_.width()),
          valueOf(s.y, (scatterRect_.bottom() - place.y()) / scatterRect_.height())};
}

double EvidenceModel::histogramX(double value) const {
  return histogramRect_.left() + fractionOf(data_.histogramAxis, value) * histogramRect_.width();
}

double EvidenceModel::histogramY(double share) const {
  const double greatest = std::max(greatestShare(), 1e-9) * 1.08;
  return histogramRect_.bottom() - share / greatest * histogramRect_.height();
}

double EvidenceModel::shareWith(std::size_t bin) const {
  return data_.nWith > 0 ? static_cast<double>(data_.with[bin]) / static_cast<double>(data_.nWith) : 0;
}

double EvidenceModel::shareWithout(std::size_t bin) const {
  const auto n = data_.n - data_.nWith;
  return n > 0 ? static_cast<double>(data_.without[bin]) / static_cast<double>(n) : 0;
}

double EvidenceModel::greatestShare() const {
  double greatest = 0;
  for (std::size_t i = 0; i < data_.with.size(); ++i)
    greatest = std::max({greatest, shareWith(i), shareWithout(i)});
  return greatest;
}

std::uint32_t EvidenceModel::densest() const {
  const auto& counts = scatter().counts;
  return counts.empty() ? 1 : std::max<std::uint32_t>(1, *std::max_element(counts.begin(), counts.end()));
}

std::vector<Tick> EvidenceModel::ticks(const EvidenceAxis& axis, int maximum) {
  if (axis.minimum == -0.5 && axis.maximum == 1.5)
    return {{0, 0.25, Text::tr("no"), true}, {1, 0.75, Text::tr("yes"), true}};
  if (!(axis.minimum < axis.maximum))
    return {{axis.minimum, 0.5, formatValue(axis.minimum, axis.unit, 3), true}};
  if (axis.knee <= 0) return niceTicks(axis.minimum, axis.maximum, maximum, axis.unit);
  // Zero and powers of ten on both sides, as many as fit, starting with the largest.
  std::vector<double> values;
  if (axis.minimum <= 0 && axis.maximum >= 0) values.push_back(0);
  const double outer = std::max(std::abs(axis.minimum), std::abs(axis.maximum));
  const int largest = static_cast<int>(std::floor(std::log10(outer))),
            smallest = static_cast<int>(std::ceil(std::log10(axis.knee / 2)));
  for (int exponent = largest; exponent >= smallest; --exponent) {
    const double power = std::pow(10, exponent);
    for (const double value : {power, -power})
      if (value >= axis.minimum && value <= axis.maximum) values.push_back(value);
  }
  std::vector<Tick> ticks;
  const double apart = 1.0 / std::max(2, maximum);
  for (const double value : values) {
    const double at = fractionOf(axis, value);
    const bool close = std::any_of(ticks.begin(), ticks.end(),
                                   [&](const Tick& t) { return std::abs(t.position - at) < apart; });
    if (!close) ticks.push_back({value, at, formatValue(value, axis.unit, 3), true});
  }
  if (ticks.size() < 2) { // far from zero, the range may contain no power of ten
    ticks = niceTicks(axis.minimum, axis.maximum, maximum, axis.unit);
    for (Tick& tick : ticks) tick.position = fractionOf(axis, tick.value);
  }
  std::sort(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) { return a.value < b.value; });
  return ticks;
}

int EvidenceModel::pointAt(QPointF where, double tolerance) const {
  int nearest = -1;
  double best = tolerance;
  const EvidenceScatter& s = scatter();
  for (std::size_t i = 0; i < s.pointX.size(); ++i) {
    const QPointF off = place(s.pointX[i], s.pointY[i]) - where;
    const double distance = std::hypot(off.x(), off.y());
    if (distance < best) best = distance, nearest = static_cast<int>(i);
  }
  return nearest;
}

int EvidenceModel::binAt(double x) const {
  for (std::size_t i = 0; i + 1 < data_.edges.size(); ++i)
    if (histogramX(data_.edges[i]) <= x && x < histogramX(data_.edges[i + 1])) return static_cast<int>(i);
  return -1;
}

QString EvidenceModel::slopeText() const {
  const QString &effect = data_.measured.y.unit, &cause = data_.measured.x.unit;
  const QString sign = data_.slope > 0 ? QStringLiteral("+") : QString();
  QString of = data_.event && cause.isEmpty() ? Text::tr("event") : cause;
  const double factor = perMany(data_.slope, of);
  return Text::tr("%1%2 (95 % interval %3 to %4)")
      .arg(sign, per(effect, of, factor * data_.slope), formatValue(factor * data_.slopeLow, effect, 3),
           formatValue(factor * data_.slopeHigh, effect, 3));
}

QStringList EvidenceModel::headlines() const {
  QStringList lines = {data_.cause + QStringLiteral(" → ") + data_.effect};
  QString second = slopeText() + QStringLiteral(" · n = %1 %2").arg(formatCount(data_.n), data_.rowsName);
  lines << second;
  QStringList third;
  third << (partial_ ? data_.held.isEmpty() ? Text::tr("no other cause to hold constant")
                                            : Text::tr("held at their means: %1").arg(data_.held)
            : data_.curveX.size() < 2
                ? Text::tr("as measured")
                : Text::tr("as measured; dashed: expected by boosted trees with the other causes unchanged"));
  if (!data_.compared.isEmpty() && partial_) third << data_.compared;
  lines << third.join(QStringLiteral("; "));
  return lines;
}

QString EvidenceModel::sideName(bool with) const {
  if (data_.event) return with ? Text::tr("with it") : Text::tr("without it");
  const QString at = formatValue(data_.threshold, data_.measured.x.unit, 3);
  return (with ? Text::tr("above %1") : Text::tr("up to %1")).arg(at);
}

QString EvidenceModel::withText() const {
  return Text::tr("%1: n = %2, median %3")
      .arg(sideName(true), formatCount(data_.nWith),
           formatValue(data_.medianWith, data_.histogramAxis.unit, 3));
}

QString EvidenceModel::withoutText() const {
  return Text::tr("%1: n = %2, median %3")
      .arg(sideName(false), formatCount(data_.n - data_.nWith),
           formatValue(data_.medianWithout, data_.histogramAxis.unit, 3));
}

QString EvidenceModel::cellText(QPointF where) const {
  const EvidenceScatter& s = scatter();
  if (!scatterRect_.contains(where) || s.columns < 1 || s.rows < 1) return {};
  const int column =
      std::clamp(static_cast<int>((where.x() - scatterRect_.left()) / scatterRect_.width() * s.columns), 0,
                 s.columns - 1);
  const int row = std::clamp(
      static_cast<int>((scatterRect_.bottom() - where.y()) / scatterRect_.height() * s.rows), 0, s.rows - 1);
  const auto count = s.counts[static_cast<std::size_t>(column) * static_cast<std::size_t>(s.rows) +
                              static_cast<std::size_t>(row)];
  const auto range = [](const EvidenceAxis& axis, int cell, int cells) {
    return formatRange(valueOf(axis, static_cast<double>(cell) / cells),
                       valueOf(axis, static_cast<double>(cell + 1) / cells), axis.unit);
  };
  return QStringLiteral("%1 %2\n%3\t%4\n%5\t%6")
      .arg(formatCount(count), data_.rowsName, s.x.label, range(s.x, column, s.columns), s.y.label,
           range(s.y, row, s.rows));
}

QString EvidenceModel::pointText(int point) const {
  const EvidenceScatter& s = scatter();
  const auto i = static_cast<std::size_t>(point);
  return Text::tr("row %1\n%2\t%3\n%4\t%5%6\nClick or Enter selects this row in all views")
      .arg(formatCount(static_cast<std::uint64_t>(s.pointRow[i])), s.x.label,
           formatValue(s.pointX[i], s.x.unit), s.y.label, formatValue(s.pointY[i], s.y.unit),
           partial_ ? Text::tr("\nboth values with the other causes held constant") : QString());
}

QString EvidenceModel::binText(int bin) const {
  const auto i = static_cast<std::size_t>(bin);
  const QString& unit = data_.histogramAxis.unit;
  return Text::tr("%1 – %2\n%3\t%4 of %5 (%6)\n%7\t%8 of %9 (%10)")
             .arg(formatValue(data_.edges[i], unit, 3), formatValue(data_.edges[i + 1], unit, 3),
                  sideName(true), formatCount(data_.with[i]), formatCount(data_.nWith),
                  formatPercent(shareWith(i)), sideName(false), formatCount(data_.without[i]),
                  formatCount(data_.n - data_.nWith))
             .arg(formatPercent(shareWithout(i))) +
         Text::tr("\nmean %1\t%2\nmean %3\t%4")
             .arg(sideName(true), formatValue(data_.meanWith, unit, 3), sideName(false),
                  formatValue(data_.meanWithout, unit, 3));
}

} // namespace jitterscope::views
