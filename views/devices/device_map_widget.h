#pragma once

#include <optional>

#include "views/base/raster_view.h"
#include "views/devices/device_map_data.h"

namespace jitterscope::views {

/// Map of devices by place, coloured by the difference of each device from the mean of all. Click or Enter
/// selects a device; arrow keys move along the ranking.
class DeviceMapWidget : public RasterView {
  Q_OBJECT

public:
  explicit DeviceMapWidget(QWidget* parent = nullptr);

  const DeviceMapData& data() const { return data_; }
  void setData(DeviceMapData data);
  QSize sizeHint() const override { return {560, 300}; }
  /// Text of a device's hover card.
  QString titleOf(const DeviceCell& cell) const;
  QString cardOf(std::size_t device) const;

signals:
  /// Index into data().devices.
  void deviceChosen(int device);

protected:
  void styleChanged() override { update(); }
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  DeviceMapData data_;
  std::optional<std::size_t> selected_;
};

} // namespace jitterscope::views
