#pragma once

#include <memory>
#include <optional>

#include "views/heatmap/heat_map_model.h"
#include "views/vtk/vtk_host.h"

namespace jitterscope::views {

class HeatMapChart;

/// Heat map drawn by vtkChartHistogram2D in a VtkHost; hover and brush are laid over the read-back picture.
class HeatMapWidget : public VtkHost {
  Q_OBJECT

public:
  explicit HeatMapWidget(QWidget* parent = nullptr);
  ~HeatMapWidget() override;

  const HeatMapModel& model() const { return model_; }
  QSize sizeHint() const override { return {560, 260}; }
  /// How many cells are worth asking for, a few pixels each.
  QSize cells() const;

public slots:
  void setData(jitterscope::views::HeatMapData data);
  /// Where another view's cursor stands; nothing is emitted.
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);

signals:
  /// Dragged over a part, or moved there by keys and Enter: time and values (in the data's unit).
  void areaBrushed(jitterscope::Interval time, double low, double high);
  void brushCleared();
  /// The mouse stands at this time; nothing when it left.
  void cursorMoved(std::optional<jitterscope::Nanoseconds> time);
  /// L: wants the other scale.
  void logScaleRequested(bool on);
  /// The view has room for another number of cells now.
  void cellsChanged();

protected:
  void styleChanged() override;
  void prepareScene(const QSize& size) override;
  void paintFallback(QPainter& painter, const QRectF& rect) override;
  void paintOver(QPainter& painter) override;
  bool hasContent() const override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  QRectF brushRect() const;
  void beginKeyBrush();
  bool brushKey(int key, bool corner); ///< whether the key was one of its own
  void tellBrush();
  std::optional<double> cursorX() const; ///< none when it is not in the plot

  HeatMapModel model_;
  std::unique_ptr<HeatMapChart> chart_;
  bool dragging_ = false, brushed_ = false;
  QPointF from_, to_;
  QSize cells_;
  std::optional<Nanoseconds> cursor_;
};

} // namespace jitterscope::views
