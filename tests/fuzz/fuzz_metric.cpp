// Definitions of metrics: any bytes are parsed or rejected with a position. The level of a parsed definition
// covers that of its expression.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/efficiency/metrics/syntax.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace jitterscope::efficiency::metrics;
  const auto read = parse({reinterpret_cast<const char*>(bytes), size});
  if (!read && (read.error().kind != jitterscope::ErrorKind::BadUse || read.error().message.empty()))
    std::abort();
  if (!read && size <= kMaxText && read.error().place.empty()) std::abort();
  if (read && !covers(read->level, read->metric.level)) std::abort();
  return 0;
}
