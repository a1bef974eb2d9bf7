#pragma once

#include <QRectF>
#include <optional>
#include <vector>

#include "views/base/view_style.h"
#include "views/devices/device_map_data.h"

class QPainter;

namespace jitterscope::views::device_map {

struct Label {
  QRectF rect;
  QString text;
  bool ofRow = false;
};

/// Cells of all devices: outermost places are columns, innermost places rows, devices of one place
/// next to each other. Devices without places fill a grid, the highest first.
struct Layout {
  std::vector<QRectF> cells; ///< rectangle of each device
  std::vector<Label> labels;
  std::optional<std::size_t> at(QPointF point) const;
};
Layout layoutOf(const DeviceMapData& data, const QRectF& rect, const ViewStyle& style);

inline constexpr double kMinExtreme = 0.1; ///< percent; smaller differences are not worth a colour

/// "Duration of 8 GPUs, n = 1,234, relative to the mean of all"
QString titleOf(const DeviceMapData& data);
/// Name of a device in its cell, "device 3" or "3"; empty where it has no room.
QString labelOf(const DeviceMapData& data, std::size_t device, const QSizeF& room, const ViewStyle& style);

/// Whether any device differs from the mean of all by more than kMinExtreme.
bool differ(const DeviceMapData& data);
/// The difference, percent, that the strongest colours show: exceeded by 2 % of the devices; at least
/// kMinExtreme.
double extremeOf(const DeviceMapData& data);

void paint(QPainter& painter, const QRectF& rect, const DeviceMapData& data, const ViewStyle& style,
           std::optional<std::size_t> selected = {});

} // namespace jitterscope::views::device_map
