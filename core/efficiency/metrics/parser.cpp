#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "core/efficiency/metrics/parser.h"

namespace jitterscope::efficiency::metrics {
namespace {

const std::map<std::string_view, Op> kComparisons = {{"<", Op::Less},    {"<=", Op::LessEqual},
                                                     {">", Op::Greater}, {">=", Op::GreaterEqual},
                                                     {"==", Op::Equal},  {"!=", Op::NotEqual}};

std::optional<Level> level_named(std::string_view name) {
  if (name == "rank") return Level::Process;
  for (int level = 0; level < kLevels; ++level)
    if (to_string(static_cast<Level>(level)) == name) return static_cast<Level>(level);
  return {};
}

} // namespace

Expected<Definition> Parser::run() {
  bool level_given = false;
  while (peek().kind == TokenKind::Name && tokens_[at_ + 1].text == "=" && !is("let")) {
    level_given = level_given || is("level");
    if (auto read = property(); !read) return forward(read.error());
  }
  while (is("let"))
    if (auto read = let(); !read) return forward(read.error());
  auto metric = expression();
  if (!metric) return forward(metric.error());
  consume(";");
  if (peek().kind != TokenKind::End) return expected("an operator or the end");
  definition_.metric = std::move(*metric);
  if (!level_given) definition_.level = definition_.metric.level;
  if (!covers(definition_.level, definition_.metric.level))
    return wrong_at(level_place_,
                    fmt::format("the metric is defined per {} and has no values per {}",
                                to_string(definition_.metric.level), to_string(definition_.level)),
                    "Choose its own level or a coarser level.");
  return std::move(definition_);
}

tl::unexpected<Error> Parser::expected(const std::string& what, std::string hint) const {
  const auto& token = peek();
  const std::string found =
      token.kind == TokenKind::End ? "the end" : fmt::format("\"{:.40}\"", printable(token.text));
  return wrong_at(token.place, fmt::format("expected {}, found {}", what, found), std::move(hint));
}

std::string Parser::printable(const std::string& text) {
  auto length = std::min<std::size_t>(text.size(), 40);
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
    --length;
  return text.substr(0, length);
}

Expected<void> Parser::need(std::string_view symbol) {
  if (consume(symbol)) return {};
  return expected(fmt::format("\"{}\"", symbol));
}

Expected<void> Parser::property() {
  const auto name = tokens_[at_];
  at_ += 2;
  if (name.text == "title" || name.text == "unit" || name.text == "help") {
    if (peek().kind != TokenKind::Text) return expected("a text in double quotes");
    (name.text == "title"  ? definition_.title
     : name.text == "unit" ? definition_.unit
                           : definition_.help) = tokens_[at_++].text;
  } else if (name.text == "level") {
    level_place_ = peek().place;
    auto read = level();
    if (!read) return forward(read.error());
    definition_.level = *read;
  } else if (name.text == "across") {
    const auto aggregator = aggregator_named(peek().text);
    if (!aggregator || peek().kind != TokenKind::Name)
      return expected("sum, mean, min, max, any, all or number");
    definition_.across = *aggregator;
    ++at_;
  } else if (name.text == "tier") {
    const auto tier = std::ranges::find(kTierNames, peek().text);
    if (tier == kTierNames.end() || peek().kind != TokenKind::Name)
      return expected("environment, configuration, context, counters, duration, variability or unknown");
    definition_.tier = static_cast<int>(tier - kTierNames.begin());
    ++at_;
  } else {
    return wrong_at(
        name.place, fmt::format("\"{}\" is not a property of a metric", printable(name.text)),
        "Known properties: title, unit, help, level, across, tier. A timeline gets a name with let.");
  }
  return need(";");
}

Expected<Level> Parser::level() {
  const auto found = peek().kind == TokenKind::Name ? level_named(peek().text) : std::nullopt;
  if (!found)
    return expected("a level", "Levels: application, node, process (or rank), device, stream, thread.");
  ++at_;
  return *found;
}

Expected<void> Parser::let() {
  ++at_;
  if (peek().kind != TokenKind::Name) return expected("a name");
  const auto name = peek();
  if (is_reserved(name.text))
    return wrong_at(name.place, fmt::format("\"{}\" is a reserved name", name.text), "Choose another name.");
  if (std::ranges::find(definition_.names, name.text) != definition_.names.end())
    return wrong_at(name.place, fmt::format("\"{}\" is already defined", printable(name.text)));
  ++at_;
  if (auto sign = need("="); !sign) return sign;
  auto value = expression();
  if (!value) return forward(value.error());
  definition_.names.push_back(name.text);
  definition_.lets.push_back(std::move(*value));
  return need(";");
}

bool Parser::is_reserved(std::string_view name) {
  return std::ranges::any_of(words(), [&](const Word& word) { return word.text == name; });
}

Parser::Result Parser::expression() {
  if (++depth_ > kMaxDepth)
    return wrong_at(peek().place, fmt::format("expressions are nested more than {} levels deep", kMaxDepth),
                    "Use let to name parts of it.");
  auto read = chain("or", Op::Or, &Parser::conjunction);
  --depth_;
  return read;
}

Parser::Result Parser::chain(std::string_view word, Op op, Result (Parser::*part)()) {
  auto left = (this->*part)();
  while (left && is(word)) {
    const auto place = tokens_[at_++].place;
    auto right = (this->*part)();
    if (!right) return right;
    left = join(op, place, std::move(*left), std::move(*right));
  }
  return left;
}

Parser::Result Parser::inverse() {
  if (!is("not")) return comparison();
  if (++depth_ > kMaxDepth)
    return wrong_at(peek().place, "more than 64 operators follow each other",
                    "Remove operators that cancel each other.");
  const auto place = tokens_[at_++].place;
  auto operand = inverse();
  --depth_;
  if (!operand) return operand;
  return join(Op::Not, place, std::move(*operand));
}

Parser::Result Parser::comparison() {
  auto left = sum();
  const auto found = peek().kind == TokenKind::Symbol ? kComparisons.find(peek().text) : kComparisons.end();
  if (left && peek().kind == TokenKind::Symbol && peek().text == "=")
    return expected("\"==\" or another operator", "= names a timeline (let); == compares.");
  if (!left || found == kComparisons.end()) return left;
  const auto place = tokens_[at_++].place;
  auto right = sum();
  if (!right) return right;
  if (peek().kind == TokenKind::Symbol && kComparisons.contains(peek().text))
    return wrong_at(peek().place, "comparisons cannot be chained",
                    right->op == Op::Field
                        ? "Join them with and. A text is in double quotes: name == \"scale<float>\"."
                        : "Join them with and.");
  return join(found->second, place, std::move(*left), std::move(*right));
}

Parser::Result Parser::sum() {
  auto left = product();
  while (left && (is("+") || is("-"))) {
    const auto token = tokens_[at_++];
    auto right = product();
    if (!right) return right;
    left = join(token.text == "+" ? Op::Add : Op::Subtract, token.place, std::move(*left), std::move(*right));
  }
  return left;
}

Parser::Result Parser::product() {
  auto left = signed_part();
  while (left && (is("*") || is("/") || is("%"))) {
    const auto token = tokens_[at_++];
    auto right = signed_part();
    if (!right) return right;
    const Op op = token.text == "*" ? Op::Multiply : token.text == "/" ? Op::Divide : Op::Modulo;
    left = join(op, token.place, std::move(*left), std::move(*right));
  }
  return left;
}

Parser::Result Parser::signed_part() {
  if (!is("-")) return primary();
  if (++depth_ > kMaxDepth)
    return wrong_at(peek().place, "more than 64 operators follow each other",
                    "Remove operators that cancel each other.");
  const auto place = tokens_[at_++].place;
  auto operand = signed_part();
  --depth_;
  if (!operand) return operand;
  return join(Op::Negate, place, std::move(*operand));
}

Parser::Result Parser::finish(Node node) {
  auto counted = add(std::move(node));
  if (!counted || source_) return counted; // attributes of records have no level
  node = std::move(*counted);
  for (const auto& child : node.children) {
    if (covers(node.level, child.level))
      node.level = child.level;
    else if (!covers(child.level, node.level))
      return wrong_at(node.place,
                      fmt::format("a timeline per {} and a timeline per {} cannot be combined",
                                  to_string(node.level), to_string(child.level)),
                      "Aggregate both to a common level first, for example any(… per process).");
  }
  return node;
}

Expected<Definition> parse(std::string_view text) {
  if (text.size() > kMaxText)
    return failure(ErrorKind::BadUse, fmt::format("the definition is longer than {} bytes", kMaxText));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3); // UTF-8 byte-order mark
  auto tokens = tokens_of(text);
  if (!tokens) return forward(tokens.error());
  return Parser(std::move(*tokens)).run();
}

} // namespace jitterscope::efficiency::metrics
