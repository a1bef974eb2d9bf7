#include "core/base/log.h"

#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

namespace jitterscope {

void log(LogLevel level, std::string_view text) {
  static const bool debug = [] {
    const char* requested = std::getenv("JITTERSCOPE_LOG");
    return requested != nullptr && std::strcmp(requested, "debug") == 0;
  }();
  if (level == LogLevel::Debug && !debug) return;
  static constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
  fmt::print(stderr, "jitterscope: {}: {}\n", kNames[static_cast<int>(level)], text);
}

} // namespace jitterscope
