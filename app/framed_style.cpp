#include "app/framed_style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace jitterscope::app {

FramedStyle::FramedStyle() : QProxyStyle(QStyleFactory::create("Fusion")) {}

void FramedStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  if (element != PE_IndicatorCheckBox && element != PE_IndicatorItemViewItemCheck) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing, true);
  painter->setBrush(Qt::NoBrush);
  painter->setPen(QPen(option->palette.color(QPalette::PlaceholderText), 1)); // of the themes: 4.5 to 1 on every ground
  painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
  painter->restore();
}

} // namespace jitterscope::app
