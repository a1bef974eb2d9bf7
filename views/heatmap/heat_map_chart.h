#pragma once

#include <vtkSmartPointer.h>

#include "views/base/view_style.h"
#include "views/heatmap/heat_map_model.h"

class vtkChartHistogram2D;
class vtkContextScene;

namespace jitterscope::views {

/// The vtkChartHistogram2D of a heat map. Its axes count columns and rows; the ticks show times and values.
class HeatMapChart {
public:
  explicit HeatMapChart(vtkContextScene* scene);
  ~HeatMapChart();

  /// Rebuilds the chart; `ratio` device pixels per logical pixel, `plot` of the model in logical pixels of a
  /// view `height` logical pixels high.
  void build(const HeatMapModel& model, const ViewStyle& style, double ratio, double height);

private:
  vtkSmartPointer<vtkChartHistogram2D> chart_;
};

} // namespace jitterscope::views
