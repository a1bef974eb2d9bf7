#pragma once

#include <QPaintDevice>
#include <QSize>
#include <QString>
#include <memory>

namespace jitterscope::views {

/// A picture as SVG that honours clips, which QSvgGenerator of Qt before 6.5 leaves out: what stands outside
/// of a clip's bounding rectangle is cut off. Images that are drawn larger than they are without smoothing
/// keep their pixels in whatever shows it.
class SvgDevice : public QPaintDevice {
public:
  SvgDevice(QSize size, const QString& title);
  ~SvgDevice() override;

  QPaintEngine* paintEngine() const override;
  /// The document; once the painter has ended.
  QString document() const;

protected:
  int metric(PaintDeviceMetric metric) const override;

private:
  class Engine;
  QSize size_;
  std::unique_ptr<Engine> engine_;
};

} // namespace jitterscope::views
