#include "views/vtk/vtk_host.h"

#include <QFileInfo>
#include <QPainter>
#include <QResizeEvent>

#include "views/base/painting.h"
#include "views/vtk/vtk_surface.h"

namespace jitterscope::views {

bool eglAvailable(QString* problem) {
  EglContext context;
  if (problem != nullptr) *problem = context.problem();
  return context.valid() && context.makeCurrent();
}

QString vtkFontFile() {
  static const QString found = [] {
    for (const char* path :
         {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
          "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", "/usr/share/fonts/dejavu/DejaVuSans.ttf",
          "/usr/share/fonts/TTF/DejaVuSans.ttf"}) {
      if (QFileInfo::exists(QString::fromLatin1(path))) return QString::fromLatin1(path);
    }
    return QString();
  }();
  return found;
}

VtkHost::VtkHost(QWidget* parent, int samplesPerPixel)
    : RasterView(parent), surface_(std::make_unique<VtkSurface>(samplesPerPixel)) {
  setMinimumSize(minimumSizeHint());
  if (!surface_->valid()) {
    problem_ = surface_->problem();
    if (problem_.isEmpty()) problem_ = tr("no OpenGL context could be made current");
    surface_.reset();
  }
}

VtkHost::~VtkHost() = default;

bool VtkHost::vtkAvailable() const {
  return surface_ != nullptr;
}

vtkContextScene* VtkHost::scene() {
  return surface_ ? surface_->scene() : nullptr;
}

void VtkHost::sceneChanged() {
  stale_ = true;
  update();
}

void VtkHost::styleChanged() {
  sceneChanged();
}

void VtkHost::resizeEvent(QResizeEvent* event) {
  RasterView::resizeEvent(event);
  sceneChanged();
}

void VtkHost::paintOver(QPainter& /*painter*/) {}

void VtkHost::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  if (!hasContent()) {
    painter.fillRect(rect(), viewStyle().background);
    paintOverlays(painter, false);
    return;
  }
  if (surface_) {
    const double ratio = devicePixelRatioF();
    const QSize pixels = size() * ratio;
    if (stale_ || picture_.size() != pixels) {
      prepareScene(pixels);
      picture_ = surface_->render(pixels, ratio, viewStyle().background);
      stale_ = false;
    }
    painter.drawImage(QPointF(0, 0), picture_);
  } else {
    painter.fillRect(rect(), viewStyle().background);
    paintFallback(painter, rect());
  }
  paintOver(painter);
  paintOverlays(painter, true);
}

} // namespace jitterscope::views
