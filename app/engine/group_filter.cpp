#include "app/engine/group_filter.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/filter/filter_tokens.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

using analysis::Token;
using analysis::TokenKind;
using Tokens = std::span<const Token>;

bool is(const Token& token, TokenKind kind, std::string_view text) {
  return token.kind == kind && token.text == text;
}
bool opens(const Token& token) {
  return is(token, TokenKind::Symbol, "(");
}
bool closes(const Token& token) {
  return is(token, TokenKind::Symbol, ")");
}

/// One of the conditions joined by "and".
struct Condition {
  Tokens tokens;             ///< without enclosing brackets
  bool alternatives = false; ///< contains "or": needs brackets next to other conditions
};

Tokens without_brackets(Tokens tokens) {
  while (tokens.size() > 2 && opens(tokens.front()) && closes(tokens.back())) {
    int depth = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      depth += opens(tokens[i]) - closes(tokens[i]);
      if (depth == 0) return tokens; // the first bracket closes before the end: "(a) or (b)"
    }
    tokens = tokens.subspan(1, tokens.size() - 2);
  }
  return tokens;
}

/// Positions of the joining words outside brackets, excluding the "and" of "between a and b".
std::vector<std::size_t> joints(Tokens tokens, std::string_view word) {
  std::vector<std::size_t> places;
  int depth = 0;
  bool between = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    depth += opens(tokens[i]) - closes(tokens[i]);
    if (depth != 0) continue;
    if (is(tokens[i], TokenKind::Name, "between")) {
      between = true;
    } else if (is(tokens[i], TokenKind::Name, "and") && between) {
      between = false;
    } else if (is(tokens[i], TokenKind::Name, word)) {
      places.push_back(i);
    }
  }
  return places;
}

void add_conditions(Tokens tokens, std::vector<Condition>& to) {
  tokens = without_brackets(tokens);
  if (!joints(tokens, "or").empty()) return to.push_back({tokens, true});
  const auto cuts = joints(tokens, "and");
  if (cuts.empty()) return to.push_back({tokens, false});
  std::size_t first = 0;
  for (const auto cut : cuts) {
    add_conditions(tokens.subspan(first, cut - first), to);
    first = cut + 1;
  }
  add_conditions(tokens.subspan(first), to);
}

/// Canonical text of "column = value" if the tokens compare this column.
std::optional<QString> group_of(Tokens tokens, const QString& column) {
  const bool one_of =
      tokens.size() == 5 && is(tokens[1], TokenKind::Name, "in") && opens(tokens[2]) && closes(tokens[4]);
  const bool equal =
      tokens.size() == 3 && (is(tokens[1], TokenKind::Symbol, "=") || is(tokens[1], TokenKind::Symbol, "=="));
  if ((!one_of && !equal) || tokens[0].kind != TokenKind::Name) return std::nullopt;
  const QString name = QString::fromStdString(tokens[0].text);
  if (name != column && name + "_ns" != column) return std::nullopt; // filters accept both names
  const Token& value = tokens[one_of ? 3 : 2];
  if (value.kind == TokenKind::Number) return group_condition(column, value.number);
  if (value.kind == TokenKind::Text) return group_condition(column, QString::fromStdString(value.text));
  return std::nullopt;
}

/// A filter split into its conditions.
class Parts {
public:
  explicit Parts(const QString& where) : text_(where.toStdString()) {
    auto tokens = analysis::tokenize_filter(text_);
    if (!tokens || tokens->size() < 2) return;
    tokens_ = std::move(*tokens);
    const Tokens all = Tokens(tokens_).first(tokens_.size() - 1);
    const auto count = [&](auto&& which) { return std::count_if(all.begin(), all.end(), which); };
    if (count(opens) == count(closes)) add_conditions(all, conditions_);
    const auto empty = [](const Condition& condition) { return condition.tokens.empty(); };
    if (std::any_of(conditions_.begin(), conditions_.end(), empty))
      conditions_.clear(); // not a valid filter: "rank = 6 and"
  }

  std::size_t size() const { return conditions_.size(); }
  std::optional<QString> group(std::size_t i, const QString& column) const {
    return group_of(conditions_[i].tokens, column);
  }

  /// Whether a condition compares this column.
  bool is_on(std::size_t i, const QString& column) const {
    const auto& [tokens, alternatives] = conditions_[i];
    return !alternatives && tokens.front().kind == TokenKind::Name &&
           column == QString::fromStdString(tokens.front().text);
  }

  /// Joins the conditions, with `put` replacing the one at `place`, or appended; an empty text removes the
  /// condition.
  QString joined(std::optional<std::size_t> place, const QString& put) const {
    QStringList texts;
    const bool alone = size() + !place - (place && put.isEmpty()) == 1;
    for (std::size_t i = 0; i < size(); ++i) {
      if (place == i) {
        if (!put.isEmpty()) texts << put;
        continue;
      }
      const QString text = text_of(conditions_[i].tokens);
      texts << (conditions_[i].alternatives && !alone ? "(" + text + ")" : text);
    }
    if (!place) texts << put;
    return texts.join(" and ");
  }

private:
  // Text as typed, from its first character to the blanks before the next token.
  QString text_of(Tokens tokens) const {
    const std::size_t begin = tokens.front().place - 1;
    const Token& next = *(tokens.data() + tokens.size()); // exists: the end token follows the last one
    return QString::fromStdString(text_.substr(begin, next.place - 1 - begin)).trimmed();
  }

  std::string text_;
  std::vector<Token> tokens_;
  std::vector<Condition> conditions_;
};

std::optional<std::size_t> place_of(const Parts& parts, const QString& column) {
  if (column.isEmpty()) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts.group(i, column)) return i;
  return std::nullopt;
}

/// `where` and `condition`. `parts`: the conditions of `where`; empty if `where` is not a valid filter.
QString appended(const Parts& parts, const QString& where, const QString& condition) {
  if (parts.size() > 0) return parts.joined(std::nullopt, condition);
  return where.trimmed().isEmpty() ? condition : "(" + where.trimmed() + ") and " + condition;
}

} // namespace

QString quoted_text(const QString& text) {
  return QString::fromStdString(analysis::quoted_text(text.toStdString()));
}

QString group_condition(const QString& column, double number) {
  return column + " = " + views::exactNumber(number);
}

QString group_condition(const QString& column, const QString& text) {
  return column + " = " + quoted_text(text);
}

std::optional<GroupFilter> split_group(const QString& where, const QString& column) {
  const Parts parts(where);
  const auto place = place_of(parts, column);
  if (!place) return std::nullopt;
  return GroupFilter{parts.joined(place, {}), *parts.group(*place, column)};
}

QString without_group(const QString& where, const QString& column) {
  auto rest = where;
  while (const auto group = split_group(rest, column)) rest = group->base;
  return rest;
}

QString with_group(const QString& where, const QString& column, const QString& group) {
  const Parts parts(where);
  if (const auto place = place_of(parts, column))
    return parts.joined(place, parts.group(*place, column) == group ? QString() : group);
  return appended(parts, where, group);
}

QString with_condition(const QString& where, const QString& column, const QString& condition) {
  const Parts parts(where);
  const auto last = parts.size() - 1;
  if (parts.size() > 0 && parts.is_on(last, column)) return parts.joined(last, condition);
  return appended(parts, where, condition);
}

std::optional<KernelFilter> split_kernel(const QString& where, const QStringList& names) {
  if (const auto numbered = split_group(where, "kernel")) {
    bool number = false;
    const auto kernel = numbered->group.section(" = ", 1).toUInt(&number);
    if (number) return KernelFilter{numbered->base, kernel};
  }
  for (const char* column : {"name", "short_name"}) {
    const auto named = split_group(where, column);
    if (!named) continue;
    const auto is_it = [&](const QString& name) { return group_condition(column, name) == named->group; };
    const auto found = std::find_if(names.begin(), names.end(), is_it);
    if (found != names.end() && std::none_of(found + 1, names.end(), is_it))
      return KernelFilter{named->base, static_cast<std::uint32_t>(found - names.begin())};
  }
  return std::nullopt;
}

} // namespace jitterscope::app
