#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/time.h"
#include "views/base/format.h"
#include "views/base/view_style.h"
#include "views/table/kernels_data.h"

namespace jitterscope::views {

/// What one track holds in an area.
struct AreaTrackRow {
  QString label;
  QString path; ///< with its parents
  std::uint64_t events = 0;
  double busy = 0;         ///< Σ length inside [ns]
  double covered = 0;      ///< length of the union inside [ns]; NaN: not known (several lanes)
  bool unfiltered = false; ///< a filter is set, and says nothing about its events: copies, calls, ranges
};

/// A part of the timeline in numbers.
struct AreaData {
  Interval range;
  AxisUnit axis = AxisUnit::Time;
  QString where;                ///< "all tracks", "3 tracks", with the filter in use
  std::vector<KernelRow> rows;  ///< of its launches
  std::vector<KernelRow> whole; ///< of the whole run, to compare with; empty while it is not known
  std::vector<AreaTrackRow> tracks;
  std::optional<std::uint64_t>
      runningThrough; ///< launches that cover the beginning; known where none starts inside
};

/// Kernels of an area, each statistic beside its ratio to the same one of the whole run.
class AreaKernelsModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Name, Count, Total, Mean, Cv, P50, P75, P90, P99, P999, ColumnCount };
  enum Role { SortRole = Qt::UserRole, RatioRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setData(const AreaData& data);
  void setTheme(Theme theme);
  /// Statistic of a column: launches, ns, or a pure number (CV).
  static double value(const KernelRow& row, int column);
  /// Of the area to the whole run; NaN where either is missing. Counts and totals: the share of the whole
  /// run's.
  double ratio(int row, int column) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  QString text(int row, int column) const;
  QString tip(int row, int column) const;
  const KernelRow* whole(int row) const;

  std::vector<KernelRow> rows_;
  std::vector<KernelRow> whole_;
  std::unordered_map<std::uint32_t, std::size_t> wholeById_;
  Theme theme_ = Theme::Light;
};

/// Tracks of an area with the share of its time that they are busy.
class AreaTracksModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Label, Events, Busy, Share, Mean, ColumnCount };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setData(const AreaData& data);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  double value(const AreaTrackRow& row, int column) const;

  std::vector<AreaTrackRow> rows_;
  double length_ = 1; ///< of the area [ns]
};

} // namespace jitterscope::views
