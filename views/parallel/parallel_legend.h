#pragma once

#include <QPointF>
#include <QString>
#include <vector>

#include "views/base/view_style.h"
#include "views/parallel/parallel_model.h"

namespace jitterscope::views::parallel {

/// What a colour means: "DeviceScan…Kernel (1,234)".
struct LegendEntry {
  int colour = 0;
  QString text;
  double x = 0; ///< left end of its swatch
  int row = 0;  ///< from above
};

inline constexpr double kLegendRow = 17; ///< height

/// All classes in one row of this width or, with names as short as they must be, in two; every text is
/// another, and has its number of rows. `x` of the first is behind the words of what colours.
std::vector<LegendEntry> legendOf(const ParallelData& data, double width, const ViewStyle& style);

/// Rows that the legend of a picture of the model's size takes; 0 without colours.
int legendRows(const ParallelModel& model, const ViewStyle& style);

/// Rows kept free for it in a window. Classes come and go while rows are brushed, and the axes must not move
/// under the pointer: two as long as anything colours, also where one is enough or no selected row has a
/// colour.
int legendRoom(const ParallelModel& model, const ViewStyle& style);

} // namespace jitterscope::views::parallel
