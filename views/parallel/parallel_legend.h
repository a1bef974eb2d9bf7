#pragma once

#include <QPointF>
#include <QString>
#include <vector>

#include "views/base/view_style.h"
#include "views/parallel/parallel_model.h"

namespace jitterscope::views::parallel {

/// Meaning of a colour: "DeviceScan…Kernel (1,234)".
struct LegendEntry {
  int colour = 0;
  QString text;
  double x = 0; ///< left end of its swatch
  int row = 0;  ///< row number from the top
};

inline constexpr double kLegendRow = 17; ///< height of a row

/// Legend entries of all classes in one row of this width or, with shortened names, in two; each text is
/// unique and includes the row count. The first entry starts after the text that names the colouring.
std::vector<LegendEntry> legendOf(const ParallelData& data, double width, const ViewStyle& style);

/// Number of rows of the legend in a picture of the model's size; 0 without colours.
int legendRows(const ParallelModel& model, const ViewStyle& style);

/// Number of rows reserved for the legend in a window. Classes appear and disappear during brushing, and the
/// axes must not move under the pointer: two rows whenever a colouring is set, even if one would be enough or
/// no selected row has a colour.
int legendRoom(const ParallelModel& model, const ViewStyle& style);

} // namespace jitterscope::views::parallel
