#pragma once

#include <QAbstractTableModel>

#include "views/model/model_data.h"

namespace jitterscope::views {

/// Kernels, messages or runs of a prediction as a table: one row for each, in the order of the data.
class ModelTable : public QAbstractTableModel {
  Q_OBJECT

public:
  enum class Rows { Kernels, Messages, Runs };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;
  void setData(const ModelData& data, Rows rows);
  Rows rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  struct Column {
    QString title, tip;
    QString unit;      ///< of its numbers in CSV
    bool text = false; ///< texts, aligned left
  };
  struct Cell {
    QString text;
    double value = NAN; ///< of a column of numbers
  };
  void addKernels(const ModelData& data);
  void addMessages(const ModelData& data);
  void addRuns(const ModelData& data);

  Rows rows_ = Rows::Kernels;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> cells_;
};

} // namespace jitterscope::views
