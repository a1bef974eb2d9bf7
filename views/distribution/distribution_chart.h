#pragma once

#include <vtkSmartPointer.h>

#include "views/base/view_style.h"
#include "views/distribution/distribution_model.h"

class vtkChartXY;
class vtkContextScene;

namespace jitterscope::views {

/// The vtkChartXY of a histogram: bars of all and selected rows, statistics as vertical lines. Coordinates on
/// a log scale are log10 of the value, with the view's own ticks.
class DistributionChart {
public:
  explicit DistributionChart(vtkContextScene* scene);
  ~DistributionChart();

  /// Rebuilds the chart; `ratio` device pixels per logical pixel, `plot` of the model in logical pixels of a
  /// view `height` logical pixels high.
  void build(const DistributionModel& model, const ViewStyle& style, double ratio, double height);

private:
  vtkSmartPointer<vtkChartXY> chart_;
};

} // namespace jitterscope::views
