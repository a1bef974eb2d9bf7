#pragma once

#include <memory>
#include <optional>

#include "views/heatmap/heat_map_model.h"
#include "views/vtk/vtk_host.h"

namespace jitterscope::views {

class HeatMapChart;

/// Heat map drawn by vtkChartHistogram2D in a VtkHost; hover and brush are painted over the rendered picture.
class HeatMapWidget : public VtkHost {
  Q_OBJECT

public:
  explicit HeatMapWidget(QWidget* parent = nullptr);
  ~HeatMapWidget() override;

  const HeatMapModel& model() const { return model_; }
  QSize sizeHint() const override { return {560, 260}; }
  /// Number of cells worth requesting, a few pixels each.
  QSize cells() const;

public slots:
  void setData(jitterscope::views::HeatMapData data);
  /// Sets the cursor time of another view; emits no signal.
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);

signals:
  /// An area was brushed, by dragging or with keys and Enter: time and values (in the data's unit).
  void areaBrushed(jitterscope::Interval time, double low, double high);
  void brushCleared();
  /// Time under the mouse; nullopt when it has left.
  void cursorMoved(std::optional<jitterscope::Nanoseconds> time);
  /// Key L: requests values on the other scale, logarithmic if `on`.
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
  bool brushKey(int key, bool corner); ///< true if the key was handled
  void reportBrush();
  std::optional<double> cursorX() const; ///< x of the cursor; nullopt when it is outside the plot

  HeatMapModel model_;
  std::unique_ptr<HeatMapChart> chart_;
  bool dragging_ = false, brushed_ = false;
  QPointF from_, to_;
  QSize cells_;
  std::optional<Nanoseconds> cursor_;
};

} // namespace jitterscope::views
