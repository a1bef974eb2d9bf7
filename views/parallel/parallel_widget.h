#pragma once

#include <QImage>
#include <QPointF>
#include <memory>

#include "views/base/raster_view.h"
#include "views/parallel/parallel_model.h"

namespace jitterscope::views {

namespace parallel {
class DensityGround;
}

/// Parallel coordinates of any number of rows. Keeps order, inversion and brushes; asks for histograms.
class ParallelWidget : public RasterView {
  Q_OBJECT

public:
  explicit ParallelWidget(QWidget* parent = nullptr);
  ~ParallelWidget() override;

  const ParallelModel& model() const { return model_; }
  const std::vector<ParallelLine>& lines() const { return lines_; }
  QSize sizeHint() const override { return {1000, 340}; }
  QSize minimumSizeHint() const override { return {320, 180}; }

public slots:
  void setData(jitterscope::views::ParallelData data);
  /// From the hub; emits nothing.
  void setBrushes(jitterscope::views::AxisBrushes brushes);
  void setOrder(const QStringList& keys);
  void setInverted(const QString& key, bool inverted);
  void setPinned(const QString& key);
  void setLogic(jitterscope::views::BrushLogic logic);
  void invertAxis(const QString& key); ///< as by double click
  void clearBrushes(const QString& key);
  void setLines(std::vector<jitterscope::views::ParallelLine> lines);

signals:
  /// While dragging and at its end (`finished`).
  void brushesChanged(jitterscope::views::AxisBrushes brushes, bool finished);
  void axesReordered(QStringList keys);
  void axisInverted(QString key, bool inverted);
  /// Right button or menu key; `key` of the axis under it, empty between axes.
  void menuRequested(QString key, QPoint global);
  /// Enter or double click on a brush: its numbers are to be typed. `brush` −1: a new one.
  void brushEntryRequested(QString key, int brush);
  /// Some adjacent pair of this order has no histogram yet.
  void needHistogramsFor(QStringList keys);

protected:
  void styleChanged() override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

private:
  enum class Drag { None, NewBrush, MoveBrush, LowEdge, HighEdge, Axis };
  void stale();
  void askForMissingPairs();
  void dragBrush(QPointF position);
  void hover(QPointF position);
  void invert(int position);
  void moveFocusedAxis(int by);

  ParallelModel model_;
  std::vector<ParallelLine> lines_;
  QImage density_;
  std::unique_ptr<parallel::DensityGround> ground_; ///< all rows below the selected ones
  bool densityStale_ = true;
  Drag drag_ = Drag::None;
  int dragAxis_ = -1;
  int dragBrush_ = -1;
  double dragValue_ = 0;
  ValueRange dragRange_;
  QPointF pressed_;
  QPointF last_;
  int focusedAxis_ = 0;
};

} // namespace jitterscope::views
