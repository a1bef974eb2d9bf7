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

/// Bins as the rows of parallel coordinates: the axes are their statistics, and bins that pass the brushes
/// select launches by their time intervals. Stores the statistics of the bins from the engine's answer.
class BinCoordinates {
public:
  /// Creates an object from an answer of the operation "bins" with `all`. Errors: Engine (an array is
  /// missing).
  static Expected<BinCoordinates> of(const engine::Answer& bins);

  /// True if the axis belongs to bins: names begin with "bin ", unlike launch columns.
  static bool names_axis(const QString& key) { return is_of_bins(key); }
  const QStringList& columns() const { return keys_; } ///< keys of all axes
  static QStringList default_axes();
  static QString title(const QString& key);

  static QString start_key();

  /// Bins of one colour. `passing`: 1 for each bin of the class, else 0.
  struct Class {
    QString label;
    std::vector<std::uint8_t> passing;
    bool rest = false; ///< true: the bins in no other class
  };
  /// Counts of all bins, of the bins that pass the brushes, and of these by class. `scales` by key:
  /// linear, log, symlog, quantile or rank; missing keys: automatic. In a comparison (`classes_over_all`) all
  /// bins of a class are counted.
  views::ParallelData picture(const QStringList& axes, const views::AxisBrushes& brushes,
                              views::BrushLogic logic, const QMap<QString, QString>& scales,
                              const std::vector<Class>& classes = {}, bool classes_over_all = false) const;
  /// Flags of the bins that pass the brushes.
  std::vector<std::uint8_t> passing(const views::AxisBrushes& brushes, views::BrushLogic logic) const;
  /// Classes of bins by parts of the values of an axis.
  std::vector<Class> classes_of(const QString& key, const std::vector<analysis::ColourPart>& parts) const;
  /// Classes of bins in a picture with these brushes, coloured by an axis.
  std::vector<Class> classes_by(const QString& key, const views::AxisBrushes& brushes,
                                views::BrushLogic logic, const QMap<QString, QString>& scales) const;
  /// Axes ordered so that neighbours are strongly associated (core/analysis/parallel/related_order.h).
  QStringList related_order(const QStringList& axes, const QString& pinned, bool mutual_information) const;

  /// The bins that pass the brushes as comma-separated text: one line per bin, one column per axis with its
  /// unit in the header.
  QString csv(const QStringList& axes, const views::AxisBrushes& brushes, views::BrushLogic logic) const;

  /// Bin as a line through all axes; `row` of the line is the bin's index in this object.
  views::ParallelLine line(std::size_t bin) const;
  /// The bins that pass the brushes of the picture and whose lines pass near a point: at most `maximum` of
  /// them, nearest first; `near`: number of all of them.
  std::vector<views::ParallelLine> lines_near(const views::ParallelModel& model,
                                              const views::ParallelProbe& probe, std::size_t maximum,
                                              std::uint64_t& near) const;
  /// Bins that pass the brushes, sorted by a statistic; bins without a value last.
  std::vector<std::size_t> order_of(const QString& key, const views::AxisBrushes& brushes,
                                    views::BrushLogic logic) const;
  BinChoice choice(std::size_t bin) const;

  /// Sorted time intervals of the bins that pass the brushes, neighbours merged. An empty interval if no bin
  /// passes.
  std::vector<Interval> times(const views::AxisBrushes& brushes, views::BrushLogic logic) const;
  std::size_t bins() const { return starts_.size(); }
  Nanoseconds width() const { return width_; }

private:
  views::ParallelAxis axis_of(const QString& key, const QString& scale) const;

  Nanoseconds width_;
  QString metric_, unit_, time_unit_;
  std::vector<std::int64_t> starts_, numbers_; ///< starts and indices of the bins
  QStringList keys_;
  std::vector<std::vector<double>> values_; ///< statistics by key, then by bin; NaN where missing
};

} // namespace jitterscope::app
