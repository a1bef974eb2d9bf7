#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::views {

/// Values of a metric's objects in equal columns of a range. Arrays are indexed by object, then column; NaN
/// where a column has no length.
struct MetricValues {
  Interval range;
  int columns = 0;
  QStringList objects;
  std::vector<std::optional<std::uint32_t>> tracks; ///< timeline track of each object
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
  std::string text; ///< definition of the metric
  QString title, unit, help;
  QString level;                    ///< level shown; empty until the first answer: the metric's own level
  QStringList levels;               ///< available levels
  bool maximum = false;             ///< colours and curves show maxima of columns, not averages
  bool mergedMaximum = false;       ///< objects that share a lane show their maximum, not their mean
  std::optional<MetricScale> scale; ///< scale chosen by the user; nullopt: derived from the values
  MetricValues values;
  QString problem; ///< reason if there are no values
  QString missing; ///< records of the metric that the trace does not have: "the trace has no kernels"

  /// Whether the answer has arrived, but has no objects.
  bool nothing() const { return values.columns > 0 && values.objects.isEmpty(); }
  /// Whether no value differs from 0.
  bool allZero() const;
  /// Whether there are values, and one that is neither 0 nor 1: a histogram of it shows more than one block.
  bool varies() const;
  /// Whether the answer has arrived: values, none, or a problem.
  bool answered() const { return values.columns > 0 || !problem.isEmpty(); }
};

} // namespace jitterscope::views
