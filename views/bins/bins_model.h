#pragma once

#include <QAbstractTableModel>
#include <QRectF>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "views/bins/bins_data.h"

namespace jitterscope::views {

/// Ranked bins as a table: any number of rows, nothing per row but the data itself.
class BinsModel : public QAbstractTableModel {
  Q_OBJECT

public:
  enum Column { Rank, Start, Launches, Value, Why, ColumnCount };
  enum Role { BarRole = Qt::UserRole, KeptRole, IndexRole }; ///< BarRole: length 0..1 of the greatest value

  using QAbstractTableModel::QAbstractTableModel;

  void setData(BinsData data);
  const BinsData& bins() const { return data_; }
  double greatest() const { return greatest_; }
  std::size_t keptCount() const { return kept_; }
  /// Value of the last kept bin; not a number without one.
  double threshold() const;
  /// How many bins rank at `value` or above; at least one.
  std::size_t countFrom(double value) const;
  /// In a narrow place: "#" for the rank, the statistic alone for the value. Tool tips stay whole.
  void setShortTitles(bool rank, bool value);
  /// Keeps the `count` best, until the engine answers the same.
  void setKeptCount(std::size_t count);
  /// Reasons of bins, by index; others keep theirs.
  void setReasons(const std::vector<std::pair<std::uint32_t, BinReason>>& reasons);
  std::vector<std::pair<std::uint32_t, BinReason>> reasons() const; ///< as setReasons takes them
  bool hasReasons() const;
  /// The reason of a row, whole, and what else is known of it, in lines.
  QString reasonText(int row) const;
  /// Only the bins of this cause stand in the list; empty: all.
  void showCause(const QString& cause);
  const QString& shownCause() const { return shownCause_; }
  /// The bins whose reason is this cause, in rank order, whether in the list or not.
  std::vector<const BinRow*> binsOf(const QString& cause) const;
  /// Row of a bin by its index; nothing when it is not in the list.
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
  /// By rank, start, launches, value or reason; ties by rank.
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
  void orderRows();
  void changeRows(); ///< orders them anew; what is selected stays
  QString text(int row, int column) const;
  QString csv(int row, int column) const;
  QString toolTip(int row) const;

  BinsData data_;
  double greatest_ = 0;
  std::size_t kept_ = 0;
  QString shownCause_;
  bool shortRank_ = false, shortValue_ = false;
  std::vector<std::size_t> order_; // row to place in data_.bins
  int sortColumn_ = Rank;
  Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
  std::unordered_map<std::uint32_t, int> rowByIndex_;
};

/// The strip over time: for each pixel column the greatest bin that falls into it.
struct StripColumn {
  double value = 0; ///< 0..1 of the greatest
  bool present = false;
  bool kept = false;
  std::uint32_t index = 0; ///< the bin shown
};
std::vector<StripColumn> stripColumns(const BinsData& data, int columns);

} // namespace jitterscope::views
