#pragma once

#include <QMap>
#include <QStringList>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/engine/messages.h"
#include "views/parallel/parallel_data.h"

namespace jitterscope::app {

/// Bins as the rows of parallel coordinates: their statistics are the axes, and bins that pass the brushes are times in
/// which launches are selected. Holds what the engine told of the bins, tens of thousands of them at most.
class BinCoordinates {
public:
  /// From an answer of operation "bins" with `all`. Errors: Engine (an answer without its arrays).
  static Expected<BinCoordinates> of(const engine::Answer& bins);

  /// Names of axes begin with "bin ", so that no launch column is meant.
  static bool names_axis(const QString& key) { return key.startsWith(QLatin1String("bin ")); }
  const QStringList& columns() const { return keys_; } ///< all of them
  static QStringList usual_axes();                     ///< to begin with
  static QString title(const QString& key);

  /// Counts of all bins and of those that pass. `scales` by key: linear, log, quantile or rank; else by itself.
  views::ParallelData picture(const QStringList& axes, const views::AxisBrushes& brushes, views::BrushLogic logic,
                              const QMap<QString, QString>& scales) const;
  /// The times of the bins that pass, sorted; neighbours are one. An empty interval where none passes.
  std::vector<Interval> times(const views::AxisBrushes& brushes, views::BrushLogic logic) const;
  std::size_t bins() const { return starts_.size(); }
  Nanoseconds width() const { return width_; }

private:
  std::vector<std::uint8_t> passing(const views::AxisBrushes& brushes, views::BrushLogic logic) const;
  views::ParallelAxis axis_of(const QString& key, const QString& scale) const;

  Nanoseconds width_;
  QString metric_, unit_, time_unit_;
  std::vector<std::int64_t> starts_;
  QStringList keys_;
  std::vector<std::vector<double>> values_; ///< by key and bin; NaN where missing
};

} // namespace jitterscope::app
