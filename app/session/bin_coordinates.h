#pragma once

#include <QMap>
#include <QStringList>
#include <vector>

#include "app/engine/parallel_colours.h"
#include "app/session/selection_hub.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/engine/messages/messages.h"
#include "views/parallel/parallel_probe.h"

namespace jitterscope::app {

/// Bins as the rows of parallel coordinates: their statistics are the axes, and bins that pass the brushes
/// are times in which launches are selected. Holds what the engine told of the bins, tens of thousands of
/// them at most.
class BinCoordinates {
public:
  /// From an answer of operation "bins" with `all`. Errors: Engine (an answer without its arrays).
  static Expected<BinCoordinates> of(const engine::Answer& bins);

  /// Names of axes begin with "bin ", so that no launch column is meant.
  static bool names_axis(const QString& key) { return is_of_bins(key); }
  const QStringList& columns() const { return keys_; } ///< all of them
  static QStringList usual_axes();                     ///< to begin with
  static QString title(const QString& key);

  static QString start_key();

  /// Bins of one colour. `passing`: 1 for each of them, else 0.
  struct Class {
    QString label;
    std::vector<std::uint8_t> passing;
    bool rest = false; ///< those of no other class; left out where there are none
  };
  /// Counts of all bins and of those that pass, and of those of each class that pass. `scales` by key:
  /// linear, log, quantile or rank; else by itself. Of a comparison (`classes_over_all`) all bins of a class
  /// are counted.
  views::ParallelData picture(const QStringList& axes, const views::AxisBrushes& brushes,
                              views::BrushLogic logic, const QMap<QString, QString>& scales,
                              const std::vector<Class>& classes = {}, bool classes_over_all = false) const;
  /// Which bins pass the brushes.
  std::vector<std::uint8_t> passing(const views::AxisBrushes& brushes, views::BrushLogic logic) const;
  /// Bins by parts of the values of an axis of a picture.
  std::vector<Class> classes_of(const QString& key, const std::vector<analysis::ColourPart>& parts) const;
  /// Those of a picture with these brushes, coloured by an axis.
  std::vector<Class> classes_by(const QString& key, const views::AxisBrushes& brushes,
                                views::BrushLogic logic, const QMap<QString, QString>& scales) const;
  /// The axes in the order in which neighbours go together most (core/analysis/related_order.h).
  QStringList related_order(const QStringList& axes, const QString& pinned, bool mutual_information) const;

  /// A bin as a line through all axes; its row is its place here.
  views::ParallelLine line(std::size_t bin) const;
  /// The bins whose lines pass near a point of a picture with its brushes, the nearest first, at most `most`
  /// of them.
  std::vector<views::ParallelLine> lines_near(const views::ParallelModel& model,
                                              const views::ParallelProbe& probe, std::size_t most,
                                              std::uint64_t& near) const;
  /// Bins that pass, in the order of a statistic; those without a value last.
  std::vector<std::size_t> order_of(const QString& key, const views::AxisBrushes& brushes,
                                    views::BrushLogic logic) const;
  BinChoice choice(std::size_t bin) const;

  /// The times of the bins that pass, sorted; neighbours are one. An empty interval where none passes.
  std::vector<Interval> times(const views::AxisBrushes& brushes, views::BrushLogic logic) const;
  std::size_t bins() const { return starts_.size(); }
  Nanoseconds width() const { return width_; }

private:
  views::ParallelAxis axis_of(const QString& key, const QString& scale) const;

  Nanoseconds width_;
  QString metric_, unit_, time_unit_;
  std::vector<std::int64_t> starts_, numbers_; ///< of the bins
  QStringList keys_;
  std::vector<std::vector<double>> values_; ///< by key and bin; NaN where missing
};

} // namespace jitterscope::app
