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

/// Content of one track within an area.
struct AreaTrackRow {
  QString label;
  QString path; ///< labels of its parents, then its own label
  std::uint64_t events = 0;
  double busy = 0;         ///< summed length of its events inside the area [ns]
  double covered = 0;      ///< length of their union inside the area [ns]; NaN: unknown (several lanes)
  bool unfiltered = false; ///< true if the filter in use does not apply to its events (copies, calls, ranges)
};

/// Statistics of a part of the timeline.
struct AreaData {
  Interval range;
  AxisUnit axis = AxisUnit::Time;
  QString where;                ///< "all tracks", "3 tracks", with the filter in use
  std::vector<KernelRow> rows;  ///< kernels of the area
  std::vector<KernelRow> whole; ///< kernels of the whole run, for comparison; empty while unknown
  std::vector<AreaTrackRow> tracks;
  std::optional<std::uint64_t>
      runningThrough; ///< launches that run at the area's start; set if no launch starts in the area
};

/// Kernels of an area: each statistic with its ratio to the same statistic of the whole run.
class AreaKernelsModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Name, Count, Total, Mean, Cv, P50, P75, P90, P99, P999, ColumnCount };
  enum Role { SortRole = Qt::UserRole, RatioRole };

  using QAbstractTableModel::QAbstractTableModel;

  using QAbstractTableModel::setData;
  void setData(const AreaData& data);
  void setTheme(Theme theme);
  /// Statistic of a column: launches, ns, or a pure number (CV).
  static double value(const KernelRow& row, int column);
  /// Value in the area divided by the value in the whole run; NaN where either is missing. For counts and
  /// totals this is the share of the whole run.
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
  std::vector<KernelRow> total_;
  std::unordered_map<std::uint32_t, std::size_t> totalById_;
  Theme theme_ = Theme::Light;
};

/// Tracks of an area with the share of the area's time during which they are busy.
class AreaTracksModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Label, Events, Busy, Share, Mean, ColumnCount };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;

  using QAbstractTableModel::setData;
  void setData(const AreaData& data);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  double value(const AreaTrackRow& row, int column) const;

  std::vector<AreaTrackRow> rows_;
  double length_ = 1; ///< length of the area [ns]
};

} // namespace jitterscope::views
