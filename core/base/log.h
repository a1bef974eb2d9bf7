#pragma once

#include <string_view>

namespace jitterscope {

enum class LogLevel { Debug, Info, Warning, Error };

/// Writes one line to stderr: "jitterscope: warning: …". Debug lines appear only with JITTERSCOPE_LOG=debug.
void log(LogLevel level, std::string_view text);

} // namespace jitterscope
