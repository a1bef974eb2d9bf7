#pragma once

#include <vtkSmartPointer.h>

#include "views/base/view_style.h"
#include "views/evidence/evidence_model.h"

class vtkChartXY;
class vtkContextScene;

namespace jitterscope::views {

/// Two vtkChartXY: the scatter (density, points, line with band) and the two distributions. Coordinates are
/// in the axes' scales; text and axes are painted over the charts.
class EvidenceChart {
public:
  explicit EvidenceChart(vtkContextScene* scene);
  ~EvidenceChart();

  /// Rebuilds both charts; `ratio` device pixels per logical pixel of a view `height` logical pixels high.
  void build(const EvidenceModel& model, const ViewStyle& style, double ratio, double height);

private:
  vtkSmartPointer<vtkChartXY> scatter_;
  vtkSmartPointer<vtkChartXY> sides_;
};

} // namespace jitterscope::views
