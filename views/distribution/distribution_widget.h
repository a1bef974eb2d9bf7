#pragma once

#include <memory>
#include <optional>

#include "views/distribution/distribution_model.h"
#include "views/vtk/vtk_host.h"

namespace jitterscope::views {

class DistributionChart;

/// Brushed values, in the data's unit.
struct DistributionBrush {
  double low = 0, high = 0;
  bool operator==(const DistributionBrush&) const = default;
};

/// Histogram drawn by vtkChartXY in a VtkHost; hover and brush are painted over the rendered picture.
class DistributionWidget : public VtkHost {
  Q_OBJECT

public:
  explicit DistributionWidget(QWidget* parent = nullptr);
  ~DistributionWidget() override;

  const DistributionModel& model() const { return model_; }
  QSize sizeHint() const override { return {560, 260}; }

public slots:
  void setData(jitterscope::views::DistributionData data);
  /// Sets the brushed values from the hub; emits no signal.
  void setBrush(std::optional<jitterscope::views::DistributionBrush> brush);

signals:
  /// A part of the axis was brushed; values in the data's unit.
  /// `step`: by an arrow key; consecutive steps belong together.
  void rangeBrushed(double low, double high, bool step);
  void brushCleared();
  /// Click on a group's name: requests its rows. `filter` is DistributionGroup::filter.
  void groupChosen(const QString& filter);
  /// Key L or double click on the axis: requests the histogram on the other scale, logarithmic if `on`.
  void logScaleRequested(bool on);
  /// Key Y: requests bar heights on the other scale, logarithmic if `on`.
  void logHeightsRequested(bool on);

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
  void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
  void layoutPlot();
  int groupAt(QPointF position) const; ///< group whose name is at the position; −1: none

  DistributionModel model_;
  std::unique_ptr<DistributionChart> chart_;
  bool dragging_ = false;
  double brushFrom_ = 0;
  double brushTo_ = 0;
  bool brushed_ = false;
};

} // namespace jitterscope::views
