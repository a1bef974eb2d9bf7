#include "views/devices/device_map_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"

namespace jitterscope::views::device_map {
namespace {

constexpr double kLine = 18, kScaleWidth = 120, kScaleHeight = 9, kGap = 2;

/// Names that are numbers are compared as numbers, so that node 4 precedes node 12.
bool before(const QString& a, const QString& b) {
  if (a.isEmpty() != b.isEmpty()) return b.isEmpty(); // unknown places last
  bool firstIsNumber = false, secondIsNumber = false;
  const double first = a.toDouble(&firstIsNumber), second = b.toDouble(&secondIsNumber);
  return firstIsNumber && secondIsNumber ? first < second : a < b;
}
struct Before {
  bool operator()(const QString& a, const QString& b) const { return before(a, b); }
};
using Places = std::map<QString, std::vector<std::size_t>, Before>;

QString nameOf(const QString& place) {
  return place.isEmpty() ? Text::tr("unknown") : place;
}

/// Arranges devices of one place as a grid that fills its rectangle.
void fill(const std::vector<std::size_t>& devices, const QRectF& rect, std::vector<QRectF>& cells) {
  if (devices.empty()) return;
  const auto n = static_cast<double>(devices.size());
  const double columns =
      std::clamp(std::ceil(std::sqrt(n * rect.width() / std::max(rect.height(), 1.0))), 1.0, n);
  const double rows = std::ceil(n / columns);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const double column = std::fmod(static_cast<double>(i), columns),
                 row = std::floor(static_cast<double>(i) / columns);
    cells[devices[i]] =
        QRectF(rect.left() + column * rect.width() / columns, rect.top() + row * rect.height() / rows,
               rect.width() / columns, rect.height() / rows);
  }
}

} // namespace

QString titleOf(const DeviceMapData& data) {
  std::int64_t rows = 0;
  for (const auto& device : data.devices) rows += device.rows;
  QString target = data.target;
  if (!target.isEmpty()) target.front() = target.front().toUpper();
  const QString mean = data.logarithm ? Text::tr("geometric mean") : Text::tr("mean");
  return (data.sameConfigurations
              ? Text::tr("%1 of %2 %3, n = %4, relative to the %5 of all for the same configurations")
              : Text::tr("%1 of %2 %3, n = %4, relative to the %5 of all"))
      .arg(target)
      .arg(data.devices.size())
      .arg(data.unit, formatCount(static_cast<std::uint64_t>(rows)), mean);
}

QString labelOf(const DeviceMapData& data, std::size_t device, const QSizeF& room, const ViewStyle& style) {
  const QFontMetricsF metrics = metricsOf(style.font(FontRole::Small));
  constexpr double kMargin = 8;
  if (room.height() < metrics.height() + 2) return {};
  const QString& name = data.devices[device].name;
  bool number = false;
  name.toDouble(&number);
  const QString whole = number ? QString(data.column).replace('_', ' ') + ' ' + name : name;
  for (const QString& text : {whole, name})
    if (metrics.horizontalAdvance(text) + kMargin <= room.width()) return text;
  return {};
}

namespace {

/// Title, sentence and colour scale from top to bottom; the scale is next to the title where both fit.
struct Headline {
  bool scaleBelow = false;
  double sentence = 0; ///< height of the sentence, at most two lines
  double height = 0;
};

Headline headlineOf(const QRectF& rect, const DeviceMapData& data, const ViewStyle& style) {
  constexpr double kScaleAndEnds = kScaleWidth + 130;
  const QFontMetricsF title = metricsOf(style.font(FontRole::Emphasis)),
                      words = metricsOf(style.font(FontRole::Small));
  Headline headline;
  headline.scaleBelow = title.horizontalAdvance(titleOf(data)) > rect.width() - 20 - kScaleAndEnds;
  headline.sentence = std::min(
      2 * kLine,
      std::ceil(words.boundingRect(QRectF(0, 0, rect.width() - 20, 1000), Qt::TextWordWrap, data.sentence)
                    .height()));
  headline.height = 26 + headline.sentence + (headline.scaleBelow ? kLine + 4 : 4);
  return headline;
}

void paintHeadline(QPainter& painter, const QRectF& rect, const DeviceMapData& data, const ViewStyle& style) {
  painter.setFont(style.font(FontRole::Small));
  const double extreme = extremeOf(data);
  const QString number =
      extreme >= 10 ? QString::number(std::round(extreme)) : QString::number(extreme, 'g', 2);
  const QString low = QStringLiteral("−%1 %").arg(number), high = QStringLiteral("+%1 %").arg(number);
  const double text = metricsOf(painter.font()).horizontalAdvance(high) + 8;
  const Headline headline = headlineOf(rect, data, style);
  const double top = headline.scaleBelow ? rect.top() + headline.height - kLine - 4 : rect.top() + 4;
  const double left = headline.scaleBelow ? rect.left() + 16 + text : rect.right() - 12 - text - kScaleWidth;
  const QRectF scale(left, top + 5, kScaleWidth, kScaleHeight);
  for (int x = 0; x < static_cast<int>(kScaleWidth); ++x)
    painter.fillRect(QRectF(scale.left() + x, scale.top(), 1, kScaleHeight),
                     divergingColour(2 * x / kScaleWidth - 1, style.theme));
  painter.setPen(style.mutedText);
  painter.drawText(QRectF(scale.left() - text - 6, top, text, kLine), Qt::AlignRight | Qt::AlignVCenter, low);
  painter.drawText(QRectF(scale.right() + 6, top, text, kLine), Qt::AlignLeft | Qt::AlignVCenter, high);
  const double width = headline.scaleBelow ? rect.width() - 20 : scale.left() - text - rect.left() - 24;
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  drawElided(painter, QRectF(rect.left() + 10, rect.top() + 2, width, 22), titleOf(data));
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  painter.drawText(QRectF(rect.left() + 10, rect.top() + 24, rect.width() - 20, headline.sentence),
                   Qt::TextWordWrap | Qt::AlignTop, data.sentence);
}

/// Colour of no difference for devices that cannot be compared.
QColor colourOf(const DeviceCell& device, double extreme, const ViewStyle& style) {
  const double difference = std::isfinite(device.difference) ? device.difference : 0;
  return divergingColour(std::clamp(difference / extreme, -1.0, 1.0), style.theme);
}

} // namespace

std::optional<std::size_t> Layout::at(QPointF point) const {
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i].contains(point)) return i;
  return {};
}

bool differ(const DeviceMapData& data) {
  return std::ranges::any_of(
      data.devices, [](const DeviceCell& device) { return std::fabs(device.difference) > kMinExtreme; });
}

double extremeOf(const DeviceMapData& data) {
  std::vector<double> sizes;
  for (const auto& device : data.devices)
    if (std::isfinite(device.difference)) sizes.push_back(std::fabs(device.difference));
  if (sizes.empty()) return 1;
  const auto maximum =
      sizes.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), maximum, sizes.end());
  return std::max(*maximum, kMinExtreme);
}

Layout layoutOf(const DeviceMapData& data, const QRectF& rect, const ViewStyle& style) {
  Layout layout;
  layout.cells.resize(data.devices.size());
  const QFontMetricsF metrics = metricsOf(style.font(FontRole::Small));
  const double headline = headlineOf(rect, data, style).height;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < data.devices.size(); ++i) all.push_back(i);
  if (data.placeColumns.isEmpty()) {
    fill(all, rect.adjusted(10, headline, -10, -10), layout.cells);
    return layout;
  }
  Places columns, rows;
  double widest = 0;
  const bool nested = data.placeColumns.size() > 1;
  for (const auto i : all) {
    columns[data.devices[i].places.front()].push_back(i);
    if (nested && !data.devices[i].places.front().isEmpty()) rows[data.devices[i].places.back()];
  }
  for (const auto& [name, none] : rows) widest = std::max(widest, metrics.horizontalAdvance(nameOf(name)));
  const QRectF plot =
      rect.adjusted(18 + std::ceil(widest), headline + 4, -10, -(std::ceil(metrics.height()) + 26));
  // The width of a column is the maximum number of devices in its rows; unknown places fill one column.
  std::map<QString, double> width;
  double total = 0;
  for (const auto& [name, devices] : columns) {
    std::map<QString, double> in;
    for (const auto i : devices) in[nested ? data.devices[i].places.back() : QString()] += 1;
    if (name.isEmpty() && nested)
      in = {{QString(), std::ceil(static_cast<double>(devices.size()) /
                                  std::max(1.0, static_cast<double>(rows.size())))}};
    for (const auto& [row, count] : in)
      width[name] = std::max(width[name], nested ? count : std::ceil(std::sqrt(count)));
    width[name] = std::min(width[name], 24.0), total += width[name];
  }
  double left = plot.left();
  for (const auto& [name, devices] : columns) {
    const double wide = plot.width() * width[name] / total;
    const QRectF column(left, plot.top(), std::max(wide - kGap * 2, 1.0), plot.height());
    left += wide;
    layout.labels.push_back(
        {QRectF(column.left(), plot.bottom() + 4, column.width(), metrics.height() + 2), nameOf(name)});
    if (!nested || name.isEmpty()) {
      fill(devices, column, layout.cells);
      continue;
    }
    double top = plot.top();
    const double height = plot.height() / static_cast<double>(rows.size());
    for (const auto& [row, none] : rows) {
      std::vector<std::size_t> here;
      for (const auto i : devices)
        if (data.devices[i].places.back() == row) here.push_back(i);
      std::stable_sort(here.begin(), here.end(), [&](std::size_t a, std::size_t b) {
        return before(data.devices[a].name, data.devices[b].name);
      });
      fill(here, QRectF(column.left(), top, column.width(), std::max(height - kGap, 1.0)), layout.cells);
      top += height;
    }
  }
  double top = plot.top();
  for (const auto& [row, none] : rows) {
    const double height = plot.height() / static_cast<double>(rows.size());
    layout.labels.push_back({QRectF(rect.left() + 4, top, widest + 8, height), nameOf(row), true});
    top += height;
  }
  return layout;
}

void paint(QPainter& painter, const QRectF& rect, const DeviceMapData& data, const ViewStyle& style,
           std::optional<std::size_t> selected) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  if (data.devices.empty()) {
    drawMessage(painter, rect,
                Text::tr("There are no devices to compare: no column identifies several devices"), style);
    painter.restore();
    return;
  }
  const Layout layout = layoutOf(data, rect, style);
  const double extreme = extremeOf(data);
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < layout.cells.size(); ++i) {
    const QRectF& cell = layout.cells[i];
    const double gap = cell.width() > 6 && cell.height() > 6 ? 1 : 0;
    painter.fillRect(cell.adjusted(0, 0, -gap, -gap), colourOf(data.devices[i], extreme, style));
  }
  painter.setFont(style.font(FontRole::Small));
  for (std::size_t i = 0; i < layout.cells.size(); ++i) {
    const QString label = labelOf(data, i, layout.cells[i].size(), style);
    if (label.isEmpty()) continue;
    const QColor ground = colourOf(data.devices[i], extreme, style);
    painter.setPen(qGray(ground.rgb()) < 128 ? Qt::white : Qt::black);
    drawElided(painter, layout.cells[i], label, Qt::AlignCenter);
  }
  if (selected && *selected < layout.cells.size()) {
    painter.setPen(QPen(style.focus, 2));
    painter.drawRect(layout.cells[*selected].adjusted(1, 1, -1, -1));
  }
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  double under = rect.top();
  for (const Label& label : layout.labels) {
    if (label.ofRow && label.rect.height() < metricsOf(painter.font()).height() && label.rect.top() < under)
      continue;
    drawElided(painter, label.rect, label.text,
               label.ofRow ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignHCenter | Qt::AlignVCenter);
    if (label.ofRow) under = label.rect.top() + metricsOf(painter.font()).height();
  }
  if (!data.placeColumns.isEmpty())
    drawElided(painter, QRectF(rect.left() + 10, rect.bottom() - 20, rect.width() - 20, 18),
               data.placeColumns.size() > 1
                   ? Text::tr("across: %1; down: %2").arg(data.placeColumns.front(), data.placeColumns.back())
                   : Text::tr("across: %1").arg(data.placeColumns.front()),
               Qt::AlignHCenter | Qt::AlignVCenter);
  paintHeadline(painter, rect, data, style);
  painter.restore();
}

} // namespace jitterscope::views::device_map
