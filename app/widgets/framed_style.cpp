#include "app/widgets/framed_style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace jitterscope::app {

FramedStyle::FramedStyle() : QProxyStyle(QStyleFactory::create("Fusion")) {}

int FramedStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  return metric == PM_TabBarTabHSpace ? 14 : QProxyStyle::pixelMetric(metric, option, widget);
}

int FramedStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* data) const {
  return hint == SH_EtchDisabledText ? 0 : QProxyStyle::styleHint(hint, option, widget, data);
}

void FramedStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  const bool line = element == PE_FrameLineEdit && !(option->state & State_HasFocus);
  if (line) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing, true);
    painter->setBrush(Qt::NoBrush);
    QColor frame = option->palette.color(QPalette::PlaceholderText);
    frame.setAlpha(130);
    painter->setPen(QPen(frame, 1));
    painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter->restore();
    return;
  }
  if (element != PE_IndicatorCheckBox && element != PE_IndicatorItemViewItemCheck) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing, true);
  painter->setBrush(Qt::NoBrush);
  painter->setPen(QPen(option->palette.color(QPalette::PlaceholderText), 1)); // contrast 4.5:1 on every
                                                                              // background
  painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
  painter->restore();
}

} // namespace jitterscope::app
