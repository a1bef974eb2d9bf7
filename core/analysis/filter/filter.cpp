#include "core/analysis/filter/filter.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/filter/filter_node.h"
#include "core/analysis/filter/filter_tokens.h"
#include "core/base/similar_names.h"
#include "core/base/text_pattern.h"

namespace jitterscope::analysis {

namespace {

using Node = FilterNode;
using NodePointer = std::shared_ptr<const Node>;
using Kind = Node::Kind;

constexpr int kDeepest = 200;

class Parser {
public:
  Parser(std::vector<Token> tokens, const LaunchColumns& columns)
      : tokens_(std::move(tokens)), columns_(columns) {}

  Expected<NodePointer> run() {
    auto root = any(0);
    if (root && peek().kind != TokenKind::End) return wrong("expected \"and\", \"or\" or the end");
    return root;
  }

  /// The filter text with the units of numbers that were written without one.
  std::string with_units(std::string text) const {
    for (auto number = plain_numbers_.rbegin(); number != plain_numbers_.rend(); ++number)
      text.insert(number->first, number->second);
    return text;
  }

private:
  const Token& peek() const { return tokens_[pos_]; }
  bool word(std::string_view text) const { return peek().kind == TokenKind::Name && peek().text == text; }
  bool symbol(std::string_view text) const { return peek().kind == TokenKind::Symbol && peek().text == text; }
  bool consume_word(std::string_view text) { return word(text) && ++pos_; }
  bool consume_symbol(std::string_view text) { return symbol(text) && ++pos_; }

  tl::unexpected<Error> wrong(const std::string& message) const {
    const auto& token = peek();
    const std::string found = token.kind == TokenKind::End      ? "the end"
                              : token.kind == TokenKind::Number ? "a number"
                                                                : "\"" + token.text + "\"";
    return failure(ErrorKind::BadUse, message + ", found " + found, {},
                   "character " + std::to_string(token.place) + " of the filter",
                   "Example: duration > 20us and name ~ /gemm/ and stream in (7, 13)");
  }

  Expected<NodePointer> any(int depth) { return chain(depth, "or", Kind::Or); }

  Expected<NodePointer> chain(int depth, std::string_view joint, Kind kind) {
    auto one = [&] { return kind == Kind::Or ? chain(depth, "and", Kind::And) : negation(depth); };
    auto first = one();
    if (!first || !word(joint)) return first;
    Node node;
    node.kind = kind;
    node.children.push_back(std::move(*first));
    while (consume_word(joint)) {
      auto next = one();
      if (!next) return next;
      node.children.push_back(std::move(*next));
    }
    return std::make_shared<const Node>(std::move(node));
  }

  Expected<NodePointer> negation(int depth) {
    if (depth > kDeepest) return wrong("brackets are nested more than 200 levels deep");
    if (consume_word("not")) {
      auto inner = negation(depth + 1);
      if (!inner) return inner;
      return negated(std::move(*inner));
    }
    if (consume_symbol("(")) {
      auto inner = any(depth + 1);
      if (inner && !consume_symbol(")")) return wrong("expected \")\"");
      return inner;
    }
    return condition();
  }

  static NodePointer negated(NodePointer inner) {
    Node node;
    node.kind = Kind::Not;
    node.children.push_back(std::move(inner));
    return std::make_shared<const Node>(std::move(node));
  }

  Expected<NodePointer> condition() {
    if (peek().kind != TokenKind::Name) return wrong("expected a column name");
    Node node;
    const LaunchColumn* column = columns_.find(peek().text);
    if (!column) return unknown_column();
    node.column = column->name;
    ++pos_;
    if (consume_word("is")) {
      const bool inverted = consume_word("not");
      if (!consume_word("missing")) return wrong("expected \"missing\" after \"is\"");
      node.kind = Kind::Missing;
      auto made = std::make_shared<const Node>(std::move(node));
      return inverted ? negated(std::move(made)) : NodePointer(std::move(made));
    }
    if (consume_word("in")) return members(std::move(node), *column);
    if (consume_word("between")) {
      if (column->kind == ColumnKind::Text) return wrong(needs_text(*column));
      return range(std::move(node), *column);
    }
    if (symbol("~") || symbol("!~")) return matching(std::move(node), *column);
    return comparison(std::move(node), *column);
  }

  tl::unexpected<Error> unknown_column() const {
    std::string known;
    std::vector<std::string> names;
    for (const auto& column : columns_.list()) {
      known += (known.empty() ? "" : ", ") + column.name;
      names.push_back(column.name);
    }
    return failure(ErrorKind::BadUse, "there is no column \"" + peek().text + "\"", {},
                   "character " + std::to_string(peek().place) + " of the filter",
                   did_you_mean(peek().text, names, "Columns: " + known));
  }

  Expected<NodePointer> comparison(Node node, const LaunchColumn& column) {
    static constexpr std::string_view kOperators[] = {"=", "==", "!=", "<", "<=", ">", ">="};
    const bool known =
        peek().kind == TokenKind::Symbol &&
        std::find(std::begin(kOperators), std::end(kOperators), peek().text) != std::end(kOperators);
    if (!known) { // a bare column means "is not 0"
      if (column.kind == ColumnKind::Text) return wrong(needs_text(column));
      node.kind = Kind::Compare;
      node.comparison = "!=";
      return std::make_shared<const Node>(std::move(node));
    }
    node.comparison = peek().text == "==" ? "=" : peek().text;
    ++pos_;
    if (peek().kind == TokenKind::Text) return text_comparison(std::move(node), column);
    if (column.kind == ColumnKind::Text) return wrong(needs_text(column));
    if (peek().kind == TokenKind::Name) {
      const auto* other = columns_.find(peek().text);
      if (!other) return unknown_column();
      if (other->kind == ColumnKind::Text) return wrong(needs_text(*other));
      node.kind = Kind::CompareColumns;
      node.other = other->name;
      ++pos_;
      return std::make_shared<const Node>(std::move(node));
    }
    if (peek().kind != TokenKind::Number) return wrong("expected a number, a text or a column");
    node.kind = Kind::Compare;
    auto number = number_of(column);
    if (!number) return forward(number.error());
    node.number = *number;
    return std::make_shared<const Node>(std::move(node));
  }

  /// The next token, a number, in the unit of a column.
  Expected<double> number_of(const LaunchColumn& column) {
    const Token& token = tokens_[pos_++];
    const auto unit = unit_of(column.unit);
    if (token.dimension == Dimension::None && unit && token.number != 0)
      plain_numbers_.emplace_back(token.end, column.unit);
    if (token.dimension == Dimension::None || column.unit.empty()) return token.number;
    if (unit && unit->dimension == token.dimension)
      return token.written * (token.factor / unit->factor); // 7% of a column in % is exactly 7
    return failure(ErrorKind::BadUse,
                   "column \"" + column.name + "\" is in " + column.unit + ", the number is in another unit",
                   {}, "character " + std::to_string(token.place) + " of the filter",
                   "A number without a unit is in the unit of the column.");
  }

  /// The column's numbers are indices into a list of texts, which are unknown to users.
  static std::string needs_text(const LaunchColumn& column) {
    return "column \"" + column.name +
           "\" contains texts: compare it with a text by =, != or in, or with a /pattern/ by ~";
  }

  Expected<NodePointer> text_comparison(Node node, const LaunchColumn& column) {
    if (column.kind != ColumnKind::Text) return wrong("column \"" + column.name + "\" contains numbers");
    if (node.comparison != "=" && node.comparison != "!=")
      return wrong("texts can only be compared with = and !=");
    const bool inverted = node.comparison == "!=";
    node.kind = Kind::In;
    add_text(node, column, tokens_[pos_++].text);
    return inverted ? other_texts(std::move(node)) : std::make_shared<const Node>(std::move(node));
  }

  void add_text(Node& node, const LaunchColumn& column, const std::string& text) const {
    const auto texts = columns_.texts(column.name);
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (texts[i] == text) node.members.push_back(static_cast<double>(i));
    std::sort(node.members.begin(), node.members.end());
  }

  Expected<NodePointer> members(Node node, const LaunchColumn& column) {
    if (!consume_symbol("(")) return wrong("expected \"(\" after \"in\"");
    node.kind = Kind::In;
    do {
      const bool texts = column.kind == ColumnKind::Text;
      if (peek().kind != (texts ? TokenKind::Text : TokenKind::Number))
        return wrong(texts ? needs_text(column)
                           : "column \"" + column.name + "\" contains numbers: expected a number");
      if (texts) {
        add_text(node, column, tokens_[pos_++].text);
        continue;
      }
      auto number = number_of(column);
      if (!number) return forward(number.error());
      node.members.push_back(*number);
    } while (consume_symbol(","));
    if (!consume_symbol(")")) return wrong("expected \")\"");
    std::sort(node.members.begin(), node.members.end());
    return std::make_shared<const Node>(std::move(node));
  }

  Expected<NodePointer> range(Node node, const LaunchColumn& column) {
    Node low = node, high = node;
    low.kind = high.kind = Kind::Compare;
    low.comparison = ">=";
    high.comparison = "<=";
    if (peek().kind != TokenKind::Number) return wrong("expected a number after \"between\"");
    auto first = number_of(column);
    if (!first) return forward(first.error());
    if (!consume_word("and")) return wrong("expected \"and\"");
    if (peek().kind != TokenKind::Number) return wrong("expected a number");
    auto last = number_of(column);
    if (!last) return forward(last.error());
    low.number = *first, high.number = *last;
    node.kind = Kind::And;
    node.children = {std::make_shared<const Node>(std::move(low)),
                     std::make_shared<const Node>(std::move(high))};
    return std::make_shared<const Node>(std::move(node));
  }

  Expected<NodePointer> matching(Node node, const LaunchColumn& column) {
    if (column.kind != ColumnKind::Text)
      return wrong("column \"" + column.name + "\" contains numbers, but \"~\" needs a text column");
    const bool inverted = peek().text == "!~";
    ++pos_;
    if (peek().kind != TokenKind::Regex && peek().kind != TokenKind::Text)
      return wrong("expected /a regular expression/");
    node.kind = Kind::In;
    const auto pattern = TextPattern::of(peek().text);
    if (!pattern) return wrong(pattern.error().message);
    const auto texts = columns_.texts(column.name);
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (pattern->found_in(texts[i])) node.members.push_back(static_cast<double>(i));
    ++pos_;
    return inverted ? other_texts(std::move(node)) : std::make_shared<const Node>(std::move(node));
  }

  /// The condition that a text is known and not one of a node's members.
  static NodePointer other_texts(Node members) {
    Node missing, both;
    missing.kind = Kind::Missing, missing.column = members.column;
    both.kind = Kind::And;
    both.children = {negated(std::make_shared<const Node>(std::move(members))),
                     negated(std::make_shared<const Node>(std::move(missing)))};
    return std::make_shared<const Node>(std::move(both));
  }

  std::vector<Token> tokens_;
  const LaunchColumns& columns_;
  std::size_t pos_ = 0;
  std::vector<std::pair<std::size_t, std::string>>
      plain_numbers_; ///< numbers without a unit: their ends in the text, ascending, and the columns' units
};

using Mask = std::vector<std::uint8_t>;

/// Evaluates a condition on one segment; reads each column once.
class Evaluation {
public:
  Evaluation(const LaunchColumns& columns, const Segment& segment) : columns_(columns), segment_(segment) {}

  Mask run(const Node& node) {
    switch (node.kind) {
    case Kind::And:
    case Kind::Or:
      return joined(node);
    case Kind::Not: {
      Mask mask = run(*node.children.front());
      for (auto& bit : mask) bit = !bit;
      return mask;
    }
    case Kind::Missing:
      return each(node.column, [](double v) { return std::isnan(v); });
    case Kind::In:
      return each(node.column, [&](double v) {
        return !std::isnan(v) && std::binary_search(node.members.begin(), node.members.end(), v);
      });
    case Kind::Compare:
      return compare(node, [&](std::size_t) { return node.number; });
    case Kind::CompareColumns: {
      const auto& other = values(node.other);
      return compare(node, [&](std::size_t i) { return other[i]; });
    }
    }
    return {};
  }

private:
  const std::vector<double>& values(const std::string& column) {
    auto found = cache_.find(column);
    if (found == cache_.end()) found = cache_.emplace(column, columns_.read(column, segment_)).first;
    return found->second;
  }

  Mask joined(const Node& node) {
    Mask mask = run(*node.children.front());
    for (std::size_t c = 1; c < node.children.size(); ++c) {
      const Mask next = run(*node.children[c]);
      for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] = node.kind == Kind::And ? mask[i] & next[i] : mask[i] | next[i];
    }
    return mask;
  }

  template <class Test>
  Mask each(const std::string& column, Test&& test) {
    const auto& v = values(column);
    Mask mask(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) mask[i] = test(v[i]);
    return mask;
  }

  template <class Right>
  Mask compare(const Node& node, Right&& right) {
    const auto& left = values(node.column);
    Mask mask(left.size());
    const auto fill = [&](auto&& test) {
      for (std::size_t i = 0; i < left.size(); ++i) mask[i] = test(left[i], right(i));
    };
    if (node.comparison == "=") fill([](double a, double b) { return a == b; });
    if (node.comparison == "!=")
      fill([](double a, double b) { return !std::isnan(a) && !std::isnan(b) && a != b; });
    if (node.comparison == "<") fill([](double a, double b) { return a < b; });
    if (node.comparison == "<=") fill([](double a, double b) { return a <= b; });
    if (node.comparison == ">") fill([](double a, double b) { return a > b; });
    if (node.comparison == ">=") fill([](double a, double b) { return a >= b; });
    return mask;
  }

  const LaunchColumns& columns_;
  const Segment& segment_;
  std::map<std::string, std::vector<double>> cache_;
};

} // namespace

Filter::Filter() = default;
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

Expected<Filter> Filter::parse(const std::string& text, const LaunchColumns& columns) {
  auto tokens = tokenize_filter(text);
  if (!tokens) return forward(tokens.error());
  Filter filter;
  if (tokens->size() == 1) return filter;
  Parser parser(std::move(*tokens), columns);
  auto root = parser.run();
  if (!root) return forward(root.error());
  filter.root_ = std::move(*root);
  filter.text_ = parser.with_units(text);
  return filter;
}

bool Filter::everything() const {
  return root_ == nullptr;
}

Filter Filter::of(std::shared_ptr<const Node> root) {
  Filter filter;
  filter.root_ = std::move(root);
  return filter;
}

std::vector<std::uint8_t> Filter::select(const LaunchColumns& columns, const Segment& segment) const {
  if (!root_) return std::vector<std::uint8_t>(static_cast<std::size_t>(segment.rows()), 1);
  return Evaluation(columns, segment).run(*root_);
}

} // namespace jitterscope::analysis
