#pragma once

#include <QImage>
#include <QRectF>

#include "views/base/view_style.h"
#include "views/parallel/parallel_model.h"

class QPainter;

namespace jitterscope::views::parallel {

/// The whole view at any size: for export.
void paint(QPainter& painter, const QRectF& rect, const ParallelModel& model, const ViewStyle& style,
           const std::vector<ParallelLine>& lines = {});

/// Density between the axes for the model's size: all rows, or all dimmed below the selected ones when a
/// brush is set. Plot area only.
QImage renderDensity(const ParallelModel& model, const ViewStyle& style, double scale);

/// Colour of a class, the same in the picture and in its legend.
QColor classColour(int number, const ViewStyle& style);

void paintAxes(QPainter& painter, const ParallelModel& model, const ViewStyle& style);
void paintLines(QPainter& painter, const ParallelModel& model, const ViewStyle& style,
                const std::vector<ParallelLine>& lines);

} // namespace jitterscope::views::parallel
