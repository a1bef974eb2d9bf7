#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

namespace jitterscope::views {

struct DeviceCell {
  QString name;
  QStringList places; ///< values of DeviceMapData::placeColumns; empty text: unknown
  std::int64_t rows = 0;
  double mean = 0; ///< mean of the target, in its unit; geometric if DeviceMapData::logarithm
  /// Percent from the mean of all devices, with its 95 % interval; need not have the sign of the difference
  /// of the means. NaN: the device cannot be compared.
  double difference = 0, low = 0, high = 0;
};

/// Devices of a fleet, highest first.
struct DeviceMapData {
  QString target, targetUnit;
  QString unit;             ///< "GPUs"
  QString column;           ///< name of the column that identifies the devices
  QStringList placeColumns; ///< location columns, outermost first
  std::vector<DeviceCell> devices;
  bool logarithm = false;          ///< differences are those of the logarithm, so means are geometric
  bool sameConfigurations = false; ///< differences are between launches of the same configuration
  QString sentence;                ///< states at which level the variance arises
};

} // namespace jitterscope::views
