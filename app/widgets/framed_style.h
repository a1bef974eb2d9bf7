#pragma once

#include <QProxyStyle>

namespace jitterscope::app {

/// The Fusion style, whose frames of empty check boxes and of lines of text are a darker ground: in a dark
/// theme nobody sees them. Tabs are narrow, so that those of a dock stand beside each other in a small
/// window.
class FramedStyle : public QProxyStyle {
  Q_OBJECT

public:
  FramedStyle();
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
};

} // namespace jitterscope::app
