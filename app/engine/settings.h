#pragma once

#include <QSettings>

namespace jitterscope::app {

/// The user's settings: a file in $JITTERSCOPE_STATE if set, else the default location of the system.
inline QSettings settings() {
  const QString folder = qEnvironmentVariable("JITTERSCOPE_STATE");
  if (!folder.isEmpty()) return QSettings(folder + "/settings.ini", QSettings::IniFormat);
  return QSettings("jitterscope", "jitterscope");
}

} // namespace jitterscope::app
