#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <array>

#include "views/base/format.h"
#include "views/base/view_style.h"
#include "views/table/kernels_data.h"
#include "views/table_parts/table_picture.h"
#include "views/table_parts/tsv.h"

namespace jitterscope::views {

/// One row per kernel; each time column has one unit, named in its header.
class KernelsModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column {
    Name,
    Count,
    Total,
    Mean,
    Cv,
    P50,
    P75,
    P90,
    P99,
    P999,
    Maximum,
    Variability,
    Share,
    ColumnCount
  };
  Q_ENUM(Column)
  enum Role { SortRole = Qt::UserRole, IdRole, ShortRole = kBriefRole };

  using QAbstractTableModel::QAbstractTableModel;

  using QAbstractTableModel::setData;
  void setData(KernelsData data);
  const KernelsData& kernels() const { return data_; }
  void setTheme(Theme theme);
  /// Raw value of a time or number column.
  static double value(const KernelRow& row, int column);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  QString text(const KernelRow& row, int column) const;

  KernelsData data_;
  Theme theme_ = Theme::Light;
  std::array<TimeUnit, ColumnCount> units_{};
};

/// Sorts by raw values and filters by a regular expression on the name (as plain text if invalid).
class KernelsProxy : public QSortFilterProxyModel {
  Q_OBJECT

public:
  explicit KernelsProxy(QObject* parent = nullptr);
  void setNameFilter(const QString& text);

protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

} // namespace jitterscope::views
