#include "core/import/text/json/elements.h"

#include "core/import/text/text.h"

namespace jitterscope::import::json {
namespace {

// Control characters are not allowed in texts, but tools that do not escape write them.
bool make_readable(std::string& text) {
  bool changed = false;
  if (!is_clean_text(text)) {
    text = clean_text(text);
    changed = true;
  }
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20) {
      changed = changed || (c != '\n' && c != '\r' && c != '\t');
      c = ' ';
    }
  return changed;
}

} // namespace

// The slow path, for a chunk with an error in it: one element after the other, each in a separate
// document.
void Elements::one_by_one(std::string_view text, std::size_t first, ElementIssues& issues,
                          const Try& attempt) {
  std::int64_t depth = 0;
  bool quoted = false;
  std::size_t begin = 1, number = 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    const bool last = at + 1 == text.size();
    if (!last && (c != ',' || depth != 0)) continue;
    if (number++ >= first) {
      auto& element = rewritten_.emplace_back("[");
      element.append(text.substr(begin, at - begin));
      if (make_readable(element)) ++issues.not_utf8;
      element += ']';
      const auto size = element.size();
      element.append(simdjson::SIMDJSON_PADDING, ' ');
      if (!attempt(element.data(), size, element.size())) ++issues.broken;
    }
    begin = at + 1;
  }
}

} // namespace jitterscope::import::json
