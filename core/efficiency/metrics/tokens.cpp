#include "core/efficiency/metrics/tokens.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "core/analysis/filter/decimal.h"

namespace jitterscope::efficiency::metrics {
namespace {

constexpr std::pair<std::string_view, double> kUnits[] = {
    {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr std::string_view kSymbols[] = {"<=", ">=", "==", "!=", "!~", "<", ">", "=", "~", "+",
                                         "-",  "*",  "/",  "%",  "(",  ")", "[", "]", ",", ";"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Length of the first UTF-8 character in bytes, 0 if it is invalid.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (lead == 0xE0 && byte(1) < 0xA0) return 0; // overlong encoding
  if (lead == 0xED && byte(1) > 0x9F) return 0; // surrogates
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

class Tokenizer {
public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Expected<std::vector<Token>> run() {
    std::vector<Token> tokens;
    for (;;) {
      if (auto skipped = skip(); !skipped) return forward(skipped.error());
      if (text_.empty()) break;
      auto token = next(!tokens.empty() && ends_value(tokens.back()));
      if (!token) return forward(token.error());
      tokens.push_back(std::move(*token));
    }
    tokens.push_back({TokenKind::End, {}, 0, false, place_});
    return tokens;
  }

private:
  // After a value a slash is a division, elsewhere it begins a pattern.
  static bool ends_value(const Token& token) {
    return token.kind != TokenKind::Symbol || token.text == ")" || token.text == "]";
  }

  /// Advances by one character; an error if the bytes are not UTF-8.
  Expected<void> advance(std::string* into = nullptr) {
    const auto length = character_length(text_);
    if (length == 0 || text_.front() == '\0')
      return wrong_at(place_,
                      fmt::format("byte {:02x} is not UTF-8 text", static_cast<unsigned char>(text_.front())),
                      "Save the definition as UTF-8.");
    if (into) into->append(text_.substr(0, length));
    if (text_.front() == '\n')
      place_ = {place_.line + 1, 1};
    else
      ++place_.column;
    text_.remove_prefix(length);
    return {};
  }
  void ascii(std::size_t count) {
    text_.remove_prefix(count);
    place_.column += static_cast<int>(count);
  }

  Expected<void> skip() {
    bool comment = false;
    while (!text_.empty()) {
      const char c = text_.front();
      if (c == '#') comment = true;
      if (c == '\n') comment = false;
      const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
      if (!comment && !space) return {};
      if (auto passed = advance(); !passed) return passed;
    }
    return {};
  }

  Expected<Token> next(bool after_value) {
    const char c = text_.front();
    Token token{TokenKind::Name, {}, 0, false, place_};
    if (is_letter(c)) {
      std::size_t length = 1;
      while (length < text_.size() && (is_letter(text_[length]) || is_digit(text_[length]))) ++length;
      token.text = text_.substr(0, length);
      ascii(length);
      return token;
    }
    if (is_digit(c) || (c == '.' && text_.size() > 1 && is_digit(text_[1]))) return number(std::move(token));
    if (c == '"' || (c == '/' && !after_value)) return quoted(std::move(token), c);
    for (const auto symbol : kSymbols)
      if (text_.starts_with(symbol)) {
        token.kind = TokenKind::Symbol;
        token.text = symbol;
        ascii(symbol.size());
        return token;
      }
    for (const auto& [symbol, word] : {std::pair{"&&", "and"}, {"||", "or"}, {"!", "not"}})
      if (text_.starts_with(symbol))
        return wrong_at(token.place, fmt::format("\"{}\" has no meaning here", symbol),
                        fmt::format("Use {}.", word));
    std::string character;
    if (auto passed = advance(&character); !passed) return forward(passed.error());
    return wrong_at(token.place, fmt::format("\"{}\" has no meaning here", character),
                    character == "'" ? "Texts are in double quotes." : "");
  }

  Expected<Token> number(Token token) {
    token.kind = TokenKind::Number;
    const auto read = std::from_chars(text_.data(), text_.data() + text_.size(), token.number);
    const auto length = static_cast<std::size_t>(read.ptr - text_.data());
    if (read.ec != std::errc() || !std::isfinite(token.number))
      return wrong_at(token.place, "this number is too large or too small", "Numbers reach to 1.8e308.");
    token.text = text_.substr(0, length);
    ascii(length);
    for (const auto& [unit, factor] : kUnits) {
      if (!text_.starts_with(unit)) continue;
      const char after = text_.size() > unit.size() ? text_[unit.size()] : ' ';
      if (is_letter(after) || is_digit(after)) continue;
      text_.remove_prefix(unit.size());
      place_.column += unit == "s" ? 1 : 2;
      token.number = analysis::in_base_units(token.text, factor);
      token.has_unit = true;
      if (!std::isfinite(token.number)) return wrong_at(token.place, "this time is too long");
      return token;
    }
    if (!text_.empty() && is_letter(text_.front()))
      return wrong_at(place_, "this is not a unit of time", "Known units: ns, us, ms, s.");
    return token;
  }

  // A backslash escapes the closing character; other backslashes are part of the pattern.
  Expected<Token> quoted(Token token, char close) {
    token.kind = close == '/' ? TokenKind::Pattern : TokenKind::Text;
    ascii(1);
    for (;;) {
      if (text_.empty() || text_.front() == '\n')
        return wrong_at(token.place, fmt::format("the closing {} is missing", close));
      if (text_.front() == close) break;
      if (text_.front() == '\\' && text_.size() > 1 && text_[1] == close) ascii(1);
      if (auto passed = advance(&token.text); !passed) return forward(passed.error());
    }
    ascii(1);
    return token;
  }

  std::string_view text_;
  Place place_;
};

} // namespace

tl::unexpected<Error> wrong_at(Place place, std::string message, std::string hint) {
  return failure(ErrorKind::BadUse, std::move(message), {}, to_string(place), std::move(hint));
}

std::string to_string(Place place) {
  return fmt::format("line {}, column {}", place.line, place.column);
}

Expected<std::vector<Token>> tokens_of(std::string_view text) {
  return Tokenizer(text).run();
}

} // namespace jitterscope::efficiency::metrics
