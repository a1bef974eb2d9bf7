#include "views/vtk/vtk_surface.h"

#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkContextActor.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkUnsignedCharArray.h>

#include <algorithm>
#include <cmath>

namespace jitterscope::views {

VtkSurface::VtkSurface(int samples) {
  if (!context_.makeCurrent()) return;
  window_ = vtkSmartPointer<vtkGenericOpenGLRenderWindow>::New();
  observer_ = vtkSmartPointer<vtkCallbackCommand>::New();
  observer_->SetClientData(this);
  observer_->SetCallback(&VtkSurface::onEvent);
  for (const auto event : {vtkCommand::WindowMakeCurrentEvent, vtkCommand::WindowIsCurrentEvent,
                           vtkCommand::WindowSupportsOpenGLEvent, vtkCommand::WindowIsDirectEvent}) {
    window_->AddObserver(event, observer_);
  }
  window_->SetReadyForRendering(true);
  window_->SetOwnContext(0);
  window_->SetMultiSamples(samples);
  window_->SetFrameBlitModeToNoBlit();
  window_->SetSupportsOpenGL(1);
  renderer_ = vtkSmartPointer<vtkRenderer>::New();
  actor_ = vtkSmartPointer<vtkContextActor>::New();
  renderer_->AddActor(actor_);
  actor_->GetScene()->SetRenderer(renderer_);
  window_->AddRenderer(renderer_);
  context_.release();
}

VtkSurface::~VtkSurface() {
  if (!valid()) return;
  context_.makeCurrent();
  window_->Finalize();
  window_->RemoveObserver(observer_);
  actor_ = nullptr;
  renderer_ = nullptr;
  window_ = nullptr;
  context_.release();
}

vtkContextScene* VtkSurface::scene() {
  return valid() ? actor_->GetScene() : nullptr;
}

void VtkSurface::onEvent(vtkObject* /*caller*/, unsigned long event, void* self, void* data) {
  auto* surface = static_cast<VtkSurface*>(self);
  if (event == vtkCommand::WindowMakeCurrentEvent) {
    surface->context_.makeCurrent();
  } else if (event == vtkCommand::WindowIsCurrentEvent) {
    *static_cast<bool*>(data) = surface->context_.isCurrent();
  } else {
    *static_cast<int*>(data) = 1;
  }
}

QImage VtkSurface::render(QSize size, double devicePixelRatio, const QColor& background) {
  if (!valid() || !context_.makeCurrent()) return {};
  const QSize pixels(std::max(size.width(), 1), std::max(size.height(), 1));
  window_->SetDPI(static_cast<int>(std::lround(72 * devicePixelRatio)));
  window_->SetSize(pixels.width(), pixels.height());
  renderer_->SetBackground(background.redF(), background.greenF(), background.blueF());
  actor_->GetScene()->SetGeometry(pixels.width(), pixels.height());
  window_->Render();
  vtkNew<vtkUnsignedCharArray> data;
  window_->GetRGBACharPixelData(0, 0, pixels.width() - 1, pixels.height() - 1, 0, data);
  context_.release();
  if (data->GetNumberOfTuples() < static_cast<vtkIdType>(pixels.width()) * pixels.height()) return {};
  // Alpha is not 1 where text and lines were blended: RGBX, not RGBA.
  const QImage upsideDown(data->GetPointer(0), pixels.width(), pixels.height(), 4 * pixels.width(),
                          QImage::Format_RGBX8888);
  QImage picture = upsideDown.mirrored(false, true);
  picture.setDevicePixelRatio(devicePixelRatio);
  return picture;
}

} // namespace jitterscope::views
