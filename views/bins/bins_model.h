#pragma once

#include <QAbstractTableModel>
#include <QRectF>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "views/bins/bins_data.h"

namespace jitterscope::views {

/// Table model of ranked bins.
class BinsModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Rank, Start, Launches, Value, Why, ColumnCount };
  enum Role { BarRole = Qt::UserRole, KeptRole, IndexRole }; ///< BarRole: share 0..1 of the greatest value

  using QAbstractTableModel::QAbstractTableModel;

  using QAbstractTableModel::setData;
  void setData(BinsData data);
  const BinsData& bins() const { return data_; }
  double greatest() const { return greatest_; }
  std::size_t keptCount() const { return kept_; }
  /// Value of the last kept bin; NaN if no bin is kept.
  double threshold() const;
  /// Number of bins whose value is at least `value`; minimum 1.
  std::size_t countFrom(double value) const;
  /// Short headers for narrow docks: "#" for the rank, the statistic alone for the value. Tooltips stay full.
  void setShortTitles(bool rank, bool value);
  /// Marks the best `count` bins as kept, until the engine's answer for this count arrives.
  void setKeptCount(std::size_t count);
  /// Sets reasons by bin index; bins not listed keep theirs.
  void setReasons(const std::vector<std::pair<std::uint32_t, BinReason>>& reasons);
  std::vector<std::pair<std::uint32_t, BinReason>> reasons() const; ///< in the form that setReasons() accepts
  bool hasReasons() const;
  /// Full reason of a row with further known details, one per line.
  QString reasonText(int row) const;
  /// Restricts the list to bins with this cause; empty: all bins.
  void showCause(const QString& cause);
  const QString& shownCause() const { return shownCause_; }
  /// The bins whose reason is this cause, in rank order, whether in the list or not.
  std::vector<const BinRow*> binsOf(const QString& cause) const;
  /// Row of a bin by its index; nullopt when it is not in the list.
  std::optional<int> rowOf(std::uint32_t binIndex) const;
  /// The bin of a row, as sorted now.
  const BinRow& binAt(int row) const { return data_.bins[order_[static_cast<std::size_t>(row)]]; }
  Interval intervalOf(int row) const;
  /// "kernel variability, sum per bin · bins of 10 ms · top 1 %: 20 of 2,000 bins · n = 84,213 launches"
  QString headline() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// Sorts rows by the column's quantity (rank, start, launches, value or reason), equal ones by rank.
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
  void orderRows();
  void changeRows(); ///< reorders the rows; keeps the selection
  QString text(int row, int column) const;
  QString csv(int row, int column) const;
  QString toolTip(int row) const;

  BinsData data_;
  double greatest_ = 0;
  std::size_t kept_ = 0;
  QString shownCause_;
  bool shortRank_ = false, shortValue_ = false;
  std::vector<std::size_t> order_; // index into data_.bins by row
  int sortColumn_ = Rank;
  Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
  std::unordered_map<std::uint32_t, int> rowByIndex_;
};

/// Overview strip over time: for each pixel column the bin with the greatest value in it. Kept bins take
/// precedence.
struct StripColumn {
  double value = 0; ///< share 0..1 of the greatest value
  bool present = false;
  bool kept = false;
  std::uint32_t index = 0; ///< the bin shown
};
std::vector<StripColumn> stripColumns(const BinsData& data, int columns);

} // namespace jitterscope::views
