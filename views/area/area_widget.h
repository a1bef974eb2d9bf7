#pragma once

#include <QWidget>

#include "views/area/area_model.h"
#include "views/base/view_style.h"

class QCheckBox;
class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QTabWidget;

namespace jitterscope::views {

/// Statistics of the selected area of the timeline: its kernels compared with the whole run, and its tracks.
class AreaWidget : public QWidget {
  Q_OBJECT

public:
  explicit AreaWidget(QWidget* parent = nullptr);

  QTableView* kernels() { return kernels_; }
  QTableView* tracks() { return tracks_; }
  QTableView* table();  ///< the visible table
  QString text() const; ///< describes the area and its content
  const AreaData& area() const { return data_; }
  void setViewStyle(const ViewStyle& style);

public slots:
  void setArea(const jitterscope::views::AreaData& data);
  /// Sets the text shown while there are no data, or next to older numbers.
  void setMessage(const QString& message);
  void clear();
  void copySelection(); ///< copies the selected rows of the visible table as TSV; if there are none, all

signals:
  void kernelActivated(quint32 id);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QTableView* makeTable(QAbstractItemModel* model, QSortFilterProxyModel*& proxy, const QString& name);
  void updateText();

  AreaData data_;
  AreaKernelsModel* kernelsModel_ = nullptr;
  AreaTracksModel* tracksModel_ = nullptr;
  QSortFilterProxyModel *kernelsProxy_ = nullptr, *tracksProxy_ = nullptr;
  QLabel* text_ = nullptr;
  QCheckBox* byRatio_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QTableView *kernels_ = nullptr, *tracks_ = nullptr;
  QString message_;
  ViewStyle style_;
};

} // namespace jitterscope::views
