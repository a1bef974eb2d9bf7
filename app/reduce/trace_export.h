#pragma once

#include <QString>
#include <QStringList>
#include <functional>

#include "app/session/session_controller.h"

namespace jitterscope::app {

/// Names of the files that writing a trace to `path` would replace: with .prv also the .pcf and .row.
QStringList existing_outputs(const QString& path);

/// Writes the whole session in another tool's format, chosen by the extension: .prv for Paraver, .json for
/// Perfetto, .csv for a table of all launches. Existing files are replaced. `ended` gets a summary. Errors:
/// BadUse for other extensions, and those of the engine.
void export_trace(SessionController& session, const QString& path,
                  std::function<void(const Expected<QString>& summary)> ended);

} // namespace jitterscope::app
