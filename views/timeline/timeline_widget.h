#pragma once

#include <QImage>
#include <QPointF>
#include <QTimer>

#include "views/base/raster_view.h"
#include "views/timeline/timeline_model.h"

class QScrollBar;

namespace jitterscope::views {

/// Timeline of all tracks. Moves its own window; everything else it only asks for.
class TimelineWidget : public RasterView {
  Q_OBJECT

public:
  explicit TimelineWidget(QWidget* parent = nullptr);

  const TimelineModel& model() const { return model_; }
  QSize sizeHint() const override { return {1000, 420}; }
  QSize minimumSizeHint() const override { return {360, 160}; }
  int pixelColumns() const; ///< device pixels of the lanes, what a request should ask for

public slots:
  /// New run: shows the whole span and emits windowChanged.
  void setTracks(std::vector<jitterscope::views::TimelineTrack> tracks, jitterscope::Interval span,
                 jitterscope::views::AxisUnit axis = jitterscope::views::AxisUnit::Time);
  void setNames(jitterscope::views::NameLookup names);
  void setData(jitterscope::views::TimelineData data);
  void setOverview(jitterscope::views::TimelineOverview overview);
  void setArrows(std::vector<jitterscope::views::TimelineArrow> arrows);
  void setFlags(std::vector<jitterscope::views::TimelineFlag> flags);
  /// Moves the window as told by the hub (undo, a bin): asks for data, does not emit windowSettled.
  void setWindow(jitterscope::Interval window);
  void setBrush(std::optional<jitterscope::Interval> brush);
  void setSelectedBin(std::optional<jitterscope::Interval> bin);
  void setSelection(std::uint32_t trackId, std::uint64_t row, jitterscope::Interval interval);
  void clearSelection();
  void setTrackCollapsed(std::uint32_t trackId, bool collapsed);
  /// The answer to hoverDetailsRequested; ignored when the pointer has moved on to another launch.
  void setHoverDetails(std::uint32_t trackId, std::uint64_t row, const QString& text);
  void zoomIn();
  void zoomOut();
  void focusSelection();
  void showAll();

signals:
  /// The visible window changed: coalesced, at most one every 30 ms. Wants TimelineData.
  void windowChanged(jitterscope::Interval window, int pixelColumns);
  /// The user stopped moving it (for undo history); not emitted for setWindow.
  void windowSettled(jitterscope::Interval window);
  void brushed(jitterscope::Interval range);
  void brushCleared();
  void launchClicked(std::uint32_t trackId, std::uint64_t row, jitterscope::Interval interval);
  /// Click on a folded column.
  void foldClicked(std::uint32_t trackId, jitterscope::Interval column);
  void backgroundClicked();
  /// row is kNoRow over a folded column or empty lane.
  void hoverDetailsRequested(std::uint32_t trackId, jitterscope::Nanoseconds time, std::uint64_t row);
  void trackToggled(std::uint32_t trackId, bool collapsed);
  void flagRequested(jitterscope::Nanoseconds time); ///< M

protected:
  void styleChanged() override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  enum class Drag { None, Pan, Brush, Overview };
  void windowMoved(bool byUser);
  void contentChanged();
  void paintLanes(QPainter& painter);
  void hover(QPointF position);
  void click(QPointF position);
  void moveOverview(double x);
  void updateScrollBar();
  void zoomAtPointer(double factor);

  TimelineModel model_;
  QImage lanes_; ///< of model_.data(), unscrolled
  bool lanesStale_ = true;
  QScrollBar* scrollBar_ = nullptr;
  QTimer requestTimer_;
  QTimer settleTimer_;
  Drag drag_ = Drag::None;
  bool moved_ = false;
  QPointF pressed_;
  QPointF last_;
  Nanoseconds brushAnchor_;
  std::uint32_t hoverTrack_ = kNoName;
  std::uint64_t hoverRow_ = kNoRow;
};

} // namespace jitterscope::views
