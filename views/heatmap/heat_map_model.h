#pragma once

#include <QRectF>
#include <optional>
#include <vector>

#include "views/base/ticks.h"
#include "views/heatmap/heat_map_data.h"

namespace jitterscope::views {

/// Arithmetic of a heat map: position in the plot ↔ time and value.
struct HeatMapModel {
  HeatMapData data;
  QRectF plot; ///< logical pixels

  struct Cell {
    int column = 0, row = 0;
  };
  std::uint64_t greatest() const;
  std::uint64_t countAt(Cell cell) const;
  /// Colour scale 0 … 1: the logarithm of the count, so that a single row is still seen.
  double shade(std::uint64_t count) const;
  std::optional<Cell> cellAt(QPointF point) const;
  Interval timeOf(int column) const;
  Nanoseconds timeAt(double x) const;
  double xAt(Nanoseconds time) const;
  double valueAt(double y) const;
  double yAt(double value) const;
  std::vector<Tick> xTicks() const;
  std::vector<Tick> yTicks() const; ///< positions from 0 at the lower end
  /// "n = 1,234, 5 at or below 0"
  QString counts() const;
  QString cellText(Cell cell) const;

private:
  double drawn(double value) const;
};

} // namespace jitterscope::views
