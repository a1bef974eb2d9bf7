#pragma once

#include <QStringList>

namespace jitterscope::app {

/// Shows the main window, opens the files and runs until it is closed. Needs a QApplication.
int window_main(const QStringList& files, const QStringList& mapping);

} // namespace jitterscope::app
