#pragma once

#include <QList>
#include <QModelIndex>
#include <QWidget>

#include "views/base/view_style.h"
#include "views/table/kernels_data.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace jitterscope::views {

class KernelsModel;
class KernelsProxy;

/// Table of kernels with a filter box.
class KernelsWidget : public QWidget {
  Q_OBJECT

public:
  explicit KernelsWidget(QWidget* parent = nullptr);

  const KernelsModel& model() const { return *model_; }
  QTableView* table() { return table_; }
  QLineEdit* filterBox() { return filter_; }
  /// Column by which the table is sorted, as KernelsModel::Column names it.
  QString sortColumn() const;
  Qt::SortOrder sortOrder() const;
  /// Unknown names have no effect.
  void setSort(const QString& column, Qt::SortOrder order);
  void setViewStyle(const ViewStyle& style);
  void setMessage(const QString& message);

public slots:
  void setKernels(jitterscope::views::KernelsData data);
  /// Sets the selection from the hub; emits no signal.
  void setSelected(const QList<quint32>& ids);
  void setNameFilter(const QString& text);
  void copySelection(); ///< copies the selected rows as TSV; all shown rows if none is selected

signals:
  void kernelSelected(QList<quint32> ids);
  void kernelActivated(quint32 id); ///< double click or Enter
  void nameFilterChanged(QString text);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void emitSelection();
  QModelIndex markChosen(); ///< marks the selected kernels; returns the first marked row
  void updateCount();

  KernelsModel* model_ = nullptr;
  KernelsProxy* proxy_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QLabel* count_ = nullptr;
  QTableView* table_ = nullptr;
  ViewStyle style_;
  QString message_;
  QList<quint32> chosen_; ///< selected kernels
  bool quiet_ = false;
};

} // namespace jitterscope::views
