#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::views {

/// Values of a metric's objects in equal columns of a range. Arrays by object, then by column; NaN where a
/// column has no length.
struct MetricValues {
  Interval range;
  int columns = 0;
  QStringList objects;
  std::vector<std::optional<std::uint32_t>> tracks; ///< of the timeline, by object
  std::vector<double> average, minimum, maximum;

  bool empty() const { return columns == 0 || objects.isEmpty(); }
  std::size_t at(int object, int column) const {
    return static_cast<std::size_t>(object) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
};

using MetricScale = std::pair<double, double>;

/// One timeline of the view: a metric at a level, with its scale.
struct MetricPanel {
  std::string text; ///< the definition
  QString title, unit, help;
  QString level;                    ///< that is shown; empty until the first answer: the metric's own
  QStringList levels;               ///< that it has
  bool maximum = false;             ///< colours and curves are maxima of columns, not averages
  std::optional<MetricScale> scale; ///< none: from the values
  MetricValues values;
  QString problem; ///< why there are no values
};

} // namespace jitterscope::views
