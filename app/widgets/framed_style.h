#pragma once

#include <QProxyStyle>

namespace jitterscope::app {

/// The Fusion style with visible frames: in dark themes, Fusion's frames of empty check boxes and line edits
/// are nearly invisible, and its disabled texts have a bright shadow. Tabs are narrow, so that those of a
/// dock fit next to each other in a small window.
class FramedStyle : public QProxyStyle {
  Q_OBJECT

public:
  FramedStyle();
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
};

} // namespace jitterscope::app
