#pragma once

#include <QImage>
#include <QRectF>
#include <QStringList>
#include <cstdint>
#include <utility>
#include <vector>

#include "views/base/view_style.h"
#include "views/parallel/parallel_model.h"

class QPainter;

namespace jitterscope::views::parallel {

/// Paints the whole view at any size; for export.
void paint(QPainter& painter, const QRectF& rect, const ParallelModel& model, const ViewStyle& style,
           const std::vector<ParallelLine>& lines = {});

/// Cached picture of all rows with the state it was made from: while a brush moves, only the selected rows
/// above it are redrawn.
class DensityGround {
public:
  QImage image;
  bool shows(const ParallelModel& model, bool dimmed, double scale, Theme theme) const;
  void keep(QImage made, const ParallelModel& model, bool dimmed, double scale, Theme theme);

private:
  bool dimmed_ = false;
  double scale_ = 0;
  Theme theme_ = {};
  QRectF plot_;
  QStringList order_, left_;
  std::vector<bool> inverted_, missing_;
  std::vector<std::vector<std::uint32_t>> pairs_;
};

/// Renders the density between the axes for the model's size: all rows, or all rows dimmed below the selected
/// ones if a brush is set. Plot area only. `ground` caches the lower layer for the next call.
QImage renderDensity(const ParallelModel& model, const ViewStyle& style, double scale,
                     DensityGround* ground = nullptr);

/// Colour of ParallelClass::colour, the same in the picture and in its legend; 7: the remaining rows.
QColor classColour(int number, const ViewStyle& style);
/// Two tones of a class colour in the picture: where few and where many of its rows pass.
std::pair<QColor, QColor> classTones(int number, const ViewStyle& style);

/// Paints many thin lines under the axes, so that labels stay readable; the few selected lines over them. A
/// selected line is dashed if an axis does not show its value. Without rows there are no lines.
void paintAxesAndLines(QPainter& painter, const ParallelModel& model, const ViewStyle& style,
                       const std::vector<ParallelLine>& lines);
void paintAxes(QPainter& painter, const ParallelModel& model, const ViewStyle& style);
void paintLines(QPainter& painter, const ParallelModel& model, const ViewStyle& style,
                const std::vector<ParallelLine>& lines);

} // namespace jitterscope::views::parallel
