#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/efficiency/metrics/tokens.h"

namespace jitterscope::efficiency::metrics {

/// A function of the language whose operands are numbers.
struct PointwiseFunction {
  Op op;
  int minimum, maximum; ///< number of operands
};

/// nullopt if the language does not have the word.
std::optional<Source> source_named(std::string_view name);
std::optional<Aggregator> aggregator_named(std::string_view name);

/// Reads one definition: properties, names and operators in parser.cpp, functions and names of sources in
/// parser_functions.cpp.
class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}
  Expected<Definition> run();

private:
  using Result = Expected<Node>;

  const Token& peek() const { return tokens_[at_]; }
  bool is(std::string_view text) const {
    return (peek().kind == TokenKind::Symbol || peek().kind == TokenKind::Name) && peek().text == text;
  }
  bool consume(std::string_view text) { return is(text) && ++at_; }
  tl::unexpected<Error> expected(const std::string& what, std::string hint = {}) const;
  /// About the first 40 bytes of a text; never splits a character.
  static std::string printable(const std::string& text);
  Expected<void> need(std::string_view symbol);

  Expected<void> property();
  Expected<Level> level();
  Expected<void> let();
  static bool is_reserved(std::string_view name);
  // Depth and number of expressions are limited, so hostile text cannot exhaust the stack.
  Result expression();
  Result conjunction() { return chain("and", Op::And, &Parser::inverse); }
  Result chain(std::string_view word, Op op, Result (Parser::*part)());
  Result inverse();
  Result comparison();
  Result sum();
  Result product();
  Result signed_part();
  /// A node over operands, at the finest of their levels.
  template <class... Operands>
  Result join(Op op, Place place, Operands... operands) {
    Node node;
    node.op = op;
    node.place = place;
    (node.children.push_back(std::move(operands)), ...);
    return finish(std::move(node));
  }
  Result finish(Node node);

  Result primary();
  Result name(const Token& token);
  /// A field of a record, alone or compared with a text.
  Result attribute(const Token& token);
  static Expected<void> check_pattern(const Token& token);
  Result function(const Token& token);
  /// Operands up to the closing parenthesis.
  Result operands(Node node, int minimum, int maximum);
  Result pointwise(const Token& token, const PointwiseFunction& function);
  Expected<std::shared_ptr<const Records>> records();
  /// An expression over attributes. Group means are over `of`; null: over all records of the source.
  Result of_record(Source source, std::shared_ptr<const Records> of);
  Expected<std::int64_t> width();
  Result of_records(const Token& token, Op op);
  /// Numbers a node whose level is known. Errors: more than kMaxNodes expressions.
  Result add(Node node);
  Result window_of(const Token& token, Op op);
  Result counter(const Token& token, Op op);
  // sum(x per device), or for min and max also min(a, b).
  Result across(const Token& token);
  Result function_of_record(const Token& token);
  /// mean(timeline) of a record.
  Result over_record(Node node, Op op);

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Definition definition_;
  Place level_place_;
  std::optional<Source> source_;         ///< inside attributes: source of the records
  std::shared_ptr<const Records> group_; ///< records over which group means are computed
  int depth_ = 0;
  std::uint32_t nodes_ = 0;
};

} // namespace jitterscope::efficiency::metrics
