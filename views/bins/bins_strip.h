#pragma once

#include <optional>

#include "core/base/time.h"
#include "views/base/raster_view.h"

namespace jitterscope::views {

class BinsModel;

/// All bins over time; kept ones in the accent colour.
class BinsStrip : public RasterView {
  Q_OBJECT

public:
  explicit BinsStrip(BinsModel* model, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {600, 84}; }
  QSize minimumSizeHint() const override { return {200, 40}; }
  void setSelected(std::optional<std::uint32_t> binIndex);
  /// Sets the cursor time of another view, drawn as a hairline; emits no signal.
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);
  std::optional<Nanoseconds> cursorTime() const { return cursor_; }
  /// Centre of a bin's column in the widget.
  QPointF pointOf(std::uint32_t binIndex) const;

signals:
  void binClicked(std::uint32_t binIndex);
  void binDoubleClicked(std::uint32_t binIndex);
  /// The user moved the threshold between kept and other bins; emitted once, on release.
  void keptCountChosen(std::uint32_t count);
  void keptCountMoved(); ///< emitted while dragging: the model has a new count
  /// Time under the pointer; nullopt when the pointer has left.
  void cursorMoved(std::optional<jitterscope::Nanoseconds> time);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  std::optional<std::uint32_t> binAt(QPointF position) const;

  bool onThreshold(QPointF position) const;
  void moveThreshold(double y);

  BinsModel* model_;
  bool movesThreshold_ = false;
  std::optional<double> cursorX() const; ///< x of the cursor; nullopt when it is outside the strip
  void moveCursor(std::optional<Nanoseconds> time);

  std::optional<std::uint32_t> selected_;
  std::optional<Nanoseconds> cursor_;
};

} // namespace jitterscope::views
