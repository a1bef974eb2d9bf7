#include "core/base/log.h"

#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

namespace jitterscope {

void log(LogLevel level, std::string_view text) {
  static const bool debug = [] {
    const char* wanted = std::getenv("JITTERSCOPE_LOG");
    return wanted != nullptr && std::strcmp(wanted, "debug") == 0;
  }();
  if (level == LogLevel::Debug && !debug) return;
  static constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
  fmt::print(stderr, "jitterscope: {}: {}\n", kNames[static_cast<int>(level)], text);
}

} // namespace jitterscope
