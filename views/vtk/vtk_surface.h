#pragma once

#include <QColor>
#include <QImage>
#include <QSize>
#include <vtkContextScene.h>
#include <vtkSmartPointer.h>

#include "views/vtk/egl_context.h"

class vtkCallbackCommand;
class vtkContextActor;
class vtkGenericOpenGLRenderWindow;
class vtkObject;
class vtkRenderer;

namespace jitterscope::views {

/// A VTK context scene that renders into an image. Uses one EGL context for its whole lifetime.
class VtkSurface {
public:
  /// `samples` per pixel: 0 for axis-aligned bars, 4 for smooth slanted lines (about three times the
  /// cost).
  explicit VtkSurface(int samples);
  ~VtkSurface();
  VtkSurface(const VtkSurface&) = delete;
  VtkSurface& operator=(const VtkSurface&) = delete;

  bool valid() const { return window_ != nullptr; }
  const QString& problem() const { return context_.problem(); }
  vtkContextScene* scene();
  /// `size` in device pixels, at least 1×1.
  QImage render(QSize size, double devicePixelRatio, const QColor& background);

private:
  static void onEvent(vtkObject* caller, unsigned long event, void* self, void* data);

  EglContext context_;
  vtkSmartPointer<vtkGenericOpenGLRenderWindow> window_;
  vtkSmartPointer<vtkRenderer> renderer_;
  vtkSmartPointer<vtkContextActor> actor_;
  vtkSmartPointer<vtkCallbackCommand> observer_;
};

} // namespace jitterscope::views
