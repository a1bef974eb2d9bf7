#pragma once

#include <QSignalSpy>

#include "tests/views/base/mouse.h"
#include "tests/views/sample_data.h"
#include "views/base/export.h"
#include "views/base/painting.h"
#include "views/parallel/band_raster.h"
#include "views/parallel/parallel_frame.h"
#include "views/parallel/parallel_painter.h"
#include "views/parallel/parallel_widget.h"

namespace jitterscope::views {

struct Scene {
  ParallelWidget widget;

  Scene() {
    widget.resize(1100, 360);
    widget.show();
    widget.setData(sample::parallel());
  }
  QPoint at(const char* key, double value) const {
    const int position = widget.model().position(key);
    return QPointF(widget.model().axisX(position), widget.model().yAt(position, value)).toPoint();
  }
  QPoint title(const char* key) const {
    return widget.model().titleRect(widget.model().position(key)).center().toPoint();
  }
};

inline AxisBrushes brushesOf(const QSignalSpy& spy) {
  return spy.last().at(0).value<AxisBrushes>();
}

} // namespace jitterscope::views
