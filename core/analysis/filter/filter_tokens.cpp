#include "core/analysis/filter/filter_tokens.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/analysis/filter/decimal.h"

namespace jitterscope::analysis {
namespace {

constexpr std::array<std::pair<std::string_view, Unit>, 19> kUnits = {
    {{"ns", {Dimension::Time, 1}},
     {"us", {Dimension::Time, 1e3}},
     {"ms", {Dimension::Time, 1e6}},
     {"s", {Dimension::Time, 1e9}},
     {"B", {Dimension::Size, 1}},
     {"KB", {Dimension::Size, 1e3}},
     {"MB", {Dimension::Size, 1e6}},
     {"GB", {Dimension::Size, 1e9}},
     {"KiB", {Dimension::Size, 1024.0}},
     {"MiB", {Dimension::Size, 1048576.0}},
     {"GiB", {Dimension::Size, 1073741824.0}},
     {"Hz", {Dimension::Frequency, 1}},
     {"kHz", {Dimension::Frequency, 1e3}},
     {"MHz", {Dimension::Frequency, 1e6}},
     {"GHz", {Dimension::Frequency, 1e9}},
     {"mW", {Dimension::Power, 1e-3}},
     {"W", {Dimension::Power, 1}},
     {"kW", {Dimension::Power, 1e3}},
     {"%", {Dimension::Fraction, 0.01}}}};

tl::unexpected<Error> at(std::size_t place, const std::string& message) {
  return failure(ErrorKind::BadUse, message, {}, "character " + std::to_string(place + 1) + " of the filter",
                 "Example: duration > 20us and name ~ /gemm/ and stream in (7, 13)");
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Tokenizer {
public:
  explicit Tokenizer(const std::string& text) : text_(text) {}

  Expected<std::vector<Token>> run() {
    std::vector<Token> tokens;
    for (;;) {
      while (pos_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[pos_]))) ++pos_;
      if (pos_ >= text_.size()) break;
      auto token = next(!tokens.empty() && tokens.back().kind == TokenKind::Symbol &&
                        tokens.back().text.back() == '~');
      if (!token) return forward(token.error());
      tokens.push_back(std::move(*token));
    }
    tokens.push_back({TokenKind::End, "", 0, pos_ + 1, {}});
    return tokens;
  }

private:
  Expected<Token> next(bool regex_expected) {
    const char c = text_[pos_];
    const bool sign = (c == '-' || c == '+') && pos_ + 1 < text_.size();
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (sign && std::isdigit(static_cast<unsigned char>(text_[pos_ + 1]))) || c == '.')
      return number();
    if (is_name(c)) return name();
    if (c == '"' || c == '\'') return quoted(c, TokenKind::Text);
    if (c == '/' && regex_expected) return quoted('/', TokenKind::Regex);
    return symbol();
  }

  Expected<Token> number() {
    const std::size_t begin = pos_;
    if (text_[pos_] == '+') ++pos_;
    double value = 0;
    const auto parsed = std::from_chars(text_.data() + pos_, text_.data() + text_.size(), value);
    if (parsed.ec != std::errc()) return at(begin, "this is not a number");
    const std::string_view digits(text_.data() + pos_, parsed.ptr);
    pos_ = static_cast<std::size_t>(parsed.ptr - text_.data());
    bool decimal = true;
    if (pos_ < text_.size() && text_[pos_] == '^') {
      decimal = false;
      double power = 0;
      const auto exponent = std::from_chars(text_.data() + pos_ + 1, text_.data() + text_.size(), power);
      if (exponent.ec != std::errc()) return at(pos_, "a number must follow \"^\"");
      pos_ = static_cast<std::size_t>(exponent.ptr - text_.data());
      value = std::pow(value, power);
    }
    const std::size_t unit_begin = pos_;
    while (pos_ < text_.size() && (is_name(text_[pos_]) || text_[pos_] == '%')) ++pos_;
    const std::string_view unit = std::string_view(text_).substr(unit_begin, pos_ - unit_begin);
    if (unit.empty()) return Token{TokenKind::Number, "", value, begin + 1, Dimension::None, 0, 1, pos_};
    if (const auto known = unit_of(unit))
      return Token{TokenKind::Number,
                   "",
                   decimal ? in_base_units(digits, known->factor) : value * known->factor,
                   begin + 1,
                   known->dimension,
                   value,
                   known->factor};
    std::string all;
    for (const auto& [known, factor] : kUnits) all += " " + std::string(known);
    return at(unit_begin, "unknown unit \"" + std::string(unit) + "\" (known:" + all + ")");
  }

  Expected<Token> name() {
    const std::size_t begin = pos_;
    while (pos_ < text_.size() && is_name(text_[pos_])) ++pos_;
    return Token{TokenKind::Name, text_.substr(begin, pos_ - begin), 0, begin + 1, {}};
  }

  // A backslash escapes the closing character, in texts also a backslash; other escapes are unchanged (they
  // belong to the regex).
  Expected<Token> quoted(char close, TokenKind kind) {
    const std::size_t begin = pos_++;
    std::string content;
    while (pos_ < text_.size() && text_[pos_] != close) {
      const char next = text_[pos_] == '\\' && pos_ + 1 < text_.size() ? text_[pos_ + 1] : '\0';
      if (next == close || (next == '\\' && kind == TokenKind::Text)) ++pos_;
      content += text_[pos_++];
    }
    if (pos_ >= text_.size()) return at(begin, std::string("the closing ") + close + " is missing");
    ++pos_;
    return Token{kind, std::move(content), 0, begin + 1, {}};
  }

  Expected<Token> symbol() {
    static constexpr std::array<std::string_view, 12> kSymbols = {"==", "!=", "<=", ">=", "!~", "=",
                                                                  "<",  ">",  "~",  "(",  ")",  ","};
    for (const auto known : kSymbols)
      if (std::string_view(text_).substr(pos_, known.size()) == known) {
        const std::size_t begin = pos_;
        pos_ += known.size();
        return Token{TokenKind::Symbol, std::string(known), 0, begin + 1, {}};
      }
    return at(pos_, std::string("unexpected \"") + text_[pos_] + "\"");
  }

  const std::string& text_;
  std::size_t pos_ = 0;
};

} // namespace

std::optional<Unit> unit_of(std::string_view text) {
  for (const auto& [known, unit] : kUnits)
    if (text == known) return unit;
  return {};
}

std::string quoted_text(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

Expected<std::vector<Token>> tokenize_filter(const std::string& text) {
  return Tokenizer(text).run();
}

} // namespace jitterscope::analysis
