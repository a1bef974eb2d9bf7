#include "views/devices/device_map_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <cmath>

#include "views/base/format.h"
#include "views/devices/device_map_painter.h"

namespace jitterscope::views {

DeviceMapWidget::DeviceMapWidget(QWidget* parent) : RasterView(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Map of devices"));
  setMinimumSize(240, 140);
}

void DeviceMapWidget::setData(DeviceMapData data) {
  data_ = std::move(data);
  selected_.reset();
  hideHoverCard();
  update();
}

// "device 5 of rank 3"; names that are not numbers need no column.
QString DeviceMapWidget::titleOf(const DeviceCell& cell) const {
  const auto named = [](QString column, const QString& value) {
    bool number = false;
    value.toDouble(&number);
    return number ? column.replace('_', ' ') + ' ' + value : value;
  };
  const QString name = named(data_.column, cell.name);
  for (auto p = data_.placeColumns.size(); p-- > 0;)
    if (!cell.places[p].isEmpty())
      return tr("%1 of %2").arg(name, named(data_.placeColumns[p], cell.places[p]));
  return name;
}

QString DeviceMapWidget::cardOf(std::size_t device) const {
  const DeviceCell& cell = data_.devices[device];
  QString text = titleOf(cell);
  for (int p = 0; p < data_.placeColumns.size(); ++p)
    text += QStringLiteral("\n%1\t%2")
                .arg(data_.placeColumns[p], cell.places[p].isEmpty() ? tr("unknown") : cell.places[p]);
  const QString mean = data_.logarithm ? tr("geometric mean") : tr("mean");
  text += QStringLiteral("\n%1 %2\t%3").arg(mean, data_.target, formatValue(cell.mean, data_.targetUnit));
  text += QStringLiteral("\n%1\t").arg(data_.sameConfigurations ? tr("difference for the same configurations")
                                                                : tr("difference from the %1").arg(mean));
  const auto percent = [](double value, const char* plus) {
    return (value < 0 ? QString(QChar(0x2212)) : QString(plus)) + QString::number(std::abs(value), 'f', 2);
  };
  if (std::isfinite(cell.difference))
    text += tr("%1 % (95 % interval %2 to %3 %)")
                .arg(percent(cell.difference, "+"), percent(cell.low, ""), percent(cell.high, ""));
  else
    text += tr("not compared");
  return text + tr("\nrows\t%1\nrank\t%2 of %3").arg(cell.rows).arg(device + 1).arg(data_.devices.size());
}

void DeviceMapWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const bool content = !data_.devices.empty();
  if (content || message().isEmpty())
    device_map::paint(painter, rect(), data_, viewStyle(), selected_);
  else
    painter.fillRect(rect(), viewStyle().background);
  paintOverlays(painter, content);
}

void DeviceMapWidget::mouseMoveEvent(QMouseEvent* event) {
  const auto device = device_map::layoutOf(data_, rect(), viewStyle()).at(event->position());
  device ? showHoverCard(event->position(), cardOf(*device)) : hideHoverCard();
}

void DeviceMapWidget::mousePressEvent(QMouseEvent* event) {
  const auto device = device_map::layoutOf(data_, rect(), viewStyle()).at(event->position());
  if (event->button() != Qt::LeftButton || !device) return;
  selected_ = device;
  update();
  emit deviceChosen(static_cast<int>(*device));
}

void DeviceMapWidget::keyPressEvent(QKeyEvent* event) {
  if (data_.devices.empty()) return RasterView::keyPressEvent(event);
  const auto last = data_.devices.size() - 1;
  const bool next = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
  const bool previous = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
  if (next || previous) {
    selected_ = !selected_ ? 0
                : next     ? std::min(*selected_ + 1, last)
                           : *selected_ - std::min<std::size_t>(*selected_, 1);
    showHoverCard(device_map::layoutOf(data_, rect(), viewStyle()).cells[*selected_].center(),
                  cardOf(*selected_));
    return update();
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && selected_)
    return emit deviceChosen(static_cast<int>(*selected_));
  RasterView::keyPressEvent(event);
}

} // namespace jitterscope::views
