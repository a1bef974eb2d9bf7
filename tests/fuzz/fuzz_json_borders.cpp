// Borders of elements found 64 bytes at a time equal those found byte by byte, for any division of the
// text.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/import/text/json/structure.h"

namespace jitterscope::import::json {
namespace {

Scan scan_by_bytes(std::string_view text) {
  Scan found;
  bool in_string = false, escaped = false;
  std::int64_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool hidden = escaped;
    escaped = c == '\\' && !hidden;
    if (c == '"' && !hidden) in_string = !in_string;
    if (in_string || c == '"') continue;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth < 0) {
      found.end = at;
      return found;
    }
    if (c == ',' && depth == 0) found.last_comma = at;
  }
  return found;
}

} // namespace
} // namespace jitterscope::import::json

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace jitterscope::import::json;
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 2, size - 2);
  const auto expected = scan_by_bytes(text);
  Scan found;
  ScanState state;
  for (std::size_t at = 0, turn = 0; at < text.size() && found.end == kNowhere; ++turn) {
    const auto length = std::min<std::size_t>(1 + bytes[turn % 2] * (1 + turn % 3), text.size() - at);
    const std::unique_ptr<char[]> piece(new char[length]); // exact size for the sanitizer
    std::memcpy(piece.get(), text.data() + at, length);
    const auto here = scan({piece.get(), length}, state);
    if (here.last_comma != kNowhere) found.last_comma = at + here.last_comma;
    if (here.end != kNowhere) found.end = at + here.end;
    at += length;
  }
  if (found.end != expected.end || found.last_comma != expected.last_comma) std::abort();
  return 0;
}
