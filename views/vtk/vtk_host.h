#pragma once

#include <QImage>
#include <QSize>
#include <memory>

#include "views/base/raster_view.h"

class vtkContextScene;

namespace jitterscope::views {

class VtkSurface;

/// A plain QWidget that shows a VTK context scene. VTK renders into its own surfaceless EGL context and
/// the picture is read back: works on every Qt platform, without X, over VNC. The scene is rendered only
/// after sceneChanged(), not on mouse moves; overlays are painted over the last picture. Without EGL the view
/// paints with QPainter; vtkProblem() has the reason.
class VtkHost : public RasterView {
  Q_OBJECT

public:
  explicit VtkHost(QWidget* parent = nullptr, int samplesPerPixel = 0);
  ~VtkHost() override;

  /// False if no EGL context can be created; `vtkProblem` then has the reason.
  bool vtkAvailable() const;
  const QString& vtkProblem() const { return problem_; }
  /// The picture last read back, in device pixels; null before the first paint.
  const QImage& picture() const { return picture_; }
  QSize minimumSizeHint() const override { return {240, 160}; }

protected:
  vtkContextScene* scene(); ///< scene of the view; null without EGL
  void sceneChanged();
  void styleChanged() override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

  /// Called before a render; `size` in device pixels, devicePixelRatio() applies to widths and fonts.
  virtual void prepareScene(const QSize& size) = 0;
  virtual void paintFallback(QPainter& painter, const QRectF& rect) = 0;
  /// Marks above the picture, in logical pixels.
  virtual void paintOver(QPainter& painter);
  virtual bool hasContent() const = 0;

private:
  std::unique_ptr<VtkSurface> surface_;
  QImage picture_;
  QString problem_;
  bool stale_ = true;
};

/// True when an EGL surfaceless context can be made on this machine.
bool eglAvailable(QString* problem = nullptr);

/// A font file for vtkTextProperty (VTK's built-in fonts have Latin-1 only); empty when none was found.
QString vtkFontFile();

} // namespace jitterscope::views
