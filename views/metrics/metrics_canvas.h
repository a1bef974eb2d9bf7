#pragma once

#include <QTimer>
#include <optional>

#include "views/base/raster_view.h"
#include "views/metrics/metrics_model.h"

namespace jitterscope::views {

/// Several metrics over one time axis. The wheel zooms in time over the plot and scrolls over the names;
/// dragging pans, Shift and dragging brush; W S A D and the arrow keys do the same by keyboard.
class MetricsCanvas : public RasterView {
  Q_OBJECT

public:
  explicit MetricsCanvas(QWidget* parent = nullptr);

  const metrics::Model& model() const { return model_; }
  QSize sizeHint() const override { return {700, 260}; }
  QSize minimumSizeHint() const override { return {240, 100}; }
  void setSpan(Interval span);
  void setWindow(Interval window); ///< emits no signal
  void setBrush(std::optional<Interval> brush);
  void setMoments(std::vector<Interval> moments); ///< selected times, sorted
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);
  void setPanels(std::vector<MetricPanel> panels);
  void setPanel(int panel, MetricPanel content);
  void setScroll(double scroll);
  /// Width of the plot in device pixels: the number of columns requested.
  int pixelColumns() const;
  int current() const { return current_; }
  void setCurrent(int panel);
  /// Makes a panel the current one and scrolls it into view, also when its height changes with its values;
  /// its header is highlighted for a moment.
  void showPanel(int panel);
  bool highlights(int panel) const { return highlighted_ == panel; }
  /// Dims the panels: their values are not those of the present definition.
  void setStale(bool stale);
  bool isStale() const { return stale_; }
  /// Middle of a panel's lane in the widget.
  QPointF pointOf(int panel, int lane) const;

signals:
  void windowChosen(jitterscope::Interval window);
  void brushed(jitterscope::Interval range);
  void brushCleared();
  void cursorMoved(std::optional<jitterscope::Nanoseconds> time);
  void menuRequested(int panel, QPoint global); ///< panel −1: none under the pointer
  void currentChanged(int panel);
  void objectChosen(int panel, int object);
  void editRequested(int panel);
  void removeRequested(int panel);
  void laidOut();        ///< height of the content or the visible part changed
  void columnsChanged(); ///< pixelColumns() changed

protected:
  void styleChanged() override { relayout(); }
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  void relayout();
  void scrollTo(int panel);
  void moveCursor(std::optional<Nanoseconds> time);
  void zoom(double pixel, double factor);
  Nanoseconds timeAt(double x) const { return model_.viewport.timeAt(x - model_.gutter); }
  bool inPlot(QPointF at) const;

  enum class Drag { None, Pan, Brush };
  metrics::Model model_;
  int current_ = 0;
  int shown_ = -1;       ///< panel of showPanel() whose values have not arrived; −1: none
  int highlighted_ = -1; ///< −1: none
  bool stale_ = false;
  QTimer highlight_;
  Drag drag_ = Drag::None;
  QPointF pressed_, last_;
  std::optional<QPointF> pointer_; ///< nullopt: outside the plot
};

} // namespace jitterscope::views
