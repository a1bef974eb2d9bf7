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

/// After or before these words, "launch" means a launch on a device for any kind of rows, or is a verb.
constexpr std::array<std::string_view, 6> kBefore{"kernel ", "Kernel ", "graph ", "Graph ", "GPU ", "CUDA "};
constexpr std::array<std::string_view, 9> kBehind{
    " configuration", " call", " order", " queue", " from a graph", " each kernel", " ahead", " delay", "-"};

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_of_identifier(char c) {
  return is_letter(c) || c == '_' || c == '-';
}

/// Words about launches, and those for other rows.
struct Phrase {
  std::string_view of_launches, of_rows;
};
constexpr std::array<Phrase, 3> kPhrases{
    {{"on the stream", "on the thread"}, {"kernel variability", "variability"}, {"top kernel", "mostly"}}};

const Phrase* phrase_at(std::string_view text, std::size_t at) {
  const auto found = std::find_if(kPhrases.begin(), kPhrases.end(), [&](const Phrase& phrase) {
    return text.substr(at).starts_with(phrase.of_launches);
  });
  return found == kPhrases.end() ? nullptr : &*found;
}

/// Length of "launch" or "launches" at `at` if it is a noun of rows; 0 otherwise.
std::size_t noun_at(std::string_view text, std::size_t at) {
  if (text[at] != 'l' && text[at] != 'L') return 0;
  const auto behind = text.substr(at + 1);
  const std::size_t length = behind.starts_with("aunches") ? 8 : behind.starts_with("aunch") ? 6 : 0;
  if (length == 0 || (at > 0 && is_of_identifier(text[at - 1]))) return 0;
  const auto before = text.substr(0, at), rest = text.substr(at + length);
  if (!rest.empty() && is_of_identifier(rest.front())) return 0;
  if (rest.starts_with(':') && (rest.size() < 2 || rest[1] != ' ')) return 0; // a link
  const auto ends = [&](std::string_view with) { return before.ends_with(with); };
  const auto begins = [&](std::string_view with) { return rest.starts_with(with); };
  if (std::any_of(kBefore.begin(), kBefore.end(), ends) ||
      std::any_of(kBehind.begin(), kBehind.end(), begins))
    return 0;
  return length;
}

/// Length of the words at `at` that depend on the kind of the rows; 0 if there are none.
std::size_t words_at(std::string_view text, std::size_t at) {
  const auto* phrase = phrase_at(text, at);
  return phrase ? phrase->of_launches.size() : noun_at(text, at);
}

/// Position after the text in backticks or quotes that begins at `at`; `at` if no such text begins there.
std::size_t after_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote != '`' && quote != '\'' && quote != '"') return at;
  if (quote != '`' && at > 0 && is_letter(text[at - 1])) return at; // an apostrophe
  auto end = text.find(quote, at + 1);
  while (quote == '\'' && end != text.npos && end + 1 < text.size() && is_letter(text[end + 1]))
    end = text.find(quote, end + 1);
  return end == text.npos ? (quote == '`' ? text.size() : at) : end + 1;
}

/// Whether a text begins with a name; its first letter may be a capital, as at the beginning of a sentence.
bool begins_with_name(std::string_view text, std::string_view name) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return !text.empty() && lower(text.front()) == lower(name.front()) &&
         text.substr(1).starts_with(name.substr(1));
}

} // namespace

void NounNames::add(std::string_view name) {
  const auto contains = [&](std::string_view text) { return name.find(text) != name.npos; };
  if (!contains("aunch") && std::ranges::none_of(kPhrases, contains, &Phrase::of_launches)) return;
  for (std::size_t at = 0; at < name.size(); ++at)
    if (words_at(name, at) > 0) nouns_.emplace(name, at);
}

void NounNames::add_option(std::string_view text) {
  if (!text.empty() && words_at(text, 0) != text.size()) add(text);
}

bool NounNames::covers(std::string_view text, std::size_t at) const {
  return std::any_of(nouns_.begin(), nouns_.end(), [&](const auto& noun) {
    const auto& [name, place] = noun;
    if (at < place || !begins_with_name(text.substr(at - place), name)) return false;
    const auto begin = at - place, end = begin + name.size();
    return !(begin > 0 && is_letter(name.front()) && is_letter(text[begin - 1])) &&
           !(end < text.size() && is_letter(name.back()) && is_letter(text[end]));
  });
}

std::string with_row_noun(std::string_view text, std::string_view rows, const NounNames& names) {
  if (rows == "launches" || rows.empty()) return std::string(text);
  const auto found =
      std::find_if(kNouns.begin(), kNouns.end(), [&](const RowNoun& noun) { return noun.rows == rows; });
  const RowNoun& noun = found == kNouns.end() ? kAnyRow : *found;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto length = words_at(text, at);
    if (length == 0 || names.covers(text, at)) {
      const auto end = std::max(after_quoted(text, at), at + std::max<std::size_t>(length, 1));
      out += text.substr(at, end - at), at = end;
      continue;
    }
    const auto begin = out.size();
    const auto* phrase = phrase_at(text, at);
    out += phrase ? phrase->of_rows : length == 6 ? noun.one : noun.many;
    if (text[at] == 'L') out[begin] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[begin])));
    at += length;
  }
  return out;
}

Error with_row_noun(Error error, std::string_view rows, const NounNames& names) {
  error.message = with_row_noun(error.message, rows, names);
  error.hint = with_row_noun(error.hint, rows, names);
  return error;
}

void set_row_noun(nlohmann::json& document, std::string_view rows, const NounNames& names) {
  if (rows == "launches" || rows.empty()) return;
  for (auto& [key, value] : document.items())
    if (value.is_structured())
      set_row_noun(value, rows, names);
    else if (document.is_object() && key == "description" && value.is_string())
      value = with_row_noun(value.get<std::string>(), rows, names);
}

} // namespace jitterscope::engine
