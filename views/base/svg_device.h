#pragma once

#include <QPaintDevice>
#include <QSize>
#include <QString>
#include <memory>

namespace jitterscope::views {

/// An SVG paint device that honours clips, which QSvgGenerator ignores before Qt 6.5: anything outside
/// a clip's bounding rectangle is cut off. Images enlarged without smoothing
/// keep hard pixel edges in the program that displays the SVG.
class SvgDevice : public QPaintDevice {
public:
  SvgDevice(QSize size, const QString& title);
  ~SvgDevice() override;

  QPaintEngine* paintEngine() const override;
  /// Returns the document; valid once the painter has ended.
  QString document() const;

protected:
  int metric(PaintDeviceMetric metric) const override;

private:
  class Engine;
  QSize size_;
  std::unique_ptr<Engine> engine_;
};

} // namespace jitterscope::views
