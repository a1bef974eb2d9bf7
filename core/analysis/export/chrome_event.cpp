#include "core/analysis/export/chrome_event.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

namespace jitterscope::analysis {
namespace {

// Length of the valid UTF-8 sequence at the start of the text; 0 if there is none (RFC 3629).
std::size_t sequence_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xC2 && first < 0xE0   ? 2
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xF0 && first < 0xF5 ? 4
                                                           : 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0, beyond = first == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : size;
}

} // namespace

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto size = sequence_at(text);
    const char c = text.front();
    if (size == 0)
      out += "\xEF\xBF\xBD";
    else if (c == '"' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == 0x7F)
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  out += '"';
}

ChromeEvent::ChromeEvent(std::string& out, char phase, std::string_view category, std::string_view name,
                         const ChromePlace& place)
    : out_(out) {
  fmt::format_to(std::back_inserter(out_), "{{\"ph\":\"{}\"", phase);
  if (!category.empty()) member("cat", category);
  member("name", name);
  member("pid", place.pid);
  member("tid", place.tid);
}

void ChromeEvent::key(std::string_view key) {
  out_ += ',';
  append_json_text(out_, key);
  out_ += ':';
}

void ChromeEvent::microseconds(std::int64_t ns) {
  fmt::format_to(std::back_inserter(out_), "{}.{:03}", ns / 1000, ns % 1000);
}

void ChromeEvent::time(std::int64_t ns) {
  key("ts");
  microseconds(ns);
}

void ChromeEvent::duration(std::int64_t ns) {
  key("dur");
  microseconds(ns);
}

void ChromeEvent::member(std::string_view name, std::int64_t value) {
  key(name);
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void ChromeEvent::member(std::string_view name, std::string_view text) {
  key(name);
  append_json_text(out_, text);
}

void ChromeEvent::argument_key(std::string_view name) {
  out_ += arguments_ ? "," : ",\"args\":{";
  arguments_ = true;
  append_json_text(out_, name);
  out_ += ':';
}

void ChromeEvent::argument(std::string_view name, std::int64_t value) {
  argument_key(name);
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void ChromeEvent::argument(std::string_view name, double value) {
  argument_key(name);
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void ChromeEvent::argument(std::string_view name, std::string_view text) {
  argument_key(name);
  append_json_text(out_, text);
}

void ChromeEvent::argument(std::string_view name, const std::uint32_t (&triple)[3]) {
  argument_key(name);
  fmt::format_to(std::back_inserter(out_), "[{},{},{}]", triple[0], triple[1], triple[2]);
}

void ChromeEvent::end() {
  out_ += arguments_ ? "}}" : "}";
}

} // namespace jitterscope::analysis
