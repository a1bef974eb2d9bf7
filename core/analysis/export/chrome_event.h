#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/analysis/export/chrome_places.h"

namespace jitterscope::analysis {

/// Appends a text as a JSON string; invalid UTF-8 becomes U+FFFD, and "<" is escaped, so that the text cannot
/// end a script of a page that embeds the trace.
void append_json_text(std::string& out, std::string_view text);

/// Writes one event of a Chrome trace at the end of a text, with its members in PyTorch's order.
class ChromeEvent {
public:
  ChromeEvent(std::string& out, char phase, std::string_view category, std::string_view name,
              const ChromePlace& place);
  void time(std::int64_t ns);     ///< ns ≥ 0
  void duration(std::int64_t ns); ///< writes "dur"; ns ≥ 0
  void member(std::string_view key, std::int64_t value);
  void member(std::string_view key, std::string_view text);
  /// Arguments come last.
  void argument(std::string_view key, std::int64_t value);
  void argument(std::string_view key, double value); ///< `value` is finite
  void argument(std::string_view key, std::string_view text);
  void argument(std::string_view key, const std::uint32_t (&triple)[3]);
  void end();

private:
  void key(std::string_view key);
  void argument_key(std::string_view key);
  void microseconds(std::int64_t ns);

  std::string& out_;
  bool arguments_ = false;
};

} // namespace jitterscope::analysis
