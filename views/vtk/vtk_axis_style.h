#pragma once

#include <vector>

#include "views/base/view_style.h"

class vtkAxis;
class vtkPen;
class QColor;

namespace jitterscope::views {

/// A tick of a vtkAxis, in the axis' own coordinate.
struct AxisLabel {
  double position = 0;
  QString text;
};

void setColour(vtkPen* pen, const QColor& colour);
/// Applies colours, font and line widths of the style; `ratio` device pixels per logical pixel. Fixed range.
void styleAxis(vtkAxis& axis, const ViewStyle& style, double ratio);
void setLabels(vtkAxis& axis, const std::vector<AxisLabel>& labels);

} // namespace jitterscope::views
