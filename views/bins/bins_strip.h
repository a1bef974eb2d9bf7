#pragma once

#include <optional>

#include "views/base/raster_view.h"

namespace jitterscope::views {

class BinsModel;

/// All bins over time; kept ones in the accent colour.
class BinsStrip : public RasterView {
  Q_OBJECT

public:
  explicit BinsStrip(BinsModel* model, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {600, 84}; }
  QSize minimumSizeHint() const override { return {200, 60}; }
  void setSelected(std::optional<std::uint32_t> binIndex);
  /// Centre of a bin's column in the widget.
  QPointF pointOf(std::uint32_t binIndex) const;

signals:
  void binClicked(std::uint32_t binIndex);
  void binDoubleClicked(std::uint32_t binIndex);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

private:
  std::optional<std::uint32_t> binAt(QPointF position) const;

  BinsModel* model_;
  std::optional<std::uint32_t> selected_;
};

} // namespace jitterscope::views
