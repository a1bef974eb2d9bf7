#pragma once

#include <QProxyStyle>

namespace jitterscope::app {

/// The Fusion style, whose frames of empty check boxes are a darker ground: in a dark theme nobody sees them.
class FramedStyle : public QProxyStyle {
  Q_OBJECT

public:
  FramedStyle();
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
};

} // namespace jitterscope::app
