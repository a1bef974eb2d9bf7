#pragma once

#include <QSettings>

namespace jitterscope::app {

/// The user's settings: a file in $JITTERSCOPE_STATE where that is set, else where the system keeps them.
inline QSettings settings() {
  const QString folder = qEnvironmentVariable("JITTERSCOPE_STATE");
  if (!folder.isEmpty()) return QSettings(folder + "/settings.ini", QSettings::IniFormat);
  return QSettings("jitterscope", "jitterscope");
}

} // namespace jitterscope::app
