#include "core/engine/messages/row_noun.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace jitterscope::engine {
namespace {

struct RowNoun {
  std::string_view rows, one, many;
};

constexpr std::array<RowNoun, 3> kNouns{
    {{"bursts", "burst", "bursts"}, {"ranges", "range", "ranges"}, {"calls", "call", "calls"}}};
constexpr RowNoun kAnyRow{"", "row", "rows"};

/// Words next to "launch" where it is a launch of a device, whatever the rows are, or a verb.
constexpr std::array<std::string_view, 7> kBefore{"kernel ", "Kernel ", "graph ",   "Graph ",
                                                  "GPU ",    "CUDA ",   "burst of "};
constexpr std::array<std::string_view, 9> kBehind{
    " configuration", " call", " order", " queue", " from a graph", " each kernel", " ahead", " delay", "-"};

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
}

/// Length of "launch" or "launches" at `at` if it is a noun of rows; 0 otherwise.
std::size_t noun_at(std::string_view text, std::size_t at) {
  if (text[at] != 'l' && text[at] != 'L') return 0;
  const auto behind = text.substr(at + 1);
  const std::size_t length = behind.starts_with("aunches") ? 8 : behind.starts_with("aunch") ? 6 : 0;
  if (length == 0 || (at > 0 && is_letter(text[at - 1]))) return 0;
  const auto before = text.substr(0, at), rest = text.substr(at + length);
  if (!rest.empty() && is_letter(rest.front())) return 0;
  if (rest.starts_with(':') && (rest.size() < 2 || rest[1] != ' ')) return 0; // a link
  const auto ends = [&](std::string_view with) { return before.ends_with(with); };
  const auto begins = [&](std::string_view with) { return rest.starts_with(with); };
  if (std::any_of(kBefore.begin(), kBefore.end(), ends) ||
      std::any_of(kBehind.begin(), kBehind.end(), begins))
    return 0;
  return length;
}

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void set_in(nlohmann::json& value, std::string_view rows) {
  if (value.is_string())
    value = with_row_noun(value.get_ref<const std::string&>(), rows);
  else if (value.is_array())
    for (auto& item : value) set_in(item, rows);
}

} // namespace

std::string with_row_noun(std::string_view text, std::string_view rows) {
  if (rows == "launches" || rows.empty()) return std::string(text);
  const auto found =
      std::find_if(kNouns.begin(), kNouns.end(), [&](const RowNoun& noun) { return noun.rows == rows; });
  const RowNoun& noun = found == kNouns.end() ? kAnyRow : *found;
  constexpr std::string_view kStream = "on the stream";
  std::string out;
  out.reserve(text.size());
  bool code = false;
  for (std::size_t at = 0; at < text.size();) {
    code = code != (text[at] == '`');
    const auto length = code ? 0 : noun_at(text, at);
    if (length == 0 && !code && text.substr(at).starts_with(kStream)) { // these rows have a thread instead
      out += "on the thread", at += kStream.size();
      continue;
    }
    if (length == 0) {
      out += text[at++];
      continue;
    }
    const auto begin = out.size();
    out += length == 6 ? noun.one : noun.many;
    if (text[at] == 'L') out[begin] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[begin])));
    at += length;
  }
  return out;
}

Error with_row_noun(Error error, std::string_view rows) {
  error.message = with_row_noun(error.message, rows), error.hint = with_row_noun(error.hint, rows);
  return error;
}

void set_row_noun(nlohmann::json& document, std::string_view rows, bool of_rows) {
  if (rows == "launches" || rows.empty()) return;
  if (document.is_array())
    for (auto& item : document) set_row_noun(item, rows, of_rows);
  if (!document.is_object()) return;
  const bool is_value = document.contains("value"); // its text is that of the value
  for (auto& [key, value] : document.items()) {
    if (key == "report") continue; // of the import: describes the files, not the rows
    const bool text = key == "description" ||
                      (of_rows && (is_one_of(key, {"label", "sentences", "device_sentences", "reading_text",
                                                   "reason_note", "target_label", "rule", "note"}) ||
                                   (key == "reason" && value.is_string()) || (key == "text" && !is_value)));
    if (text)
      set_in(value, rows);
    else
      set_row_noun(value, rows, of_rows);
  }
}

} // namespace jitterscope::engine
