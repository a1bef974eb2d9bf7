#pragma once

#include <QAbstractTableModel>

#include "views/model/model_data.h"

namespace jitterscope::views {

/// Table model of a prediction's kernels, messages or runs: one row each, in data order.
class ModelTable : public QAbstractTableModel {
  Q_OBJECT

public:
  enum class Rows { Kernels, Messages, Runs };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;
  using QAbstractTableModel::setData;
  void setData(const ModelData& data, Rows rows);
  Rows rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  struct Column {
    QString title, tip;
    QString unit;      ///< unit of the numbers in CSV
    bool text = false; ///< texts, aligned left
  };
  struct Cell {
    QString text;
    double value = NAN; ///< value in a numeric column
  };
  void addKernels(const ModelData& data);
  void addMessages(const ModelData& data);
  void addRuns(const ModelData& data);

  Rows rows_ = Rows::Kernels;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> cells_;
};

} // namespace jitterscope::views
